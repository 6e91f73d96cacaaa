"""One attempt, from its launch to its last sighting, in a thread of its own that only ever blocks.

    prepare the order -> ask the keeper -> both identities -> report(Started), which returns after the commit
    -> open the gate -> read the shim's lines until it ends -> wait for the lock -> report what became of it

Whatever goes wrong before the commit closes the gate, and then no instruction of the command has run. Of an attempt
that had to be told as contained the thread goes on to watch the cgroup, where there is one: aside, for nothing waits
for that.
"""

from __future__ import annotations

import json
import os
import threading

from spellweaver.core.launch import Contained, Identity, NeverStarted, Started
from spellweaver.host import attempt, keeper, process
from spellweaver.host.keeper import Order
from spellweaver.jobs import order, verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from io import BufferedReader

    from spellweaver.core.identity import AttemptId
    from spellweaver.core.launch import Launch, OpenAttempt, Report

    Ask = Callable[[Order], keeper.Launching]

LOOK_US = 1_000_000  # between two looks at an adopted attempt whose shim lives


class Worker:
    """``cancel`` may come from any thread at any time; everything else is the worker thread's."""

    def __init__(
        self, which: AttemptId, folder: str, shim: Identity | None = None, *, aside: Callable[[], None]
    ) -> None:
        """``aside`` is called when the attempt is no longer at work here and its thread only watches."""
        self.which = which
        self._folder = folder
        self._aside = aside
        self._shim = shim
        self._cancelled = False
        self._changing = threading.Lock()

    def cancel(self) -> None:
        """Before the gate opens: it stays shut. After: the shim is asked, and ends the command within its grace."""
        with self._changing:
            self._cancelled = True
            if self._shim is not None:
                process.ask_to_end(self._shim)

    def launch(self, launch: Launch, ask: Ask, report: Report) -> None:
        """The whole attempt. What ``report`` raises comes through, with the gate shut."""
        try:
            wanted = order.prepare(launch, self._folder)
        except OSError as error:
            report(self._not_spawned(error))
            return
        if isinstance(wanted, NeverStarted):
            report(wanted)
            return
        try:
            launching = ask(wanted)
        except OSError as error:
            order.abandon(wanted)
            report(self._not_spawned(error))
            return
        with open(launching.report, "rb") as lines:
            try:
                started = self._who(lines)
                if isinstance(started, Started):
                    report(started)
                    self._open(launching.gate, started.shim)
            finally:
                os.close(launching.gate)
            if isinstance(started, NeverStarted):
                order.abandon(wanted)
                report(started)
                return
            self._listen(lines, report)
        self._judge(report, started.shim, started.command)

    def adopt(self, left: OpenAttempt, report: Report) -> None:
        """An attempt of a daemon that is dead. What its shim can't end was told to that one; here a file says it."""
        told = left.state == "contained"
        while left.shim is not None and not process.wait(left.shim, LOOK_US):
            if not told and (names := attempt.read_escaped(self._folder)):
                report(verdict.escaped(self.which, names))
                told = True
        self._judge(report, left.shim, left.command)

    def _judge(self, report: Report, shim: Identity | None, command: Identity | None) -> None:
        seen = verdict.wait_and_judge(self.which, self._folder, shim=shim, command=command)
        report(seen)
        if isinstance(seen, Contained):
            self._aside()
            if gone := verdict.wait_for_the_last(self.which, self._folder):
                report(gone)

    def _who(self, lines: BufferedReader) -> Started | NeverStarted:
        """The shim's first line. None at all: keeper or shim died before the command could have passed any gate."""
        line = lines.readline()
        if not line:
            return NeverStarted(self.which, "gate")
        said = json.loads(line)
        if "spawn" in said:
            return self._not_spawned(OSError(said["spawn"], os.strerror(said["spawn"])))
        return Started(self.which, _identity(said["shim"]), _identity(said["command"]))

    def _not_spawned(self, error: OSError) -> NeverStarted:
        return NeverStarted(self.which, "spawn", error.errno, f"no process could be made for it: {error.strerror}")

    def _open(self, gate: int, shim: Identity) -> None:
        with self._changing:
            self._shim = shim
            if not self._cancelled:
                keeper.open_gate(gate)

    def _listen(self, lines: BufferedReader, report: Report) -> None:
        for line in lines:
            said = json.loads(line)
            if "escaped" in said:
                report(verdict.escaped(self.which, said["escaped"]))


def _identity(facts: list[int]) -> Identity:
    pid, ticks, inode = facts
    return Identity(pid, ticks, process.boot_id(), inode)
