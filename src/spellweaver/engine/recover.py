"""Recover: what a dead daemon left open is found again and handed to the handler, which knows processes (RCV-01).

An attempt that was claimed but has no identity never passed its gate: the gate died with the daemon that held it.
"""

from __future__ import annotations

from spellweaver.core.launch import OpenAttempt
from spellweaver.ledger import invocations
from spellweaver.ledger.decide import Transaction


def recover(tx: Transaction) -> list[OpenAttempt]:
    """Every attempt to be adopted, oldest first. Nothing is written: adoption reports what it finds."""
    return invocations.left_open(tx)
