"""Admit: what is pending and may start gets its Invocation; an expiry is the first answer (WIN-05, CAT-10)."""

from __future__ import annotations

from dataclasses import dataclass

from spellweaver.core import admission
from spellweaver.ledger import occurrences
from spellweaver.ledger.decide import Transaction


@dataclass(frozen=True, slots=True)
class Admitted:
    """How many were decided and how many of them admitted; ``more``: there may be others whose moment has come.

    That is so too when a worker is left and one that waited for it met another obstacle: the next in line has to be
    asked, for nothing else would wake it.
    """

    decided: int
    admitted: int
    more: bool


def admit(tx: Transaction, *, limit: int) -> Admitted:
    """Decides at most ``limit`` pending Occurrences in the order of selection, each at its own decision time (WIN-02,
    SEL-07).
    """
    free = occurrences.free(tx)
    found = occurrences.due(tx, now=tx.decided_at(), free=free, limit=limit)
    if not found:
        return Admitted(0, 0, False)
    decisions = admission.choose([f.facts for f in found], free=free, sample=tx.decided_at)
    admitted = occurrences.apply(tx, found, decisions)
    passed_over = free > admitted and any(f.facts.reason == "capacity" for f in found)
    return Admitted(len(found), admitted, len(found) == limit or passed_over)
