"""The shim of one attempt: session leader, sub-reaper, holder of the attempt's lock; the only one that signals the
command.

    keeper --fork--> shim --fork--> command, waiting at the gate
    daemon <--report-- shim: a JSON line with both identities; perhaps one of what can't be killed; its end is ours

It outlives keeper and daemon. The run lasts until nothing of it is left: a background child keeps it open after the
command itself has ended, and so does one that called setsid, since orphans come to the sub-reaper; ECHILD is the
proof. Time-out and cancel end all of them: TERM to the command's group, KILL to the group after the grace, then KILL
to whatever child there is, again and again, for each death hands us its orphans. The command stays an unreaped zombie
to the last, so that its number, which is its group's number, can't become a stranger's. Where the attempt has a cgroup
of its own, the KILL goes to that too: it reaches what this uid may not signal.

One thread, one poll: output, verdict of the exec, signals through a wakeup pipe, and the next deadline of the
monotonic clock.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import select
import signal

from spellweaver.clock import SystemClock, pause
from spellweaver.host import attempt, cgroup, gate, handover, kernel
from spellweaver.host.ring import CHUNK, CappedLog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

_DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
_FULL_US = 500_000  # between two tries to write the status on a full disk
_AGAIN_US = 200_000  # a death that we did not see may have handed us children
_ESCAPED_US = 2_000_000  # what lives so long after KILL is told as not contained
_POLITELY = (signal.SIGTERM, signal.SIGCONT)  # CONT so that a stopped one can answer
_MOST_LEFT = 1 << 20  # bytes read from the pipe once nobody of ours can write to it


def run(request: dict[str, Any], *, gate_fd: int, report: int) -> NoReturn:
    """In the process that the keeper forked: never returns."""
    try:
        os.setsid()
        kernel.close_all_but(gate_fd, report)
        for _ in range(3):
            os.open(os.devnull, os.O_RDWR)  # 0, 1, 2: the lowest free ones
        _attend(request, gate_fd, report)
    finally:
        os._exit(0)


def _attend(request: dict[str, Any], gate_fd: int, report: int) -> None:
    folder = request["folder"]
    try:
        lock = attempt.take_lock(folder)
        shim = Shim(request, gate_fd, report)
    except OSError as error:
        if group := cgroup.of(folder):
            cgroup.remove(group)
        tell(report, {"spawn": error.errno})
        return
    status = shim.tend()
    shim.clear_away()
    _leave(folder, status)
    shim.forget_group()  # after the status: until then a missing cgroup is the proof that nothing is left
    os.close(lock)  # after the status: who gets the lock finds it written


def _leave(folder: str, status: dict[str, Any]) -> None:
    """A full disk is waited for, the lock held: a real exit status is worth more than an early end."""
    while True:
        try:
            attempt.write_status(folder, status)
            return
        except OSError as error:
            if error.errno not in _DISK_FULL:
                return
            pause(_FULL_US)


def tell(report: int, word: dict[str, Any]) -> None:
    """A line to the daemon, if it still lives."""
    with contextlib.suppress(BrokenPipeError):
        os.write(report, json.dumps(word).encode() + b"\n")


class Shim:
    """One command from its fork to ECHILD. ``request``: a ``keeper.Order``, as JSON gives it back."""

    def __init__(self, request: dict[str, Any], gate_fd: int, report: int) -> None:
        """Forks the command, which waits at the gate, and tells the daemon both identities. Raises OSError."""
        self._request = request
        self._report = report
        self._clock = SystemClock()
        self._log = CappedLog(f"{request['folder']}/log")
        self._output, output = os.pipe()
        self._verdict_fd, verdict_fd = os.pipe()
        os.set_blocking(self._output, False)
        self._verdict = b""
        self._deadline: int | None = None
        self._stage = "running"  # then "asked to end", then "killed"
        self._killed_at = 0
        self._told_escape = False
        self._strays_asked: set[int] = set()
        self._asked = self._timed_out = False
        self._cancel_seen = self._death_seen = False
        self._ended: os.waitid_result | None = None
        self._reaped = False
        self._listen()
        me = os.getpid()
        self._group = cgroup.make(request["folder"])
        self._command = self._fork()
        if self._command == 0:
            gate.wait_and_exec(request, gate=gate_fd, output=output, verdict=verdict_fd, shim=me)
        for fd in (gate_fd, output, verdict_fd):
            os.close(fd)
        with contextlib.suppress(OSError):
            os.setpgid(self._command, self._command)  # as the command does itself: whoever comes first
        tell(report, {"shim": kernel.facts(me), "command": kernel.facts(self._command)})
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])

    def _fork(self) -> int:
        if self._group is not None:
            try:
                return cgroup.fork_into(self._group)
            except OSError:  # a kernel, or a filter of system calls, that has no such fork
                cgroup.remove(self._group)
                self.forget_group()
        return os.fork()

    def forget_group(self) -> None:
        if self._group is not None:
            self._group = None
            with contextlib.suppress(OSError):
                os.unlink(f"{self._request['folder']}/cgroup")

    def _listen(self) -> None:
        """From here on a signal ends the poll. SIGTERM stays blocked until the command has its own handling of it."""
        kernel.become_subreaper()
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
        self._wake, wake = os.pipe()
        os.set_blocking(self._wake, False)
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGTERM, self._on_cancel)
        signal.signal(signal.SIGCHLD, self._on_death)

    def _on_cancel(self, *_: object) -> None:
        self._cancel_seen = True

    def _on_death(self, *_: object) -> None:
        self._death_seen = True

    def tend(self) -> dict[str, Any]:
        """Returns the status when nothing of the command is left."""
        poll = select.poll()
        handlers = {self._output: self._pump, self._verdict_fd: self._hear, self._wake: self._drain_wakes}
        for fd in handlers:
            poll.register(fd, select.POLLIN)
        while not self._nothing_left():
            for fd, _ in poll.poll(self._patience_ms()):
                if not handlers[fd]():
                    poll.unregister(fd)
            self._act()
        while self._hear():
            pass
        self._pump_the_rest()
        return self._status()

    def _pump(self) -> bool:
        data = os.read(self._output, CHUNK)
        self._log.write(data)
        return bool(data)

    def _pump_the_rest(self) -> None:
        """What is still in the pipe. A stranger who was handed the other end may write on: we don't wait for him."""
        with contextlib.suppress(BlockingIOError):
            for _ in range(_MOST_LEFT // CHUNK):
                if not self._pump():
                    break

    def _hear(self) -> bool:
        """The verdict pipe: the timeout counts from the moment that the command passed the gate."""
        word = os.read(self._verdict_fd, CHUNK)
        self._verdict += word
        if self._verdict.startswith(gate.PASSED) and self._stage == "running" and self._deadline is None:
            self._deadline = self._clock.monotonic() + self._request["timeout_us"]
        return bool(word)

    def _drain_wakes(self) -> bool:
        with contextlib.suppress(BlockingIOError):
            os.read(self._wake, CHUNK)
        return True

    def _patience_ms(self) -> int | None:
        if self._deadline is None:
            return None
        return max(0, -(-(self._deadline - self._clock.monotonic()) // 1000))

    def _act(self) -> None:
        """A cancel that came, a deadline that passed."""
        if self._cancel_seen and not self._asked:
            self._asked = True
            if self._stage == "running":
                self._ask_to_end()
        if self._deadline is not None and self._clock.monotonic() >= self._deadline:
            if self._stage == "running":
                self._timed_out = True
                self._ask_to_end()
            else:
                self._kill()

    def _ask_to_end(self) -> None:
        """To the group, and to children that left it."""
        self._stage = "asked to end"
        self._deadline = self._clock.monotonic() + self._request["grace_us"]
        for number in _POLITELY:
            self._signal_group(number)
        self._ask_strays()

    def _ask_strays(self) -> None:
        """Once each: children outside the group, among them those that came to us when their parents ended."""
        for child in set(kernel.children()) - self._strays_asked:
            if os.getpgid(child) != self._command:
                self._strays_asked.add(child)
                for number in _POLITELY:
                    self._signal_child(child, number)

    def _kill(self) -> None:
        now = self._clock.monotonic()
        if self._stage != "killed":
            self._stage, self._killed_at = "killed", now
        self._deadline = now + _AGAIN_US
        if self._group is not None:
            cgroup.kill_all(self._group)
        self._signal_group(signal.SIGKILL)
        for child in kernel.children():
            self._signal_child(child, signal.SIGKILL)
        if now - self._killed_at >= _ESCAPED_US and not self._told_escape:
            self._told_escape = True
            children = [child for child in kernel.children() if child != self._command or self._ended is None]
            left = [(child, kernel.name(child)) for child in children]
            with contextlib.suppress(OSError):
                attempt.write_escaped(self._request["folder"], left)
            tell(self._report, {"escaped": left})

    def _signal_group(self, number: int) -> None:
        """Only while the command is unreaped: then its number is nobody else's."""
        if not self._reaped:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._command, number)

    def _signal_child(self, child: int, number: int) -> None:
        """A child of ours, unreaped.

        One that changed its uid may refuse: then it is told as escaped, and waited for.
        """
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(child, number)

    def _nothing_left(self) -> bool:
        """Reaps; the command last. True when the kernel says that we have no child (ECHILD)."""
        if not self._death_seen:
            return False
        self._death_seen = False
        if self._ended is None:
            self._ended = os.waitid(os.P_PID, self._command, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        for child in kernel.children():
            if child != self._command:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(child, os.WNOHANG)
        if self._ended is not None and not self._reaped and kernel.children() == [self._command]:
            os.waitpid(self._command, 0)
            self._reaped = True
        if self._reaped and self._no_child():
            return True
        if self._stage == "asked to end":
            self._ask_strays()
        elif self._stage == "killed":
            self._kill()
        return False

    def _no_child(self) -> bool:
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
            return False
        return True

    def clear_away(self) -> None:
        """Nothing of the job is left: its cgroup goes, and its result comes to the attempt's folder."""
        folder, place, user = (self._request[key] for key in ("folder", "place", "user"))
        if self._group is not None:
            cgroup.remove(self._group)
        if place != folder:
            handover.take_back(place, folder, user[1])

    def _status(self) -> dict[str, Any]:
        if not self._verdict.startswith(gate.PASSED):
            return {"state": "never_started", "why": "gate", "errno": None}
        if word := self._verdict.removeprefix(gate.PASSED):
            reason, _, said = word.partition(b" ")
            return {"state": "never_started", "why": "exec", "errno": int(reason), "detail": said.decode()}
        assert self._ended is not None
        code = self._ended.si_status if self._ended.si_code == os.CLD_EXITED else None
        number = self._ended.si_status if code is None else None
        return {
            "state": "timed_out" if self._timed_out else "exited" if code is not None else "signalled",
            "code": code,
            "signal": number,
            "asked": self._asked,
            "output_bytes": self._log.total,
            "dropped_bytes": self._log.dropped,
        }
