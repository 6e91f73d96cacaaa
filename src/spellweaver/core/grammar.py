"""The grammar of cron, ``every`` and ``at`` (CAL-09): what an operator writes, read once into frozen values. No zone
and no search here.

A cron text has five fields (minute hour day month weekday) or six (seconds first), or is a macro. Each field is a list
of elements ``*``, ``a``, ``a-b``, each with an optional ``/step``. Day of month also knows ``L``, ``L-n``, ``nW``,
``LW``, ``L-nW``; weekday ``xL`` and ``x#k``. When both day fields are restricted (neither begins with ``*`` or is
``?``), either is enough: cronie's rule. What can never fire is refused here, so every cadence that exists has a firing
in some year.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from spellweaver.core import instant

LAST_S = instant.LAST // instant.SECOND
MACROS = {
    "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
}  # fmt: skip
_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
MONTH_NAMES = {name: at for at, name in enumerate(_MONTHS, 1)}
WEEKDAY_NAMES = {name: at for at, name in enumerate(("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"))}
MONTH_LENGTHS: dict[int, tuple[int, ...]] = {
    2: (28, 29), **dict.fromkeys((4, 6, 9, 11), (30,)), **dict.fromkeys((1, 3, 5, 7, 8, 10, 12), (31,)),
}  # fmt: skip


class BadCadence(ValueError):
    """What the cadence says wrong, as a sentence for the operator."""


@dataclass(frozen=True, slots=True)
class Cron:
    """A cron expression. ``text`` is its normal form (single blanks, capitals, macros spelled out) and identifies it.

    ``seconds_of_day`` ascending; ``months`` 1 to 12; ``month_days`` elements ``5``, ``L``, ``L-2``, ``15W``, ``LW``,
    ``L-3W``; ``week_days`` elements ``1``, ``5L``, ``2#3`` with Sunday 0; ``either``: a day matches when one of the two
    day fields does, else both must.
    """

    text: str
    seconds_of_day: tuple[int, ...] = field(compare=False, repr=False)
    months: tuple[int, ...] = field(compare=False, repr=False)
    month_days: tuple[str, ...] = field(compare=False, repr=False)
    week_days: tuple[str, ...] = field(compare=False, repr=False)
    either: bool = field(compare=False, repr=False)
    has_seconds: bool = field(compare=False, repr=False)

    def canonical(self) -> dict[str, object]:
        """``{"cron": text}``."""
        return {"cron": self.text}

    @property
    def years(self) -> None:
        """A cron expression names no years: it means all."""

    def days_of(self, month: int, length: int, first_weekday: int) -> tuple[int, ...]:
        """The matching days, ascending, of a month with so many days that begins on that weekday (Sunday 0)."""
        del month
        return days_of(self, length, first_weekday)


@dataclass(frozen=True, slots=True)
class Every:
    """Every so many absolute seconds from an anchor, which fires itself; nothing fires before it."""

    every_s: int
    anchor_s: int

    def canonical(self) -> dict[str, object]:
        """``{"every_s": …, "anchor_s": …}``."""
        return {"every_s": self.every_s, "anchor_s": self.anchor_s}


@dataclass(frozen=True, slots=True)
class At:
    """Listed instants, UTC seconds, ascending."""

    instants_s: tuple[int, ...]

    def canonical(self) -> dict[str, object]:
        """``{"at_s": […]}``."""
        return {"at_s": list(self.instants_s)}


def every(every_s: int, anchor_s: int | None) -> Every:
    """An interval of whole seconds from a declared anchor (CAL-01: no hidden one). Raises BadCadence."""
    if anchor_s is None:
        raise BadCadence('every needs an anchor, the instant it counts from, as in anchor = "2026-01-01T00:00:00Z"')
    if every_s <= 0:
        raise BadCadence(f"every must be at least one second, not {every_s}")
    if not 0 <= anchor_s <= LAST_S:
        raise BadCadence("the anchor of every must lie in the years 1970 to 2200")
    return Every(every_s, anchor_s)


def at(instants_s: Iterable[int]) -> At:
    """Listed instants, in any order, each once. Raises BadCadence."""
    ascending = tuple(sorted(instants_s))
    if not ascending:
        raise BadCadence("at lists no instant; it would never fire")
    for earlier, later in zip(ascending, ascending[1:], strict=False):
        if earlier == later:
            raise BadCadence(f"at lists {instant.show(later * instant.SECOND)} twice")
    if not 0 <= ascending[0] <= ascending[-1] <= LAST_S:
        raise BadCadence("at lists an instant outside the years 1970 to 2200")
    return At(ascending)


@dataclass(frozen=True, slots=True)
class _Field:
    """A cron field: name in messages, bounds, names of its values; ``open_end`` is where ``a/n`` and ``*`` end."""

    name: str
    low: int
    high: int
    open_end: int
    names: Mapping[str, int] = field(default_factory=dict)
    wraps: bool = False

    def refuse(self, element: str, why: str) -> BadCadence:
        return BadCadence(f"cron {self.name} {element!r} {why}")

    def number(self, text: str, element: str) -> int:
        """A value, by number or three-letter name."""
        if text in self.names:
            return self.names[text]
        if not text:
            raise self.refuse(element, "lacks a number")
        if not re.fullmatch(r"[0-9]+", text):
            known = f" or one of {', '.join(self.names)}" if self.names else ""
            hint = "; to spread firings out, give the Schedule a jitter" if text == "H" else ""
            raise self.refuse(element, f"is not understood: {text!r} is not a number{known}{hint}")
        if len(text) > 9 or not self.low <= int(text) <= self.high:
            raise self.refuse(element, f"is outside {self.low} to {self.high}")
        return int(text)

    def step(self, text: str, element: str) -> int:
        if not re.fullmatch(r"[0-9]+", text):
            raise self.refuse(element, f"has the step {text!r}; a step is a number, as in */5")
        if len(text) > 9 or not 1 <= int(text) <= self.high:
            raise self.refuse(element, f"has a step outside 1 to {self.high}")
        return int(text)

    def values(self, element: str) -> range:
        """The values of one plain element; those of a wrapping range run past the field's end."""
        head, slash, step_text = element.partition("/")
        step = self.step(step_text, element) if slash else 1
        if head == "*":
            return range(self.low, self.open_end + 1, step)
        first_text, dash, last_text = head.partition("-")
        first = self.number(first_text, element)
        if not dash:
            if not slash:
                return range(first, first + 1)
            return range(first if first <= self.open_end else self.low, self.open_end + 1, step)
        last = self.number(last_text, element)
        if last < first:
            if not self.wraps:
                raise self.refuse(element, "is a range that runs backwards; write it as two ranges in a list")
            last += self.open_end + 1 - self.low
        return range(first, last + 1, step)


_SECOND = _Field("second", 0, 59, 59)
_MINUTE = _Field("minute", 0, 59, 59)
_HOUR = _Field("hour", 0, 23, 23)
_MONTH_DAY = _Field("day of month", 1, 31, 31)
_MONTH = _Field("month", 1, 12, 12, MONTH_NAMES)
_WEEKDAY = _Field("weekday", 0, 7, 6, WEEKDAY_NAMES, wraps=True)


@lru_cache(maxsize=4096)
def parse_cron(text: str) -> Cron:
    """The cron expression that ``text`` writes. Raises BadCadence, naming field, element and reason."""
    fields = _split(text)
    second, minute, hour, month_day, month, weekday = fields if len(fields) == 6 else ["0", *fields]
    if month_day == weekday == "?":
        raise BadCadence("cron has ? in both day fields; it may stand in one of them")
    made = Cron(
        " ".join(fields),
        seconds_of_day(_plain(_HOUR, hour), _plain(_MINUTE, minute), _plain(_SECOND, second)),
        _plain(_MONTH, month),
        _month_days(month_day),
        _week_days(weekday),
        either=month_day[0] not in "*?" and weekday[0] not in "*?",
        has_seconds=len(fields) == 6,
    )
    if not any(days_of(made, length, first) for m in made.months for length in MONTH_LENGTHS[m] for first in range(7)):
        raise BadCadence(f"cron {made.text!r} never fires: no year has such a date")
    return made


def _split(text: str) -> list[str]:
    """The fields in capitals, macros spelled out."""
    if not text.isascii() or re.search(r"[^\t\x20-\x7e]", text):
        raise BadCadence(f"cron {text!r} may hold printable ASCII characters alone, with blanks between the fields")
    body = text.strip(" \t").upper()
    if re.match(r"(CRON_)?TZ=", body):
        raise BadCadence("cron does not carry the zone; give it as zone beside the expression")
    if body.startswith("@"):
        if body.lower() not in MACROS:
            raise BadCadence(f"cron macro {text.strip()!r} is unknown; there are {', '.join(MACROS)}")
        body = MACROS[body.lower()]
    fields = re.split(r"[ \t]+", body) if body else []
    if len(fields) not in (5, 6):
        raise BadCadence(f"cron has {len(fields)} fields; write minute hour day month weekday, or 6 with seconds first")
    return fields


def _elements(field_: _Field, text: str) -> list[str]:
    elements = text.split(",")
    if "" in elements:
        raise field_.refuse(text, "has an empty list element")
    if any("?" in element for element in elements) and (text != "?" or field_ not in (_MONTH_DAY, _WEEKDAY)):
        raise field_.refuse(text, "has ?, which may only stand alone in one of the two day fields")
    return ["*"] if text == "?" else elements


def _plain(field_: _Field, text: str) -> tuple[int, ...]:
    return tuple(sorted({value for element in _elements(field_, text) for value in field_.values(element)}))


@lru_cache(maxsize=512)
def seconds_of_day(hours: tuple[int, ...], minutes: tuple[int, ...], seconds: tuple[int, ...]) -> tuple[int, ...]:
    """Every hour with every minute with every second, as seconds of a day."""
    return tuple(h * 3600 + m * 60 + s for h in hours for m in minutes for s in seconds)


def _month_days(text: str) -> tuple[str, ...]:
    found: set[str] = set()
    for element in _elements(_MONTH_DAY, text):
        if last := re.fullmatch(r"L(?:-([0-9]{1,2}))?(W?)", element):
            before = int(last[1]) if last[1] else 0
            if last[1] and not 1 <= before <= 30:
                raise _MONTH_DAY.refuse(element, "counts back from the last day by something other than 1 to 30")
            found.add(f"L-{before}{last[2]}" if before else f"L{last[2]}")
        elif nearest := re.fullmatch(r"([0-9]{1,2})W", element):
            found.add(f"{_MONTH_DAY.number(nearest[1], element)}W")
        else:
            found.update(map(str, _MONTH_DAY.values(element)))
    return tuple(sorted(found))


def _week_days(text: str) -> tuple[str, ...]:
    found: set[str] = set()
    for element in _elements(_WEEKDAY, text):
        if last := re.fullmatch(r"([0-9A-Z]+)L", element):
            found.add(f"{_WEEKDAY.number(last[1], element) % 7}L")
        elif "#" in element:
            day, _, nth = element.partition("#")
            if nth not in ("1", "2", "3", "4", "5"):
                raise _WEEKDAY.refuse(element, "needs a number from 1 to 5 after #")
            found.add(f"{_WEEKDAY.number(day, element) % 7}#{nth}")
        else:
            found.update(str(value % 7) for value in _WEEKDAY.values(element))
    return tuple(sorted(found))


def days_of(cron: Cron, length: int, first_weekday: int) -> tuple[int, ...]:
    """The matching days, ascending, of a month with so many days that begins on that weekday (Sunday 0).

    Whether the month itself matches is not asked.
    """
    by_date = {day for element in cron.month_days if (day := _month_day(element, length, first_weekday))}
    by_week = {day for element in cron.week_days for day in _weekday_days(element, length, first_weekday)}
    return tuple(sorted(by_date | by_week if cron.either else by_date & by_week))


def _month_day(element: str, length: int, first_weekday: int) -> int:
    """The day that a day-of-month element names, 0 where the month has none."""
    working = element.endswith("W")
    body = element.removesuffix("W")
    day = length - int(body[2:] or 0) if body[0] == "L" else int(body)
    if not 1 <= day <= length:
        return 0
    weekday = (first_weekday + day - 1) % 7
    if working and weekday == 6:  # the nearest working day stays inside the month
        return day - 1 if day > 1 else day + 2
    if working and weekday == 0:
        return day + 1 if day < length else day - 2
    return day


def _weekday_days(element: str, length: int, first_weekday: int) -> range:
    every_week = range((int(element[0]) - first_weekday) % 7 + 1, length + 1, 7)
    if element.endswith("L"):
        return every_week[-1:]
    if "#" in element:
        nth = int(element[2:])
        return every_week[nth - 1 : nth]
    return every_week
