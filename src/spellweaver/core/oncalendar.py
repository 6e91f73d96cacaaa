"""systemd's calendar events (CAL-09): ``Mon..Fri *-*-* 09:00``, read as systemd.time(7) and its parser read them.

    [weekdays] [[year-]month-day] [hour:minute[:second]]        or a word such as ``daily``

A part is ``*`` or a list of ``a``, ``a..b``, ``a/step``, ``a..b/step``; ``a/step`` runs to the end of its field. ``~``
before the day counts from the end of the month: ``~1`` is its last day, ``~7/1`` its last seven. Weekday and date must
both match. Without a date every day is meant, without a time midnight.

What is written is kept in systemd's own normal form, so ``daily`` and ``*-*-* 00:00`` are one cadence. Two things of
systemd's stay outside: a zone at the end (it stands beside the text here), and fractions of a second.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from spellweaver.core.grammar import LAST_S, MONTH_LENGTHS, BadCadence, seconds_of_day
from spellweaver.core.instant import DAY_S, civil_from_days, days_from_civil

WORDS = {
    "minutely": "*-*-* *:*", "hourly": "*-*-* *:0", "daily": "*-*-*", "weekly": "Mon *-*-*", "monthly": "*-*-1",
    "quarterly": "*-1,4,7,10-1", "semiannually": "*-1,7-1", "semi-annually": "*-1,7-1", "biannually": "*-1,7-1",
    "bi-annually": "*-1,7-1", "yearly": "*-1-1", "annually": "*-1-1", "anually": "*-1-1",
}  # fmt: skip
FIRST_YEAR, LAST_YEAR = 1970, civil_from_days(LAST_S // DAY_S)[0]
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_FULL = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
WEEKDAYS = {name: at for at, full in enumerate(_FULL) for name in (full, full[:3])}
MOST_ELEMENTS = 240  # systemd's own bound for one list


@dataclass(frozen=True, slots=True)
class OnCalendar:
    """A calendar event. ``text`` is its normal form and identifies it.

    ``years`` ascending, None for all; ``months`` 1 to 12; ``week_days`` with Monday 0; ``month_days`` the elements of
    the day, empty for all; ``from_end``: they count from the end of the month.
    """

    text: str
    seconds_of_day: tuple[int, ...] = field(compare=False, repr=False)
    years: tuple[int, ...] | None = field(compare=False, repr=False)
    months: tuple[int, ...] = field(compare=False, repr=False)
    month_days: tuple[Element, ...] = field(compare=False, repr=False)
    from_end: bool = field(compare=False, repr=False)
    week_days: frozenset[int] = field(compare=False, repr=False)
    has_seconds: bool = field(compare=False, repr=False)

    def canonical(self) -> dict[str, object]:
        """``{"oncalendar": text}``."""
        return {"oncalendar": self.text}

    def days_of(self, month: int, length: int, first_weekday: int) -> tuple[int, ...]:
        """The matching days, ascending, of a month with so many days that begins on that weekday (Sunday 0)."""
        del month
        if self.month_days:
            named = {day for element in self.month_days for day in element.days(length, from_end=self.from_end)}
        else:
            named = set(range(1, length + 1))
        return tuple(day for day in sorted(named) if (first_weekday + day - 2) % 7 in self.week_days)


@dataclass(frozen=True, slots=True, order=True)
class Element:
    """One element of a list: from ``first``, to ``last`` (-1 is the end of the field), by ``step`` (0 is ``first``
    alone)."""

    first: int
    last: int = -1
    step: int = 0

    def values(self, end: int) -> range:
        """What it names in a field that ends with ``end``."""
        if not self.step:
            return range(self.first, self.first + 1)
        return range(self.first, (end if self.last < 0 else self.last) + 1, self.step)

    def days(self, length: int, *, from_end: bool) -> range:
        """What it names in a month of so many days. From the end a range runs from its earlier day on."""
        if not from_end:
            named = self.values(length)
            return range(named.start, min(named.stop, length + 1), named.step)
        begin, end = (self.first, 1) if self.last < 0 else (self.last, self.first)
        begin, end = length + 1 - begin, length + 1 - end
        return range(begin, (end if self.step else begin) + 1, self.step or 1)

    def text(self, width: int) -> str:
        """As systemd writes it."""
        last = "" if self.last < 0 else f"..{self.last:0{width}}"
        step = f"/{self.step}" if self.step > 1 or (self.step and not last) else ""
        return f"{self.first:0{width}}{last}{step}"


List = tuple[Element, ...]  # the elements of one part; none is ``*``


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the text: its name in messages and its bounds."""

    name: str
    low: int
    high: int

    def refuse(self, element: str, why: str) -> BadCadence:
        return BadCadence(f"oncalendar {self.name} {element!r} {why}")

    def number(self, text: str, element: str) -> int:
        if not re.fullmatch(r"[0-9]{1,9}", text):
            if self.name == "second" and "." in text:
                raise self.refuse(element, "has a fraction; firings are named by whole seconds")
            hint = f"; for a step from the field's begin write {self.low}/{element[2:]}" if element[:2] == "*/" else ""
            raise self.refuse(element, f"is not understood: {text!r} is not a number{hint}")
        return int(text)

    def element(self, text: str) -> Element:
        head, slash, step_text = text.partition("/")
        first_text, dots, last_text = head.partition("..")
        first = self.bounded(self.number(first_text, text), text)
        last = self.bounded(self.number(last_text, text), text) if dots else -1
        step = self.number(step_text, text) if slash else int(bool(dots))
        if slash and step == 0:
            raise self.refuse(text, "has the step 0")
        if dots and last < first:
            raise self.refuse(text, "is a range that runs backwards; write it as two ranges in a list")
        if dots:
            last -= (last - first) % step
            return Element(first, last, step) if last > first else Element(first)
        self.check_step(text, first, step)
        return Element(first, -1, step)

    def bounded(self, number: int, element: str) -> int:
        if not self.low <= number <= self.high:
            raise self.refuse(element, f"is outside {self.low} to {self.high}")
        return number

    def check_step(self, text: str, first: int, step: int) -> None:
        """A step that would leave its field at once is a slip: systemd refuses it, and so do we."""
        if step and first + step > self.high:
            raise self.refuse(text, f"has a step so large that {first} is all it names; leave the step out")

    def read(self, text: str) -> List:
        """The elements, ascending, each once; none for ``*``."""
        if text == "*":
            return ()
        elements = text.split(",")
        if len(elements) > MOST_ELEMENTS:
            raise BadCadence(f"oncalendar {self.name} lists more than {MOST_ELEMENTS} elements")
        return tuple(sorted({self.element(element) for element in elements}))


class _Year(_Part):
    def bounded(self, number: int, element: str) -> int:
        """Two digits are a year from 1970 to 2069."""
        return super().bounded(number + (2000 if number < 70 else 1900) if number < 100 else number, element)


class _FromEnd(_Part):
    def check_step(self, text: str, first: int, step: int) -> None:
        if step and first - step < self.low:
            raise self.refuse(text, f"has a step so large that {first} is all it names; leave the step out")


_YEAR = _Year("year", FIRST_YEAR, 2199)
_MONTH = _Part("month", 1, 12)
_DAY = _Part("day", 1, 31)
_DAY_FROM_END = _FromEnd("day from the end", 1, 28)
_HOUR = _Part("hour", 0, 23)
_MINUTE = _Part("minute", 0, 59)
_SECOND = _Part("second", 0, 59)


@lru_cache(maxsize=4096)
def parse_oncalendar(text: str) -> OnCalendar:
    """The calendar event that ``text`` writes. Raises BadCadence, naming part, element and reason."""
    weekdays, date, time = _split(text)
    years, months, days, from_end = _date(date)
    clock = _time(time)
    named_years = None
    if years:
        named_years = tuple(sorted({year for element in years for year in element.values(LAST_YEAR)}))
    hours, minutes, seconds = (_values(part, listed) for part, listed in zip(_CLOCK, clock, strict=True))
    made = OnCalendar(
        _normal(weekdays, (years, months, days), from_end, clock),
        seconds_of_day(hours, minutes, seconds),
        named_years,
        _values(_MONTH, months),
        days,
        from_end,
        weekdays,
        has_seconds=seconds != (0,),
    )
    if not any(made.days_of(month, *shape) for month, shape in _shapes(made)):
        raise BadCadence(f"oncalendar {made.text!r} never fires: no year that it names has such a date")
    return made


_CLOCK = (_HOUR, _MINUTE, _SECOND)


def _values(part: _Part, elements: List) -> tuple[int, ...]:
    if not elements:
        return tuple(range(part.low, part.high + 1))
    return tuple(sorted({value for element in elements for value in element.values(part.high)}))


def _shapes(made: OnCalendar) -> Iterator[tuple[int, tuple[int, int]]]:
    """Every month that can be meant, with its length and first weekday: of the years it names, or of any year."""
    if made.years is None:
        yield from ((m, (length, first)) for m in made.months for length in MONTH_LENGTHS[m] for first in range(7))
        return
    for year in made.years:
        leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        for month in made.months:
            yield month, (MONTH_LENGTHS[month][-1 if leap else 0], (days_from_civil(year, month, 1) + 4) % 7)


def _split(text: str) -> tuple[frozenset[int], str, str]:
    """Weekdays, date and time; all weekdays, ``*-*-*`` and ``0:0`` where one is not written."""
    if not text.isascii() or re.search(r"[^\t\x20-\x7e]", text):
        raise BadCadence(f"oncalendar {text!r} may hold printable ASCII characters alone")
    body = text.strip(" \t")
    tokens = WORDS.get(body.lower(), body).split()
    if not tokens:
        raise BadCadence("oncalendar is empty; write a calendar event such as Mon..Fri 09:00, or daily")
    if len(tokens) > 1 and tokens[-1][0].isalpha() and tokens[-1].lower() not in WEEKDAYS:
        raise BadCadence(f"oncalendar does not carry the zone; take {tokens[-1]!r} out and give it as zone beside it")
    weekdays, date, time = frozenset(range(7)), "*-*-*", "0:0"
    if tokens[0][0].isalpha():
        weekdays = _weekdays(tokens.pop(0))
    if tokens and ":" not in tokens[0]:
        date = tokens.pop(0)
    if tokens and ":" in tokens[0]:
        time = tokens.pop(0)
    if tokens:
        raise BadCadence(f"oncalendar {body!r} has {tokens[0]!r} too many; write weekdays, then a date, then a time")
    return weekdays, date, time


def _weekdays(text: str) -> frozenset[int]:
    """A list of weekdays and ranges ``Mon..Fri``, in the order of the week; a comma may follow the last one."""
    found: set[int] = set()
    for element in text.removesuffix(",").split(","):
        names = re.split(r"\.\.|-", element)
        for name in names:
            if name.lower() not in WEEKDAYS:
                known = f"a weekday, as in Mon..Fri, or one of {', '.join(WORDS)}"
                raise BadCadence(f"oncalendar has {element!r}, which is not {known}")
        days = [WEEKDAYS[name.lower()] for name in names]
        if len(days) > 2 or days[-1] < days[0]:
            raise BadCadence(f"oncalendar weekday {element!r} is a range that runs backwards; write two in a list")
        found.update(range(days[0], days[-1] + 1))
    return frozenset(found)


def _date(text: str) -> tuple[List, List, List, bool]:
    """Years, months, days, and whether days count from the end of the month."""
    if text.startswith("@"):
        raise BadCadence(f'oncalendar {text!r} is one instant; write it as at = ["2026-12-01T02:00:00Z"]')
    head, tilde, from_end = text.partition("~")
    pieces = [*head.split("-"), *([from_end] if tilde else [])]
    if len(pieces) == 2:
        pieces = ["*", *pieces]
    if len(pieces) != 3 or "" in pieces:
        raise BadCadence(f"oncalendar date {text!r} is not understood: write [year-]month-day, or ~day from the end")
    year, month, day = pieces
    days = (_DAY_FROM_END if tilde else _DAY).read(day)
    return _YEAR.read(year), _MONTH.read(month), days, bool(tilde and days)


def _time(text: str) -> tuple[List, ...]:
    pieces = text.split(":")
    if len(pieces) > 3 or "" in pieces:
        raise BadCadence(f"oncalendar time {text!r} is not understood: write hour:minute or hour:minute:second")
    return tuple(part.read(piece) for part, piece in zip(_CLOCK, [*pieces, "0"][:3], strict=True))


def _normal(weekdays: frozenset[int], date: tuple[List, ...], from_end: bool, clock: tuple[List, ...]) -> str:
    year, month, day = (_list(elements, width) for elements, width in zip(date, (1, 2, 2), strict=True))
    head = "" if len(weekdays) == 7 else f"{_weekdays_text(weekdays)} "
    return f"{head}{year}-{month}{'~' if from_end else '-'}{day} {':'.join(_list(elements, 2) for elements in clock)}"


def _list(elements: List, width: int) -> str:
    return ",".join(element.text(width) for element in elements) or "*"


def _weekdays_text(weekdays: frozenset[int]) -> str:
    """Neighbours joined: two by a comma, more by dots."""
    runs: list[list[int]] = []
    for day in sorted(weekdays):
        if runs and runs[-1][-1] == day - 1:
            runs[-1].append(day)
        else:
            runs.append([day])
    return ",".join(
        f"{_DAYS[run[0]]}{'..' if len(run) > 2 else ','}{_DAYS[run[-1]]}" if len(run) > 1 else _DAYS[run[0]]
        for run in runs
    )
