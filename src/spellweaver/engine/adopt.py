"""Adopt: an operator takes a ledger on as it is, though it is another machine's, or not the newest (ruling 6).

What was open on the other machine can't be proved stopped from here. It is contained, what was only granted too, for it
may have been launched there since; it blocks overlap until the operator says what became of it (RCV-02).
"""

from __future__ import annotations

from dataclasses import dataclass

from spellweaver.core.identity import InvocationId
from spellweaver.core.launch import Contained
from spellweaver.engine.claim import claim
from spellweaver.engine.settle import settle
from spellweaver.ledger import invocations
from spellweaver.ledger.decide import Transaction
from spellweaver.ledger.witness import Witness

DETAIL = "It belongs to another machine; nothing here can tell whether it has ended there."


@dataclass(frozen=True, slots=True)
class Adopted:
    """Machines before and after; ``witness_seq`` is what the witness saw, None without one; ``seq`` the last event that
    is here; ``contained`` what is contained now.
    """

    machine_before: str
    machine_after: str
    witness_seq: int | None
    seq: int
    contained: tuple[InvocationId, ...]


def adopt(tx: Transaction, *, machine: str, seen: Witness | None, why: str) -> Adopted:
    """``machine``: the one that runs it from now on; ``seen``: what its witness says, which is set aside."""
    before, contained = tx.ledger.machine, list[InvocationId]()
    if before != machine:
        claim(tx, limit=-1)
        for left in invocations.left_open(tx):
            settle(tx, Contained(left.attempt, "other_machine", DETAIL))
            contained.append(InvocationId(invocations.tried(tx, left.attempt).invocation))
        invocations.move(tx, machine)
    numbers: dict[str, object] = {"machine_before": before, "machine_after": machine, "why": why}
    if seen is not None:
        numbers |= {"witness_ledger": seen.ledger, "witness_seq": seen.seq}
    tx.record("ledger.adopted", tx.decided_at(), numbers)
    return Adopted(before, machine, seen.seq if seen else None, tx.seq, tuple(contained))
