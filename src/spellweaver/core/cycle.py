"""The cycle of a firing: the label by which a cutover plan pairs the firings of two readings (CUT-07).

It is never a key (OCC-02): several firings may share one, and equal labels alone make nothing the same. It is read off
the nominal civil time in the calendar's own zone, in UTC where it has none.
"""

from __future__ import annotations

from spellweaver.core.cadence import CIVIL
from spellweaver.core.calendar import Calendar
from spellweaver.core.instant import DAY_S, civil_from_days, civil_text, days_from_civil
from spellweaver.core.line import Candidate
from spellweaver.core.policy import Cycle


def cycle_of(calendar: Calendar, found: Candidate, cycle: Cycle) -> str:
    """``2026-01-02T02:00:00``, ``2026-01-02``, ``2026-W01`` (ISO 8601) or ``2026-01``; labels of one kind are in the
    order of their texts.
    """
    civil_s = found.civil_s
    if not isinstance(calendar.interpretation.cadence, CIVIL) and calendar.zone is not None:
        civil_s += calendar.zone.offset(found.instant_s)
    text = civil_text(civil_s)
    if cycle == "week":
        return _week(civil_s // DAY_S)
    return {"time": text, "date": text[:10], "month": text[:7]}[cycle]


def _week(day: int) -> str:
    """The ISO week of a day: it belongs to the year of its Thursday."""
    thursday = day - (day + 3) % 7 + 3  # 1970-01-01 was a Thursday
    year, _, _ = civil_from_days(thursday)
    return f"{year:04d}-W{(thursday - days_from_civil(year, 1, 1)) // 7 + 1:02d}"
