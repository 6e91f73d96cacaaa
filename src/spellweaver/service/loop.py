"""The loop of ``run``: it chooses when to ask, and decides nothing. Every decision is a verb of the engine inside the
writer's door.

    look ── a pass while anything is due ── wait for the next wake, a commit, a word at the door, a signal ── look …

An idle look reads one counter of the ledger. A wait is at most a second long, so that a step of the clock is noticed.
The pass is given an allowance, a duration: one tick, plus the time this loop was awake and busy since its last pass,
at most five seconds of it; what is found later than that was missed (CAT-08). Sleep and stall look the same from
here: an outage.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from spellweaver.core import clock_step
from spellweaver.core.instant import SECOND
from spellweaver.core.launch import Launch, Sighting
from spellweaver.engine import clock as clock_verbs
from spellweaver.engine import recover, settle, tick
from spellweaver.engine.cancel import cancel
from spellweaver.errors import TryAgain
from spellweaver.host import notify, process
from spellweaver.host.door import Door
from spellweaver.jobs.workers import Workers
from spellweaver.ledger import invocations
from spellweaver.ledger.decide import Transaction
from spellweaver.ledger.follow import SQL, Follower
from spellweaver.ledger.writer import Writer
from spellweaver.service.report import Reporter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from spellweaver.clock import Clock

LOOK_US = SECOND  # the longest wait
NEAR_US = 3000  # of the end of a wait
DRAIN_LOOK_US = SECOND // 10
LONGEST_END_US = 40 * SECOND  # the longest grace of a command, and what its shim needs after the KILL
STALL_US = 5 * SECOND  # a pass is counted for at most so long
LOOKED_US = 30 * SECOND  # how often an idle daemon leaves word that it looked


@dataclass(frozen=True, slots=True)
class Orders:
    """How long to run: ``for_us`` of monotonic time, until idle, else until a signal. ``drain_us``: how long running
    work may end by itself.
    """

    drain_us: int = 30 * SECOND
    for_us: int | None = None
    until_idle: bool = False


class Loop:
    """Owns nothing that outlives it: writer, workers, follower and door are handed in and closed by who made them."""

    def __init__(
        self,
        *,
        clock: Clock,
        writer: Writer,
        workers: Workers,
        follower: Follower,
        door: Door | None,
        reporter: Reporter,
        orders: Orders,
    ) -> None:
        self._clock, self._writer, self._workers = clock, writer, workers
        self._follower, self._door, self._reporter, self._orders = follower, door, reporter, orders
        self._bell = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._stops = 0
        self._trouble: Exception | None = None
        self._telling = threading.Lock()
        self._never = threading.Condition()  # is never notified
        self._next_wake: int | None = None
        self._pass_began: int | None = None
        self._waited = 0
        self._looked_at = 0
        self._reading = self._read_clocks()
        self._settles_at: int | None = None  # monotonic; None while the clock is believed
        self.on_look: Callable[[], None] = lambda: None

    # words from outside: signals, workers

    def stop(self, *_: object) -> None:
        """First: no new work, and what runs may end. Second: it is told to."""
        self._stops += 1
        self.ring()

    def ring(self) -> None:
        with contextlib.suppress(OSError, ValueError):  # a worker that was left behind reports to a loop that is over
            os.eventfd_write(self._bell, 1)

    def trouble(self, _attempt: object, error: Exception) -> None:
        """A worker could not write what it saw: the ledger is gone, and so is this daemon's business."""
        with self._telling:
            self._trouble = self._trouble or error
        self.ring()

    def _report(self, seen: Sighting) -> None:
        self._writer.call(lambda tx: settle.settle(tx, seen))
        self.ring()

    # the loop

    def run(self) -> None:
        """Until it is told to stop. Raises what the writer or a worker raised."""
        with self._listening():
            self._adopt()
            notify.notify("READY=1")
            self._say("started", {"pid": os.getpid()})
            self._look_until_stopped()
            self._drain()
            self._say("stopped", {})

    def once(self, *, period_us: int | None, wait: bool) -> tick.Pass:
        """One pass, for scripts. ``period_us``: how often it is called, ordinary lateness being no more than that
        (None: the policy's tick).

        ``wait``: until what runs has ended; else the next pass settles it. Returns the pass that was done.
        """
        with self._listening():
            self._adopt()
            self._wait_until_settled(wait=wait)
            done = self._pass(period_us)
            self._pass_cancels_on()
            while wait and not self._workers.idle() and not self._stops:
                self._raise_trouble()
                self._sleep(DRAIN_LOOK_US)
                self._tell_events()
            if self._stops:
                self._drain()
            self._raise_trouble()
            return done

    def _wait_until_settled(self, *, wait: bool) -> None:
        """``tick`` has no next look: it waits the settling out, or refuses (TryAgain) when it may not wait."""
        if self._settles_at is not None and not wait:
            raise TryAgain(
                "clock_settling",
                "the clock was set and has not settled; nothing is decided until it has",
                hint="spellweaver tick",
            )
        while self._settles_at is not None and not self._stops:
            self._sleep(min(LOOK_US, max(0, self._settles_at - self._clock.monotonic())))
            if self._clock.monotonic() >= self._settles_at:
                self._writer.call(clock_verbs.settled)
                self._settles_at = None

    @contextlib.contextmanager
    def _listening(self) -> Iterator[None]:
        previous = {number: signal.signal(number, self.stop) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)
            self._tell_events()
            bell, self._bell = self._bell, -1  # its number may soon be that of another file
            os.close(bell)

    def _adopt(self) -> None:
        """What a dead daemon left is found again; what has ended meanwhile is settled before anything is decided."""
        left_open = self._writer.call(recover.recover)
        for left in left_open:
            self._workers.adopt(left, self._report)
        if (settle_us := self._writer.call(_unsettled)) is not None:
            self._settles_at = self._clock.monotonic() + settle_us
        at_work = sum(1 for left in left_open if left.shim is not None and process.alive(left.shim))
        while self._workers.count() > at_work:
            self._raise_trouble()
            self._sleep(DRAIN_LOOK_US)

    def _look_until_stopped(self) -> None:
        began = self._clock.monotonic()
        ends = None if self._orders.for_us is None else began + self._orders.for_us
        while not self._stops and (ends is None or self._clock.monotonic() < ends):
            self._raise_trouble()
            self._watch_clock()
            if self._look():
                self._tell_events()
            self.on_look()
            if self._orders.until_idle and self._workers.idle() and not self._follower.busy():
                return
            self._wait(ends)

    def _look(self) -> bool:
        """Whether anything was committed since the last look, or by this one."""
        due = self._next_wake is not None and self._clock.now() >= self._next_wake
        if self._settles_at is not None:
            self._settle_clock()
        elif self._follower.changed() or due:
            self._pass()
            self._pass_cancels_on()
        elif self._clock.monotonic() - self._looked_at >= LOOKED_US:
            self._leave_word()
        else:
            return False
        return True

    def _pass(self, period_us: int | None = None) -> tick.Pass:
        """Everything that is due now, in as many short transactions as it needs."""
        busy, under_way = self._busy(), tick.Pass(0)
        self._pass_began, self._waited = self._clock.monotonic(), 0
        while under_way.phase != "done":
            for launch in self._writer.call(lambda tx: _step(tx, under_way, period_us, busy)):
                self._workers.start(launch, self._report)
        self._next_wake = under_way.next_wake
        self._looked_at = self._clock.monotonic()
        return under_way

    def _busy(self) -> int:
        """Time awake and busy since the last pass began; none at the start."""
        if self._pass_began is None:
            return 0
        return min(self._clock.monotonic() - self._pass_began - self._waited, STALL_US)

    def _read_clocks(self) -> clock_step.Reading:
        return clock_step.Reading(self._clock.now(), self._clock.monotonic(), self._clock.boottime())

    def _watch_clock(self) -> None:
        """What happened to the clock since the last look: sleep is recorded, a large step must settle first."""
        before, self._reading = self._reading, self._read_clocks()
        change = clock_step.between(before, self._reading)
        if change.slept_us > LOOK_US:
            self._writer.call(lambda tx: clock_verbs.slept(tx, size_us=change.slept_us))
        if change.step_us:
            after_at = self._reading.now
            settle_us = self._writer.call(lambda tx: _stepped(tx, after_at - change.step_us, after_at))
            if settle_us is not None:
                self._settles_at = self._clock.monotonic() + settle_us

    def _settle_clock(self) -> None:
        """Cancels are passed on and results are kept; nothing else is decided until the time is over."""
        self._pass_cancels_on()
        if self._settles_at is not None and self._clock.monotonic() >= self._settles_at:
            self._writer.call(clock_verbs.settled)
            self._settles_at = None
            self._follower.changed()
            self._pass()

    def _pass_cancels_on(self) -> None:
        for attempt in self._writer.call(invocations.asked_to_cancel):
            self._workers.cancel(attempt)

    def _leave_word(self) -> None:
        self._looked_at = self._clock.monotonic()
        self._writer.call(lambda tx: tx.connection.execute(SQL["looked"], (tx.decided_at(),)))
        self._follower.changed()

    def _wait(self, ends: int | None) -> None:
        """At most a second, or until something happens. Time spent here is no excuse for lateness."""
        began = self._clock.monotonic()
        longest = LOOK_US
        if self._settles_at is not None:
            longest = min(longest, max(0, self._settles_at - began))
        elif self._next_wake is not None:
            longest = min(longest, max(0, self._next_wake - self._clock.now()))
        if ends is not None:
            longest = min(longest, max(0, ends - began))
        self._sleep(longest)
        self._waited += self._clock.monotonic() - began

    def _sleep(self, longest_us: int) -> None:
        poll = select.poll()
        poll.register(self._bell, select.POLLIN)
        if self._door is not None:
            poll.register(self._door, select.POLLIN)
        for fd in self._first(poll, longest_us):
            if fd == self._bell:
                os.eventfd_read(self._bell)
            elif self._door is not None:
                self._door.requests()

    def _first(self, poll: select.poll, longest_us: int) -> list[int]:
        """What is rung, or nothing after so long. The kernel lets a wait be a thousandth late, and poll counts whole
        milliseconds; so the end of a wait is a wait of its own, and of the end the last millisecond.
        """
        ends = self._clock.monotonic() + longest_us
        for near_us in (NEAR_US, 0):
            left_us = ends - self._clock.monotonic() - near_us
            if rung := poll.poll(max(0, left_us) // 1000):
                return [fd for fd, _ in rung]
        with self._never:
            self._clock.wait(self._never, min(NEAR_US, ends - self._clock.monotonic()))
        return []

    # stopping

    def _drain(self) -> None:
        """Running work is let finish up to the limit; then TERM, grace and KILL by each shim. Queued work stays in
        the ledger.
        """
        notify.notify("STOPPING=1")
        if self._workers.idle():
            return
        self._say("stopping", {"running": self._workers.count(), "drain_us": self._orders.drain_us})
        stops, ends = max(self._stops, 1), self._clock.monotonic() + self._orders.drain_us
        while not self._workers.idle() and self._stops <= stops and self._clock.monotonic() < ends:
            self._raise_trouble()
            self._sleep(min(DRAIN_LOOK_US, max(0, ends - self._clock.monotonic())))
            self._tell_events()
        if not self._workers.idle():
            self._writer.call(_cancel_all)
            self._workers.terminate()
            if not self._workers.join(LONGEST_END_US):  # an escaped child: its shim goes on, the next daemon adopts it
                self._say("left_running", {"attempts": self._workers.count()})
            self._raise_trouble()

    # saying

    def _tell_events(self) -> None:
        for row in self._follower.events():
            self._reporter.event(row)

    def _say(self, what: str, facts: dict[str, object]) -> None:
        self._reporter.say(what, self._clock.now(), 6, facts)

    def _raise_trouble(self) -> None:
        with self._telling:
            if self._trouble is not None:
                raise self._trouble


def _step(tx: Transaction, under_way: tick.Pass, period_us: int | None, busy_us: int) -> list[Launch]:
    under_way.allowance_us = (tx.policy.clock.tick_us if period_us is None else period_us) + busy_us
    launches = tick.step(tx, under_way)
    if len(tx.events):
        tx.connection.execute(SQL["looked"], (tx.decided_at(),))
    return launches


def _stepped(tx: Transaction, before_at: int, after_at: int) -> int | None:
    """How long the step has to settle (µs); None for an ordinary one."""
    if not clock_step.must_settle(after_at - before_at, bound_us=tx.policy.clock.step_us):
        return None
    clock_verbs.stepped(tx, before_at=before_at, after_at=after_at)
    return tx.policy.clock.settle_us


def _unsettled(tx: Transaction) -> int | None:
    """At a start: how long the clock has to settle (µs), None when it is believed."""
    return tx.policy.clock.settle_us if clock_verbs.must_settle(tx) else None


def _cancel_all(tx: Transaction) -> None:
    """The service must stop: what runs is cancelled with that reason, on record before anything is told."""
    for invocation in invocations.open_ones(tx):
        state = invocations.of(tx, invocation)
        if state is not None and state[0] == "running":
            cancel(tx, invocation, why="the service stopped and its drain ran out", ground="shutdown")
