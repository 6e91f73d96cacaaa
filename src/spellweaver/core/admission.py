"""Admission of pending Occurrences: one pure fold over facts, each item with its own decision time (WIN-02, CAT-10,
SEL-07).

The first that applies is the answer: before the due instant, closed window, a Schedule that is stopped or paused,
authority (a bound workflow), overlap, capacity. A worker is granted whole or the Occurrence pends and holds nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from spellweaver.core import overlap
from spellweaver.core.policy import ServiceClass
from spellweaver.core.window import Window


@dataclass(frozen=True, slots=True)
class Facts:
    """A pending Occurrence as the ledger has it. ``blockers``: open Invocations of its Schedule; ``kept_back``:
    (nominal instant, Occurrence) of each of its pending calendar firings without a window that capacity keeps back;
    ``bound``: its entry station has a binding on this host; ``stopped``, ``paused``: its Schedule is (CAL-06,
    CAT-07); ``external``: no calendar named it.
    """

    occurrence: int
    schedule: int
    service_class: ServiceClass
    window: Window
    reason: str
    nominal_at: int
    blockers: tuple[int, ...]
    kept_back: tuple[tuple[int, int], ...]
    bound: bool
    stopped: bool = False
    paused: bool = False
    external: bool = False


@dataclass(frozen=True, slots=True)
class Admit:
    facts: Facts
    at: int
    reason: Literal["foreground", "window_open"]
    free: int


@dataclass(frozen=True, slots=True)
class Wait:
    """Stays pending: the present obstacle, and the next moment to look (None: only a released grant wakes it)."""

    facts: Facts
    at: int
    reason: Literal["not_yet", "stopped", "paused", "overlap", "capacity"]
    wake_at: int | None
    blockers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class End:
    """``occurrence`` ends without a run. ``facts`` are those of the item at hand, which may be another one."""

    facts: Facts
    occurrence: int
    at: int
    state: Literal["missed", "skipped", "refused"]
    reason: str
    blockers: tuple[int, ...] = ()


Decision = Admit | Wait | End


def choose(items: list[Facts], *, free: int, sample: Callable[[], int]) -> list[Decision]:
    """Decides the items in the order given. ``free``: workers not granted; ``sample`` reads the clock, the write lock
    being held.
    """
    decisions: list[Decision] = []
    admitted: set[int] = set()
    kept_back: dict[int, set[tuple[int, int]]] = {}
    for facts in items:
        blocked_here = facts.schedule in admitted
        decision = decide(facts, sample(), free=free, blocked_here=blocked_here)
        decisions.append(decision)
        if isinstance(decision, Admit):
            admitted.add(facts.schedule)
            free -= 1
        elif _kept_back(decision):
            line = kept_back.get(facts.schedule, set(facts.kept_back)) | {(facts.nominal_at, facts.occurrence)}
            *older, newest = sorted(line)
            decisions += [End(facts, o, decision.at, "skipped", "superseded") for _, o in older]
            kept_back[facts.schedule] = {newest}
    return decisions


def _kept_back(decision: Decision) -> bool:
    """Ruling 1: of calendar firings that capacity keeps back without a window, the newest alone stays."""
    if not isinstance(decision, Wait) or decision.reason != "capacity":
        return False
    return decision.facts.window.closes_at is None and not decision.facts.external


def decide(facts: Facts, now: int, *, free: int, blocked_here: bool = False) -> Decision:
    """One item at one decision time. ``blocked_here``: an earlier item of the same look was admitted."""
    window = facts.window
    if not window.opened(now):
        return Wait(facts, now, "not_yet", window.opens_at)
    if bound := window.closed_by(now):
        reason = bound if facts.reason == "not_yet" else facts.reason
        return End(facts, facts.occurrence, now, "missed", reason, facts.blockers if reason == "overlap" else ())
    if facts.stopped:
        return Wait(facts, now, "stopped", window.closes_at)
    if facts.paused:
        return Wait(facts, now, "paused", window.closes_at)
    if not facts.bound:
        return End(facts, facts.occurrence, now, "refused", "unavailable")
    match overlap.forbid(window, blocked=bool(facts.blockers) or blocked_here):
        case "wait":
            return Wait(facts, now, "overlap", window.closes_at, facts.blockers)
        case "skip":
            return End(facts, facts.occurrence, now, "skipped", "overlap", facts.blockers)
    if free < 1:
        return Wait(facts, now, "capacity", window.closes_at)
    return Admit(facts, now, "foreground" if window.closes_at is None else "window_open", free)
