"""What a cadence means that its author may not expect (CAL-13): lawful, so not refused, but said beforehand."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise

from spellweaver.core.cadence import CIVIL, Civil
from spellweaver.core.calendar import Calendar
from spellweaver.core.grammar import LAST_S, MONTH_LENGTHS, MONTH_NAMES, WEEKDAY_NAMES, Cron
from spellweaver.core.instant import DAY_S, civil_text
from spellweaver.core.oncalendar import OnCalendar
from spellweaver.core.search import search
from spellweaver.core.structured import Structured
from spellweaver.core.zone import Zone

HOUR_S = 3600
# field: (first value, number of values, what begins it anew), in the order of a text with seconds
_CYCLES = {
    "second": (0, 60, "minute"), "minute": (0, 60, "hour"), "hour": (0, 24, "day"),
    "day of month": (1, 31, "month"), "month": (1, 12, "year"), "weekday": (0, 7, "week"),
}  # fmt: skip
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_LAST_DAY = {Cron: "L", OnCalendar: "*-*~1", Structured: "-1 in dates"}
_EVEN_INSTEAD = "for an even interval use every with an anchor"


def advise(calendar: Calendar, after_s: int) -> list[str]:
    """Sentences for the operator, none where nothing surprises; dates are those after ``after_s``, a UTC second."""
    cadence = calendar.interpretation.cadence
    if not isinstance(cadence, CIVIL):
        return []
    said = [*_uneven_steps(cadence), *_months_without(cadence), *_silent_hour(calendar, cadence, after_s)]
    if isinstance(cadence, Cron) and cadence.either:
        said.insert(0, _either_day(calendar, cadence, after_s))
    return said


def _uneven_steps(cadence: Civil) -> Iterator[str]:
    """RP-57: a step counts from the start of its field and begins anew there; only some come out even."""
    for name, text in _fields(cadence):
        low, size, cycle = _CYCLES[name]
        for element in text.split(","):
            head, slash, digits = element.partition("/")
            if not slash or "-" in head or ".." in head:
                continue
            first = _first_value(head, low)
            values = range(first if first < low + size else low, low + size, int(digits))  # weekday 7 is Sunday, 0
            if values.step > 1 and (name == "day of month" or values[0] + size - values[-1] != values.step):
                shown = ", ".join(map(str, values if len(values) < 10 else (*values[:3], "…", values[-1])))
                yield f"{name} {element} begins anew each {cycle}, at {shown}, so it is uneven; {_EVEN_INSTEAD}"


def _fields(cadence: Civil) -> Iterator[tuple[str, str]]:
    """The fields that can hold a step, by name. Days from the end of a month and years are left out."""
    if isinstance(cadence, Cron):
        yield from zip(list(_CYCLES)[0 if cadence.has_seconds else 1 :], cadence.text.split(), strict=True)
    elif isinstance(cadence, OnCalendar):
        date, clock = cadence.text.split()[-2:]
        yield from zip(("hour", "minute", "second"), clock.split(":"), strict=True)
        _, month, day = date.replace("~", "-").split("-")
        yield "month", month
        if not cadence.from_end:
            yield "day of month", day


def _first_value(head: str, low: int) -> int:
    if head == "*":
        return low
    named = MONTH_NAMES | WEEKDAY_NAMES
    return named[head] if head in named else int(head)


def _either_day(calendar: Calendar, cron: Cron, after_s: int) -> str:
    """CAL-09: cronie's either-rule, with the next five dates."""
    coming = calendar.first(after_s)
    days = islice(search(cron).days(coming.civil_s // DAY_S, LAST_S // DAY_S), 5) if coming else ()
    dates = ", ".join(civil_text(day * DAY_S).partition("T")[0] for day in days)
    return (
        "day of month and weekday are both restricted: it fires on a day that matches either of them, as cron does; "
        f"the next dates are {dates}"
    )


def _months_without(cadence: Civil) -> Iterator[str]:
    """RP-56: nothing moves into another month; a month without the day has no firing."""
    if cadence.years is not None:
        return
    never, sometimes = [], []
    for month in cadence.months:
        having = [bool(cadence.days_of(month, length, first)) for length in MONTH_LENGTHS[month] for first in range(7)]
        if not any(having):
            never.append(_MONTHS[month - 1])
        elif not all(having):
            sometimes.append(_MONTHS[month - 1])
    if never:
        yield f"{', '.join(never)}: no such day, so no firing; the last day of each month is {_LAST_DAY[type(cadence)]}"
    if len(sometimes) > 2:
        yield "some months have no such day, so no firing"
    elif sometimes:
        yield f"{', '.join(sometimes)}: no such day in some years, so no firing then"


def _silent_hour(calendar: Calendar, cadence: Civil, after_s: int) -> Iterator[str]:
    """One showing of a repeated time is silenced: a cadence that fires more than once an hour pauses for all of it."""
    fold = calendar.interpretation.fold
    assert calendar.zone is not None
    if fold == "both" or not _more_than_hourly(cadence):
        return
    for begin_s, end_s in _folds(calendar.zone, after_s):
        if search(cadence).count(begin_s, end_s) > 1:
            silent = "second" if fold == "earlier" else "first"
            yield (
                f'fold = "{fold}" makes it silent from {civil_text(begin_s, seconds=False)} to '
                f"{civil_text(end_s, seconds=False)[11:]} the {silent} time the clock shows that, when it is set back; "
                'fold = "both" or every fires through it'
            )
            return


def _more_than_hourly(cadence: Civil) -> bool:
    seconds = cadence.seconds_of_day
    return any(later - earlier < HOUR_S for earlier, later in pairwise((*seconds, seconds[0] + DAY_S)))


def _folds(zone: Zone, after_s: int) -> Iterator[tuple[int, int]]:
    """The next few repeated stretches of the clock, as civil seconds ``[begin, end)``."""
    changes = zip(pairwise(zone.cut_offsets), zone.cuts[1:], strict=True)
    coming = ((cut + new, cut + old) for (old, new), cut in changes if new < old and cut > after_s)
    return islice(coming, 8)
