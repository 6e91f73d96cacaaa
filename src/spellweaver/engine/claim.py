"""Claim: granted attempts become launches, durable before anything is started (CLS-06: only due work gets here)."""

from __future__ import annotations

from spellweaver.core.launch import Launch
from spellweaver.ledger import invocations
from spellweaver.ledger.decide import Transaction


def claim(tx: Transaction, *, limit: int) -> list[Launch]:
    """At most ``limit`` launches, oldest grant first. They may be acted on only after the commit."""
    return invocations.claim(tx, limit=limit)
