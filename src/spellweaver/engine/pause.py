"""Pause: an operator keeps a Schedule from starting anything, with a reason, until he resumes it or until an instant
(CAT-07).

It belongs to the Schedule: no restart and no activation ends it. What runs goes on, and what waits keeps waiting in
its window.
"""

from __future__ import annotations

from dataclasses import dataclass

from spellweaver.core.instant import show
from spellweaver.engine import look_up
from spellweaver.errors import Refused
from spellweaver.ledger import pauses
from spellweaver.ledger.decide import Transaction


@dataclass(frozen=True, slots=True)
class Paused:
    """``status`` is paused, changed (another reason or end than before) or unchanged. Nominal instants from
    ``begins_at`` on are the pause's.
    """

    schedule: str
    status: str
    begins_at: int
    until_at: int | None


def pause(tx: Transaction, *, schedule: str, why: str, until_at: int | None = None) -> Paused:
    """Raises NotFound, and Refused: never activated, retired, an end that has passed."""
    name, known = look_up.schedule(tx, schedule)
    if known.state == "retired":
        raise Refused("schedule_retired", f"{name} is retired; nothing of it starts", hint="spellweaver status")
    if known.active is None:
        raise Refused(
            "not_activated",
            f"{name} is not activated, so it starts nothing that could be paused",
            hint=f"spellweaver activate {name}",
        )
    at = tx.decided_at()
    if until_at is not None and until_at <= at:
        raise Refused(
            "until_in_past", f"{name}: {show(until_at)} has passed; it is {show(at)}", hint="name a later instant"
        )
    before = pauses.open_one(tx, known.id)
    if before is not None and (before.until_at, before.why) == (until_at, why):
        return Paused(name, "unchanged", before.begins_at, until_at)
    numbers: dict[str, object] = {"why": why} | ({} if until_at is None else {"until_at": until_at})
    if before is not None:
        pauses.say_anew(tx, before.id, until_at=until_at, why=why)
        tx.record("schedule.paused", at, numbers | {"begins_at": before.begins_at}, schedule=known.id)
        return Paused(name, "changed", before.begins_at, until_at)
    pauses.begin(tx, known.id, at=at, until_at=until_at, why=why)
    tx.record("schedule.paused", at, numbers, schedule=known.id)
    return Paused(name, "paused", at, until_at)
