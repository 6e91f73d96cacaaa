"""Materialize: every firing up to now gets an Occurrence or a range, and the settled-to mark moves with it (OCC-14,
OCC-15).

The Schedules of a chunk are read together, judged one by one, each at its own time, and written together. Judging
writes nothing, so one that can't be reckoned with stops alone (CAL-06, RCV-05).
"""

from __future__ import annotations

from dataclasses import dataclass

from spellweaver.core import misfire
from spellweaver.core.instant import SECOND
from spellweaver.ledger import schedules
from spellweaver.ledger.decide import Transaction
from spellweaver.ledger.revisions import Damaged
from spellweaver.ledger.schedules import Judged, Unresolved


@dataclass(frozen=True, slots=True)
class Materialized:
    """How many Schedules were judged; ``more``: there may be others due."""

    schedules: int
    more: bool


def materialize(tx: Transaction, *, allowance_us: int, limit: int) -> Materialized:
    """Judges at most ``limit`` due Schedules, each at its own decision time, and no further one once they have come to
    so many rows: after an outage each may have seventeen.
    """
    now = tx.decided_at()
    due = schedules.due(tx, now=now, late=now - allowance_us, limit=limit)
    judged, seen, rows = list[Judged](), 0, 0
    for look in schedules.unresolved(tx, due):
        if rows >= limit:
            break
        now, seen = tx.decided_at(), seen + 1
        try:
            judged.append(_judge(tx, look, now=now, allowance_us=allowance_us))
            rows += sum(misfire.rows(fate) for fate in judged[-1].fates)
        except Damaged as damage:
            schedules.stop(tx, look.schedule, now=now, why=damage.message)
    schedules.settle(tx, judged, allowance_us=allowance_us)
    return Materialized(seen, len(due) == limit or seen < len(due))


def _judge(tx: Transaction, look: Unresolved, *, now: int, allowance_us: int) -> Judged:
    """Raises RevisionDamaged, KeptRulesDamaged."""
    stretches = schedules.stretches(tx, look, until_s=now // SECOND)
    waiting = schedules.waiting(tx, look, late=now - allowance_us)
    fates = misfire.judge(stretches, waiting, now=now, allowance_us=allowance_us)
    next_at = schedules.next_candidate(tx, look, after_s=max(now // SECOND, look.settled_to))
    return Judged(look, fates, now, next_at)
