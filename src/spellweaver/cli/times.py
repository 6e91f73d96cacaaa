"""How times are written: absolute with an abbreviation for people, RFC 3339 in UTC for programs, and short relative
ones.

A second showing of the same reading is named, as is the first: ``02:30 CEST 1st``, ``02:30 CET 2nd``.
"""

from __future__ import annotations

from spellweaver.core import instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from spellweaver.core.zone import Zone

_WEEKDAYS = ("Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed")  # 1970-01-01 was a Thursday
_UNITS = (("d", instant.DAY), ("h", instant.HOUR), ("min", instant.MINUTE), ("s", instant.SECOND))


def rfc3339(us: int) -> str:
    """``2026-10-25T00:30:00Z``."""
    return instant.show(us)


def reading(us: int, zone: Zone | None, *, utc: bool = False) -> str:
    """``Sun 2026-10-25 02:30 CEST 1st``: seconds where they are not zero, the abbreviation or offset always."""
    seconds = us // instant.SECOND
    if utc:
        return f"{day_and_time(seconds)} UTC"
    if zone is None:
        return _host_reading(seconds)
    civil = seconds + zone.offset(seconds)
    showings = zone.readings(civil)
    which = f" {'1st' if seconds == showings[0] else '2nd'}" if len(showings) == 2 else ""
    return f"{day_and_time(civil)} {zone.name(seconds)}{which}"


def civil(us: int, zone: Zone) -> dict[str, object]:
    """The civil reading as JSON has it, without zone: ``civil``, ``offset`` and ``fold`` (1 for a second showing)."""
    seconds = us // instant.SECOND
    ahead = zone.offset(seconds)
    showings = zone.readings(seconds + ahead)
    return {
        "civil": instant.civil_text(seconds + ahead),
        "offset": offset(ahead),
        "fold": int(len(showings) == 2 and seconds == showings[1]),
    }


def offset(seconds: int) -> str:
    """``+01:00``; seconds only where a zone of old has them."""
    sign, size = "-" if seconds < 0 else "+", abs(seconds)
    text = f"{sign}{size // 3600:02d}:{size // 60 % 60:02d}"
    return f"{text}:{size % 60:02d}" if size % 60 else text


def length(us: int) -> str:
    """``4h 27min``, ``3d 2h``, ``42s``, ``400ms``: the two largest units; below a minute one."""
    if us < instant.SECOND:
        return f"{us // 1000}ms" if us else "0s"
    place = next(at for at, (_, size) in enumerate(_UNITS) if us >= size)
    unit, size = _UNITS[place]
    first, rest = divmod(us, size)
    if unit == "s" or (unit == "d" and first >= 60):
        return f"{first}{unit}"
    below, below_size = _UNITS[place + 1]
    second = rest // below_size
    return f"{first}{unit} {second}{below}" if second else f"{first}{unit}"


def exact(us: int) -> str:
    """``1d 2h 3min 4.5s``: every unit, nothing rounded; for numbers that were compared."""
    if us < 0:
        return f"-{exact(-us)}"
    parts = []
    for unit, size in _UNITS[:3]:
        count, us = divmod(us, size)
        if count:
            parts.append(f"{count}{unit}")
    if us or not parts:
        whole, fraction = divmod(us, instant.SECOND)
        parts.append(f"{whole}.{fraction:06d}".rstrip("0").rstrip(".") + "s")
    return " ".join(parts)


def left(us: int, now: int) -> str:
    """Relative to now, for people: ``4h 27min`` ahead, ``19h ago`` behind, ``now``."""
    if abs(us - now) < instant.SECOND:
        return "now"
    return length(us - now) if us > now else f"{length(now - us)} ago"


def day_and_time(civil_s: int) -> str:
    """``Sun 2026-10-25 02:30``, seconds where they are not zero. It is of no zone: one has to be named beside it."""
    weekday = _WEEKDAYS[civil_s // instant.DAY_S % 7]
    return f"{weekday} {instant.civil_text(civil_s, seconds=civil_s % 60 != 0).replace('T', ' ')}"


def _host_reading(seconds: int) -> str:
    """In the operator's own zone, which the C library knows; a time of day for people, never one to decide by."""
    from datetime import UTC, datetime

    here = datetime.fromtimestamp(seconds, UTC).astimezone()
    ahead = here.utcoffset()
    assert ahead is not None
    return f"{day_and_time(seconds + int(ahead.total_seconds()))} {here.tzname()}"
