"""``events``: the journal as it was written, for people, for pipes, and as it goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spellweaver.clock import VirtualClock
from tests.support.engine import World, draft
from tests.support.program import Done, at_terminal, call


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path, now="2026-01-01T00:30:00Z")
    made.add(draft("job", "0 * * * *"), draft("other", "30 * * * *"))
    made.live("2026-01-01T03:10:00Z", takes="10s")
    return made


def events(world: World, *words: str) -> Done:
    return call("events", *words, ledger=world.path, clock=world.clock)


def test_every_event_comes_in_order_with_all_its_keys(world: World) -> None:
    items = events(world, "--after-seq", "0", "--json").items
    assert [item["seq"] for item in items] == list(range(1, len(items) + 1))
    kept = [(str(t), json.loads(str(data))) for t, data in world.rows("SELECT type, data FROM event ORDER BY seq")]
    assert [(item["type"], item["data"]) for item in items] == kept
    assert events(world, "--json").items == items[-20:]


def test_filters_take_a_schedule_a_type_and_a_count(world: World) -> None:
    of_job = events(world, "--schedule", "job", "--after-seq", "0", "--json").items
    assert {item["schedule"] for item in of_job} == {"local/job"}
    admitted = events(world, "--type", "occurrence.*", "-n", "2", "--json").items
    assert [item["type"] for item in admitted] == ["occurrence.admitted"] * 2
    assert admitted[-1]["seq"] == max(
        int(str(i["seq"])) for i in events(world, "--type", "occurrence.admitted", "-n", "99", "--json").items
    )
    assert [i["seq"] for i in events(world, "--after-seq", "3", "-n", "2", "--json").items] == [4, 5]
    assert events(world, "--schedule", "nobody").status == 4


def test_behind_a_pipe_an_event_is_a_line_with_its_numbers_as_json(world: World) -> None:
    *fields, data = events(world, "-n", "1").out.rstrip("\n").split("\t")
    assert fields[1].endswith("Z") and fields[2] == "invocation.completed"
    assert json.loads(data)["took_us"] == 10_000_000


def test_at_a_terminal_an_event_is_told(world: World) -> None:
    done = at_terminal("events", "-n", "1", ledger=world.path, clock=world.clock)
    head, *told = done.out.splitlines()
    assert "local/job  occ_" in head and head.startswith("evt_")
    assert told[0].strip().startswith("completed: exit status 0 after 10s")


def test_following_streams_what_is_committed_and_can_be_taken_up_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    (last,) = world.row("SELECT max(seq) FROM event")
    looks = 0

    def pause(us: int) -> None:
        """Between two looks somebody else writes; then the reader is interrupted."""
        nonlocal looks
        looks += 1
        if looks > 2:
            raise KeyboardInterrupt
        world.at("2026-01-01T03:30:00Z") if looks == 1 else world.end(world.launches[0], 3)

    monkeypatch.setattr("spellweaver.clock.pause", pause)
    done = call(
        "events", "-f", "--jsonl", "--after-seq", str(int(str(last)) - 1), ledger=world.path, clock=VirtualClock(0)
    )
    assert done.status == 130
    seen = [json.loads(line) for line in done.out.splitlines()]
    assert [event["seq"] for event in seen] == list(range(int(str(last)), int(str(last)) + len(seen)))
    assert [event["type"] for event in seen[1:]] == ["occurrence.admitted", "invocation.failed"]
    looks = 9
    resumed = call(
        "events", "-f", "--jsonl", "--after-seq", str(seen[-2]["seq"]), ledger=world.path, clock=VirtualClock(0)
    )
    assert [json.loads(line)["seq"] for line in resumed.out.splitlines()] == [seen[-1]["seq"]]
    assert events(world, "-f", "--json").status == 2
