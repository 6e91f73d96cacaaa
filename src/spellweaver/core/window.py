"""The window of an Occurrence: half-open bounds, compared only here (WIN-01, WIN-06). Equality at an upper bound is
late.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Bound = Literal["latest_start", "finish_by"]


@dataclass(frozen=True, slots=True)
class Window:
    """Absolute instants in microseconds; the upper bounds are exclusive and None where there is none (CLS-05)."""

    opens_at: int
    latest_start_at: int | None = None
    finish_by: int | None = None

    def __post_init__(self) -> None:
        assert self.latest_start_at is not None or self.finish_by is None, "a finish bound needs a start bound (CLS-05)"

    @property
    def closes_at(self) -> int | None:
        """The bound that comes first."""
        if self.latest_start_at is None or self.finish_by is None:
            return self.latest_start_at
        return min(self.latest_start_at, self.finish_by)

    def opened(self, at: int) -> bool:
        return at >= self.opens_at

    def closed_by(self, at: int) -> Bound | None:
        """The bound that closed the window at or before ``at``; the start bound where both did."""
        if self.latest_start_at is not None and at >= self.latest_start_at:
            return "latest_start"
        if self.finish_by is not None and at >= self.finish_by:
            return "finish_by"
        return None
