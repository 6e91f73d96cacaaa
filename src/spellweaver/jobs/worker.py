"""One attempt, from its launch to its last sighting, in a thread of its own that only ever blocks.

    prepare the folder -> ask the keeper -> both identities -> report(Started), which returns after the commit
    -> open the gate -> read the shim's lines until it ends -> wait for the lock -> report what became of it

Whatever goes wrong before the commit closes the gate, and then no instruction of the command has run.
"""

from __future__ import annotations

import json
import os
import threading

from spellweaver.core.launch import Identity, NeverStarted, Started
from spellweaver.host import attempt, keeper, process
from spellweaver.jobs import environment, verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from io import BufferedReader

    from spellweaver.core.identity import AttemptId
    from spellweaver.core.launch import Launch, OpenAttempt, Report

    Ask = Callable[[keeper.Order], keeper.Launching]


class Worker:
    """``cancel`` may come from any thread at any time; everything else is the worker thread's."""

    def __init__(self, which: AttemptId, folder: str, shim: Identity | None = None) -> None:
        self.which = which
        self._folder = folder
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
            attempt.prepare(self._folder, launch.input)
            launching = ask(self._order(launch))
        except OSError as error:
            report(NeverStarted(self.which, "spawn", error.errno))
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
                report(started)
                return
            self._listen(lines, report)
        report(verdict.wait_and_judge(self.which, self._folder, shim=started.shim, command=started.command))

    def adopt(self, left: OpenAttempt, report: Report) -> None:
        """An attempt of a daemon that is dead."""
        report(verdict.wait_and_judge(self.which, self._folder, shim=left.shim, command=left.command))

    def _order(self, launch: Launch) -> keeper.Order:
        how = launch.binding
        env = environment.build(launch, self._folder)
        return keeper.Order(self._folder, how.command, env, how.cwd, timeout_us=how.timeout_us, grace_us=how.grace_us)

    def _who(self, lines: BufferedReader) -> Started | NeverStarted:
        """The shim's first line. None at all: keeper or shim died before the command could have passed any gate."""
        line = lines.readline()
        if not line:
            return NeverStarted(self.which, "gate")
        said = json.loads(line)
        if "spawn" in said:
            return NeverStarted(self.which, "spawn", said["spawn"])
        return Started(self.which, _identity(said["shim"]), _identity(said["command"]))

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
