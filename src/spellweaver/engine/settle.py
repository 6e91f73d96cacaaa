"""Settle: what a handler saw becomes a row. What is terminal stays; a late sighting of it is dropped."""

from __future__ import annotations

from spellweaver.core import settlement
from spellweaver.core.launch import Contained, Ended, Lost, NeverStarted, Sighting, Started
from spellweaver.core.lifecycle import terminal
from spellweaver.ledger import invocations
from spellweaver.ledger.decide import Transaction
from spellweaver.ledger.invocations import Tried


def settle(tx: Transaction, seen: Sighting) -> str:
    """Settles one sighting and returns the state of the Invocation after it (RCV-01, RCV-02)."""
    was = invocations.tried(tx, seen.attempt)
    if was.state in terminal("attempt"):
        return was.invocation_state
    success = was.binding.success if was.binding else (0,)
    verdict = settlement.settle(seen, invocation=was.invocation_state, reason=was.invocation_reason, success=success)
    at = tx.decided_at()
    match seen:
        case Started():
            invocations.started(tx, was, seen, verdict, at)
        case Contained():
            if was.state != "contained":
                invocations.contained(tx, was, verdict)
                _event(tx, was, "contained", at, {"why": seen.why, "detail": seen.detail})
        case Lost():
            _prove(tx, was, "other_boot", "the machine has been booted since", at)
            invocations.ended(tx, was, None, verdict, at)
            _event(tx, was, verdict.invocation, at, {"reason": verdict.reason, "why": seen.why})
        case NeverStarted():
            invocations.ended(tx, was, seen, verdict, at)
            word = "never_started" if verdict.delivery == "pending" else verdict.invocation
            _event(tx, was, word, at, {"reason": verdict.reason, "why": seen.why, "errno": seen.errno, "nth": was.nth})
        case Ended():
            _prove(tx, was, "status", "its shim left a status", at)
            invocations.ended(tx, was, seen, verdict, at)
            _event(tx, was, verdict.invocation, at, _numbers(was, seen, verdict.reason, at))
    return verdict.invocation


def _numbers(was: Tried, seen: Ended, reason: str, at: int) -> dict[str, object]:
    numbers: dict[str, object] = {
        "reason": reason,
        "code": seen.code,
        "signal": seen.signal,
        "started_at": was.started_at,
    }
    if was.started_at is not None:
        numbers["took_us"] = at - was.started_at
    if seen.state == "timed_out" and was.binding:
        numbers["timeout_us"] = was.binding.timeout_us
    if seen.dropped_bytes:
        numbers |= {"output_bytes": seen.output_bytes, "dropped_bytes": seen.dropped_bytes}
    return {key: value for key, value in numbers.items() if value is not None}


def _prove(tx: Transaction, was: Tried, kind: str, detail: str, at: int) -> None:
    if was.state == "contained":
        invocations.prove(tx, was.attempt, kind=kind, detail=detail, at=at)


def _event(tx: Transaction, was: Tried, word: str, at: int, numbers: dict[str, object]) -> None:
    tx.record(
        f"invocation.{word}", at, numbers, schedule=was.schedule, occurrence=was.occurrence, invocation=was.invocation
    )
