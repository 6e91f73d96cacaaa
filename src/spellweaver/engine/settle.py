"""Settle: what a handler saw becomes a row. What is terminal stays; a late or repeated sighting is dropped."""

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
    if was.state in terminal("attempt") or (isinstance(seen, Started) and was.state != "launching"):
        return was.invocation_state
    success = was.binding.success if was.binding else (0,)
    contained, ground = was.invocation_state == "contained", invocations.cancel_ground(tx, was)
    verdict = settlement.settle(seen, contained=contained, ground=ground, success=success)
    at = tx.decided_at()
    proof: dict[str, object] = {}
    if isinstance(seen, Lost) or (was.state == "contained" and not isinstance(seen, Contained)):
        kind, detail = _proof(seen)
        invocations.prove(tx, was.attempt, kind=kind, detail=detail, at=at)
        proof = {"proof": kind}
    match seen:
        case Started():
            invocations.started(tx, was, seen, verdict, at)
        case Contained():
            if was.state != "contained":
                invocations.contained(tx, was, verdict)
                _event(tx, was, "contained", at, {"why": seen.why, "detail": seen.detail})
        case Lost():
            invocations.ended(tx, was, None, verdict, at)
            _event(tx, was, verdict.invocation, at, {"reason": verdict.reason, "detail": _proof(seen)[1], **proof})
        case NeverStarted():
            invocations.ended(tx, was, seen, verdict, at)
            word = "never_started" if verdict.delivery == "pending" else verdict.invocation
            _event(tx, was, word, at, {**_unstarted(was, seen, verdict.reason), **proof})
        case Ended():
            invocations.ended(tx, was, seen, verdict, at)
            _event(tx, was, verdict.invocation, at, {**_numbers(was, seen, verdict.reason, at), **proof})
    return verdict.invocation


def _proof(seen: Sighting) -> tuple[str, str]:
    """(kind, sentence) of what proves that nothing of it is left (RCV-02)."""
    match seen:
        case Lost(why="other_boot"):
            return "other_boot", "the machine has been booted since"
        case Lost():
            return "cgroup", "its own cgroup is empty"
        case Ended():
            return "echild", "its shim saw the last of its processes end"
    return "status", "its shim left word that the command never ran"


def _unstarted(was: Tried, seen: NeverStarted, reason: str) -> dict[str, object]:
    numbers = {"reason": reason, "why": seen.why, "errno": seen.errno, "detail": seen.detail, "nth": was.nth}
    return {key: value for key, value in numbers.items() if value is not None}


def _numbers(was: Tried, seen: Ended, reason: str, at: int) -> dict[str, object]:
    numbers: dict[str, object] = {"reason": reason, "code": seen.code, "signal": seen.signal}
    if was.started_at is not None:
        numbers["took_us"] = at - was.started_at
    if seen.state == "timed_out" and was.binding:
        numbers["timeout_us"] = was.binding.timeout_us
    if seen.dropped_bytes:
        numbers |= {"output_bytes": seen.output_bytes, "dropped_bytes": seen.dropped_bytes}
    return {key: value for key, value in numbers.items() if value is not None}


def _event(tx: Transaction, was: Tried, word: str, at: int, numbers: dict[str, object]) -> None:
    tx.record(
        f"invocation.{word}", at, numbers, schedule=was.schedule, occurrence=was.occurrence, invocation=was.invocation
    )
