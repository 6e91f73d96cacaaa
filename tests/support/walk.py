"""What a calendar says, found by walking over every minute that a clock shows; nothing of the product is used.

Offsets come from zoneinfo over the tzdata package. Minutes are compared with the text of the expression, one by one. A
missing minute lies between two neighbouring readings and is shown at no time; a repeated one is shown at two.
"""

from __future__ import annotations

import calendar as months
import datetime as dt
import zoneinfo
from collections.abc import Callable, Iterator

zoneinfo.reset_tzpath(to=[])  # else it reads the system's own tz data, of another version

EPOCH = dt.datetime(1970, 1, 1)
NAMES = {name: str(at) for at, name in enumerate(("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"))}
Found = tuple[int, int, int, str]  # instant, civil second, showing, fate: as the product's candidates


def offset_of(name: str) -> Callable[[int], int]:
    zone = zoneinfo.ZoneInfo(name)
    utc = dt.UTC

    def offset(at_s: int) -> int:
        there = dt.datetime.fromtimestamp(at_s, utc).astimezone(zone).utcoffset()
        assert there is not None
        return there.days * 86_400 + there.seconds

    return offset


def changes(name: str, first_s: int, last_s: int, step_s: int = 43_200) -> Iterator[int]:
    """Each second at which the clock of a zone is set, looked for by halves."""
    offset = offset_of(name)
    before = offset(first_s)
    for at_s in range(first_s, last_s, step_s):
        after = offset(at_s + step_s)
        if after != before:
            low, high = at_s, at_s + step_s
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if offset(middle) == before else (low, middle)
            yield high
        before = after


def matcher(expression: str) -> Callable[[int], bool]:
    """A predicate over civil seconds for cron of five fields: stars, lists, ranges, steps; L, W and # for days."""
    minute, hour, day, month, weekday = expression.upper().split()
    for name, number in NAMES.items():
        weekday = weekday.replace(name, number)
    dates: dict[int, bool] = {}

    def on_date(date: int) -> bool:
        when = dt.date(1970, 1, 1) + dt.timedelta(date)
        if not _plain(month, when.month, 12):
            return False
        by_day = any(_day(element, when) for element in day.split(","))
        by_week = any(_week(element, when) for element in weekday.split(","))
        if day[0] in "*?" or weekday[0] in "*?":
            return by_day and by_week
        return by_day or by_week

    clock = [_plain(hour, of_day // 60, 23) and _plain(minute, of_day % 60, 59) for of_day in range(1440)]

    def matches(civil_s: int) -> bool:
        date, second = divmod(civil_s, 86_400)
        if second % 60 or not clock[second // 60]:
            return False
        if date not in dates:
            dates[date] = on_date(date)
        return dates[date]

    return matches


def event_matcher(expression: str) -> Callable[[int], bool]:
    """The same for a calendar event of systemd's with weekday, date and time all written, weekdays as ``Mon,Tue``."""
    weekday, date, clock = expression.split()
    names = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
    year, month, day = date.replace("~", "-~").split("-")
    hour, minute = clock.split(":")

    def matches(civil_s: int) -> bool:
        when = EPOCH + dt.timedelta(seconds=civil_s)
        from_end = months.monthrange(when.year, when.month)[1] - when.day + 1
        return (
            names[when.weekday()] in weekday.split(",")
            and _event(year, when.year)
            and _event(month, when.month)
            and (_event(day[1:], from_end) if day[0] == "~" else _event(day, when.day))
            and _event(hour, when.hour)
            and _event(minute, when.minute)
            and when.second == 0
        )

    return matches


def _event(part: str, value: int) -> bool:
    """A list of ``a``, ``a..b``, ``a/step``, ``a..b/step``."""
    for element in part.split(","):
        head, _, step = element.partition("/")
        low, _, high = head.partition("..")
        if element == "*" or (step and not high and value >= int(low) and (value - int(low)) % int(step) == 0):
            return True
        if (not step or high) and int(low) <= value <= int(high or low) and (value - int(low)) % int(step or 1) == 0:
            return True
    return False


def _plain(field: str, value: int, top: int) -> bool:
    for element in field.split(","):
        head, _, step = element.partition("/")
        low, _, high = head.partition("-")
        if head in ("*", "?"):
            first, last = (1 if top == 12 or top == 31 else 0), top
        else:
            first, last = int(low), int(high or (top if step else low))
        if first <= value <= last and (value - first) % int(step or 1) == 0:
            return True
    return False


def _working(when: dt.date) -> bool:
    return when.weekday() < 5


def _day(element: str, when: dt.date) -> bool:
    length = months.monthrange(when.year, when.month)[1]
    if element.endswith("W") or element.startswith("L"):
        body = element.removesuffix("W")
        meant = length - int(body[2:] or 0) if body.startswith("L") else int(body)
        if not 1 <= meant <= length:
            return False
        if not element.endswith("W"):
            return when.day == meant
        near = [when.replace(day=d) for d in range(1, length + 1) if _working(when.replace(day=d))]
        return when == min(near, key=lambda other: abs(other.day - meant))
    return _plain(element, when.day, 31)


def _week(element: str, when: dt.date) -> bool:
    if element in ("*", "?"):
        return True
    number = when.isoweekday() % 7
    if element.endswith("L"):
        return number == int(element[0]) % 7 and (when + dt.timedelta(7)).month != when.month
    if "#" in element:
        return number == int(element[0]) % 7 and (when.day + 6) // 7 == int(element[2])
    return _plain(element, number, 6) or _plain(element, number + 7, 7)


class Days:
    """Every minute that one zone's clock shows in a stretch of UTC, and every gap in it."""

    def __init__(self, offset: Callable[[int], int], after_s: int, until_s: int) -> None:
        self.after_s, self.until_s = after_s, until_s
        self.shown: dict[int, list[int]] = {}
        self.gaps: list[tuple[int, range]] = []  # the end of each, and the minutes between the readings around it
        # a repeated reading may have its other showing outside the stretch
        at_s, before = after_s - 90_000, offset(after_s - 90_000)
        now = before
        while at_s <= until_s + 90_000:
            if now > before:
                self.gaps.append((at_s, range(-(-(at_s + before) // 60) * 60, at_s + now, 60)))
            before = now
            if (at_s + now) % 60 == 0:
                self.shown.setdefault(at_s + now, []).append(at_s)
            ahead = at_s + 60 - (at_s + now) % 60
            now = offset(ahead)
            if now != before:  # the clock was set within this minute: look at each of its seconds
                ahead = at_s + 1
                now = offset(ahead)
            at_s = ahead

    def read(self, matches: Callable[[int], bool]) -> Callable[[str, str], list[Found]]:
        """What an expression says in this stretch, for each (fold, gap)."""
        shown = [(civil_s, instants) for civil_s, instants in self.shown.items() if matches(civil_s)]
        missing = [(end_s, [c for c in minutes if c not in self.shown and matches(c)]) for end_s, minutes in self.gaps]

        def says(fold: str, gap: str) -> list[Found]:
            found: list[Found] = []
            for civil_s, instants in shown:
                named = [(at_s, showing if len(instants) > 1 else -1) for showing, at_s in enumerate(instants)]
                kept = {"earlier": named[:1], "later": named[-1:], "both": named}[fold]
                found += [(at_s, civil_s, showing, "fires") for at_s, showing in kept]
            firing = {entry[0] for entry in found}
            for end_s, passed_over in missing:
                if gap != "advance":
                    found += [(end_s, civil_s, -1, f"gap_{gap}") for civil_s in passed_over]
                elif passed_over and end_s not in firing:
                    found.append((end_s, passed_over[0], -1, "fires"))
            return sorted(entry for entry in found if self.after_s < entry[0] <= self.until_s)

        return says
