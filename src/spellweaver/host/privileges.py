"""Becoming somebody else for good, between the gate and the exec of a command. Only root can.

    setgroups, setgid, setuid: in this order, for each needs what the next one gives away

Then root is asked for again, and a command that could get it back is never executed.
"""

from __future__ import annotations

import contextlib
import errno
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def drop(uid: int, gid: int, groups: Sequence[int]) -> None:
    """From root to this user. Raises OSError, with EPERM also where the way back would be open."""
    os.setgroups(list(groups))
    os.setgid(gid)  # by root these set the real, the effective and the saved one
    os.setuid(uid)
    wanted = ((uid,) * 3, (gid,) * 3, set(groups))
    if (os.getresuid(), os.getresgid(), set(os.getgroups())) != wanted or (uid and regains_root(gid)):
        raise OSError(errno.EPERM, "root could be had again")


def regains_root(gid: int) -> bool:
    """Tries to; True if any of it worked. ``gid`` 0 is root's own group, which such a user has by right."""
    ways: list[Callable[[], None]] = [
        lambda: os.setuid(0),
        lambda: os.setresuid(0, 0, 0),
        lambda: os.setresuid(-1, 0, -1),
        lambda: os.setgroups([0]),
    ]
    if gid:
        ways += [lambda: os.setgid(0), lambda: os.setresgid(0, 0, 0)]
    return any(_works(way) for way in ways)


def _works(way: Callable[[], None]) -> bool:
    with contextlib.suppress(PermissionError):
        way()
        return True
    return False
