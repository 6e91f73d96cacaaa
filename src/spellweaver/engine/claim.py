"""Claim: granted attempts become launches, durable before anything is started (CLS-06: only due work gets here).

One whose revision is damaged can't be launched: its Run fails, its Schedule stops, and the pass goes on (RCV-05).
"""

from __future__ import annotations

from spellweaver.core.identity import AttemptId
from spellweaver.core.launch import Launch, NeverStarted
from spellweaver.engine.settle import settle
from spellweaver.ledger import invocations, schedules
from spellweaver.ledger.decide import Transaction
from spellweaver.ledger.invocations import Granted
from spellweaver.ledger.revisions import Damaged


def claim(tx: Transaction, *, limit: int) -> list[Launch]:
    """At most ``limit`` launches, oldest grant first. They may be acted on only after the commit."""
    launches, taken = list[Launch](), list[Granted]()
    for each in invocations.granted(tx, limit=limit):
        try:
            launches.append(invocations.launch(tx, each))
            taken.append(each)
        except Damaged as damage:
            attempt = AttemptId(each.attempt)
            settle(tx, NeverStarted(attempt, "spawn", detail=damage.message))
            schedule = invocations.tried(tx, attempt).schedule
            schedules.stop(tx, schedule, now=tx.decided_at(), why=damage.message)
    invocations.claimed(tx, taken)
    return launches
