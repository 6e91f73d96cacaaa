"""A calendar said in keys (CAL-09): ``times`` of day, on ``days`` of the week and ``dates``.

A date is a day of the month (``15``; ``-1`` is the last one, ``-2`` the one before) or of the year (``"12-24"``). Where
neither days nor dates are said every day is meant; where both are, ``day_match`` says whether a day needs ``both`` or
``either``: there is no default, since cron and systemd read it differently.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from spellweaver.core.grammar import MONTH_LENGTHS, BadCadence
from spellweaver.core.oncalendar import WEEKDAYS

DayMatch = Literal["both", "either"]
DAY_MATCHES: tuple[DayMatch, ...] = get_args(DayMatch)
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
Date = int | tuple[int, int]  # a day of each month, from its end where negative; or (month, day)


@dataclass(frozen=True, slots=True)
class Structured:
    """``seconds_of_day`` ascending; ``week_days`` ascending with Monday 0; an empty ``week_days`` or ``dates`` was not
    said. ``match`` is None where they are not both there.
    """

    seconds_of_day: tuple[int, ...]
    week_days: tuple[int, ...] = ()
    dates: tuple[Date, ...] = ()
    match: DayMatch | None = None

    @property
    def has_seconds(self) -> bool:
        return any(second % 60 for second in self.seconds_of_day)

    @property
    def years(self) -> None:
        """It names no years: it means all."""

    @property
    def months(self) -> tuple[int, ...]:
        """The months in which a day can match."""
        if not self.dates or self.match == "either" or any(isinstance(date, int) for date in self.dates):
            return tuple(range(1, 13))
        return tuple(sorted({date[0] for date in self.dates if not isinstance(date, int)}))

    def canonical(self) -> dict[str, object]:
        """``{"times": […], "days": […], "dates": […], "day_match": …}``, without the keys that were not said."""
        said: dict[str, object] = {"times": [time_text(s, seconds=self.has_seconds) for s in self.seconds_of_day]}
        if self.week_days:
            said["days"] = [DAYS[day] for day in self.week_days]
        if self.dates:
            said["dates"] = [d if isinstance(d, int) else f"{d[0]:02d}-{d[1]:02d}" for d in self.dates]
        if self.match:
            said["day_match"] = self.match
        return said

    def days_of(self, month: int, length: int, first_weekday: int) -> tuple[int, ...]:
        """The matching days, ascending, of a month with so many days that begins on that weekday (Sunday 0)."""
        by_week = {day for day in range(1, length + 1) if (first_weekday + day - 2) % 7 in self.week_days}
        by_date = {day for date in self.dates if (day := _day(date, month, length))}
        if self.match == "both":
            return tuple(sorted(by_week & by_date))
        if not self.week_days and not self.dates:
            return tuple(range(1, length + 1))
        return tuple(sorted(by_week | by_date))


def structured(
    *,
    times: Iterable[str],
    days: Iterable[str] = (),
    dates: Iterable[int | str] = (),
    day_match: str | None = None,
) -> Structured:
    """The calendar that the keys say; an order or a repetition in a list means nothing. Raises BadCadence."""
    seconds = tuple(sorted({parse_time(text) for text in times}))
    week_days = tuple(sorted({day for text in days for day in _week_days(text)}))
    listed = tuple(sorted({_date(date) for date in dates}, key=_order))
    if not seconds:
        raise BadCadence("times is empty; it would never fire")
    if (day_match is not None) != bool(week_days and listed):
        raise BadCadence(
            "day_match is refused: it says how days and dates go together, and both are not here"
            if day_match is not None
            else 'days and dates need day_match: "both" for a day that is of both, "either" for one of them'
        )
    match = next((known for known in DAY_MATCHES if known == day_match), None)
    if match != day_match:
        raise BadCadence(f'day_match must be "both" or "either", not {day_match!r}')
    return Structured(seconds, week_days, listed, match)


def of_canonical(body: dict[str, object]) -> Structured:
    """The inverse of ``canonical``. Raises BadCadence."""
    lists = {key: body.get(key, []) for key in ("times", "days", "dates")}
    match = body.get("day_match")
    if not all(isinstance(listed, list) for listed in lists.values()) or not isinstance(match, str | None):
        raise BadCadence(f"{sorted(body)} is not a cadence: times, days and dates are lists")
    made = structured(**lists, day_match=match)  # type: ignore[arg-type]
    if made.canonical() != body:
        raise BadCadence(f"{sorted(body)} is not a cadence in its normal form")
    return made


def parse_time(text: str) -> int:
    """The second of the day of ``HH:MM`` or ``HH:MM:SS``. Raises BadCadence."""
    found = re.fullmatch(r"([0-9]{2}):([0-9]{2})(?::([0-9]{2}))?", text) if isinstance(text, str) else None
    if not found:
        raise BadCadence(f'time {text!r} is not understood: write "HH:MM" or "HH:MM:SS", as in "02:30"')
    hour, minute, second = (int(part or 0) for part in found.groups())
    if hour > 23 or minute > 59 or second > 59:
        raise BadCadence(f"there is no time {text!r}; a day has 00:00 to 23:59:59")
    return hour * 3600 + minute * 60 + second


def time_text(second: int, *, seconds: bool) -> str:
    """``02:30``, or ``02:30:00`` where seconds are wanted."""
    text = f"{second // 3600:02d}:{second // 60 % 60:02d}"
    return f"{text}:{second % 60:02d}" if seconds else text


def _week_days(text: str) -> Sequence[int]:
    names = text.lower().split("..") if isinstance(text, str) else []
    if not 1 <= len(names) <= 2 or any(name not in WEEKDAYS for name in names):
        raise BadCadence(f'day {text!r} is not understood: write "mon", or "mon..fri" for a range')
    first, last = WEEKDAYS[names[0]], WEEKDAYS[names[-1]]
    if last < first:
        raise BadCadence(f"day {text!r} is a range that runs backwards; write it as two ranges in the list")
    return range(first, last + 1)


def _date(date: int | str) -> Date:
    if isinstance(date, int) and not isinstance(date, bool):
        if not 1 <= abs(date) <= 31:
            raise BadCadence(f"date {date} is no day of a month: 1 to 31, or -1 to -31 from its end")
        return date
    found = re.fullmatch(r"([0-9]{2})-([0-9]{2})", date) if isinstance(date, str) else None
    if not found:
        raise BadCadence(f'date {date!r} is not understood: write 15, -1 for the last day, or "12-24", without a year')
    month, day = int(found[1]), int(found[2])
    if month not in MONTH_LENGTHS or not 1 <= day <= MONTH_LENGTHS[month][-1]:
        raise BadCadence(f"there is no date {date!r} in any year")
    return month, day


def _order(date: Date) -> tuple[int, int, int]:
    """Days of the month, then those from its end, then days of the year."""
    return (date < 0, abs(date), 0) if isinstance(date, int) else (2, *date)


def _day(date: Date, month: int, length: int) -> int:
    """The day of this month that is meant, 0 where it has none."""
    if isinstance(date, int):
        day = date if date > 0 else length + 1 + date
    else:
        day = date[1] if date[0] == month else 0
    return day if 1 <= day <= length else 0
