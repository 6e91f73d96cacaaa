"""The bounded search of a civil cadence (CAL-11): civil seconds in, civil seconds out, and no zone.

Months are numbered through from December 1901 to January 2201. What a cadence matches inside a month depends on the
month and 28 shapes alone (length, first weekday), so days are looked up, never scanned, and months and years that don't
match are jumped over. Every question ends at the end of that table. Intervals are half-open, ``begin <= civil < end``.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import lru_cache

from spellweaver.core.cadence import Civil
from spellweaver.core.grammar import MONTH_LENGTHS
from spellweaver.core.instant import DAY_S, days_from_civil


def _months() -> tuple[list[int], list[tuple[int, int, int]]]:
    """First day (since 1970-01-01) and (month, length, first weekday) of each month, December 1901 first."""
    starts, shapes, day = [], [], days_from_civil(1901, 12, 1)
    for number in range(1901 * 12 + 11, 2201 * 12 + 1):
        year, month = number // 12, number % 12 + 1
        leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        length = MONTH_LENGTHS[month][-1 if leap else 0]
        starts.append(day)
        shapes.append((month, length, (day + 4) % 7))
        day += length
    return starts, shapes


Excluded = tuple[tuple[int, int], ...]  # days since 1970-01-01, first and last, ascending and apart (CAL-10)


def left_out(excluded: Excluded, day: int) -> bool:
    """Whether a day is in one of the ranges."""
    at = bisect_right(excluded, (day, LAST_DAY)) - 1
    return at >= 0 and day <= excluded[at][1]


LAST_DAY = 1 << 31
_STARTS, _SHAPES = _months()
_COUNT = len(_STARTS)


@lru_cache(maxsize=512)
def _matching(months: tuple[int, ...], years: tuple[int, ...] | None) -> tuple[list[int], list[int]]:
    """For each number of a month: the nearest matching one from there on, ``_COUNT`` when there is none; and the
    nearest one before it, -1 when there is none."""
    named, wanted = None if years is None else set(years), set(months)
    matches = [(m - 1) % 12 + 1 in wanted and (named is None or 1902 + (m - 1) // 12 in named) for m in range(_COUNT)]
    ahead, before = [_COUNT] * (_COUNT + 1), [-1] * (_COUNT + 1)
    for month in range(_COUNT):
        before[month + 1] = month if matches[month] else before[month]
    for month in reversed(range(_COUNT)):
        ahead[month] = month if matches[month] else ahead[month + 1]
    return ahead, before


class Search:
    """The civil seconds that one cadence names."""

    __slots__ = ("_ahead", "_before", "_cadence", "_days", "_without", "seconds_of_day")

    def __init__(self, cadence: Civil, without: Excluded = ()) -> None:
        self._cadence = cadence
        self._without = without
        self.seconds_of_day = cadence.seconds_of_day
        self._days: dict[tuple[int, int, int], tuple[int, ...]] = {}
        self._ahead, self._before = _matching(cadence.months, cadence.years)

    def seconds(self, begin: int, end: int) -> Iterator[int]:
        """The matching civil seconds, ascending."""
        table = self.seconds_of_day
        if begin // DAY_S == (end - 1) // DAY_S:  # the stretch between two looks
            base = begin // DAY_S * DAY_S
            if (near := self._cut(base, begin, end)) and self._matches_day(base // DAY_S):
                for second in near:
                    yield base + second
            return
        for day in self.days(begin // DAY_S, -(-end // DAY_S)):
            base = day * DAY_S
            for second in table if begin <= base and base + DAY_S <= end else self._cut(base, begin, end):
                yield base + second

    def take(self, begin: int, end: int, limit: int, shift: int) -> list[int]:
        """The first ``limit`` matching civil seconds, each moved by ``shift``: the fast way to instants."""
        taken: list[int] = []
        table, size = self.seconds_of_day, len(self.seconds_of_day)
        for day in self.days(begin // DAY_S, -(-end // DAY_S)):
            base = day * DAY_S
            moved = base + shift
            if begin <= base and base + DAY_S <= end and len(taken) + size <= limit:
                taken += [moved + second for second in table]
            else:
                taken += [moved + second for second in self._cut(base, begin, end)[: limit - len(taken)]]
            if len(taken) >= limit:
                break
        return taken

    def first(self, begin: int, end: int) -> int | None:
        """The earliest matching civil second."""
        table = self.seconds_of_day
        day, second = divmod(begin, DAY_S)
        at = bisect_left(table, second)
        if at < len(table) and self._matches_day(day):
            found = day * DAY_S + table[at]
            return found if found < end else None
        for following in self.days(day + 1, -(-end // DAY_S)):
            found = following * DAY_S + table[0]
            return found if found < end else None
        return None

    def last(self, begin: int, end: int) -> int | None:
        """The latest matching civil second."""
        for day in self._days_back(begin // DAY_S, -(-end // DAY_S)):
            if cut := self._cut(day * DAY_S, begin, end):
                return day * DAY_S + cut[-1]
        return None

    def count(self, begin: int, end: int) -> int:
        """How many match, by months, without naming them."""
        if begin >= end:
            return 0
        first, last = begin // DAY_S, (end - 1) // DAY_S
        edges = sum(len(self._cut(day * DAY_S, begin, end)) for day in {first, last} if self._matches_day(day))
        return edges + self._count_days(first + 1, last) * len(self.seconds_of_day)

    def matches(self, civil_s: int) -> bool:
        day, second = divmod(civil_s, DAY_S)
        at = bisect_left(self.seconds_of_day, second)
        return self.seconds_of_day[at : at + 1] == (second,) and self._matches_day(day)

    def days(self, first: int, last: int) -> Iterator[int]:
        """The matching days since 1970-01-01, ``first <= day < last``, ascending."""
        named = self._named(first, last)
        return (day for day in named if not left_out(self._without, day)) if self._without else named

    def _named(self, first: int, last: int) -> Iterator[int]:
        ahead = self._ahead
        month = ahead[max(0, bisect_right(_STARTS, first) - 1)]
        while month < _COUNT and (start := _STARTS[month]) < last:
            for of_month in self._of_month(month):
                if first <= start + of_month < last:
                    yield start + of_month
            month = ahead[month + 1]

    def _cut(self, base: int, begin: int, end: int) -> tuple[int, ...]:
        table = self.seconds_of_day
        return table[bisect_left(table, begin - base) : bisect_left(table, end - base)]

    def _matches_day(self, day: int) -> bool:
        month = bisect_right(_STARTS, day) - 1
        if not (0 <= month < _COUNT and self._ahead[month] == month and day - _STARTS[month] in self._of_month(month)):
            return False
        return not (self._without and left_out(self._without, day))

    def _of_month(self, month: int) -> tuple[int, ...]:
        shape = _SHAPES[month]
        days = self._days.get(shape)
        if days is None:
            days = self._days[shape] = tuple(day - 1 for day in self._cadence.days_of(*shape))
        return days

    def _days_back(self, first: int, last: int) -> Iterator[int]:
        """The same, the latest first."""
        before = self._before
        month = before[bisect_left(_STARTS, last)]
        while month >= 0 and _STARTS[month] + 31 > first:
            for of_month in reversed(self._of_month(month)):
                day = _STARTS[month] + of_month
                if first <= day < last and not (self._without and left_out(self._without, day)):
                    yield day
            month = before[month]

    def _count_days(self, first: int, last: int) -> int:
        over = ((max(first, begin), min(last, end + 1)) for begin, end in self._without)
        return self._count_named(first, last) - sum(self._count_named(*part) for part in over if part[0] < part[1])

    def _count_named(self, first: int, last: int) -> int:
        found = 0
        ahead = self._ahead
        month = ahead[max(0, bisect_right(_STARTS, first) - 1)]
        while month < _COUNT and (start := _STARTS[month]) < last:
            days = self._of_month(month)
            whole = first <= start and start + _SHAPES[month][1] <= last
            found += len(days) if whole else sum(first <= start + of_month < last for of_month in days)
            month = ahead[month + 1]
        return found


@lru_cache(maxsize=4096)
def search(cadence: Civil, without: Excluded = ()) -> Search:
    """The search of a civil cadence without some dates, made once for each."""
    return Search(cadence, without)
