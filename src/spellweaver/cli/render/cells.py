"""One value as text: for people at a terminal, and for the programs behind a pipe."""

from __future__ import annotations

from spellweaver.cli import times
from spellweaver.cli.values import At, Lasts
from spellweaver.cli.words import plain


def for_people(value: object, *, utc: bool) -> str:
    """Never None: what is not there is ``-``."""
    if value is None:
        return "-"
    if isinstance(value, At):
        return times.reading(value.us, value.zone, utc=utc)
    if isinstance(value, Lasts):
        return times.length(value.us)
    return _plain(value, separator=", ") or "-"


def for_programs(value: object) -> str:
    """Never None: what is not there is an empty field. Nothing in it can break a line or a column."""
    if value is None:
        return ""
    if isinstance(value, At):
        return times.rfc3339(value.us)
    if isinstance(value, Lasts):
        return str(value.us)
    return _plain(value, separator=",")


def _plain(value: object, *, separator: str) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return separator.join(plain(str(part)) for part in value)
    if isinstance(value, dict):
        return separator.join(f"{plain(str(key))}={plain(str(part))}" for key, part in value.items())
    return plain(str(value))
