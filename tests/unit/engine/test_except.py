"""CAL-10: dates left out by ``except`` have no firing, whatever else the calendar says."""

from __future__ import annotations

from pathlib import Path

import pytest

from spellweaver.clock import VirtualClock
from tests.support.engine import World, draft
from tests.support.program import Done, call


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "state", now="2026-12-22T12:00:00Z")


def ask(world: World, *words: str) -> Done:
    return call(*words, ledger=world.path, clock=VirtualClock(world.clock.now()))


@pytest.mark.rule("CAL-10", "OCC-15")
def test_an_excluded_firing_makes_no_occurrence_and_next_and_lookup_say_so(world: World) -> None:
    world.add(draft("s", "30 23 * * *", zone="America/New_York", without=["2026-12-24..2026-12-25"]))
    world.live("2026-12-28T12:00:00Z")
    assert [at[:10] for at, _, _ in world.fates("s")] == ["2026-12-23", "2026-12-24", "2026-12-27", "2026-12-28"]
    assert ask(world, "ledger", "check").status == 0
    said = ask(world, "explain", "s@2026-12-24")
    assert said.status != 0 and "except of revision 1 leaves that date out" in said.err
    assert "except of revision 1" in ask(world, "explain", "s@2026-12-25T23:30").err
    coming = ask(world, "next", "s", "--from", "2026-12-22T12:00:00Z", "-n", "3", "--json").items
    assert [(row["firing"], row["instant"] is None, row["note"]) for row in coming] == [
        ("c1:2026-12-22T23:30", False, None),
        ("c1:2026-12-23T23:30", False, None),
        ("c1:2026-12-24T23:30", True, "left out by revision 1: no firing"),
        ("c1:2026-12-25T23:30", True, "left out by revision 1: no firing"),
        ("c1:2026-12-26T23:30", False, None),
    ]


@pytest.mark.rule("CAL-10", "OCC-13", "CAT-01")
def test_a_backlog_is_counted_without_the_excluded_dates(world: World) -> None:
    world.add(draft("s", "0 * * * *", zone="UTC", horizon="2h", without=["2026-12-24", "2026-12-26..2026-12-27"]))
    world.at("2026-12-29T12:30:00Z")
    (old,) = [text for text, _, reason in world.fates("s") if reason == "horizon"]
    assert old == "2026-12-22T13:00:00Z..2026-12-29T10:00:00Z*94"
    assert ask(world, "ledger", "check").status == 0
    inside = ask(world, "explain", "s@2026-12-25T05:00")
    assert inside.status == 0 and "horizon" in inside.out
    assert "except of revision 1" in ask(world, "explain", "s@2026-12-26T05:00").err


@pytest.mark.rule("CAL-10", "CUT-03")
def test_another_exclusion_keeps_the_generation_and_what_was_before(world: World) -> None:
    world.add(draft("s", "0 12 * * *", zone="UTC", without=["2026-12-23"]))
    world.live("2026-12-25T00:00:00Z")
    world.define(draft("s", "0 12 * * *", zone="UTC", without=["2026-12-25"]))
    world.activate("local/s")
    world.live("2026-12-26T13:00:00Z")
    assert [at[:10] for at, _, _ in world.fates("s")] == ["2026-12-24", "2026-12-26"]
    assert world.row("SELECT count(DISTINCT generation) FROM occurrence") == (1,)
    assert "except of revision 1" in ask(world, "explain", "s@2026-12-23").err
    assert "except of revision 2" in ask(world, "explain", "s@2026-12-25").err
    assert ask(world, "ledger", "check").status == 0
