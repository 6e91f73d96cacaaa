"""Retire: a Schedule ends for good (CUT-14). What waits is skipped, what runs goes on, what was still answers.

All that came until now gets its fate first, by the law that was in force, so that the mark stands where the Schedule
ended (OCC-15). Where that can't be reckoned any more, nothing of it is told.
"""

from __future__ import annotations

from dataclasses import dataclass

from spellweaver.engine import look_up
from spellweaver.engine.materialize import settle_one
from spellweaver.errors import Refused
from spellweaver.ledger import pauses, schedules
from spellweaver.ledger.decide import Transaction


@dataclass(frozen=True, slots=True)
class Retired:
    """``status`` is retired, or unchanged where it was before; ``skipped``: how many firings had waited."""

    schedule: str
    status: str
    skipped: int


def retire(tx: Transaction, *, schedule: str, confirm: str | None) -> Retired:
    """``confirm`` is the name of the Schedule, bare or whole. Raises NotFound, and Refused where it is another one."""
    name, known = look_up.schedule(tx, schedule)
    if confirm not in (name, name.rpartition("/")[2]):
        raise Refused(
            "retire_unconfirmed",
            f"retiring {name} is final, and its name is not used again, so it must be named",
            hint=f"spellweaver retire {name} --confirm {name}",
            schedule=name,
        )
    if known.state == "retired":
        return Retired(name, "unchanged", 0)
    at = tx.decided_at()
    if (pause := pauses.open_one(tx, known.id)) is not None:
        pauses.end(tx, pause.id, known.id, ended_at=max(at, pause.begins_at), at=at, next_at=None)
    if known.state in ("active", "paused"):
        settle_one(tx, known.id, allowance_us=tx.policy.clock.tick_us)
    waited = schedules.retire(tx, known.id)
    for occurrence in waited:
        schedules.skip(tx, known.id, occurrence, reason="retired", at=at)
    tx.record("schedule.retired", at, {"before": known.state, "waited": len(waited)}, schedule=known.id)
    return Retired(name, "retired", len(waited))
