"""What a revision says of its firings, as the judges of them need it: calendar, jitter, window, horizon."""

from __future__ import annotations

from dataclasses import dataclass

from spellweaver.core.calendar import Calendar
from spellweaver.core.instant import SECOND
from spellweaver.core.line import Candidate
from spellweaver.core.policy import CatchUp, WhilePaused
from spellweaver.core.schedule import Jitter, jitter_us


@dataclass(frozen=True, slots=True)
class Terms:
    """What a revision says of its firings. ``revision`` is the row number, ``schedule`` the full name (it seeds the
    jitter).
    """

    revision: int
    generation: int
    schedule: str
    calendar: Calendar
    jitter: Jitter
    allowed_delay_us: int | None
    horizon_us: int
    while_paused: WhilePaused = "skip"
    catch_up: CatchUp = "newest"

    def due_at(self, found: Candidate) -> int:
        """Nominal plus jitter; a missing time has none."""
        nominal = found.instant_s * SECOND
        if self.jitter.max_us == 0 or found.fate != "fires":
            return nominal
        return nominal + jitter_us(
            self.jitter, schedule=self.schedule, firing=self.calendar.key(found, self.generation)
        )
