"""Invocations, their attempts and grants: the claim before a launch, and the guarded writes of a settlement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from spellweaver.core import event
from spellweaver.core.binding import Binding, binding
from spellweaver.core.calendar import firing_key
from spellweaver.core.identity import AttemptId, InvocationId, OccurrenceId, RunId
from spellweaver.core.instant import SECOND
from spellweaver.core.launch import Ended, Identity, Launch, NeverStarted, OpenAttempt, Started
from spellweaver.core.line import Candidate
from spellweaver.core.settlement import Verdict
from spellweaver.ledger.decide import Transaction, Values
from spellweaver.ledger.queries import load

SQL = load("settlement")
TERMINAL = ("completed", "failed", "cancelled", "timed_out")


@dataclass(frozen=True, slots=True)
class Tried:
    """An attempt with what its settlement needs: its own state, and its Invocation's state and reason."""

    attempt: AttemptId
    state: str
    run: int
    delivery: int
    nth: int
    started_at: int | None
    invocation: int
    occurrence: int
    schedule: int
    invocation_state: str
    invocation_reason: str
    binding: Binding | None
    station: str


class Granted(NamedTuple):
    """An attempt that holds a worker and waits for its claim; the firing it is for; the binding now in force."""

    attempt: int
    run: int
    delivery: int
    nth: int
    station: str
    invocation: int
    occurrence: int
    key: str
    version: str
    generation: int
    civil: int
    fold: int
    nominal_at: int
    finish_by: int | None
    revision: int
    binding: int | None
    how: str
    source: str | None
    event_id: str | None
    content: bytes | None


def granted(tx: Transaction, *, limit: int) -> list[Granted]:
    """Attempts to be claimed, oldest first."""
    return [Granted._make(row) for row in tx.rows(SQL["granted"], (limit,))]


def launch(tx: Transaction, taken: Granted) -> Launch:
    """How to launch it. Raises RevisionDamaged."""
    meant = tx.revisions.definition(tx.connection, taken.revision)
    if taken.source is not None and taken.event_id is not None:
        firing = event.key(taken.source, taken.event_id)
    else:
        candidate = Candidate(taken.nominal_at // SECOND, taken.civil, taken.fold, "fires")
        firing = firing_key(meant.cadence, candidate, taken.generation)
    given = meant.input if taken.content is None else taken.content.decode("utf-8", "surrogateescape")
    assert taken.binding is not None, "a binding is never taken away"
    return Launch(
        AttemptId(taken.attempt), RunId(taken.run), InvocationId(taken.invocation), OccurrenceId(taken.occurrence),
        f"{meant.authority}/{meant.name}", firing, taken.nominal_at,
        taken.station, f"{taken.key}@{taken.version}", taken.nth, binding(taken.how), given, taken.finish_by,
    )  # fmt: skip


def claimed(tx: Transaction, taken: Sequence[Granted]) -> None:
    """Takes them to ``launching`` with the bindings they were read with, each at its own time."""
    launching: list[Values] = [
        {"attempt": each.attempt, "binding": each.binding, "at": tx.decided_at()} for each in taken
    ]
    tx.change_many(SQL["launching"], launching)
    tx.change_many(SQL["claimed"], [{"run": each.run, "delivery": each.delivery} for each in taken])


def tried(tx: Transaction, attempt: AttemptId) -> Tried:
    """The attempt with its surroundings."""
    row = tx.row(SQL["attempt"], (attempt,))
    assert row is not None, attempt
    state, run, delivery, nth, started_at, _, invocation, occurrence, schedule, inv_state, inv_reason, body, station = (
        row
    )
    return Tried(
        attempt,
        str(state),
        int(str(run)),
        int(str(delivery)),
        int(str(nth)),
        started_at if isinstance(started_at, int) else None,
        int(str(invocation)),
        int(str(occurrence)),
        int(str(schedule)),
        str(inv_state),
        str(inv_reason),
        binding(str(body)) if body is not None else None,
        str(station),
    )


def cancel_ground(tx: Transaction, was: Tried) -> str | None:
    """Why the Invocation was asked to cancel; None where it was not. A contained one has it in the journal alone."""
    if was.invocation_state == "cancelling":
        return was.invocation_reason
    row = tx.row(SQL["cancel_ground"], (was.occurrence,)) if was.invocation_state == "contained" else None
    return None if row is None else str(row[0])


def started(tx: Transaction, was: Tried, seen: Started, verdict: Verdict, at: int) -> None:
    """Commits who shim and command are: only then may the gate open. The start rides on its rows and is no event."""
    tx.change(
        SQL["running"],
        {
            "attempt": was.attempt,
            "at": at,
            "boot": _boot(tx, seen.command.boot_id),
            "shim_pid": seen.shim.pid,
            "shim_ticks": seen.shim.start_ticks,
            "shim_inode": seen.shim.pidfd_inode,
            "pid": seen.command.pid,
            "ticks": seen.command.start_ticks,
            "inode": seen.command.pidfd_inode,
        },
    )
    if was.invocation_state == "queued":
        _invocation(tx, was, verdict, started_at=at, ended_at=None)


def ended(tx: Transaction, was: Tried, seen: Ended | NeverStarted | None, verdict: Verdict, at: int) -> None:
    """The attempt is over; its grant goes back, and what it blocked is looked at again. ``seen`` None: no result was
    ever found.
    """
    result = seen if isinstance(seen, Ended) else None
    tx.change(
        SQL["ended"],
        {
            "attempt": was.attempt,
            "before": was.state,
            "state": verdict.attempt,
            "at": at,
            "code": result.code if result else None,
            "signal": result.signal if result else None,
            "errno": seen.errno if isinstance(seen, NeverStarted) else None,
            "output_bytes": result.output_bytes if result else None,
            "dropped_bytes": result.dropped_bytes if result else None,
        },
    )
    release(tx, was.attempt, "rollback" if isinstance(seen, NeverStarted) else "release")
    before = "pending" if was.state == "granted" else "claimed"
    tx.change(SQL["delivery"], {"run": was.run, "delivery": was.delivery, "before": before, "state": verdict.delivery})
    if verdict.delivery == "pending":
        again = tx.insert(SQL["again"], {"run": was.run, "delivery": was.delivery, "nth": was.nth + 1, "at": at})
        tx.connection.execute(SQL["grant"], {"attempt": again})
    if (verdict.invocation, verdict.reason) != (was.invocation_state, was.invocation_reason):
        _invocation(tx, was, verdict, started_at=None, ended_at=at if verdict.invocation in TERMINAL else None)
    if verdict.invocation in TERMINAL:
        tx.connection.execute(SQL["wake_blocked"], (was.schedule,))


def contained(tx: Transaction, was: Tried, verdict: Verdict) -> None:
    """Not proved gone: attempt and Invocation stay open, the grant stays held."""
    if was.state != "contained":
        tx.change(SQL["contained"], {"attempt": was.attempt, "before": was.state})
    if was.invocation_state != "contained":
        _invocation(tx, was, verdict, started_at=None, ended_at=None)


def release(tx: Transaction, attempt: int, how: str) -> None:
    """Settles what an attempt holds, once."""
    tx.connection.execute(SQL["release"], {"attempt": attempt, "how": how})


def cancelling(tx: Transaction, was: Tried, ground: str) -> None:
    """Asked to cancel while it runs; the handler passes it on."""
    _invocation(tx, was, Verdict(was.state, "cancelling", ground, "claimed"), started_at=None, ended_at=None)


def prove(tx: Transaction, attempt: AttemptId, *, kind: str, detail: str, at: int) -> None:
    """What ends a contained attempt (RCV-02)."""
    tx.change(SQL["proof"], {"attempt": attempt, "kind": kind, "detail": detail, "at": at, "actor": tx.actor})


def of(tx: Transaction, invocation: InvocationId) -> tuple[str, AttemptId | None] | None:
    """(state of the Invocation, its open attempt if any); None where there is no such Invocation."""
    row = tx.row(SQL["of_invocation"], (invocation,))
    if row is None:
        return None
    return str(row[0]), AttemptId(int(str(row[5]))) if row[5] is not None else None


def left_open(tx: Transaction) -> list[OpenAttempt]:
    """What a dead daemon left: attempts launching, running or contained."""
    found = []
    for id_, state, boot, shim_pid, shim_ticks, shim_inode, pid, ticks, inode in tx.rows(SQL["open"]):
        who = None if pid is None else _identity(pid, ticks, boot, inode)
        shim = None if shim_pid is None else _identity(shim_pid, shim_ticks, boot, shim_inode)
        assert state in ("launching", "running", "contained")
        found.append(OpenAttempt(AttemptId(int(str(id_))), state, shim, who))  # type: ignore[arg-type]
    return found


def asked_to_cancel(tx: Transaction) -> list[AttemptId]:
    """Running attempts whose Invocation is cancelling."""
    return [AttemptId(int(str(row[0]))) for row in tx.rows(SQL["cancelling"])]


def open_ones(tx: Transaction) -> list[InvocationId]:
    """Invocations that are queued, running or cancelling."""
    return [InvocationId(int(str(row[0]))) for row in tx.rows(SQL["open_invocations"])]


def next_wake(tx: Transaction) -> int | None:
    """The next moment (µs) at which a look can change something."""
    row = tx.row(SQL["next_wake"])
    return row[0] if row is not None and isinstance(row[0], int) else None


def move(tx: Transaction, machine: str) -> None:
    """The ledger belongs to this machine from now on. What is contained of another one is never adopted here."""
    tx.connection.execute(SQL["move_boots"], {"machine": machine})
    tx.change(SQL["move"], {"machine": machine})


def _invocation(tx: Transaction, was: Tried, verdict: Verdict, *, started_at: int | None, ended_at: int | None) -> None:
    tx.change(
        SQL["invocation"],
        {
            "invocation": was.invocation,
            "before": was.invocation_state,
            "state": verdict.invocation,
            "reason": verdict.reason,
            "started_at": started_at,
            "ended_at": ended_at,
        },
    )


def _boot(tx: Transaction, boot_id: str) -> int:
    row = tx.row(SQL["boot"], (boot_id,)) or tx.row(SQL["new_boot"], (boot_id,))
    assert row is not None
    return int(str(row[0]))


def _identity(pid: object, ticks: object, boot: object, inode: object) -> Identity:
    return Identity(int(str(pid)), int(str(ticks)), str(boot), int(str(inode)))
