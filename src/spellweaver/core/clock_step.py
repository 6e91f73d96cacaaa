"""Steps of the clock, told apart from sleep: what REALTIME gained over BOOTTIME somebody set; what BOOTTIME gained over
MONOTONIC the machine slept (WIN-11).

A step up to the policy's bound is ordinary. A larger one, either way, holds decisions until it has settled, so that a
wrong clock that comes right again decides nothing; then the clock is believed, even if it went back.
"""

from __future__ import annotations

from dataclasses import dataclass

NOISE_US = 50_000  # readings of three clocks are not taken at one instant


@dataclass(frozen=True, slots=True)
class Reading:
    """The three clocks of one moment, in microseconds."""

    now: int
    monotonic: int
    boottime: int


@dataclass(frozen=True, slots=True)
class Change:
    """What happened between two readings beside time passing: ``step_us`` signed, ``slept_us`` not below zero."""

    step_us: int
    slept_us: int


def between(before: Reading, after: Reading) -> Change:
    """Noise counts as nothing."""
    step = (after.now - before.now) - (after.boottime - before.boottime)
    slept = (after.boottime - before.boottime) - (after.monotonic - before.monotonic)
    return Change(step if abs(step) > NOISE_US else 0, slept if slept > NOISE_US else 0)


def must_settle(step_us: int, *, bound_us: int) -> bool:
    """Whether a step is larger than the policy's ``clock.step``."""
    return abs(step_us) > bound_us
