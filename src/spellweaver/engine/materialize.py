"""Materialize: every firing up to now gets an Occurrence or a range, and the settled-to mark moves with it (OCC-14,
OCC-15).
"""

from __future__ import annotations

from dataclasses import dataclass

from spellweaver.core import misfire
from spellweaver.core.instant import SECOND
from spellweaver.ledger import schedules
from spellweaver.ledger.decide import Transaction
from spellweaver.ledger.revisions import Damaged


@dataclass(frozen=True, slots=True)
class Materialized:
    """How many Schedules were looked at; ``more``: there may be others due."""

    schedules: int
    more: bool


def materialize(tx: Transaction, *, allowance_us: int, limit: int) -> Materialized:
    """Judges at most ``limit`` due Schedules, each at its own decision time. One whose reckoning fails stops alone
    (CAL-06, RCV-05).
    """
    now = tx.decided_at()
    due = schedules.due(tx, now=now, late=now - allowance_us, limit=limit)
    for schedule in due:
        now = tx.decided_at()
        try:
            with tx.savepoint():
                look = schedules.unresolved(tx, schedule, until_s=now // SECOND)
                fates = misfire.judge(look.stretches, look.waiting, now=now, allowance_us=allowance_us)
                next_at = schedules.next_candidate(tx, schedule, after_s=max(now // SECOND, look.settled_to))
                schedules.settle(tx, look, fates, now=now, allowance_us=allowance_us, next_at=next_at)
        except Damaged as damage:
            schedules.stop(tx, schedule, now=now, why=damage.message)
    return Materialized(len(due), len(due) == limit)
