"""cancel, resolve, pause, resume and tick: what they say of what they did."""

from __future__ import annotations

from pathlib import Path

import pytest

from spellweaver.core.launch import Contained
from tests.support.engine import World, draft
from tests.support.program import call


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path / "state", now="2026-01-01T00:30:00Z")
    made.add(draft("job", "0 * * * *"))
    made.at("2026-01-01T01:00:00Z")
    return made


def test_cancel_of_what_runs_is_passed_on_and_tried_first(world: World) -> None:
    world.start(world.launches[0])
    line = ("cancel", "job@latest", "--reason", "wrong disk")
    tried = call(*line, "--dry-run", ledger=world.path, clock=world.clock)
    assert tried.out == "INVOCATION\tinv_1\nBEFORE\trunning\nAFTER\tcancelling\n"
    assert tried.err == "would be cancelling; nothing was written\n"
    (item,) = call(*line, "--json", ledger=world.path, clock=world.clock).items
    assert item == {"invocation": "inv_1", "before": "running", "after": "cancelling", "dry_run": False}
    assert call("invocation", "show", "inv_1", "--json", ledger=world.path).items[0]["state"] == "cancelling"
    world.audit()


def test_cancel_of_what_has_ended_or_never_began_is_refused(world: World) -> None:
    world.end(world.launches[0])
    done = call("cancel", "inv_1", "--reason", "x", ledger=world.path, clock=world.clock)
    assert done.status == 3
    assert call("cancel", "inv_9", "--reason", "x", ledger=world.path, clock=world.clock).status == 4
    assert call("cancel", "inv_1", ledger=world.path).status == 2, "a reason is needed"


def test_resolve_ends_what_is_contained_on_a_word_and_nothing_else(world: World) -> None:
    (launch,) = world.launches
    world.start(launch)
    line = ("resolve", "inv_1", "--outcome", "failed", "--reason", "looked with ps")
    assert call(*line, ledger=world.path, clock=world.clock).status == 3
    world.see(Contained(launch.attempt, "escaped", "a process left its session"))
    tried = call(*line, "--dry-run", "--json", ledger=world.path, clock=world.clock).items
    (item,) = call(*line, "--json", ledger=world.path, clock=world.clock).items
    assert item == {"invocation": "inv_1", "before": "contained", "after": "failed", "dry_run": False}
    assert tried == [{**item, "dry_run": True}]
    assert "looked with ps" in call("explain", "inv_1", ledger=world.path).out
    world.audit()


@pytest.mark.rule("CAT-07", "AUT-05")
def test_a_pause_is_shown_wherever_somebody_may_ask_why_nothing_runs(world: World) -> None:
    world.end(world.launches[0])
    line = ("pause", "job", "--reason", "new disk", "--until", "2026-01-01T04:30:00Z")
    tried = call(*line, "--dry-run", ledger=world.path, clock=world.clock)
    assert (tried.status, tried.err) == (0, "would be paused; nothing was written\n")
    (item,) = call(*line, "--json", ledger=world.path, clock=world.clock).items
    assert item == {
        "schedule": "local/job", "status": "paused", "begins_at": "2026-01-01T01:00:00Z",
        "until_at": "2026-01-01T04:30:00Z", "why": "new disk", "dry_run": False,
    }  # fmt: skip
    (status,) = call("status", "--json", ledger=world.path, clock=world.clock).items
    (shown,) = status["schedules"]
    assert (shown["state"], shown["next"]) == ("paused", None)
    assert shown["why"] == "paused until 2026-01-01T04:30:00Z: new disk"
    (listed,) = call("schedule", "list", "--state", "paused", "--json", ledger=world.path, clock=world.clock).items
    assert (listed["why"], listed["paused_until"]) == ("new disk", "2026-01-01T04:30:00Z")
    assert "local/job is paused (new disk): nothing of it fires" in call("next", ledger=world.path).err
    world.at("2026-01-01T02:00:00Z")
    assert "its Schedule was paused" in call("explain", "job@2026-01-01T02:00", ledger=world.path).out
    said = call("events", "--type", "schedule.paused", "--json", ledger=world.path).items
    assert [each["data"]["why"] for each in said] == ["new disk"]
    world.audit()


@pytest.mark.rule("CAT-07")
def test_resume_says_what_comes_next_and_that_there_was_nothing_to_resume(world: World) -> None:
    world.end(world.launches[0])
    nothing = call("resume", "job", "--json", ledger=world.path, clock=world.clock)
    assert (nothing.status, nothing.items[0]["status"]) == (0, "unchanged")
    assert call("pause", "job", "--reason", "x", ledger=world.path, clock=world.clock).status == 0
    assert "until somebody resumes it: x" in call("doctor", ledger=world.path, clock=world.clock).out
    (item,) = call("resume", "job", "--json", ledger=world.path, clock=world.clock).items
    assert item == {
        "schedule": "local/job", "status": "resumed", "next_at": "2026-01-01T02:00:00Z", "dry_run": False,
    }  # fmt: skip
    assert call("pause", "job", ledger=world.path).status == 2, "a reason is needed"
    line = ("pause", "job", "--reason", "x", "--until")
    assert call(*line, "tomorrow", ledger=world.path, clock=world.clock).status == 2
    assert call(*line, "2026-01-01T00:00:00Z", ledger=world.path, clock=world.clock).status == 3
    assert call("resume", "jop", ledger=world.path, clock=world.clock).status == 4
    world.audit()


@pytest.mark.rule("CUT-14")
def test_retire_wants_the_name_again_and_what_was_still_answers(world: World) -> None:
    world.end(world.launches[0])
    refused = call("retire", "job", ledger=world.path, clock=world.clock)
    assert refused.status == 3 and "retire local/job --confirm local/job" in refused.err
    tried = call("retire", "job", "--dry-run", ledger=world.path, clock=world.clock)
    assert (tried.status, tried.err) == (0, "would be retired; nothing was written\n")
    (item,) = call("retire", "job", "--confirm", "job", "--json", ledger=world.path, clock=world.clock).items
    assert item == {"schedule": "local/job", "status": "retired", "skipped": 0, "dry_run": False}
    assert call("explain", "job@2026-01-01T01:00", ledger=world.path).status == 0
    assert call("status", "--json", ledger=world.path, clock=world.clock).items[0]["schedules"] == []
    (listed,) = call("schedule", "list", "--json", ledger=world.path, clock=world.clock).items
    assert listed["state"] == "retired"
    world.audit()


@pytest.mark.rule("OCC-12")
def test_an_occurrence_that_waits_is_skipped_on_a_word_and_an_outcome_stands(world: World) -> None:
    world.end(world.launches[0])
    world.add(draft("late", "0 * * * *", jitter="30m"))
    world.at("2026-01-01T02:00:00Z")
    line = ("occurrence", "skip", "late@latest", "--reason", "not tonight")
    tried = call(*line, "--dry-run", "--json", ledger=world.path, clock=world.clock).items
    (item,) = call(*line, "--json", ledger=world.path, clock=world.clock).items
    assert tried == [{**item, "dry_run": True}]
    assert (item["before"], item["state"], item["reason"]) == ("not_yet", "skipped", "operator")
    assert "not tonight" in call("explain", "late@latest", ledger=world.path).out
    assert call(*line, ledger=world.path, clock=world.clock).status == 3
    assert call("occurrence", "skip", "job@latest", "--reason", "x", ledger=world.path, clock=world.clock).status == 3
    world.audit()
