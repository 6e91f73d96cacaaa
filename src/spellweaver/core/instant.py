"""Instants and durations: integers of microseconds, UTC. Civil seconds: what a clock on the wall shows, counted as if
it were UTC.
"""

from __future__ import annotations

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
DAY_S = 86_400
FIRST = 0  # 1970-01-01T00:00:00Z, the first instant of the ledger (WIN-11)
LAST = 7_289_654_400 * SECOND - 1  # the last microsecond of the year 2200

_UNITS = {"s": SECOND, "m": MINUTE, "h": HOUR, "d": DAY}


def days_from_civil(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01 in the proleptic Gregorian calendar."""
    year -= month <= 2
    era = year // 400
    of_era = year - era * 400
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719_468


def civil_from_days(days: int) -> tuple[int, int, int]:
    """(year, month, day) of a count of days since 1970-01-01."""
    days += 719_468
    era = days // 146_097
    of_era = days - era * 146_097
    year = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    shifted = (5 * of_year + 2) // 153
    month = shifted + (3 if shifted < 10 else -9)
    return year + era * 400 + (month <= 2), month, of_year - (153 * shifted + 2) // 5 + 1


def civil_text(civil_s: int, *, seconds: bool = True) -> str:
    """``2026-10-25T02:30`` or ``2026-10-25T02:30:00``."""
    days, of_day = divmod(civil_s, DAY_S)
    year, month, day = civil_from_days(days)
    text = f"{year:04d}-{month:02d}-{day:02d}T{of_day // 3600:02d}:{of_day // 60 % 60:02d}"
    return f"{text}:{of_day % 60:02d}" if seconds else text


def parse_civil(text: str) -> int:
    """The civil second of ``YYYY-MM-DD[THH:MM[:SS]]``. Raises ValueError with a sentence."""
    date, _, clock = text.partition("T")
    numbers: list[int] = [
        *_numbers(date, "-", (4, 2, 2)),
        *(_numbers(clock, ":", (2, 2, 2)[: clock.count(":") + 1]) if clock or "T" in text else ()),
    ]
    year, month, day = numbers[:3]
    hour, minute, second = (numbers[3:] + [0, 0, 0])[:3]
    if (
        not 1 <= month <= 12
        or not 1 <= day <= 31
        or civil_from_days(days_from_civil(year, month, day)) != (year, month, day)
    ):
        raise ValueError(f"there is no date {date}")
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError(f"there is no time {clock}")
    return days_from_civil(year, month, day) * DAY_S + hour * 3600 + minute * 60 + second


def _numbers(text: str, separator: str, widths: tuple[int, ...]) -> list[int]:
    parts = text.split(separator)
    if len(parts) != len(widths) or any(
        len(p) != w or not (p.isascii() and p.isdigit()) for p, w in zip(parts, widths, strict=True)
    ):
        raise ValueError(f"{text!r} is not written as YYYY-MM-DDTHH:MM:SS")
    return [int(p) for p in parts]


def show(at: int) -> str:
    """RFC 3339 in UTC: ``2026-10-25T00:30:00Z``, with six decimals only where there are any."""
    whole, fraction = divmod(at, SECOND)
    return f"{civil_text(whole)}.{fraction:06d}Z" if fraction else f"{civil_text(whole)}Z"


def parse(text: str) -> int:
    """The instant of an RFC 3339 text; the offset or Z is required. Raises ValueError with a sentence."""
    body, offset = _split_offset(text.strip().replace(" ", "T", 1))
    body, dot, fraction = body.partition(".")
    if dot and not (fraction.isascii() and fraction.isdigit() and len(fraction) <= 6):
        raise ValueError(f"{text!r} has more than six decimals or none")
    at = (parse_civil(body) - offset) * SECOND + int((fraction or "0").ljust(6, "0"))
    if not FIRST <= at <= LAST:
        raise ValueError(f"{text!r} is outside the years 1970 to 2200")
    return at


def _split_offset(text: str) -> tuple[str, int]:
    if text.endswith(("Z", "z")):
        return text[:-1], 0
    body, sign, clock = text[:-6], text[-6:-5], text[-5:]
    if sign not in ("+", "-") or "T" not in body:
        raise ValueError(f"{text!r} needs an offset or Z, as in 2026-12-01T02:00:00Z")
    hours, minutes = _numbers(clock, ":", (2, 2))
    return body, (hours * 3600 + minutes * 60) * (1 if sign == "+" else -1)


def parse_duration(text: str) -> int:
    """Microseconds of ``90s``, ``15m``, ``3h``, ``1d`` (exactly 24 h). Raises ValueError with a sentence."""
    number, unit = text[:-1], text[-1:]
    if unit not in _UNITS or not (number.isascii() and number.isdigit()) or len(number) > 9:
        raise ValueError(f"{text!r} is not a duration; write 90s, 15m, 3h or 1d")
    return int(number) * _UNITS[unit]


def duration_text(us: int) -> str:
    """The shortest exact way to write a whole number of seconds as a duration: ``90s``, ``15m``, ``3h``."""
    for unit in ("d", "h", "m"):
        if us and us % _UNITS[unit] == 0:
            return f"{us // _UNITS[unit]}{unit}"
    return f"{us // SECOND}s" if us % SECOND == 0 else f"{us / SECOND:g}s"
