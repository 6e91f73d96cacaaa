"""Cancel: asked by an operator with a reason, or by a service that must stop. What runs is told; what waits ends at
once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from spellweaver.core.identity import InvocationId
from spellweaver.core.launch import NeverStarted
from spellweaver.core.lifecycle import terminal
from spellweaver.core.settlement import Verdict
from spellweaver.errors import NotFound, Refused
from spellweaver.ledger import invocations
from spellweaver.ledger.decide import Transaction


@dataclass(frozen=True, slots=True)
class Cancelled:
    """States of the Invocation before and after: ``cancelled``, or ``cancelling`` while its command is being told."""

    invocation: InvocationId
    before: str
    after: str


def cancel(
    tx: Transaction, invocation: InvocationId, *, why: str, ground: Literal["operator", "shutdown"] = "operator"
) -> Cancelled:
    """Raises NotFound, and Refused for an Invocation that is over, contained or being cancelled already."""
    found = invocations.of(tx, invocation)
    if found is None:
        raise NotFound("no_invocation", f"there is no {invocation} in this ledger", hint="spellweaver invocation list")
    before, attempt = found
    if before in terminal("invocation"):
        raise Refused("already_over", f"{invocation} is over: {before}", hint=f"spellweaver explain {invocation}")
    if before == "contained":
        raise Refused(
            "contained",
            f"{invocation} is contained: nothing of it can be told to stop",
            hint=f"spellweaver resolve {invocation} --outcome failed --reason …",
        )
    if before == "cancelling":
        raise Refused(
            "already_cancelling", f"{invocation} is being cancelled already", hint=f"spellweaver explain {invocation}"
        )
    assert attempt is not None, "an open Invocation has an open attempt"
    was, at = invocations.tried(tx, attempt), tx.decided_at()
    numbers: dict[str, object] = {"reason": ground, "why": why}
    after = "cancelling"
    if was.state == "granted":
        after = "cancelled"
        invocations.ended(
            tx, was, NeverStarted(attempt, "gate"), Verdict("never_started", "cancelled", ground, "settled"), at
        )
    else:
        invocations.cancelling(tx, was, ground)
    tx.record(
        f"invocation.{after}", at, numbers, schedule=was.schedule, occurrence=was.occurrence, invocation=was.invocation
    )
    return Cancelled(invocation, before, after)
