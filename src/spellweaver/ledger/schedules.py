"""Schedules that are due, their unresolved stretches, and the write that settles them (OCC-15)."""

from __future__ import annotations

from dataclasses import dataclass

from spellweaver.core.instant import LAST, SECOND
from spellweaver.core.misfire import Fate, Stretch, Waiting
from spellweaver.core.window import Window
from spellweaver.ledger.decide import Transaction
from spellweaver.ledger.fates import Writing
from spellweaver.ledger.queries import load

SQL = load("materialize")


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A due Schedule: its stretches in order, what is pending from before, and the mark it was read at."""

    schedule: int
    authority: str
    settled_to: int
    stretches: list[Stretch]
    waiting: list[Waiting]


def due(tx: Transaction, *, now: int, late: int, limit: int) -> list[int]:
    """Row numbers of Schedules with something to judge: a candidate at or before ``now``, or a stored firing due
    before ``late``. At most ``limit``; fewer only when there are no more.
    """
    found = tx.rows(SQL["due"], {"now": now, "limit": limit})
    if len(found) < limit:
        found += tx.rows(SQL["late"], {"late": late, "limit": limit})
    return list(dict.fromkeys(int(str(row[0])) for row in found))[:limit]


def unresolved(tx: Transaction, schedule: int, *, until_s: int) -> Unresolved:
    """The line that is not settled yet, cut at activations. Raises KeptRulesDamaged."""
    row = tx.row(SQL["schedule"], (schedule,))
    assert row is not None
    authority, _, settled_to = str(row[0]), row[1], int(str(row[2]))
    stretches = [
        Stretch(begin_s, end_s, tx.revisions.get(tx.connection, revision).terms)
        for revision, begin_s, end_s in _line(tx, schedule, after_s=settled_to, until_s=until_s)
    ]
    waiting = [_waiting(tx, row) for row in tx.rows(SQL["waiting"], (schedule,))]
    return Unresolved(schedule, authority, settled_to, stretches, waiting)


def _waiting(tx: Transaction, row: tuple[object, ...]) -> Waiting:
    id_, due_at, latest_start_at, finish_by, revision, reason, mode = row
    bounds = (b if isinstance(b, int) else None for b in (latest_start_at, finish_by))
    horizon = tx.revisions.definition(tx.connection, int(str(revision))).misfire_horizon_us
    unjudged = reason == "not_yet" and mode == "live"
    return Waiting(int(str(id_)), Window(int(str(due_at)), *bounds), horizon, unjudged)


def next_candidate(tx: Transaction, schedule: int, *, after_s: int) -> int | None:
    """The instant (µs) of the next candidate after ``after_s``, of whichever revision owns it. Raises
    KeptRulesDamaged.
    """
    for revision, begin_s, end_s in _line(tx, schedule, after_s=after_s, until_s=LAST // SECOND):
        found = tx.revisions.get(tx.connection, revision).calendar.first(begin_s)
        if found is not None and found.instant_s <= end_s:
            return found.instant_s * SECOND
    return None


def _line(tx: Transaction, schedule: int, *, after_s: int, until_s: int) -> list[tuple[int, int, int]]:
    """Who owns which nominal seconds: (revision, after, until), in order. A later switch cuts every earlier one, also
    one that the clock, which has gone back since, has not reached again.
    """
    line: list[tuple[int, int, int]] = []
    for revision, begins_at, decided_at in reversed(tx.rows(SQL["stretches"], (schedule,))):
        begin_s = max(int(str(begins_at)) // SECOND, after_s)
        if begin_s < until_s:
            line.append((int(str(revision)), begin_s, until_s))
        until_s = min(until_s, int(str(decided_at)) // SECOND)
    return line[::-1]


def settle(
    tx: Transaction, look: Unresolved, fates: list[Fate], *, now: int, allowance_us: int, next_at: int | None
) -> int:
    """Writes the fates and moves the mark to ``now``, in one piece; returns how many there were (OCC-15)."""
    writing = _writing(tx, look, now, allowance_us)
    for fate in fates:
        writing.write(fate)
    writing.store()
    tx.change(
        SQL["settled"],
        {
            "id": look.schedule,
            "before": look.settled_to,
            "settled_to": max(now // SECOND, look.settled_to),
            "next_at": next_at,
        },
    )
    return len(fates)


def _writing(tx: Transaction, look: Unresolved, now: int, allowance_us: int) -> Writing:
    """What writes the fates of this Schedule, with the authority's generation as seen."""
    generation = tx.row(SQL["authority_generation"], (look.authority,))
    assert generation is not None
    return Writing(tx, look.schedule, int(str(generation[0])), now=now, allowance_us=allowance_us)


def stop(tx: Transaction, schedule: int, *, now: int, why: str) -> None:
    """CAL-06, RCV-05: this Schedule alone stops, said once."""
    tx.connection.execute(SQL["stop"], {"id": schedule, "why": why})
    if tx.connection.changes():
        tx.record("schedule.stopped", now, {"why": why}, schedule=schedule)
