"""The scripted driver: the same verbs in the same order as the service's loop, on one thread, under a clock that jumps.

    what the scenario has for this moment ─ ends are settled ─ a pass while anything is due ─ jump to the next moment

The next moment is the first of: the engine's next wake, the end of a command, an event of the scenario, the end of the
span. Work takes no time here, so each pass is given the bare tick as its allowance, and what is due at a moment is
decided at that moment. At one moment the clock is stepped first, then ends are settled, then firings are judged.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Literal

from spellweaver.clock import VirtualClock
from spellweaver.core import clock_step
from spellweaver.core.launch import Launch, Sighting
from spellweaver.engine import clock as clock_verbs
from spellweaver.engine import recover, settle, tick
from spellweaver.ledger import invocations, simulation
from spellweaver.ledger.decide import Ledger, Transaction
from spellweaver.simulate.handler import Scripted
from spellweaver.simulate.scenario import Scenario
from spellweaver.simulate.script import Job, Script


class Driver:
    """Drives one ledger. It may be driven by hand: ``clock.advance`` or ``clock.step``, then ``settle`` and ``look``,
    or ``decide`` for both; after an outage ``recover`` first.
    """

    def __init__(self, ledger: Ledger, clock: VirtualClock, script: Script) -> None:
        self.ledger = ledger
        self.ledger.drives = True
        self.clock = clock
        self.settles_at: int | None = None  # monotonic; None while the clock is believed
        with ledger.decide() as tx:
            running, now = simulation.left_running(tx), clock.now()
        left = {each.attempt: (_job(each), max(0, now - each.started_at)) for each in running}
        self.handler = Scripted(clock, script, left=left)
        self._tx: Transaction | None = None

    def recover(self) -> int:
        """A start: what was left open is found again, what ended meanwhile is settled. Returns how many were found."""
        with self._settling() as tx:
            found = recover.recover(tx)
            for left in found:
                self.handler.adopt(left, self._report)
            for attempt in invocations.asked_to_cancel(tx):
                self.handler.cancel(attempt)
            self.settles_at = self._settles(tx) if clock_verbs.must_settle(tx) else None
        self.settle()
        return len(found)

    def step(self, by_us: int) -> None:
        """Somebody sets the clock; a large step must settle before anything is decided."""
        before_at = self.clock.now()
        self.clock.step(by_us)
        with self.ledger.decide() as tx:
            if clock_step.must_settle(by_us, bound_us=tx.policy.clock.step_us):
                clock_verbs.stepped(tx, before_at=before_at, after_at=before_at + by_us)
                self.settles_at = self._settles(tx)

    def _settles(self, tx: Transaction) -> int:
        return self.clock.monotonic() + tx.policy.clock.settle_us

    def settle(self) -> None:
        """Every command that has ended by now, in one commit."""
        ends = self.handler.next_end
        if ends is not None and ends <= self.clock.monotonic():
            with self._settling():
                self.handler.tell_ends()

    def look(
        self, *, allowance_us: int | None = None, phase: Literal["materialize", "admit"] = "materialize"
    ) -> tick.Pass:
        """One pass, and the start of what it claimed. ``allowance_us`` None: the policy's tick. ``phase``: where it
        begins; from ``admit`` on it takes in no further firing.
        """
        under_way = tick.Pass(0, phase=phase)
        while under_way.phase != "done":
            with self.ledger.decide() as tx:
                under_way.allowance_us = tx.policy.clock.tick_us if allowance_us is None else allowance_us
                launches = tick.step(tx, under_way)
            self._start(launches)
        return under_way

    def decide(self, phase: Literal["materialize", "admit"] = "materialize") -> int | None:
        """All that is due at this moment: ends, then a pass, and again while commands end as they begin. Returns the
        next wake, by the wall clock.
        """
        while True:
            self.settle()
            if self.settles_at is not None:
                if self.clock.monotonic() < self.settles_at:
                    return None
                self.settles_at = None
                with self.ledger.decide() as tx:
                    clock_verbs.settled(tx)
            wake = self.look(phase=phase).next_wake
            ends = self.handler.next_end
            if ends is None or ends > self.clock.monotonic():
                return wake

    def _start(self, launches: list[Launch]) -> None:
        if launches:
            with self._settling():
                for launch in launches:
                    self.handler.start(launch, self._report)

    @contextlib.contextmanager
    def _settling(self) -> Iterator[Transaction]:
        """What is reported inside is settled in one commit, as a group commit of the service would."""
        with self.ledger.decide() as tx:
            self._tx = tx
            try:
                yield tx
            finally:
                self._tx = None

    def _report(self, seen: Sighting) -> None:
        assert self._tx is not None, "a report comes while the driver listens"
        settle.settle(self._tx, seen)


def _job(left: simulation.Left) -> Job:
    return Job(left.schedule, left.nominal_at, left.pattern, left.station, left.binding.timeout_us)


class Course:
    """A scenario under way. ``on_moment`` is told the true time of each moment."""

    def __init__(self, driver: Driver, scenario: Scenario, *, on_moment: Callable[[int], None]) -> None:
        """The clock stands at ``scenario.from_at``."""
        self._driver = driver
        self._clock = driver.clock
        self._scenario = scenario
        self._on_moment = on_moment
        self._origin = scenario.from_at - driver.clock.monotonic()
        self._down = False
        outages = scenario.merged_outages()
        events: list[tuple[int, int, Callable[[], None]]] = []
        events += [(step.at, 0, partial(self._step, step.by_us)) for step in scenario.steps]
        events += [(outage.begins_at, 1, self._stop) for outage in outages]
        events += [(outage.ends_at, 1, self._restart) for outage in outages if outage.ends_at <= scenario.until_at]
        self._events = sorted(events, key=lambda event: event[:2])

    def run(self) -> None:
        """From its beginning to its end, and on until it is quiet if that was asked."""
        while True:
            wake = self._moment()
            following = self._following(wake)
            if following is None:
                break
            self._clock.advance(following - self._clock.monotonic())
        if self._scenario.until_quiet and not self._down:
            self._until_quiet()

    def _moment(self) -> int | None:
        """All that happens at the clock's present moment. Returns the engine's next wake, by the wall clock."""
        now = self._origin + self._clock.monotonic()
        self._on_moment(now)
        while self._events and self._events[0][0] <= now:
            self._events.pop(0)[2]()
        if self._down:
            return None
        return self._driver.decide()

    def _following(self, wake: int | None) -> int | None:
        """The next moment, on the monotonic line; None at the end of the span."""
        now, until = self._clock.monotonic(), self._scenario.until_at - self._origin
        if now >= until:
            return None
        moments = [until]
        if self._events:
            moments.append(self._events[0][0] - self._origin)
        if not self._down:
            moments += self._of_driver(wake)
        return self._ahead(moments)

    def _until_quiet(self) -> None:
        while True:
            self._driver.decide("admit")
            with self._driver.ledger.decide() as tx:
                moments = self._of_driver(simulation.next_pending(tx))
            if not moments:
                return
            self._clock.advance(self._ahead(moments) - self._clock.monotonic())
            self._on_moment(self._origin + self._clock.monotonic())

    def _of_driver(self, wake: int | None) -> list[int]:
        """The moments that the driver waits for, on the monotonic line. ``wake`` is by the wall clock."""
        ends = self._driver.handler.next_end
        woken = None if wake is None else self._clock.monotonic() + wake - self._clock.now()
        return [moment for moment in (woken, ends, self._driver.settles_at) if moment is not None]

    def _ahead(self, moments: list[int]) -> int:
        following = min(moments)
        assert following > self._clock.monotonic(), "a look leaves nothing due"
        return following

    def _step(self, by_us: int) -> None:
        """Nobody watches during an outage; the restart judges the clock by the ledger."""
        if self._down:
            self._clock.step(by_us)
        else:
            self._driver.step(by_us)

    def _stop(self) -> None:
        self._down = True
        self._driver.settles_at = None

    def _restart(self) -> None:
        self._down = False
        self._driver.recover()
