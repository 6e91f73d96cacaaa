"""Resolve: a named operator says what became of contained work, with a reason; it is kept as the proof (RCV-02)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from spellweaver.core.identity import InvocationId
from spellweaver.core.settlement import Verdict
from spellweaver.errors import NotFound, Refused
from spellweaver.ledger import invocations
from spellweaver.ledger.decide import Transaction


@dataclass(frozen=True, slots=True)
class Resolved:
    """States of the Invocation before and after."""

    invocation: InvocationId
    before: str
    after: str


def resolve(
    tx: Transaction, invocation: InvocationId, *, outcome: Literal["completed", "failed"], why: str
) -> Resolved:
    """Raises NotFound, and Refused where nothing is contained."""
    found = invocations.of(tx, invocation)
    if found is None:
        raise NotFound("no_invocation", f"there is no {invocation} in this ledger", hint="spellweaver invocation list")
    before, attempt = found
    if before != "contained" or attempt is None:
        raise Refused(
            "not_contained",
            f"{invocation} is {before}, not contained; there is nothing to resolve",
            hint=f"spellweaver explain {invocation}",
        )
    was, at = invocations.tried(tx, attempt), tx.decided_at()
    invocations.prove(tx, attempt, kind="operator", detail=why, at=at)
    reason = "none" if outcome == "completed" else "interrupted"
    invocations.ended(tx, was, None, Verdict("lost", outcome, reason, "settled"), at)
    numbers: dict[str, object] = {"reason": reason, "proof": "operator", "why": why}
    tx.record(
        f"invocation.{outcome}",
        at,
        numbers,
        schedule=was.schedule,
        occurrence=was.occurrence,
        invocation=was.invocation,
    )
    return Resolved(invocation, before, outcome)
