"""What happens to the simulated host beside its Schedules: the span that is looked at, outages, steps of its clock.

Every instant of a scenario is on the line of true time, on which nobody's setting of the clock moves anything: what the
wall clock would show had nobody touched it. Bounds are those of the calendar: ``from_at < t <= until_at``.
"""

from __future__ import annotations

from dataclasses import dataclass

from spellweaver.core.instant import FIRST, LAST, show
from spellweaver.errors import Usage


@dataclass(frozen=True, slots=True)
class Outage:
    """The driver does nothing from ``begins_at`` on; at ``ends_at`` it starts again. What runs goes on meanwhile."""

    begins_at: int
    ends_at: int


@dataclass(frozen=True, slots=True)
class ClockStep:
    """At ``at`` somebody sets the wall clock by ``by_us``; waits and running work don't notice."""

    at: int
    by_us: int


@dataclass(frozen=True, slots=True)
class Scenario:
    """``until_quiet``: past the end no further firing is looked at, but what waits or runs comes to its end.

    Raises Usage for what could not happen: an empty span, an outage or a step outside it, a clock set out of 1970 to
    2200.
    """

    from_at: int
    until_at: int
    outages: tuple[Outage, ...] = ()
    steps: tuple[ClockStep, ...] = ()
    until_quiet: bool = False

    def __post_init__(self) -> None:
        if self.until_at <= self.from_at:
            raise Usage("empty_span", "the simulated span must be longer than nothing", hint="--for 1d")
        if self.until_at > LAST:
            raise Usage("span_too_long", "the span must end before the year 2201", hint="a shorter --for")
        for outage in self.outages:
            name = f"outage {show(outage.begins_at)}/{show(outage.ends_at)}"
            if outage.ends_at <= outage.begins_at:
                raise Usage("empty_outage", f"{name} ends before it begins")
            self._within(outage.begins_at, name)
        ahead = 0
        for step in sorted(self.steps, key=lambda step: step.at):
            self._within(step.at, f"clock step {show(step.at)}")
            ahead += step.by_us
            if step.at + ahead < FIRST or self.until_at + ahead > LAST:
                raise Usage("clock_out_of_range", f"the clock step at {show(step.at)} leaves the years 1970 to 2200")

    def _within(self, at: int, name: str) -> None:
        if not self.from_at <= at < self.until_at:
            span = f"{show(self.from_at)} to {show(self.until_at)}"
            raise Usage("outside_span", f"{name} does not begin within the simulated span, {span}")

    def merged_outages(self) -> tuple[Outage, ...]:
        """In order, with those that touch made one: between two that touch nobody started anything."""
        merged: list[Outage] = []
        for outage in sorted(self.outages, key=lambda outage: (outage.begins_at, outage.ends_at)):
            if merged and outage.begins_at <= merged[-1].ends_at:
                merged[-1] = Outage(merged[-1].begins_at, max(merged[-1].ends_at, outage.ends_at))
            else:
                merged.append(outage)
        return tuple(merged)
