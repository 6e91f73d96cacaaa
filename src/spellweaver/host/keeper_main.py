"""The keeper's own life: the program that ``keeper.Keeper`` spawns. One thread, one socket, and it is the only thing
that forks.

It is a fresh interpreter because a fork copies what it finds: here no ledger, no lock, no thread, little memory. It
ends when its socket closes, which is when the daemon ends, however that happens; the shims live on.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import socket

from spellweaver.host import cgroup, kernel, shim

_IGNORED = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)
SOCKET = 0  # where the daemon puts our end
_HANDED = 3  # the request (a memory file), the gate's read end, the report's write end


def main() -> None:
    """Serves until the socket closes."""
    os.chdir("/")  # else the daemon's directory could not be unmounted while a job runs
    kernel.close_all_but(SOCKET, 1, 2)
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps the shims
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))  # it is told secrets
    cgroup.base()  # known before the first fork
    gc.disable()
    gc.freeze()  # a collection would touch, and so copy, every page after a fork
    with socket.socket(fileno=SOCKET) as door:
        while _serve(door):
            pass


def _serve(door: socket.socket) -> bool:
    """One launch. False at end of file."""
    try:
        word, handed, _, _ = socket.recv_fds(door, 16, _HANDED)
    except ConnectionError:
        return False
    if not word:
        return False
    if len(handed) == _HANDED:
        _launch(*handed)
    for fd in handed:
        os.close(fd)
    return True


def _launch(request: int, gate: int, report: int) -> None:
    """The request is read before the fork: a shim begins with what it needs, and nothing to fail over."""
    wanted = json.loads(os.pread(request, os.fstat(request).st_size, 0))
    try:
        child = os.fork()
    except OSError as error:  # no more processes, no memory
        shim.tell(report, {"spawn": error.errno})
        return
    if child == 0:
        shim.run(wanted, gate_fd=gate, report=report)


if __name__ == "__main__":
    main()
