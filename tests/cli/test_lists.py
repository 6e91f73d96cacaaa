"""The nouns that are read: Schedules, firings, runs and workflows."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from spellweaver.core import pattern
from spellweaver.core.launch import Ended
from tests.support.engine import World, draft
from tests.support.program import Done, at_terminal, call

OCCURRENCE_KEYS = {
    "id",
    "schedule",
    "revision",
    "firing",
    "nominal_at",
    "civil",
    "due_at",
    "mode",
    "state",
    "reason",
    "class_requested",
    "class",
    "origin",
    "not_before",
    "latest_start_at",
    "finish_by",
    "decided_at",
    "invocation",
    "carrier",
    "blockers",
}
INVOCATION_KEYS = {
    "id",
    "occurrence",
    "pattern",
    "state",
    "reason",
    "disposition",
    "started_at",
    "ended_at",
    "exit",
    "attempts",
}


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A night that Rome's clock skips an hour of, an outage of three days, an overlap, a failure."""
    made = World(tmp_path, now="2026-03-28T20:30:00Z")
    made.add(
        draft("job", "0 * * * *", version="job@1"), draft("gap", "30 2 * * *", zone="Europe/Rome", version="gap@2")
    )
    made.at("2026-03-29T01:00:00Z", allowance="5h")
    made.start(made.launches[0])
    made.see(Ended(made.launches[0].attempt, "signalled", signal=9))
    made.launches.clear()
    made.at("2026-04-01T05:20:00Z")
    return made


def show(world: World, *words: str) -> Done:
    return call(*words, ledger=world.path, clock=world.clock)


def items(world: World, *words: str) -> list[dict[str, object]]:
    return show(world, *words, "--json").items


def test_firings_are_listed_newest_first_and_neighbours_with_one_fate_as_one_row(world: World) -> None:
    found = items(world, "occurrence", "list", "-n", "100")
    assert all(set(item) > OCCURRENCE_KEYS for item in found)
    ranges = [item for item in found if item["count"] is not None]
    kept = world.rows("SELECT count, state, reason FROM firing_range ORDER BY last_at DESC")
    assert [(item["count"], item["state"], item["reason"]) for item in ranges] == kept
    assert all(item["id"] is None and item["first"] == item["firing"] and item["last"] for item in ranges)
    at = [str(item["last_at"] or item["nominal_at"]) for item in found]
    assert at == sorted(at, reverse=True)
    listed = len(world.rows("SELECT 1 FROM occurrence")) + len(kept)
    assert len(found) == listed


@pytest.mark.rule("OCC-13")
def test_rows_and_ranges_together_hold_every_firing_once(world: World) -> None:
    of_job = items(world, "occurrence", "list", "--schedule", "job", "-n", "1000")
    assert sum(int(str(item["count"] or 1)) for item in of_job) == 24 * 3 + 9  # 21:00 on the 28th to 05:00 on the 1st
    assert any(item["count"] for item in of_job)


def test_firings_can_be_filtered(world: World) -> None:
    assert {item["schedule"] for item in items(world, "occurrence", "list", "--schedule", "gap")} == {"local/gap"}
    assert {item["state"] for item in items(world, "occurrence", "list", "--state", "skipped")} == {"skipped"}
    (missing,) = items(world, "occurrence", "list", "--reason", "gap")
    assert (missing["civil"], missing["offset"], missing["nominal_at"]) == (
        "2026-03-29T02:30:00",
        None,
        "2026-03-29T01:00:00Z",
    )
    assert len(items(world, "occurrence", "list", "-n", "3")) == 3
    assert show(world, "occurrence", "list", "--state", "gone").status == 2
    unknown = show(world, "occurrence", "list", "--reason", "moonlight")
    assert unknown.status == 2 and "superseded" in unknown.err
    empty = show(world, "occurrence", "list", "--state", "coalesced")
    assert (empty.status, empty.out, empty.err) == (0, "", "there are no such firings\n")


@pytest.mark.rule("OCC-18")
def test_a_state_never_comes_without_its_reason(world: World) -> None:
    from spellweaver.core.lifecycle import REASONS

    for item in items(world, "occurrence", "list", "-n", "1000"):
        assert item["reason"] in REASONS["occurrence"][str(item["state"])]
    for item in items(world, "invocation", "list", "-n", "1000"):
        assert item["reason"] in REASONS["invocation"][str(item["state"])]


@pytest.mark.rule("OCC-11")
def test_one_firing_shows_all_that_it_is_bound_to(world: World) -> None:
    (found,) = items(world, "occurrence", "show", "occ_1")
    (digest, snapshot) = world.row(
        "SELECT r.digest, p.digest FROM occurrence o JOIN revision r ON r.id = o.revision "
        "JOIN pattern_version p ON p.id = r.pattern WHERE o.id = 1"
    )
    assert (found["revision_digest"], found["pattern_digest"], found["overlap"], found["misfire_horizon_us"]) == (
        digest,
        snapshot,
        "forbid",
        86_400_000_000,
    )
    assert found["policy_generation"] == 1 and found["authority_generation"] == 1
    in_range = items(world, "occurrence", "show", "job@2026-03-30T10:00")[0]
    assert (in_range["id"], in_range["reason"]) == (None, "horizon")


def test_runs_are_listed_and_shown_with_every_try(world: World) -> None:
    found = items(world, "invocation", "list")
    assert all(set(item) > INVOCATION_KEYS for item in found)
    first = found[-1]
    assert (first["id"], first["state"], first["reason"], first["signal"], first["attempts"]) == (
        "inv_1",
        "failed",
        "signal",
        9,
        1,
    )
    assert {item["state"] for item in items(world, "invocation", "list", "--state", "failed")} == {"failed"}
    assert {item["schedule"] for item in items(world, "invocation", "list", "--schedule", "gap")} <= {"local/gap"}
    (shown,) = items(world, "invocation", "show", "inv_1")
    (tried,) = shown["tries"]
    assert (tried["attempt"], tried["station"], tried["state"], tried["signal"], tried["command"]) == (
        "att_1",
        "main",
        "signalled",
        9,
        ["/bin/true"],
    )
    none = show(world, "invocation", "show", "gap@2026-03-29T02:30")
    assert none.status == 4 and "made no run" in none.err


def test_schedules_are_listed_and_shown_with_every_revision(world: World) -> None:
    world.define(
        draft("job", "0 * * * *", version="job@1", labels='{"team":"ops"}'), draft("idle", "0 0 * * *", version="job@1")
    )
    found = {str(item["schedule"]): item for item in items(world, "schedule", "list")}
    assert (found["local/job"]["revision"], found["local/job"]["newest_revision"], found["local/idle"]["revision"]) == (
        1,
        2,
        None,
    )
    assert [item["schedule"] for item in items(world, "schedule", "list", "--state", "defined")] == ["local/idle"]
    (shown,) = items(world, "schedule", "show", "job")
    assert (shown["shown_revision"], [r["revision"] for r in shown["revisions"]]) == (1, [2, 1])
    (second,) = items(world, "schedule", "show", "local/job@2")
    assert second["definition"]["labels"] == {"team": "ops"}
    for words, said in (
        (("job@3",), "has no revision 3"),
        (("job@x",), "is no revision"),
        (("jop",), "near it: local/job"),
    ):
        done = show(world, "schedule", "show", *words)
        assert done.status == 4 and said in done.err
    assert "CATCH-UP\tnewest" in show(world, "schedule", "show", "job").out


@pytest.mark.rule("CUT-01")
def test_defining_the_same_again_leaves_one_revision_to_show(world: World) -> None:
    before = items(world, "schedule", "show", "job")[0]
    world.define(draft("job", "0 * * * *", version="job@1"))
    assert world.activate("job").status == "unchanged"
    assert items(world, "schedule", "show", "job")[0] == before


@pytest.mark.rule("PAT-2", "PAT-6")
def test_a_workflow_s_digest_is_reckoned_from_what_is_kept(world: World, tmp_path: Path) -> None:
    version = pattern.one_station("gap", "2")
    assert show(world, "pattern", "digest", "gap").out == f"{hashlib.sha256(version.canonical()).hexdigest()}\tgap@2\n"
    file = tmp_path / "gap.toml"
    file.write_text('format = 1\n[[pattern]]\nrevision = "2"\nkey = "gap"\n')
    assert show(world, "pattern", "digest", str(file)).out == show(world, "pattern", "digest", "gap@2").out
    world.ledger.connection.execute("DROP TRIGGER pattern_unchanged")
    world.ledger.connection.execute(
        "UPDATE pattern_version SET snapshot = CAST(replace(CAST(snapshot AS TEXT), 'main', 'pain') AS BLOB) "
        "WHERE key = 'gap'"
    )
    damaged = show(world, "pattern", "digest", "gap@2")
    assert damaged.status == 78 and "its kept bytes have the digest" in damaged.err


def test_a_workflow_shows_its_stations_and_how_each_is_done_here(world: World) -> None:
    assert [item["pattern"] for item in items(world, "pattern", "list")] == ["gap@2", "job@1"]
    (found,) = items(world, "pattern", "show", "job")
    stations = {station["key"]: station["binding"] for station in found["stations"]}
    assert stations["end"] is None and stations["main"]["command"] == ["/bin/true"]
    assert found["schedules"] == ["local/job@1"]
    assert (
        "main     task"
        in at_terminal("pattern", "show", "job@1", ledger=world.path, clock=world.clock, env={"NO_COLOR": "1"}).out
    )
    missing = show(world, "pattern", "show", "job@9")
    assert missing.status == 4 and "near it: job@1" in missing.err


@pytest.mark.parametrize(
    "words", [("occurrence", "list"), ("invocation", "list"), ("schedule", "list"), ("pattern", "list"), ("events",)]
)
def test_no_table_is_wider_than_its_terminal(world: World, words: tuple[str, ...]) -> None:
    for width in (80, 100, 160):
        done = at_terminal(*words, ledger=world.path, clock=world.clock, width=width, env={"NO_COLOR": "1"})
        assert max(map(len, done.out.splitlines())) <= width
        assert "…" not in done.out


@pytest.mark.rule("AUT-05", "CUT-01")
def test_a_schedule_tells_its_history_and_what_its_revisions_say_differently(tmp_path: Path) -> None:
    world = World(tmp_path / "state", now="2026-01-01T00:30:00Z")
    world.add(draft("job", "0 * * * *"))
    assert call("schedule", "diff", "job", ledger=world.path).out == ""
    world.define(draft("job", "0 * * * *", allowed_delay="30m", horizon="2h"))
    said = {item["key"]: (item["before"], item["after"]) for item in call(
        "schedule", "diff", "job", "--json", ledger=world.path).items}  # fmt: skip
    assert said == {
        "allowed_delay_us": (None, 30 * 60 * 1_000_000), "class": ("foreground", "deadline_windowed"),
        "recovery.misfire_horizon_us": (24 * 3600 * 1_000_000, 2 * 3600 * 1_000_000),
    }  # fmt: skip
    assert call("schedule", "diff", "job@2", "job@1", "--json", ledger=world.path).items[0]["after"] is None
    assert "deadline_windowed" in call("schedule", "diff", "job", ledger=world.path).out
    assert call("schedule", "diff", "job@1", "job@3", ledger=world.path).status == 4
    world.activate("job")
    world.pause("job", "new disk")
    world.at("2026-01-01T01:00:00Z")
    world.resume("job")
    told = call("schedule", "history", "job", "--json", ledger=world.path).items
    assert [item["type"].partition(".")[2] for item in told] == [
        "defined", "activated", "defined", "activated", "paused", "resumed",
    ]  # fmt: skip
    assert "new disk" in call("schedule", "history", "job", ledger=world.path).out
