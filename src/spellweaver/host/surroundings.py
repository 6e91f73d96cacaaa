"""What stands around this process: whether the kernel calls its clock synchronised, and who traces us."""

from __future__ import annotations

import ctypes

_TIME_ERROR = 5  # adjtimex(2): the clock is not synchronised
_TIMEX_BYTES = 512  # more than struct timex has anywhere
_libc = ctypes.CDLL(None, use_errno=True)


def clock_synchronised() -> bool | None:
    """What adjtimex(2) says; None where it says nothing. A right clock may well be called unsynchronised."""
    timex = ctypes.create_string_buffer(_TIMEX_BYTES)  # zeros: modes 0 reads and sets nothing
    state = _libc.adjtimex(timex)
    return None if state < 0 else state != _TIME_ERROR


def tracer() -> int:
    """The pid of who traces this process; 0 for nobody."""
    try:
        with open("/proc/self/status", encoding="utf-8", errors="replace") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("TracerPid:"))
    except (OSError, StopIteration, ValueError, IndexError):
        return 0
