"""Materialize: every firing up to now gets an Occurrence or a range, and the settled-to mark moves with it (OCC-14,
OCC-15).

The Schedules of a chunk are read together, judged one by one, each at its own time, and written together. Judging
writes nothing, so one that can't be reckoned with stops alone (CAL-06, RCV-05).
"""

from __future__ import annotations

from dataclasses import dataclass

from spellweaver.core import misfire, pause
from spellweaver.core.instant import SECOND
from spellweaver.engine import resume
from spellweaver.ledger import pauses, schedules
from spellweaver.ledger.decide import Transaction
from spellweaver.ledger.pauses import Kept
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
    paused = pauses.of(tx, due)
    for look in schedules.unresolved(tx, due):
        if rows >= limit:
            break
        now, seen = tx.decided_at(), seen + 1
        try:
            judged.append(_judge(tx, *_awake(tx, look, paused, now), now=now, allowance_us=allowance_us))
            rows += sum(misfire.rows(fate) for fate in judged[-1].fates)
        except Damaged as damage:
            schedules.stop(tx, look.schedule, now=now, why=damage.message)
    schedules.settle(tx, judged, allowance_us=allowance_us)
    return Materialized(seen, len(due) == limit or seen < len(due))


def settle_one(tx: Transaction, schedule: int, *, allowance_us: int) -> None:
    """Gives a fate to all of one Schedule that came until now; damage is left where it is."""
    now = tx.decided_at()
    (look,) = schedules.unresolved(tx, [schedule])
    try:
        judged = _judge(tx, *_awake(tx, look, pauses.of(tx, [schedule]), now), now=now, allowance_us=allowance_us)
    except Damaged:
        return
    schedules.settle(tx, [judged], allowance_us=allowance_us)


def _awake(
    tx: Transaction, look: Unresolved, paused: dict[int, list[Kept]], now: int
) -> tuple[Unresolved, list[Kept]]:
    """The Schedule with its pauses as they stand at ``now``; one that has ended held back what follows the mark."""
    before = paused.get(look.schedule, [])
    asleep = [resume.by_itself(tx, look.schedule, each, now) for each in before]
    if asleep != before:
        look = look._replace(next_at=min(look.next_at, (look.settled_to + 1) * SECOND))
    return look, asleep


def _judge(tx: Transaction, look: Unresolved, asleep: list[Kept], *, now: int, allowance_us: int) -> Judged:
    """Raises RevisionDamaged, KeptRulesDamaged."""
    stretches = schedules.stretches(tx, look, until_s=now // SECOND)
    stretches, held = pause.cut(stretches, [each.meant() for each in asleep])
    waiting = schedules.waiting(tx, look, late=now - allowance_us)
    fates = misfire.judge(stretches, waiting, now=now, allowance_us=allowance_us)
    if held is not None:
        return Judged(look, fates, now, held, None)
    next_at = schedules.next_candidate(tx, look.switches, after_s=max(now // SECOND, look.settled_to))
    return Judged(look, fates, now, now // SECOND, next_at)
