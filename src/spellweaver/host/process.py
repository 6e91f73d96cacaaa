"""Who a process is. A pid alone names nobody: the number comes back.

An identity is (pid, start ticks, boot id, pidfd inode). It is judged with a pidfd in hand: what /proc says of a pid is
believed only if the pidfd, opened before, has not ended after. Signals go through that pidfd, so they can't hit a
stranger.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
from functools import lru_cache

from spellweaver.core.launch import Identity
from spellweaver.host import kernel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


@lru_cache(maxsize=1)
def boot_id() -> str:
    """The id of this boot."""
    return kernel.boot_id()


def identity(pid: int) -> Identity:
    """Who has this pid now. Raises ProcessLookupError when nobody has, or when it ended while being looked at."""
    pidfd = os.pidfd_open(pid)
    try:
        found = Identity(pid, kernel.start_ticks(pid), boot_id(), kernel.pidfd_inode(pidfd))
        if _ended(pidfd):
            raise ProcessLookupError(pid)
        return found
    finally:
        os.close(pidfd)


def alive(who: Identity) -> bool:
    """Whether this very process lives. False for a zombie, for another process with its pid, and after a reboot."""
    with _opened(who) as pidfd:
        return pidfd is not None


def send(who: Identity, signum: int) -> bool:
    """Signals this very process; False, and nothing sent, when it is gone. Raises PermissionError."""
    with _opened(who) as pidfd:
        if pidfd is None:
            return False
        try:
            signal.pidfd_send_signal(pidfd, signum)
        except ProcessLookupError:
            return False
        return True


def ask_to_end(who: Identity) -> bool:
    """SIGTERM by ``send``: a shim takes it as the wish to cancel its command. CONT, for a job may have stopped it."""
    return send(who, signal.SIGTERM) and send(who, signal.SIGCONT)


def wait(who: Identity, timeout_us: int | None = None) -> bool:
    """Waits until this very process has ended, at most so long; True if it has."""
    with _opened(who) as pidfd:
        return pidfd is None or bool(_poll(pidfd, None if timeout_us is None else -(-timeout_us // 1000)))


def wait_for(pids: list[int]) -> None:
    """Returns when whoever has these numbers now has ended."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            wait(identity(pid))


def carriers(*, exactly: str, name: str, ends: tuple[str, ...]) -> list[int]:
    """The pids whose environment holds ``exactly`` (``NAME=value``) and a variable ``name`` that ends in one of
    ``ends``, as far as this uid may look. Found ones are alive; that none is found proves nothing.
    """
    start, ending = os.fsencode(f"{name}="), tuple(map(os.fsencode, ends))
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError), open(f"/proc/{entry}/environ", "rb") as file:
                held = file.read().split(b"\0")
                if os.fsencode(exactly) in held and any(v.startswith(start) and v.endswith(ending) for v in held):
                    found.append(int(entry))
    return sorted(found)


def having(name: str) -> list[tuple[int, str]]:
    """(pid, value) of each process whose environment has this variable, as far as this uid may look; ascending."""
    start, found = os.fsencode(f"{name}="), []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError), open(f"/proc/{entry}/environ", "rb") as file:
                held = (value for value in file.read().split(b"\0") if value.startswith(start))
                found += [(int(entry), os.fsdecode(value.removeprefix(start))) for value in held]
    return sorted(found)


@contextlib.contextmanager
def _opened(who: Identity) -> Iterator[int | None]:
    """A pidfd of this very process, or None."""
    if who.boot_id != boot_id():
        yield None
        return
    try:
        pidfd = os.pidfd_open(who.pid)
    except ProcessLookupError:
        yield None
        return
    try:
        yield pidfd if _same(who, pidfd) else None
    finally:
        os.close(pidfd)


def _same(who: Identity, pidfd: int) -> bool:
    inode = kernel.pidfd_inode(pidfd)
    if who.pidfd_inode and inode and inode != who.pidfd_inode:
        return False
    try:
        ticks = kernel.start_ticks(who.pid)
    except ProcessLookupError:
        return False
    return ticks == who.start_ticks and not _ended(pidfd)


def _ended(pidfd: int) -> bool:
    return bool(_poll(pidfd, 0))


def _poll(pidfd: int, timeout_ms: int | None) -> list[tuple[int, int]]:
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    return poll.poll(timeout_ms)
