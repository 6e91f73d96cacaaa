"""``status``: the daemon, what comes, what was, what waits, and what is wrong."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from spellweaver.clock import SystemClock
from spellweaver.core import instant
from spellweaver.core.launch import Contained
from spellweaver.host import kernel
from tests.support.engine import World, draft, policy
from tests.support.program import Done, at_terminal, call


def status(world: World, *more: str) -> Done:
    return call("status", *more, ledger=world.path, clock=world.clock)


def item(world: World) -> dict[str, object]:
    (found,) = status(world, "--json").items
    return found


def of(world: World, name: str) -> dict[str, object]:
    schedules = item(world)["schedules"]
    assert isinstance(schedules, list)
    (found,) = [each for each in schedules if each["schedule"] == name]
    assert isinstance(found, dict)
    return found


def codes(world: World) -> list[str]:
    warnings = item(world)["warnings"]
    assert isinstance(warnings, list)
    return [warning["code"] for warning in warnings]


def runs(world: World, *, ticks: int | None = None, boot: str | None = None) -> None:
    """A lock file as a daemon of this very process would leave it."""
    facts = {
        "pid": os.getpid(),
        "start_ticks": kernel.start_ticks(os.getpid()) if ticks is None else ticks,
        "boot_id": kernel.boot_id() if boot is None else boot,
        "socket": None,
        "started_at": world.clock.now(),
        "program": "1",
    }
    Path(f"{world.path}.lock").write_text(json.dumps(facts))


def test_rp_33_a_new_schedule_says_at_once_when_it_runs_first(tmp_path: Path) -> None:
    world = World(tmp_path, now="2026-12-01T10:00:00Z")
    world.add(draft("new", "0 9 * * *", horizon="1d"))
    found = of(world, "local/new")
    assert found["next"] == {
        "instant": "2026-12-02T09:00:00Z", "civil": "2026-12-02T09:00:00", "zone": "UTC", "offset": "+00:00", "fold": 0,
    }  # fmt: skip
    assert (found["last"], found["result"], found["why"]) == (None, None, None)
    assert "Wed 2026-12-02 09:00 UTC  23h" in at_terminal("status", ledger=world.path, clock=world.clock).out


def test_the_daemon_is_judged_by_the_identity_in_its_lock_file(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.add(draft("job", "0 9 * * *"))
    assert "daemon  down: nothing fires; start it with: spellweaver run" in status(world).err
    runs(world)
    world.clock.advance(3 * instant.DAY + 4 * instant.HOUR)
    assert status(world).err == f"daemon  running, pid {os.getpid()}, up 3d 4h\n"
    runs(world, ticks=1)  # another process has its number now
    assert codes(world) == ["daemon_down"]
    runs(world, boot="00000000-0000-0000-0000-000000000000")
    assert codes(world) == ["daemon_down"]
    for damaged in ("", "{", '{"pid": "x"}', "[]", "\x00"):
        Path(f"{world.path}.lock").write_text(damaged)
        assert codes(world) == ["daemon_down"]


def test_check_answers_with_1_when_anything_is_wrong(tmp_path: Path) -> None:
    world = World(tmp_path, now="2026-01-01T00:30:00Z")
    world.add(draft("job", "0 * * * *"))
    assert (status(world).status, status(world, "--check").status) == (0, 1)
    runs(world)
    assert (status(world, "--check").status, codes(world)) == (0, [])
    world.at("2026-01-01T01:00:00Z")
    world.end(world.launches[0], 3)
    done = status(world, "--check")
    assert (done.status, codes(world)) == (1, ["failed"])
    assert of(world, "local/job")["why"] == "exit status 3"
    assert f"next: spellweaver explain occ_1 --ledger {world.path}" in done.err


@pytest.mark.rule("RCV-02")
def test_contained_work_is_shown_until_it_is_settled(tmp_path: Path) -> None:
    world = World(tmp_path, now="2026-01-01T00:30:00Z")
    world.add(draft("job", "0 * * * *"))
    world.at("2026-01-01T01:00:00Z")
    world.start(world.launches[0])
    world.see(Contained(world.launches[0].attempt, "escaped", "a process left its session"))
    world.at("2026-01-01T02:00:00Z")
    waits = item(world)["waits"]
    assert isinstance(waits, list)
    assert [(wait["ref"], wait["state"], wait["since"]) for wait in waits] == [
        ("inv_1", "contained", "2026-01-01T01:00:00Z")
    ]
    assert "contained" in codes(world)
    world.end(world.launches[0])
    assert item(world)["waits"] == [] and "contained" not in codes(world)


def test_a_schedule_whose_kept_rules_are_damaged_is_shown_as_stopped_with_why(tmp_path: Path) -> None:
    world = World(tmp_path, now="2026-01-01T00:30:00Z")
    world.add(draft("job", "0 * * * *", zone="Europe/Rome"), draft("other", "0 * * * *"))
    world.reopen()
    for (trigger,) in world.rows("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'zone_rules'"):
        world.ledger.connection.execute(f"DROP TRIGGER {trigger}")
    world.ledger.connection.execute("UPDATE zone_rules SET data = x'00' WHERE length(data) > 200")
    world.at("2026-01-01T01:00:00Z")
    found = of(world, "local/job")
    assert (found["state"], found["next"]) == ("stopped", None)
    assert "its kept zone rules" in str(found["why"]) and "are not what their digest says" in str(found["why"])
    assert "stopped" in codes(world)
    assert of(world, "local/other")["state"] == "active"


def test_rp_71_the_share_of_firings_skipped_in_the_last_day_is_shown(tmp_path: Path) -> None:
    world = World(tmp_path, now="2026-01-01T00:00:05Z")
    world.add(draft("slow", every="10s"))
    world.live("2026-01-01T00:05:00Z", takes="25s")
    found = of(world, "local/slow")
    skipped = sum(state == "skipped" for _, state, _ in world.fates("slow"))
    assert (found["skipped_last_day"], found["firings_last_day"]) == (skipped, len(world.fates("slow")))
    assert 15 <= skipped <= 21
    assert f"{100 * skipped // 30}% skipped in the last day ({skipped} of 30)" in str(found["why"])
    (listed,) = call("schedule", "list", "--json", ledger=world.path, clock=world.clock).items
    assert (listed["skipped_last_day"], listed["firings_last_day"]) == (skipped, 30)
    world.ledger.connection.execute("UPDATE schedule SET next_at = NULL")
    world.clock.advance(2 * instant.DAY)
    assert of(world, "local/slow")["skipped_last_day"] == 0


def test_a_range_counts_by_the_part_of_it_that_lies_in_the_last_day(tmp_path: Path) -> None:
    world = World(tmp_path, now="2026-01-01T00:00:00Z")
    world.add(draft("job", every="1h", horizon="1h"))
    world.at("2026-01-03T00:30:00Z")
    found = of(world, "local/job")
    assert (found["skipped_last_day"], found["firings_last_day"]) == (23, 24)
    assert found["result"] == "queued" and found["last"]["instant"] == "2026-01-03T00:00:00Z"


def test_the_next_candidate_may_be_a_time_that_the_clock_never_shows(tmp_path: Path) -> None:
    world = World(tmp_path, now="2026-03-28T12:00:00Z")
    world.add(draft("gap", "30 2 * * *", zone="Europe/Rome"), draft("plain", "0 3 * * *", zone="Europe/Rome"))
    found = of(world, "local/gap")["next"]
    assert found == {
        "instant": None,
        "civil": "2026-03-29T02:30:00",
        "zone": "Europe/Rome",
        "offset": None,
        "fold": None,
    }
    assert of(world, "local/plain")["next"]["offset"] == "+02:00"
    assert "Sun 2026-03-29 02:30 (no such time)" in at_terminal("status", ledger=world.path, clock=world.clock).out


def test_the_last_firing_of_a_repeated_hour_is_the_one_that_came_last(tmp_path: Path) -> None:
    world = World(tmp_path, now="2026-10-24T23:00:00Z")
    world.add(draft("job", "*/10 * * * *", zone="Europe/Rome", fold="both"))
    world.live("2026-10-25T01:15:00Z")
    assert of(world, "local/job")["last"] == {
        "instant": "2026-10-25T01:10:00Z",
        "civil": "2026-10-25T02:10:00",
        "zone": "Europe/Rome",
        "offset": "+01:00",
        "fold": 1,
    }
    assert (
        "c1:2026-10-25T02:10+1"
        in call("explain", "job@latest", ledger=world.path, clock=world.clock).out.splitlines()[0]
    )


def test_the_screen_is_calm_at_80_columns(tmp_path: Path) -> None:
    world = World(tmp_path, now="2026-11-29T12:00:00Z")
    world.add(
        draft("nightly", "0 2 * * *", zone="Europe/Rome"),
        draft("windowed", "0 3 * * *", zone="Europe/Rome", allowed_delay="1h"),
    )
    world.at("2026-11-30T12:00:00Z")
    world.start(world.launches[0])
    world.clock.advance(8 * instant.MINUTE)
    screen = at_terminal("status", ledger=world.path, clock=world.clock, env={"NO_COLOR": "1"})
    told = screen.out.splitlines()
    table = next(at for at, line in enumerate(told) if line.startswith("NEXT  "))
    assert screen.status == 0 and max(map(len, told[table:])) <= 80
    assert told[table + 1 : table + 3] == [
        "Tue 2026-12-01 02:00 CET  12h 52min  11h 8min ago  ▶ running  local/nightly",
        "Tue 2026-12-01 03:00 CET  13h 52min  10h 8min ago  ! missed   local/windowed",
    ]
    assert "local/windowed  its window closed before it could start" in screen.out
    wide = at_terminal("status", ledger=world.path, clock=world.clock, width=160)
    assert any(line.startswith("\x1b[1mNEXT") and "WHY" in line for line in wide.out.splitlines())


@pytest.mark.rule("OCC-18")
def test_a_pending_firing_names_its_present_obstacle(tmp_path: Path) -> None:
    world = World(tmp_path, now="2026-01-01T00:30:00Z")
    world.add(draft("job", "0 * * * *", allowed_delay="30m"))
    world.apply(policy(workers=0))
    world.at("2026-01-01T01:00:00Z")
    waits = item(world)["waits"]
    assert isinstance(waits, list)
    assert [(wait["ref"], wait["reason"], wait["until"]) for wait in waits] == [
        ("occ_1", "capacity", "2026-01-01T01:30:00Z")
    ]
    assert of(world, "local/job")["why"] == "no worker is free"


def test_behind_a_pipe_each_line_is_a_schedule_and_each_time_is_utc(tmp_path: Path) -> None:
    world = World(tmp_path, now="2026-01-01T00:30:00Z")
    world.add(draft("job", "0 * * * *", zone="Asia/Tokyo"))
    done = status(world)
    assert done.out == "2026-01-01T01:00:00Z\t\t\t\tlocal/job\t\n"
    assert status(world, "--header").out.splitlines()[0] == "NEXT\tLAST\tRESULT\tTOOK\tSCHEDULE\tWHY"


def test_an_empty_ledger_says_what_to_do(tmp_path: Path) -> None:
    world = World(tmp_path)
    assert "next: spellweaver define FILE --bind --activate" in status(world).err


def test_reading_goes_on_while_somebody_holds_the_write_lock(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.add(draft("job", "0 * * * *"))
    world.ledger.connection.execute("BEGIN IMMEDIATE")
    try:
        for words in (("status",), ("schedule", "list"), ("events",), ("next", "job")):
            assert call(*words, ledger=world.path, clock=world.clock).status == 0
    finally:
        world.ledger.connection.execute("ROLLBACK")


class Watched(SystemClock):
    """Says when it was looked at for the second time, and then is interrupted."""

    looks = 0

    def now(self) -> int:
        self.looks += 1
        if self.looks > 3:
            raise KeyboardInterrupt
        return super().now()


def test_watch_draws_until_it_is_interrupted_and_gives_the_page_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path)
    world.add(draft("job", "0 * * * *"))
    monkeypatch.setattr("spellweaver.clock.pause", lambda us: threading.Event().wait(0))
    done = at_terminal("status", "--watch", ledger=world.path, clock=Watched())
    assert done.status == 130
    assert done.out.startswith("\x1b[?1049h") and done.out.endswith("\x1b[?25h\x1b[?1049l")
    assert done.out.count("local/job") == 2
    assert call("status", "--watch", ledger=world.path, clock=world.clock).status == 2
