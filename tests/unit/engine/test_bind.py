"""Bindings and policy: generations of the host's own answers, changed only by an act of their own."""

from __future__ import annotations

import pytest

from spellweaver.core.binding import Binding
from spellweaver.core.pattern import Edge, Pattern, Station, one_station
from spellweaver.core.policy import ClockPolicy, HostPolicy, host_policy
from spellweaver.engine.bind import Placement, bind
from spellweaver.engine.define import define
from spellweaver.engine.policy import Applied, apply_policy
from spellweaver.errors import Refused
from tests.support.engine import World, content

TWO = Pattern(
    "two", "1", "1", "none", "a",
    (Station("a", "a", "task"), Station("g", "g", "gate"), Station("b", "b", "task"), Station("end", "end", "end")),
    (Edge("a", "g", "next"), Edge("g", "b", "approve"), Edge("g", "end", "refuse"), Edge("b", "end", "next")),
)  # fmt: skip


def defined() -> World:
    world = World()
    with world.ledger.decide() as tx:
        define(tx, patterns=[one_station("job", "1"), TWO], schedules=[], owner="operator")
    return world


def place(world: World, *bindings: Binding) -> list[Placement]:
    with world.ledger.decide() as tx:
        return bind(tx, bindings=bindings)


def test_every_placement_of_a_version_that_is_named_is_told() -> None:
    world = defined()
    a, b = (Binding("two", "1", station, ("/bin/true",)) for station in "ab")
    assert place(world, a) == [Placement("two@1", "a", "bound", 1), Placement("two@1", "b", "unknown", 1)]
    before = content(world.ledger.connection)
    assert place(world, a) == [Placement("two@1", "a", "unchanged", 1), Placement("two@1", "b", "unknown", 1)]
    assert content(world.ledger.connection) == before
    assert place(world, b) == [Placement("two@1", "a", "unchanged", 2), Placement("two@1", "b", "bound", 2)]
    changed = Binding("two", "1", "a", ("/bin/false",))
    assert place(world, changed, b) == [Placement("two@1", "a", "bound", 3), Placement("two@1", "b", "unchanged", 3)]
    assert place(world, a)[0].status == "bound", "taking up an older answer is a new generation"
    assert [n["generation"] for _, n in world.events("bound")] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "wrong, said",
    [
        (Binding("two", "2", "a", ("/x",)), "no pattern two@2"),
        (Binding("two", "1", "z", ("/x",)), "has no station z; it has "),
        (Binding("two", "1", "g", ("/x",)), "is of kind gate; it is never bound"),
        (Binding("two", "1", "end", ("/x",)), "is of kind end; it is never bound"),
    ],
)
def test_what_can_not_be_bound_is_refused_and_the_rest_of_the_file_too(wrong: Binding, said: str) -> None:
    world = defined()
    before = content(world.ledger.connection)
    with pytest.raises(Refused, match=said):
        place(world, Binding("job", "1", "main", ("/bin/true",)), wrong)
    assert content(world.ledger.connection) == before


def test_a_policy_is_applied_as_a_new_generation_and_an_equal_one_changes_nothing() -> None:
    world = World()
    new = HostPolicy(7, 5, ClockPolicy(1, 2, 3))
    with world.ledger.decide() as tx:
        done = apply_policy(tx, new)
    assert (done.status, done.generation) == ("applied", 2)
    assert set(done.changes) == {
        "workers: 4 → 7", "misfire_horizon_us: 86400000000 → 5", "clock.tick_us: 1000000 → 1",
        "clock.step_us: 300000000 → 2", "clock.settle_us: 15000000 → 3",
    }  # fmt: skip
    before = content(world.ledger.connection)
    with world.ledger.decide() as tx:
        assert tx.policy == new
        assert apply_policy(tx, new) == Applied("unchanged", 2, ())
    assert content(world.ledger.connection) == before
    assert world.row("SELECT capacity FROM account") == (7,)
    assert host_policy(new.canonical()) == new
    ((_, told),) = world.events("policy.applied")
    assert told == {"generation": 2, "before": HostPolicy().canonical(), "after": new.canonical()}


def test_a_policy_that_was_tried_only_is_not_in_force() -> None:
    world = World()
    with world.ledger.decide(dry_run=True) as tx:
        apply_policy(tx, HostPolicy(9))
    with world.ledger.decide() as tx:
        assert (tx.policy_generation, tx.policy.workers) == (1, 4)
