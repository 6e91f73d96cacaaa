"""Resume: a pause ends, by an operator's word or by itself at the instant that was said (CAT-07).

Nothing is judged here: the next look finds what the pause took and what it only held back. What waited is asked again.
"""

from __future__ import annotations

from dataclasses import dataclass

from spellweaver.core.instant import SECOND
from spellweaver.engine import look_up
from spellweaver.ledger import pauses, schedules
from spellweaver.ledger.decide import Transaction
from spellweaver.ledger.pauses import Kept
from spellweaver.ledger.revisions import Damaged


@dataclass(frozen=True, slots=True)
class Resumed:
    """``status`` is resumed, or unchanged where nothing was paused; ``next_at``: what comes next (µs)."""

    schedule: str
    status: str
    next_at: int | None


def resume(tx: Transaction, *, schedule: str) -> Resumed:
    """Raises NotFound."""
    name, known = look_up.schedule(tx, schedule)
    found = pauses.open_one(tx, known.id)
    if found is None or known.state == "retired":
        return Resumed(name, "unchanged", None)
    at = tx.decided_at()
    ended_at = at if found.until_at is None else min(at, found.until_at)
    next_at = _next(tx, known.id, at)
    pauses.end(tx, found.id, known.id, ended_at=ended_at, at=at, next_at=next_at)
    tx.record("schedule.resumed", at, {"begins_at": found.begins_at, "ended_at": ended_at}, schedule=known.id)
    return Resumed(name, "resumed", next_at)


def by_itself(tx: Transaction, schedule: int, kept: Kept, now: int) -> Kept:
    """The pause as it stands at ``now``: ended, if its end has come."""
    if not kept.over(now):
        return kept
    assert kept.until_at is not None
    pauses.end(tx, kept.id, schedule, ended_at=kept.until_at, at=now, next_at=None)  # the look that goes on sets it
    numbers: dict[str, object] = {"begins_at": kept.begins_at, "ended_at": kept.until_at, "by": "until"}
    tx.record("schedule.resumed", now, numbers, schedule=schedule)
    return kept._replace(ended_at=kept.until_at)


def _next(tx: Transaction, schedule: int, now: int) -> int | None:
    """The instant of the next candidate that has no fate yet. Where the revision is damaged that can't be said; the
    next look finds the damage.
    """
    (look,) = schedules.unresolved(tx, [schedule])
    try:
        return schedules.next_candidate(tx, look.switches, after_s=look.settled_to)
    except Damaged:
        return max(now, (look.settled_to + 1) * SECOND)
