"""Schedules that are due, their unresolved stretches, and the write that settles them (OCC-15).

A chunk is read in two queries, judged one by one, and written gathered: what a Schedule costs by itself is what the
law asks about it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from spellweaver.core.instant import LAST, SECOND
from spellweaver.core.misfire import Fate, Stretch, Waiting
from spellweaver.core.terms import Terms
from spellweaver.core.window import Window
from spellweaver.ledger.decide import Transaction
from spellweaver.ledger.fates import Writing
from spellweaver.ledger.observe import Row
from spellweaver.ledger.queries import load
from spellweaver.ledger.switches import Piece, Switch, line

SQL = load("materialize")


class Unresolved(NamedTuple):
    """A due Schedule as its rows say: the authority's generation, the mark it was read at, the instant of its next
    candidate, whether something is ``unjudged`` (see ``Waiting``), and its switches, the latest first.
    """

    schedule: int
    authority: int
    settled_to: int
    next_at: int
    unjudged: int
    switches: Sequence[Switch]


class Judged(NamedTuple):
    """What was decided of one of them at ``now``, the second up to which all has a fate, and the instant of its next
    candidate.
    """

    look: Unresolved
    fates: list[Fate]
    now: int
    until_s: int
    next_at: int | None


def due(tx: Transaction, *, now: int, late: int, limit: int) -> list[int]:
    """Row numbers of Schedules with something to judge: a candidate at or before ``now``, or a stored firing due
    before ``late``. At most ``limit``; fewer only when there are no more.
    """
    found = tx.numbers(SQL["due"], {"now": now, "limit": limit})
    if len(found) < limit:
        found += tx.numbers(SQL["paused"], {"now": now, "limit": limit})
    if len(found) < limit:
        found += tx.numbers(SQL["late"], {"late": late, "limit": limit})
    return list(dict.fromkeys(schedule for (schedule,) in found))[:limit]


def unresolved(tx: Transaction, due: Sequence[int]) -> list[Unresolved]:
    """Where these Schedules stand, in their order."""
    if not due:
        return []
    given: dict[str, object] = {"due": json.dumps(due), "never": LAST + 1}
    switches: dict[int, list[Switch]] = {schedule: [] for schedule in due}
    for schedule, id_ in tx.numbers(SQL["stretches"], given):
        switches[schedule].append(tx.revisions.switch(tx.connection, id_))
    marks = {row[0]: row for row in tx.numbers(SQL["marks"], given)}
    in_order = (marks[schedule] for schedule in due)
    return [Unresolved(id_, of, to, next_at, unjudged, switches[id_]) for id_, of, to, next_at, unjudged in in_order]


def waiting(tx: Transaction, look: Unresolved, *, late: int) -> list[Waiting]:
    """What is pending from before, where it has a part in the judgement: a firing of this look is due before ``late``,
    or a stored one may be. Else they stay as they are, and may be many. Raises RevisionDamaged.
    """
    if look.next_at >= late and not look.unjudged:
        return []
    return [_waiting(tx, row) for row in tx.rows(SQL["waiting"], (look.schedule,))]


def _waiting(tx: Transaction, row: Row) -> Waiting:
    id_, due_at, latest_start_at, finish_by, revision, unjudged, external = row
    bounds = (b if isinstance(b, int) else None for b in (latest_start_at, finish_by))
    meant = tx.revisions.definition(tx.connection, int(str(revision)))
    window = Window(int(str(due_at)), *bounds)
    return Waiting(int(str(id_)), window, meant.misfire_horizon_us, bool(unjudged), meant.catch_up, bool(external))


def stretches(tx: Transaction, look: Unresolved, *, until_s: int) -> list[Stretch]:
    """The line that is not settled yet, cut at activations. Raises KeptRulesDamaged."""
    return [
        Stretch(piece.after_s, piece.until_s, terms(tx, piece), skipped=piece.skipped)
        for piece in line(look.switches, after_s=look.settled_to, until_s=until_s)
    ]


def terms(tx: Transaction, piece: Piece) -> Terms:
    """What the revision of a piece says of the firings in it. Raises KeptRulesDamaged."""
    meant = tx.revisions.get(tx.connection, piece.revision).terms
    return meant if piece.listed is None else replace(meant, calendar=meant.calendar.listed(piece.listed))


def next_candidate(tx: Transaction, switches: Sequence[Switch], *, after_s: int) -> int | None:
    """The instant (µs) of the next candidate after ``after_s``, of whichever revision owns it. Raises
    KeptRulesDamaged.
    """
    for piece in line(switches, after_s=after_s, until_s=LAST // SECOND):
        found = terms(tx, piece).calendar.first(piece.after_s)
        if found is not None and found.instant_s <= piece.until_s:
            return found.instant_s * SECOND
    return None


def settle(tx: Transaction, judged: Sequence[Judged], *, allowance_us: int) -> None:
    """Writes the fates and moves each mark to the time of its judgement (OCC-15)."""
    writing = Writing(tx, allowance_us=allowance_us)
    for one in judged:
        writing.turn_to(one.look.schedule, one.look.authority, now=one.now)
        for fate in one.fates:
            writing.write(fate)
    writing.store()
    tx.change_many(
        SQL["settled"],
        [
            {
                "id": one.look.schedule,
                "before": one.look.settled_to,
                "settled_to": max(one.until_s, one.look.settled_to),
                "next_at": one.next_at,
            }
            for one in judged
        ],
    )


def retire(tx: Transaction, schedule: int) -> list[int]:
    """Row numbers of the firings that wait, which nothing will admit now."""
    tx.change(SQL["retire"], (schedule,))
    return [id_ for (id_,) in tx.numbers(SQL["pending"], (schedule,))]


def skip(tx: Transaction, schedule: int, occurrence: int, *, reason: str, at: int, why: str | None = None) -> None:
    """A firing that waits ends by an operator's act."""
    tx.change_many(SQL["drop"], [{"id": occurrence, "state": "skipped", "reason": reason, "at": at}])
    numbers: dict[str, object] = {"reason": reason, **({} if why is None else {"why": why})}
    tx.record("occurrence.skipped", at, numbers, schedule=schedule, occurrence=occurrence)


def stop(tx: Transaction, schedule: int, *, now: int, why: str) -> None:
    """CAL-06, RCV-05: this Schedule alone stops, said once."""
    tx.connection.execute(SQL["stop"], {"id": schedule, "why": why})
    if tx.connection.changes():
        tx.record("schedule.stopped", now, {"why": why}, schedule=schedule)
