"""One pass: materialize until nothing is due, then admit, then claim. Chunks bound the work of a transaction, never
the choice.

Selection starts when all that is due at the pass's first sample has been materialized. A driver opens a transaction
for each step, so that the lock is held for milliseconds; a small pass is one step and one commit, in which a firing
is stored and admitted as one event.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from spellweaver.core.launch import Launch
from spellweaver.engine.admit import admit
from spellweaver.engine.claim import claim
from spellweaver.engine.materialize import materialize
from spellweaver.ledger import invocations
from spellweaver.ledger.decide import Transaction

CHUNK = 100


@dataclass(slots=True)
class Pass:
    """A pass under way: what the driver allows as ordinary lateness, where the pass is, and what it did."""

    allowance_us: int
    chunk: int = CHUNK
    phase: Literal["materialize", "admit", "claim", "done"] = "materialize"
    schedules: int = 0
    decided: int = 0
    admitted: int = 0
    next_wake: int | None = None
    launches: list[Launch] = field(default_factory=list)


def step(tx: Transaction, under_way: Pass) -> list[Launch]:
    """One transaction's worth of the pass; the launches it claimed may be acted on after its commit. Ends with phase
    ``done``.
    """
    left = under_way.chunk
    if under_way.phase == "materialize":
        done = materialize(tx, allowance_us=under_way.allowance_us, limit=left)
        under_way.schedules += done.schedules
        left -= done.schedules
        if not done.more:
            under_way.phase = "admit"
    if under_way.phase == "admit" and left > 0:
        chosen = admit(tx, limit=left)
        under_way.decided += chosen.decided
        under_way.admitted += chosen.admitted
        left -= chosen.decided
        if not chosen.more:
            under_way.phase = "claim"
    launches: list[Launch] = []
    if under_way.phase == "claim" and left > 0:
        launches = claim(tx, limit=left)
        if len(launches) < left:
            under_way.phase = "done"
            under_way.next_wake = invocations.next_wake(tx)
    under_way.launches += launches
    return launches
