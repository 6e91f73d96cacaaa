"""Instants and durations as an option says them. What can't be read names the option, and shows how it is written."""

from __future__ import annotations

from spellweaver.core.instant import duration_text, parse, parse_duration
from spellweaver.errors import Usage


def instant(option: str, text: str) -> int:
    """Microseconds of ``2027-03-26T00:00:00Z``; a date is its midnight in UTC. Raises Usage."""
    try:
        return parse(f"{text}T00:00:00Z" if len(text) == 10 and "T" not in text else text)
    except ValueError as error:
        hint = "2027-03-26T00:00:00Z, or 2027-03-26 for its midnight in UTC"
        raise Usage("bad_instant", f"{option}: {error}", hint=hint) from None


def duration(option: str, text: str, *, most_us: int | None = None) -> int:
    """Microseconds, ``most_us`` at most. Raises Usage."""
    try:
        us = parse_duration(text)
    except ValueError as error:
        raise Usage("bad_duration", f"{option}: {error}") from None
    if most_us is not None and us > most_us:
        raise Usage("bad_duration", f"{option} {text}: at most {duration_text(most_us)}")
    return us
