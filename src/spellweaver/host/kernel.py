"""Facts and calls of the Linux kernel that the standard library does not wrap: what /proc and pidfd say of a process.

Light on purpose: the keeper imports it, and every page that the keeper holds is paid for at each fork.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from functools import lru_cache

_PR_SET_CHILD_SUBREAPER = 36
_START_TICKS = 19  # proc(5): field 22 of /proc/PID/stat; counted from the one after the name
CHANGED_SIGNALS = (
    signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ,
)
_libc = ctypes.CDLL(None, use_errno=True)


def boot_id() -> str:
    """The kernel's id of this boot."""
    return read("/proc/sys/kernel/random/boot_id").strip()


def read(path: str) -> str:
    """A small file of /proc: bare calls, since a forked shim pays for every page that a text reader would touch."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        data = b""
        while chunk := os.read(fd, 1 << 16):
            data += chunk
        return data.decode("utf-8", "replace")
    finally:
        os.close(fd)


def start_ticks(pid: int) -> int:
    """When a process began, in clock ticks since boot. Raises ProcessLookupError."""
    try:
        text = read(f"/proc/{pid}/stat")
    except (FileNotFoundError, ProcessLookupError):
        raise ProcessLookupError(pid) from None
    after_name = text[text.rindex(")") + 2 :].split()  # the name may hold spaces and brackets
    return int(after_name[_START_TICKS])


def pidfd_inode(pidfd: int) -> int:
    """Names a process for the whole boot; 0 before Linux 6.9, where all pidfds share one inode."""
    facts = os.fstat(pidfd)
    return 0 if facts.st_dev == _anonymous_device() else facts.st_ino


@lru_cache(maxsize=1)
def _anonymous_device() -> int:
    """Where an eventfd lives; a pidfd lived there too until it got a filesystem of its own."""
    other = os.eventfd(0, os.EFD_CLOEXEC)
    try:
        return os.fstat(other).st_dev
    finally:
        os.close(other)


def facts(pid: int) -> tuple[int, int, int]:
    """(pid, start ticks, pidfd inode).

    Sure only for oneself, one's unreaped child, or while a pidfd says that it lives.
    """
    pidfd = os.pidfd_open(pid)
    try:
        return pid, start_ticks(pid), pidfd_inode(pidfd)
    finally:
        os.close(pidfd)


def become_subreaper() -> None:
    """Orphaned descendants become our children, after a setsid too: then ECHILD proves that none is left."""
    if _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def children() -> list[int]:
    """Our children, zombies too.

    A child may be left out while others end (proc(5)): absence is proved by ECHILD alone.
    """
    me = os.getpid()
    return [int(pid) for pid in read(f"/proc/{me}/task/{me}/children").split()]


def name(pid: int) -> str:
    """The short name of a process, for a sentence; ``?`` when it is gone."""
    try:
        return read(f"/proc/{pid}/comm").strip()
    except OSError:
        return "?"


def close_all_but(*kept: int) -> None:
    """Closes every descriptor that is not named: close-on-exec protects nothing where nothing execs."""
    for fd in {int(entry) for entry in os.listdir("/proc/self/fd")} - set(kept):
        with contextlib.suppress(OSError):  # the one that read the list is closed already
            os.close(fd)


def default_signals() -> None:
    """Sets back what keeper, shim and interpreter ignore or handle; an ignored signal would stay ignored over exec."""
    for number in CHANGED_SIGNALS:
        signal.signal(number, signal.SIG_DFL)
