"""What a handler saw, in the ledger: starts, ends, what never started, what is contained; cancel and resolve."""

from __future__ import annotations

import contextlib
from itertools import permutations
from pathlib import Path

import pytest

from spellweaver.core.identity import AttemptId, InvocationId
from spellweaver.core.instant import SECOND
from spellweaver.core.launch import (
    Contained,
    Ended,
    Identity,
    Launch,
    Lost,
    NeverStarted,
    OpenAttempt,
    Sighting,
    Started,
)  # fmt: skip
from spellweaver.engine.cancel import Cancelled, cancel
from spellweaver.engine.recover import recover
from spellweaver.engine.resolve import resolve
from spellweaver.errors import NotFound, Refused
from spellweaver.ledger import invocations
from tests.support.audit import audit
from tests.support.engine import BOOT, World, content, draft


def launched(folder: Path | None = None) -> tuple[World, Launch]:
    world = World(folder)
    world.add(draft("s", "0 * * * *", allowed_delay="50m"))
    world.at("2026-01-01T01:00:00Z")
    return world, world.launches[0]


def ask_to_cancel(world: World, launch: Launch) -> Cancelled:
    with world.ledger.decide() as tx:
        return cancel(tx, launch.invocation, why="planted")


def state(world: World) -> tuple[object, ...]:
    """Invocation, its reason, the newest attempt, the delivery, workers in use."""
    return (
        *world.row("SELECT state, reason FROM invocation"),
        *world.row("SELECT state FROM attempt ORDER BY id DESC LIMIT 1"),
        *world.row("SELECT state FROM delivery"),
        *world.row('SELECT count(*) FROM "grant" WHERE settled IS NULL'),
    )


def test_from_claim_to_end_each_row_says_where_it_is() -> None:
    world, launch = launched()
    assert state(world) == ("queued", "worker", "launching", "claimed", 1)
    world.clock.advance(5)
    assert world.start(launch) == "running"
    assert state(world) == ("running", "none", "running", "claimed", 1)
    identity = world.row(
        "SELECT shim_pid, shim_ticks, shim_inode, pid, ticks, inode, boot_id "
        "FROM attempt JOIN boot ON boot.id = attempt.boot"
    )
    assert identity == (4001, 100, 7, 4002, 101, 8, BOOT), "committed before any gate opens"
    world.clock.advance(7 * SECOND)
    assert world.see(Ended(launch.attempt, "exited", code=0, output_bytes=9, dropped_bytes=3)) == "completed"
    assert state(world) == ("completed", "none", "exited", "settled", 0)
    assert world.row("SELECT started_at - admitted_at, ended_at - started_at FROM invocation") == (5, 7 * SECOND)
    ((_, told),) = world.events("invocation.completed")
    assert told.items() >= {"reason": "none", "code": 0, "took_us": 7 * SECOND, "dropped_bytes": 3}.items()
    world.audit()


ENDS: list[tuple[Sighting, str, str, str]] = [
    (Ended(AttemptId(1), "exited", code=2), "failed", "exit", "exited"),
    (Ended(AttemptId(1), "exited", code=75), "failed", "upstream", "exited"),
    (Ended(AttemptId(1), "signalled", signal=11), "failed", "signal", "signalled"),
    (Ended(AttemptId(1), "timed_out", signal=9), "timed_out", "timeout", "timed_out"),
    (NeverStarted(AttemptId(1), "exec", 2), "failed", "unavailable", "never_started"),
    (Lost(AttemptId(1), "other_boot"), "failed", "lost", "lost"),
    (Lost(AttemptId(1), "cgroup"), "failed", "lost", "lost"),
]


@pytest.mark.parametrize("seen, invocation, reason, attempt", ENDS, ids=lambda v: v if isinstance(v, str) else None)
@pytest.mark.parametrize("contained", [False, True])
def test_each_end_settles_everything_once(
    seen: Sighting, invocation: str, reason: str, attempt: str, contained: bool
) -> None:
    world, launch = launched()
    world.start(launch)
    if contained:
        world.see(Contained(launch.attempt, "escaped", "planted"))
        assert state(world) == ("contained", "settling", "contained", "claimed", 1)
    assert world.see(seen) == invocation
    assert state(world) == (invocation, reason, attempt, "settled", 0)
    proofs = world.rows("SELECT kind FROM proof")
    kind = seen.why if isinstance(seen, Lost) else "echild" if isinstance(seen, Ended) else "status"
    assert proofs == ([(kind,)] if contained or isinstance(seen, Lost) else [])
    told = [data["proof"] for type_, data in world.events() if type_ == f"invocation.{invocation}" and "proof" in data]
    assert told == [kind for (kind,) in proofs]
    world.audit()


@pytest.mark.rule("OCC-12")
def test_a_late_or_repeated_sighting_changes_nothing() -> None:
    who = Identity(9, 9, BOOT, 9)
    sightings: list[Sighting] = [
        Started(AttemptId(1), who, who), Contained(AttemptId(1), "escaped", "x"), NeverStarted(AttemptId(1), "gate"),
        *(seen for seen, *_ in ENDS),
    ]  # fmt: skip
    for last in [seen for seen, *_ in ENDS]:
        world, launch = launched()
        world.start(launch)
        world.see(last)
        before = content(world.ledger.connection)
        for late in sightings:
            world.see(late)
        assert content(world.ledger.connection) == before, last


def test_a_start_that_is_reported_twice_is_one() -> None:
    world, launch = launched()
    world.start(launch)
    before = content(world.ledger.connection)
    assert world.start(launch) == "running"
    assert content(world.ledger.connection) == before


def test_containment_is_said_once_and_holds_the_worker() -> None:
    world, launch = launched()
    world.start(launch)
    for _ in range(3):
        assert world.see(Contained(launch.attempt, "shim_killed", "planted")) == "contained"
    assert state(world) == ("contained", "settling", "contained", "claimed", 1)
    assert len(world.events("invocation.contained")) == 1
    world.audit()


@pytest.mark.rule("OCC-08", "OCC-04")
@pytest.mark.parametrize("started", [False, True])
def test_what_never_passed_its_gate_is_offered_again_as_the_same_occurrence(tmp_path: Path, started: bool) -> None:
    world, launch = launched(tmp_path)
    for nth in (1, 2, 3):
        if started:
            world.start(world.launches[-1])
        world.see(NeverStarted(world.launches[-1].attempt, "gate"))
        assert state(world) == ("queued", "worker", "granted", "pending", 1)
        world.reopen()
        (again,) = world.look().launches
        assert (again.nth, again.occurrence, again.invocation, again.run, again.firing) == (
            nth + 1, launch.occurrence, launch.invocation, launch.run, launch.firing,
        )  # fmt: skip
    assert world.row("SELECT count(*) FROM occurrence") == (1,)
    assert world.end(world.launches[-1]) == "completed"
    assert [n["nth"] for t, n in world.events("invocation.never_started")] == [1, 2, 3]
    assert world.rows('SELECT settled FROM "grant" ORDER BY attempt') == [("rollback",)] * 3 + [("release",)]
    world.audit()


@pytest.mark.rule("RCV-01", "OCC-08")
def test_what_a_dead_daemon_left_is_handed_over_with_its_identities_and_nothing_is_written(tmp_path: Path) -> None:
    world = World(tmp_path, workers=9)
    world.add(*(draft(f"s{n}", "0 1 * * *") for n in range(5)))
    world.at("2026-01-01T01:00:00Z")
    launching, running, contained, ended, cancelling = world.launches
    for launch in (running, contained, ended, cancelling):
        world.start(launch)
    world.see(Contained(contained.attempt, "escaped", "planted"))
    world.see(Ended(ended.attempt, "exited", code=0))
    ask_to_cancel(world, cancelling)
    world.reopen()
    before = content(world.ledger.connection)
    with world.ledger.decide() as tx:
        left, asked = recover(tx), invocations.asked_to_cancel(tx)

    def who(launch: Launch) -> tuple[Identity, Identity]:
        return Identity(4000 + launch.attempt, 100, BOOT, 7), Identity(4001 + launch.attempt, 101, BOOT, 8)

    assert left == [
        OpenAttempt(launching.attempt, "launching", None, None),
        OpenAttempt(running.attempt, "running", *who(running)),
        OpenAttempt(contained.attempt, "contained", *who(contained)),
        OpenAttempt(cancelling.attempt, "running", *who(cancelling)),
    ]
    assert asked == [cancelling.attempt]
    assert content(world.ledger.connection) == before
    assert world.look().launches == [], "none is started twice"


def test_what_waits_for_its_claim_is_cancelled_at_once_and_its_worker_is_free() -> None:
    world, launch = launched()
    world.see(NeverStarted(launch.attempt, "gate"))
    assert ask_to_cancel(world, launch) == Cancelled(launch.invocation, "queued", "cancelled")
    assert state(world) == ("cancelled", "operator", "never_started", "settled", 0)
    assert world.look().launches == []
    world.audit()


@pytest.mark.parametrize("seen", [seen for seen, *_ in ENDS])
@pytest.mark.parametrize("how", ["straight", "contained first"])
def test_what_runs_is_told_and_ends_cancelled_with_its_ground(seen: Sighting, how: str) -> None:
    world, launch = launched()
    world.start(launch)
    assert ask_to_cancel(world, launch).after == "cancelling"
    assert state(world) == ("cancelling", "operator", "running", "claimed", 1)
    if how == "contained first":
        world.see(Contained(launch.attempt, "escaped", "it did not end after KILL"))
    assert world.see(seen) == "cancelled"
    assert world.row("SELECT state, reason FROM invocation") == ("cancelled", "operator")
    world.audit()


def test_one_that_was_done_before_the_cancel_reached_it_is_done() -> None:
    world, launch = launched()
    world.start(launch)
    ask_to_cancel(world, launch)
    assert world.see(Ended(launch.attempt, "exited", code=0, asked=True)) == "completed"


def test_a_cancel_before_the_gate_opens_keeps_it_shut_for_good() -> None:
    world, launch = launched()
    ask_to_cancel(world, launch)
    world.start(launch)
    assert world.see(NeverStarted(launch.attempt, "gate")) == "cancelled"
    assert world.look().launches == []
    world.audit()


def test_a_cancel_is_refused_where_it_can_do_nothing() -> None:
    world, launch = launched()
    world.start(launch)
    ask_to_cancel(world, launch)
    with pytest.raises(Refused, match="is being cancelled already"):
        ask_to_cancel(world, launch)
    world.see(Contained(launch.attempt, "escaped", "x"))
    with pytest.raises(Refused, match="is contained"):
        ask_to_cancel(world, launch)
    world.see(Lost(launch.attempt, "other_boot"))
    with pytest.raises(Refused, match="is over: cancelled"):
        ask_to_cancel(world, launch)
    with pytest.raises(NotFound, match="inv_77"), world.ledger.decide() as tx:
        cancel(tx, InvocationId(77), why="x")


@pytest.mark.rule("OVL-02", "OVL-04")
@pytest.mark.parametrize("outcome, reason", [("completed", "none"), ("failed", "interrupted")])
def test_an_operator_ends_what_is_contained_by_name_and_then_it_blocks_no_more(outcome: str, reason: str) -> None:
    world, launch = launched()
    world.start(launch)
    with pytest.raises(Refused, match="is running, not contained"), world.ledger.decide() as tx:
        resolve(tx, launch.invocation, outcome="failed", why="planted")
    world.see(Contained(launch.attempt, "shim_killed", "planted"))
    world.at("2026-01-01T02:00:00Z")
    assert world.fates("s")[1][1:] == ("pending", "overlap")
    with world.ledger.decide() as tx:
        done = resolve(tx, launch.invocation, outcome=outcome, why="I looked: it is gone")
    assert (done.before, done.after) == ("contained", outcome)
    assert world.row("SELECT state, reason FROM invocation WHERE id = 1") == (outcome, reason)
    assert world.row("SELECT kind, detail, actor FROM proof") == ("operator", "I looked: it is gone", "test")
    assert world.look().admitted == 1
    world.audit()


def test_sightings_in_any_order_leave_a_sound_ledger() -> None:
    """Whatever comes first, and whatever is cancelled in between, every invariant holds and the run ends once."""
    who = Identity(9, 9, BOOT, 9)
    one = AttemptId(1)
    acts: list[Sighting | str] = [
        "cancel", Started(one, who, who), Contained(one, "escaped", "x"), Ended(one, "exited", code=0),
        NeverStarted(one, "gate"),
    ]  # fmt: skip
    begun = acts[1]
    for order in permutations(acts, 4):
        first = order.index(begun) if begun in order else len(order)
        if any(isinstance(act, Contained | Ended) for act in order[:first]):
            continue  # its identity is committed before its gate opens
        world, launch = launched()
        for act in order:
            if isinstance(act, str):
                with contextlib.suppress(Refused):
                    ask_to_cancel(world, launch)
            else:
                world.see(act)
        world.look()
        # an end without a start can't be: who ran is on record before its gate opens (RCV-01); the audit says so
        unknown = world.rows("SELECT 1 FROM attempt WHERE state = 'exited' AND pid IS NULL")
        broken = {said.split()[0] for said in audit(world.ledger.connection)}
        assert broken == ({"identity_before_start"} if unknown else set())
