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


def settle(seen: Sighting, *, contained: bool, ground: str | None, success: tuple[int, ...]) -> Verdict:
    """``contained``: the Invocation is. ``ground``: why it was asked to cancel, None where it was not; ``success``
    the binding's exit codes.
    """
    cancelled = None if ground is None else ("cancelled", ground)
    match seen:
        case Started():
            return Verdict("running", *(("running", "none") if ground is None else ("cancelling", ground)), "claimed")
        case Contained():
            return Verdict("contained", "contained", "settling", "claimed")
        case Lost():
            return Verdict("lost", *(cancelled or ("failed", "lost")), "settled")
        case NeverStarted(why="gate") if ground is None and not contained:
            return Verdict("never_started", "queued", "worker", "pending")
        case NeverStarted(why="gate"):  # what was contained is never offered again
            return Verdict("never_started", *(cancelled or ("failed", "interrupted")), "settled")
        case NeverStarted():
            return Verdict("never_started", *(cancelled or ("failed", "unavailable")), "settled")
        case Ended():
            return Verdict(seen.state, *_ended(seen, cancelled, success), "settled")


def _ended(seen: Ended, cancelled: tuple[str, str] | None, success: tuple[int, ...]) -> tuple[str, str]:
    if seen.state == "exited" and seen.code in success:
        return "completed", "none"
    if cancelled:
        return cancelled
    if seen.state == "timed_out":
        return "timed_out", "timeout"
    if seen.state == "signalled":
        return "failed", "signal"
    return "failed", "upstream" if seen.code == 75 else "guard" if seen.code == 65 else "exit"
