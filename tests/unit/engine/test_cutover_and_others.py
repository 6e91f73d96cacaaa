"""A cutover meets what else an operator does to a Schedule: a pause, excluded dates, its end, an event from outside."""

from __future__ import annotations

import pytest

from spellweaver.core.instant import show
from spellweaver.engine.trigger import trigger
from tests.support.engine import World, draft, us

NIGHT = "0 2 * * *"


def switched(*, pause: bool = False, while_paused: str = "skip") -> World:
    """From 02:00 in Bratislava to 02:00 UTC on 2026-01-02 at 01:30Z, with the plan's partition; paused before it."""
    world = World(now="2026-01-01T00:00:00Z")
    meant = {"cycle": "date", "while_paused": while_paused}
    world.add(draft("n", NIGHT, zone="Europe/Bratislava", **meant))
    world.live("2026-01-02T00:30:00Z")
    world.define(draft("n", NIGHT, zone="UTC", **meant))
    if pause:
        world.pause("n")
    world.clock.advance(us("1h"))
    world.activate("n", partition=world.plan("n").partition)
    return world


def fates(world: World) -> list[tuple[str, str, str]]:
    """(instant, state, reason) of every calendar firing with a row."""
    return [
        (show(int(str(at)))[5:16], str(state), str(reason))
        for at, state, reason in world.rows(
            "SELECT nominal_at, state, reason FROM occurrence WHERE generation > 0 ORDER BY nominal_at"
        )
    ]


@pytest.mark.rule("CAT-07", "CUT-14")
def test_a_pause_goes_on_through_a_cutover_and_takes_what_it_names() -> None:
    world = switched(pause=True)
    world.at("2026-01-03T12:00:00Z")
    world.resume("n")
    world.live("2026-01-04T12:00:00Z")
    assert fates(world) == [
        ("01-01T01:00", "admitted", "foreground"), ("01-02T01:00", "skipped", "paused"),
        ("01-03T02:00", "skipped", "paused"), ("01-04T02:00", "admitted", "foreground"),
    ]  # fmt: skip
    world.audit()


@pytest.mark.rule("CAT-07", "CUT-08")
def test_what_a_pause_holds_back_is_still_the_partitions() -> None:
    world = switched(pause=True, while_paused="catch_up")
    world.at("2026-01-03T12:00:00Z")
    assert [fate for fate in fates(world) if fate[1] == "skipped"] == []
    world.resume("n")
    world.live("2026-01-04T12:00:00Z")
    assert [at for at, state, _ in fates(world) if state == "admitted"] == ["01-01T01:00", "01-03T02:00", "01-04T02:00"]
    assert ("01-02T01:00", "skipped", "horizon") in fates(world)
    world.audit()


@pytest.mark.rule("CUT-04", "CAL-10")
def test_an_excluded_date_is_no_candidate_of_a_partition() -> None:
    """The cycle of that date has a firing in the old reading alone, so a plan leaves it to the old revision."""
    world = World(now="2026-01-01T00:00:00Z")
    world.add(draft("n", NIGHT, zone="Europe/Bratislava", cycle="date"))
    world.define(draft("n", NIGHT, zone="UTC", cycle="date", without=("2026-01-02",)))
    entries = world.plan("n").partition.entries
    assert not any("c2:2026-01-02T02:00" in entry.keys for entry in entries)
    (alone,) = (entry for entry in entries if "c1:2026-01-02T02:00" in entry.keys)
    assert (alone.fate, alone.owner) == ("distinct", "old")
    world.activate("n", partition=world.plan("n").partition)
    world.live("2026-01-05T12:00:00Z")
    assert [at for at, _, _ in fates(world)][1:] == ["01-02T01:00", "01-03T02:00", "01-04T02:00", "01-05T02:00"]
    world.audit()


@pytest.mark.rule("CUT-14")
def test_retiring_within_the_span_ends_it() -> None:
    world = switched()
    world.retire("n")
    world.live("2026-01-05T12:00:00Z")
    assert [at for at, _, _ in fates(world)] == ["01-01T01:00", "01-02T01:00"]
    world.audit()


@pytest.mark.rule("OCC-05", "OCC-07")
def test_an_event_answered_under_the_old_reading_is_known_under_the_new() -> None:
    world = World(now="2026-01-01T00:00:00Z")
    world.add(draft("n", NIGHT, zone="Europe/Bratislava", cycle="date"))
    with world.ledger.decide() as tx:
        first = trigger(tx, schedule="n", source="ci", event_id="7", content=b"{}", principal="ops")
    world.look()
    world.define(draft("n", NIGHT, zone="UTC", cycle="date"))
    world.activate("n", partition=world.plan("n").partition)
    with world.ledger.decide() as tx:
        again = trigger(tx, schedule="n", source="ci", event_id="7", content=b"{}", principal="ops")
    assert (again.status, again.occurrence, again.revision) == ("known", first.occurrence, 1)
    world.audit()
