"""A cgroup of its own for each attempt, where this host gives us one to divide (cgroups(7), version 2).

A job can close its descriptors, change its session and drop its environment; its cgroup it keeps. An empty one proves
that nothing is left, also when the shim is dead, and writing to ``cgroup.kill`` reaches what has become another
user's.

It is made below our own cgroup, and only where that is ours to divide. To a user a writable one was delegated. Root
may write to all of them, so under a booted systemd ours must bear the mark of ``Delegate=yes``. Elsewhere there is
none, and nothing pretends that there is. A job that may write to our cgroup can move itself out: then its environment
still gives it away (``process.carriers``).

The command is born inside (clone3 with CLONE_INTO_CGROUP): to move a process costs milliseconds during which the host
can't fork. Light on purpose: the keeper imports it.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import select
import signal
from functools import lru_cache

from spellweaver.host import kernel

_CLONE3 = 435  # the same number everywhere, as of every call since Linux 5.0
_CLONE_INTO_CGROUP = 0x200000000
_MARKS = ("trusted.delegate", "user.delegate")  # what systemd leaves on a delegated cgroup
_MANAGED = "/run/systemd/system"  # sd_booted(3)
_LOOK_MS = 1000
_libc = ctypes.PyDLL(None, use_errno=True)  # keeps the interpreter's lock over a call, so a child has it too


class _CloneArgs(ctypes.Structure):
    """struct clone_args of linux/sched.h."""

    _fields_ = [
        (name, ctypes.c_uint64)
        for name in (
            "flags", "pidfd", "child_tid", "parent_tid", "exit_signal", "stack", "stack_size", "tls", "set_tid",
            "set_tid_size", "cgroup",
        )
    ]  # fmt: skip


@lru_cache(maxsize=1)
def base() -> str | None:
    """The directory of our own cgroup, if we may divide it."""
    try:
        path = _own(kernel.read("/proc/self/cgroup"), kernel.read("/proc/self/mountinfo"))
    except OSError:
        return None
    if path is None or not os.access(path, os.W_OK) or not os.access(f"{path}/cgroup.procs", os.W_OK):
        return None
    if os.geteuid() == 0 and os.path.isdir(_MANAGED) and not _is_delegated(path):
        return None
    return path


def _own(membership: str, mounts: str) -> str | None:
    """From /proc/self/cgroup and /proc/self/mountinfo; None where version 2 is not mounted or does not show it."""
    ours = next((line[3:] for line in membership.splitlines() if line.startswith("0::/")), None)
    for line in mounts.splitlines():
        fields, _, kind = line.partition(" - ")
        if ours is None or not kind.startswith("cgroup2 "):
            continue
        root, place = fields.split()[3:5]
        inside = ours.removeprefix("" if root == "/" else root)
        if (root == "/" or ours == root or ours.startswith(f"{root}/")) and ".." not in ours and "\\" not in line:
            return f"{place}{inside}".rstrip("/")
    return None


def _is_delegated(path: str) -> bool:
    for mark in _MARKS:
        with contextlib.suppress(OSError):
            if os.getxattr(path, mark) == b"1":
                return True
    return False


def make(folder: str) -> str | None:
    """A new one for the attempt of this folder, named in its file ``cgroup``; None where there can be none."""
    above = base()
    if above is None:
        return None
    facts = os.stat(folder)  # names the attempt among those of every ledger on this host
    path = f"{above}/spellweaver-{os.path.basename(folder)}-{facts.st_dev:x}-{facts.st_ino:x}"
    try:
        os.mkdir(path, 0o755)
        os.stat(f"{path}/cgroup.kill")  # Linux 5.14
        with open(f"{folder}/cgroup", "x", encoding="utf-8", opener=_private) as file:
            file.write(path)
    except OSError:
        remove(path)
        return None
    return path


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def of(folder: str) -> str | None:
    """The one that was made for this attempt; None where none was."""
    try:
        with open(f"{folder}/cgroup", encoding="utf-8") as file:
            return file.read() or None
    except OSError:
        return None


def fork_into(path: str) -> int:
    """As os.fork, the child being born in this cgroup. Only for a process of one thread. Raises OSError."""
    place = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        args = _CloneArgs(flags=_CLONE_INTO_CGROUP, exit_signal=signal.SIGCHLD, cgroup=place)
        child = int(_libc.syscall(_CLONE3, ctypes.byref(args), ctypes.sizeof(args)))
    finally:
        os.close(place)
    if child < 0:
        raise OSError(ctypes.get_errno(), "clone3 into a cgroup")
    return child


def is_empty(path: str) -> bool | None:
    """Whether no process lives in it or below it. One that is gone was empty; None: that can't be known here."""
    try:
        return "populated 0" in kernel.read(f"{path}/cgroup.events")
    except OSError as error:
        gone = error.errno in (errno.ENOENT, errno.ENODEV)  # ENODEV: removed between open and read
        return True if gone and os.path.isdir(os.path.dirname(path)) else None


def members(path: str) -> list[int]:
    """The processes in it, not those further below."""
    with contextlib.suppress(OSError):
        return sorted(int(pid) for pid in kernel.read(f"{path}/cgroup.procs").split())
    return []


def wait_until_empty(path: str) -> None:
    """Returns when it is empty, gone, or out of sight. The kernel tells of a change at most every 10 ms, and forgets to
    when the cgroup is removed before: hence a look each second.
    """
    with contextlib.suppress(OSError), open(f"{path}/cgroup.events", "rb", buffering=0) as events:
        poll = select.poll()
        poll.register(events, select.POLLPRI)
        while b"populated 0" not in os.pread(events.fileno(), 4096, 0):
            poll.poll(_LOOK_MS)


def kill_all(path: str) -> None:
    """SIGKILL to all in it and below it, whoever's they are."""
    with contextlib.suppress(OSError), open(f"{path}/cgroup.kill", "wb", buffering=0) as file:
        file.write(b"1")


def remove(path: str) -> None:
    """With those that a job made below it. One that is not empty stays."""
    with contextlib.suppress(OSError):
        os.rmdir(path)
        return
    for below, _, _ in os.walk(path, topdown=False):
        with contextlib.suppress(OSError):
            os.rmdir(below)
