"""Closed words, and the host's policy. A word here, in ``schema.sql`` and on the screen is the same word; a test
compares them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from spellweaver.core import instant

Fold = Literal["earlier", "later", "both"]
Gap = Literal["skip", "advance", "fail"]
Cycle = Literal["time", "date", "week", "month"]
ServiceClass = Literal["foreground", "deadline_windowed", "spare_capacity"]
Overlap = Literal["forbid", "hold", "coalesce", "parallel", "replace"]
CatchUp = Literal["none", "newest", "all"]
WhilePaused = Literal["skip", "catch_up"]
JitterMode = Literal["none", "deterministic", "random"]
Mode = Literal["live", "catch_up", "backfill"]
Origin = Literal["operator", "schedule", "agent", "peer"]

FOLDS: tuple[Fold, ...] = ("earlier", "later", "both")
GAPS: tuple[Gap, ...] = ("skip", "advance", "fail")
WHILE_PAUSED: tuple[WhilePaused, ...] = ("skip", "catch_up")
CYCLES: tuple[Cycle, ...] = ("time", "date", "week", "month")
CLASSES: tuple[ServiceClass, ...] = ("foreground", "deadline_windowed", "spare_capacity")

# CLS-01: names that other tools use, and the class that is meant
MISTAKEN_CLASSES = {
    "immediate": "foreground",
    "cron": "foreground",
    "opportunistic": "spare_capacity",
    "remote": "deadline_windowed",
}


@dataclass(frozen=True, slots=True)
class ClockPolicy:
    """``tick``: ordinary lateness allowed; ``step``: a larger clock step holds decisions; ``settle``: for how long
    (monotonic).
    """

    tick_us: int = instant.SECOND
    step_us: int = 5 * instant.MINUTE
    settle_us: int = 15 * instant.SECOND


@dataclass(frozen=True, slots=True)
class HostPolicy:
    """``[policy]``: what this host allows. ``misfire_horizon_us`` is pinned into revisions that set none (CAT-01)."""

    workers: int = 4
    misfire_horizon_us: int = instant.DAY
    clock: ClockPolicy = ClockPolicy()

    def canonical(self) -> dict[str, object]:
        """The JSON object kept in the ledger: durations in microseconds."""
        return {
            "workers": self.workers,
            "misfire_horizon_us": self.misfire_horizon_us,
            "clock": {"tick_us": self.clock.tick_us, "step_us": self.clock.step_us, "settle_us": self.clock.settle_us},
        }


def host_policy(body: dict[str, object]) -> HostPolicy:
    """The inverse of ``HostPolicy.canonical``."""
    clock = body["clock"]
    assert isinstance(clock, dict)
    return HostPolicy(int(str(body["workers"])), int(str(body["misfire_horizon_us"])), ClockPolicy(**clock))
