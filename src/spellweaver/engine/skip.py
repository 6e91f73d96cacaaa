"""Skip: an operator settles that a firing which waits shall not run (OCC-14)."""

from __future__ import annotations

from dataclasses import dataclass

from spellweaver.core.identity import OccurrenceId
from spellweaver.errors import NotFound, Refused
from spellweaver.ledger import occurrences, schedules
from spellweaver.ledger.decide import Transaction


@dataclass(frozen=True, slots=True)
class Skipped:
    """``before`` is the obstacle that it waited for."""

    occurrence: OccurrenceId
    before: str


def skip(tx: Transaction, occurrence: OccurrenceId, *, why: str) -> Skipped:
    """Raises NotFound, and Refused for one whose outcome stands."""
    found = occurrences.standing(tx, occurrence)
    if found is None:
        raise NotFound("no_occurrence", f"there is no {occurrence} in this ledger", hint="spellweaver occurrence list")
    if found.state != "pending":
        raise Refused(
            "already_decided",
            f"{occurrence} is {found.state} ({found.reason}); an outcome never changes",
            hint=f"spellweaver {'cancel' if found.state == 'admitted' else 'explain'} {occurrence}",
        )
    schedules.skip(tx, found.schedule, occurrence, reason="operator", at=tx.decided_at(), why=why)
    return Skipped(occurrence, found.reason)
