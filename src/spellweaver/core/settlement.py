"""What a sighting makes of an attempt, its delivery and its Invocation. The exit status is the outcome; output plays
no part (RP-50).

``Contained`` ends nothing: what can't be proved gone stays open and blocks overlap (RCV-02).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from spellweaver.core.launch import Contained, Ended, Lost, NeverStarted, Sighting, Started


@dataclass(frozen=True, slots=True)
class Verdict:
    """``attempt`` and ``invocation`` are the states that follow, ``reason`` goes with the Invocation's.

    ``delivery``: ``claimed`` while it goes on, ``pending`` when it is offered again, ``settled`` when it is over.
    """

    attempt: str
    invocation: str
    reason: str
    delivery: Literal["claimed", "pending", "settled"]


def settle(seen: Sighting, *, invocation: str, reason: str, success: tuple[int, ...]) -> Verdict:
    """``invocation`` and ``reason`` are its present ones (a cancelling one keeps its ground); ``success`` the
    binding's exit codes.
    """
    cancelling = invocation == "cancelling"
    match seen:
        case Started():
            return Verdict("running", *(("cancelling", reason) if cancelling else ("running", "none")), "claimed")
        case Contained():
            return Verdict("contained", "contained", "settling", "claimed")
        case Lost():
            return Verdict("lost", *(("cancelled", reason) if cancelling else ("failed", "lost")), "settled")
        case NeverStarted(why="gate"):
            return Verdict(
                "never_started", *(("cancelled", reason, "settled") if cancelling else ("queued", "worker", "pending"))
            )
        case NeverStarted():
            return Verdict(
                "never_started", *(("cancelled", reason) if cancelling else ("failed", "unavailable")), "settled"
            )
        case Ended():
            return Verdict(seen.state, *_ended(seen, cancelling, reason, success), "settled")


def _ended(seen: Ended, cancelling: bool, reason: str, success: tuple[int, ...]) -> tuple[str, str]:
    if seen.state == "exited" and seen.code in success:
        return "completed", "none"
    if cancelling:
        return "cancelled", reason
    if seen.state == "timed_out":
        return "timed_out", "timeout"
    if seen.state == "signalled":
        return "failed", "signal"
    return "failed", "upstream" if seen.code == 75 else "guard" if seen.code == 65 else "exit"
