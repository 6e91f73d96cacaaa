"""The daemon's side of the keeper: spawns it, hands it launches, and spawns another when it has died.

``start`` comes before the lock, the socket and the ledger are opened. The keeper is a fresh interpreter in a session
of its own (a signal to the daemon's terminal group reaches neither it nor any job), given nothing but one end of a
SEQPACKET pair. A launch is one message with three descriptors: the request as a memory file (an argument list may be
longer than any message), the gate's read end, the report's write end. The gate's write end is never sent: it dies with
the daemon, and then the command never runs.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys
from pathlib import Path
from typing import NamedTuple

import spellweaver
from spellweaver.host import gate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_PROGRAM = "import sys; sys.path.append(sys.argv[1]); from spellweaver.host.keeper_main import main; main()"
_PACKAGE = str(Path(spellweaver.__file__).resolve().parents[1])
_PASSED_ON = ("LD_LIBRARY_PATH",)  # an interpreter may not start without it; no job ever sees it


class Order(NamedTuple):
    """What to run, and where to keep what becomes of it.

    Durations in microseconds; ``grace_us`` lies between TERM and KILL. ``place`` is where the job finds its input and
    leaves its result: the folder, unless it runs as ``user`` (name, uid, gid, groups). ``nice`` 0 changes nothing.
    """

    folder: str
    argv: Sequence[str]
    env: Mapping[str, str]
    cwd: str
    timeout_us: int
    grace_us: int
    place: str
    user: tuple[str, int, int, Sequence[int]] | None = None
    umask: int = 0o077
    nice: int = 0


class Launching(NamedTuple):
    """Two descriptors that the caller owns: ``gate`` to open or close, ``report`` to read the shim's lines from."""

    gate: int
    report: int


class Keeper:
    """Not thread-safe: callers take turns."""

    def __init__(self) -> None:
        """Spawns the first keeper. Raises OSError."""
        self._spawn()

    @property
    def pid(self) -> int:
        """Of the present keeper."""
        return self._pid

    def launch(self, order: Order) -> Launching:
        """Asks for a shim, with a new keeper if the old one has died. Raises OSError when none can be asked."""
        made: list[int] = []
        try:
            made += os.pipe()
            made += os.pipe()
            gate_end, gate_fd, report, report_end = made
            made.append(_memory_file(json.dumps(order._asdict()).encode()))
            self._send([made[-1], gate_end, report_end])
        except OSError:
            _close(made)
            raise
        _close([made[-1], gate_end, report_end])
        return Launching(gate_fd, report)

    def _send(self, fds: list[int]) -> None:
        try:
            socket.send_fds(self._door, [b"launch"], fds)
        except ConnectionError:
            self.close()
            self._spawn()
            socket.send_fds(self._door, [b"launch"], fds)

    def _spawn(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._pid = os.posix_spawn(
                sys.executable,
                [sys.executable, "-I", "-S", "-X", "utf8", "-c", _PROGRAM, _PACKAGE],
                {name: os.environ[name] for name in _PASSED_ON if name in os.environ},
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, theirs.fileno(), 0),
                    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                ],
                setsid=True,
                setsigmask=[],
                setsigdef=signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP},
            )
        self._door = ours

    def close(self) -> None:
        """Ends the keeper. Jobs run on."""
        self._door.close()
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(self._pid, signal.SIGKILL)  # our child, unreaped; stopped, it would not see the end of file
            os.waitpid(self._pid, 0)


def _close(fds: list[int]) -> None:
    for fd in fds:
        os.close(fd)


def _memory_file(data: bytes) -> int:
    fd = os.memfd_create("launch", os.MFD_CLOEXEC)
    with open(fd, "wb", closefd=False) as file:
        file.write(data)
    return fd


def open_gate(gate_fd: int) -> None:
    """Lets the command go. The caller has committed who it is. No error when it is gone already."""
    with contextlib.suppress(BrokenPipeError):
        os.write(gate_fd, gate.GO)
