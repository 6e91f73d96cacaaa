"""The Handler of the simulated world: commands are ends to come on the monotonic line of the virtual clock.

What was started has an identity at once, made up, and runs until its script or its timeout ends it, whether or not a
driver is there to see. An end that nobody was there for is kept, as a shim keeps a status, and told when its attempt
is adopted.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping

from spellweaver.clock import VirtualClock
from spellweaver.core.identity import AttemptId
from spellweaver.core.launch import Ended, Identity, Launch, NeverStarted, OpenAttempt, Report, Started
from spellweaver.simulate.script import Job, Script

TERM = 15


class Scripted:
    """Implements ``core.launch.Handler``. ``left``: what the ledger had open when the simulation began, with the time
    (µs) that each had run by then.
    """

    def __init__(self, clock: VirtualClock, script: Script, *, left: Mapping[AttemptId, tuple[Job, int]]) -> None:
        self._clock = clock
        self._script = script
        self._left = dict(left)
        self._reports: dict[AttemptId, Report] = {}
        self._ends: list[tuple[int, int, Ended]] = []
        self.peak = 0

    def start(self, launch: Launch, report: Report) -> None:
        """Runs from now on. ``report`` hears of it before this returns."""
        binding = launch.binding
        job = Job(launch.schedule, launch.nominal_at, launch.pattern, launch.station, binding.timeout_us)
        self._run(launch.attempt, job, 0, report)
        who = Identity(int(launch.attempt), 0, "simulated", 0)
        report(Started(launch.attempt, shim=who, command=who))

    def adopt(self, left: OpenAttempt, report: Report) -> None:
        """Found again by a driver that started. One whose gate never opened closed with the driver that held it."""
        if left.state == "launching":
            report(NeverStarted(left.attempt, "gate"))
        elif left.attempt in self._reports:
            self._reports[left.attempt] = report
        elif left.state == "running":
            self._run(left.attempt, *self._left.pop(left.attempt), report)
        else:
            self._count(left.attempt, report)

    def cancel(self, attempt: AttemptId) -> None:
        """The command obeys TERM at once."""
        if attempt in self._reports:
            self._ends = [end for end in self._ends if end[1] != attempt]
            ended = Ended(attempt, "signalled", signal=TERM, asked=True)
            self._ends.append((self._clock.monotonic(), int(attempt), ended))
            heapq.heapify(self._ends)

    @property
    def running(self) -> int:
        """How many are open."""
        return len(self._reports)

    @property
    def next_end(self) -> int | None:
        """The monotonic instant at which the next command ends, or ended."""
        return self._ends[0][0] if self._ends else None

    def tell_ends(self) -> None:
        """Reports every command that has ended by now, in the order of their ends."""
        while self._ends and self._ends[0][0] <= self._clock.monotonic():
            _, _, ended = heapq.heappop(self._ends)
            self._reports.pop(ended.attempt)(ended)

    def _run(self, attempt: AttemptId, job: Job, ran_us: int, report: Report) -> None:
        takes = self._script(job)
        if takes.runs_us > job.ends_within_us:
            runs_us, ended = job.ends_within_us, Ended(attempt, "timed_out", signal=TERM)
        else:
            runs_us, ended = takes.runs_us, Ended(attempt, "exited", code=takes.code)
        ends = self._clock.monotonic() + max(0, runs_us - ran_us)
        heapq.heappush(self._ends, (ends, int(attempt), ended))
        self._count(attempt, report)

    def _count(self, attempt: AttemptId, report: Report) -> None:
        self._reports[attempt] = report
        self.peak = max(self.peak, len(self._reports))
