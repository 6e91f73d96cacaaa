"""Operator files for tests, and what the reader says of them."""

from __future__ import annotations

from spellweaver.core.schedule import ScheduleDraft
from spellweaver.errors import BadFile
from spellweaver.manifest.problems import Problem
from spellweaver.manifest.read import Manifest, read_text

CRON = 'cron = "0 2 * * *"\nzone = "Europe/Rome"'


def schedule(keys: str = "", *, name: str = "nightly", calendar: str | None = CRON, recovery: str = "") -> str:
    """The table of one Schedule; ``keys`` go into ``[[schedule]]``, ``calendar`` None leaves that table out."""
    parts = [f'[[schedule]]\nname = "{name}"\npattern = "nightly@1"', keys]
    parts += [] if calendar is None else ["[schedule.calendar]", calendar]
    parts += ["[schedule.recovery]", recovery] if recovery else []
    return "\n".join(parts) + "\n"


def binding(
    keys: str = 'argv = ["/bin/true"]\ntimeout = "1m"', *, version: str = "nightly@1", station: str = "main"
) -> str:
    return f'[binding."{version}".{station}]\n{keys}\n'


def pattern(keys: str = "", *, key: str = "nightly", revision: str = "1") -> str:
    return f'[[pattern]]\nkey = "{key}"\nrevision = "{revision}"\n{keys}\n'


def whole(*objects: str) -> str:
    return "\n".join(["format = 1", *objects])


def accepted(*objects: str) -> Manifest:
    return read_text(whole(*objects), "a.toml")


def draft(keys: str = "", **tables: str) -> ScheduleDraft:
    """The one draft of a file with one Schedule."""
    (made,) = accepted(schedule(keys, **tables)).schedules
    return made


def problems(text: str, path: str = "a.toml") -> list[Problem]:
    """The problems of a text; none when it is accepted."""
    try:
        read_text(text, path)
    except BadFile as error:
        return [problem for problem in error.problems if isinstance(problem, Problem)]
    return []


def refused(*objects: str) -> dict[str, str]:
    """What is said of each key of a file, by key: message and hint."""
    found = problems(whole(*objects))
    said = {p.key: f"{p.message}; {p.hint}" if p.hint else p.message for p in found}
    assert len(said) == len(found), "no key is told of twice"
    return said
