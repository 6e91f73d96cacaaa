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
    """How many Schedules were looked at; ``more``: there may be others due."""

    schedules: int
    more: bool


def materialize(tx: Transaction, *, allowance_us: int, limit: int) -> Materialized:
    """Judges at most ``limit`` due Schedules, each at its own decision time."""
    now = tx.decided_at()
    due = schedules.due(tx, now=now, late=now - allowance_us, limit=limit)
    judged = []
    for look in schedules.unresolved(tx, due):
        now = tx.decided_at()
        try:
            judged.append(_judge(tx, look, now=now, allowance_us=allowance_us))
        except Damaged as damage:
            schedules.stop(tx, look.schedule, now=now, why=damage.message)
    schedules.settle(tx, judged, allowance_us=allowance_us)
    return Materialized(len(due), len(due) == limit)


def _judge(tx: Transaction, look: Unresolved, *, now: int, allowance_us: int) -> Judged:
    """Raises RevisionDamaged, KeptRulesDamaged."""
    stretches = schedules.stretches(tx, look, until_s=now // SECOND)
    fates = misfire.judge(stretches, schedules.waiting(tx, look), now=now, allowance_us=allowance_us)
    next_at = schedules.next_candidate(tx, look, after_s=max(now // SECOND, look.settled_to))
    return Judged(look, fates, now, next_at)
