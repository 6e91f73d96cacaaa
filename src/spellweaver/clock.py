"""Time as the rest of the house sees it: whole microseconds from a ``Clock``. Only here: ``time``.

``now`` is CLOCK_REALTIME and dates decisions, through ``ledger.decide`` alone. ``monotonic`` (CLOCK_MONOTONIC) measures
waits and stops while the machine sleeps; ``boottime`` (CLOCK_BOOTTIME) goes on. Neither is ever stored (WIN-08).
"""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import threading
    from typing import Protocol

    class Clock(Protocol):
        """All instants and durations are integers of microseconds."""

        def now(self) -> int: ...
        def monotonic(self) -> int: ...
        def boottime(self) -> int: ...
        def wait(self, condition: threading.Condition, timeout_us: int) -> bool: ...


class SystemClock:
    """The clocks of this host."""

    def now(self) -> int:
        return time.time_ns() // 1000

    def monotonic(self) -> int:
        return time.monotonic_ns() // 1000

    def boottime(self) -> int:
        return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000

    def wait(self, condition: threading.Condition, timeout_us: int) -> bool:
        """Waits on a held condition, at most so long; True if it was notified."""
        return condition.wait(max(0, timeout_us) / 1e6)


class VirtualClock:
    """A clock that moves only when told: ``advance`` is time passing, ``step`` is somebody setting the clock."""

    def __init__(self, now: int) -> None:
        self._now = now
        self._monotonic = 0

    def now(self) -> int:
        return self._now

    def monotonic(self) -> int:
        return self._monotonic

    def boottime(self) -> int:
        return self._monotonic

    def wait(self, condition: threading.Condition, timeout_us: int) -> bool:
        self.advance(max(0, timeout_us))
        return False

    def advance(self, by_us: int) -> None:
        assert by_us >= 0, "time passes forwards; use step"
        self._now += by_us
        self._monotonic += by_us

    def step(self, by_us: int) -> None:
        self._now += by_us


def pause(us: int) -> None:
    """Sleeps for so long: the short even steps of a lock retry, nothing else."""
    time.sleep(us / 1e6)
