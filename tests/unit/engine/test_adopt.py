"""Adoption: what was open on another machine blocks until somebody says what became of it, and nothing else ends it."""

from __future__ import annotations

from pathlib import Path

import pytest

from spellweaver.core.launch import Contained, Identity, Started
from spellweaver.engine.admit import admit
from spellweaver.engine.adopt import Adopted, adopt
from spellweaver.engine.materialize import materialize
from spellweaver.engine.recover import recover
from spellweaver.engine.resolve import resolve
from spellweaver.ledger.witness import Witness
from tests.support.engine import World, content, draft

HERE = "the other machine"


def three(folder: Path | None = None) -> World:
    """At 10:00 one run goes on, one waits at its gate, one is granted and not claimed yet; and one is contained."""
    world = World(folder, now="2026-01-01T09:00:00Z", workers=5)
    world.add(*(draft(name, "0 * * * *", allowed_delay="50m") for name in ("contained", "running", "launching")))
    world.at("2026-01-01T10:00:00Z")
    contained, running, _ = world.launches
    for launch in (contained, running):
        world.start(launch)
    world.see(Contained(contained.attempt, "escaped", "planted"))
    world.add(draft("granted", "1 * * * *", allowed_delay="50m"))
    world.clock.advance(61_000_000)
    with world.ledger.decide() as tx:
        materialize(tx, allowance_us=2_000_000, limit=10)
        admit(tx, limit=10)
    return world


def moved(world: World, machine: str = HERE, seen: Witness | None = None) -> Adopted:
    with world.ledger.decide() as tx:
        return adopt(tx, machine=machine, seen=seen, why="moved to the new host")


def states(world: World) -> list[tuple[object, ...]]:
    return world.rows(
        "SELECT s.name, i.state, a.state, d.state FROM invocation i JOIN schedule s ON s.id = i.schedule "
        "JOIN run r ON r.invocation = i.id JOIN delivery d ON d.run = r.id JOIN attempt a ON a.run = r.id ORDER BY a.id"
    )


@pytest.mark.rule("RCV-02", "OVL-04")
def test_rp_73_what_was_open_on_the_other_machine_is_contained_and_blocks() -> None:
    world = three()
    before = world.ledger.machine
    assert [state for _, _, state, _ in states(world)] == ["contained", "running", "launching", "granted"]
    done = moved(world)
    assert (done.machine_before, done.machine_after, world.ledger.machine) == (before, HERE, HERE)
    assert [str(each) for each in done.contained] == ["inv_1", "inv_2", "inv_3", "inv_4"], "what was so before, too"
    assert [row[1:] for row in states(world)] == [("contained", "contained", "claimed")] * 4
    world.audit()
    world.at("2026-01-01T11:01:00Z")
    assert world.launches[3:] == [], "nothing is started in their place"
    later = [world.fates(name)[1][1:] for name in ("contained", "running", "launching")]
    assert later == [("pending", "overlap")] * 3
    with world.ledger.decide() as tx:
        resolve(tx, done.contained[1], outcome="failed", why="looked there: it has ended")
    assert world.look().admitted == 1
    world.audit()


@pytest.mark.rule("RCV-02")
def test_nothing_of_another_machine_is_handed_to_whoever_knows_processes() -> None:
    """A pid, a boot or a status says nothing here; what is started here is this machine's own, whatever comes of it."""
    world = three()
    moved(world)
    with world.ledger.decide() as tx:
        assert recover(tx) == []
    world.add(draft("new", "30 * * * *"))
    world.at("2026-01-01T10:30:00Z")
    own = world.launches[-1].attempt
    who = Identity(7, 7, "another boot", 7)
    for seen in (Started(own, who, who), Contained(own, "escaped", "planted")):
        world.see(seen)
        with world.ledger.decide() as tx:
            assert [left.attempt for left in recover(tx)] == [own]


@pytest.mark.rule("RCV-01")
def test_where_only_the_name_of_the_machine_changed_its_boot_is_known_again() -> None:
    world = three()
    moved(world)
    world.add(draft("new", "30 * * * *"))
    world.at("2026-01-01T10:30:00Z")
    world.start(world.launches[-1])
    with world.ledger.decide() as tx:
        assert [int(left.attempt) for left in recover(tx)] == [1, 2, int(world.launches[-1].attempt)]


@pytest.mark.rule("RCV-01", "RCV-02")
def test_back_on_its_own_machine_the_processes_are_looked_for_again() -> None:
    world = three()
    before = world.ledger.machine
    moved(world)
    moved(world, before)
    with world.ledger.decide() as tx:
        found = recover(tx)
    assert [(int(left.attempt), left.state) for left in found] == [(1, "contained"), (2, "contained")]
    assert world.rows("SELECT machine FROM boot") == [(None,)]
    world.audit()


@pytest.mark.rule("CAT-01")
def test_rp_73_overdue_firings_follow_the_misfire_horizon(tmp_path: Path) -> None:
    world = World(tmp_path / "state", now="2026-01-01T09:00:00Z")
    world.add(draft("short", "*/10 * * * *", horizon="1h"), draft("none", "0 * * * *", horizon="0s"))
    moved(world)
    world.at("2026-01-01T14:00:00.5Z", allowance="0s")
    kept = [fate for fate in world.fates("short") if fate[1] == "admitted"]
    assert kept == [("2026-01-01T14:00:00Z", "admitted", "foreground")]
    assert ("skipped", "horizon") in {fate[1:] for fate in world.fates("short")}
    assert {fate[1:] for fate in world.fates("none")} == {("skipped", "horizon")}
    world.audit()


@pytest.mark.rule("AUT-05")
def test_an_older_copy_on_its_own_machine_contains_nothing_and_is_told(tmp_path: Path) -> None:
    world = three(tmp_path)
    before = states(world)
    done = moved(world, world.ledger.machine, Witness("id", 99, "00"))
    assert (done.witness_seq, done.contained) == (99, ()) and states(world) == before
    ((_, told),) = world.events("ledger.adopted")
    here = world.ledger.machine
    assert told == {
        "machine_before": here, "machine_after": here, "why": "moved to the new host", "witness_ledger": "id",
        "witness_seq": 99,
    }  # fmt: skip
    world.audit()


def test_what_is_over_stays_as_it_is() -> None:
    world = three()
    world.end(world.launches[1])
    before = world.rows("SELECT * FROM invocation WHERE ended_at IS NOT NULL")
    moved(world)
    assert world.rows("SELECT * FROM invocation WHERE ended_at IS NOT NULL") == before
    assert content(world.ledger.connection)["proof"] == []
