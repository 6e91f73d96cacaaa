"""Where a service works, from the places of a call; and the durations of its options."""

from __future__ import annotations

import os

from spellweaver import __version__
from spellweaver.cli import spoken
from spellweaver.core.instant import DAY
from spellweaver.service.run import Site

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

    from spellweaver.cli.frame import Frame


LONGEST_US = 3650 * DAY


def of(frame: Frame, *, socket: bool) -> Site:
    """``socket``: whether it listens for wakes."""
    places = frame.places
    return Site(places.ledger, places.lock, places.attempts, places.socket[0] if socket else None, __version__)


def duration(option: str, text: str | None) -> int | None:
    """Microseconds, ten years at most. Raises Usage naming the option."""
    return None if text is None else spoken.duration(option, text, most_us=LONGEST_US)


def nowhere() -> TextIO:
    """Where lines go that nobody reads."""
    return open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # lives as long as the service
