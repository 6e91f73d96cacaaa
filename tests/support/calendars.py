"""Calendars of the product, built in a line: ``calendar("30 2 * * *", "Europe/Prague", fold="both")``."""

from __future__ import annotations

from functools import cache

from spellweaver.core import instant, zone
from spellweaver.core.cadence import Cadence
from spellweaver.core.calendar import Calendar, Interpretation
from spellweaver.core.grammar import parse_cron
from spellweaver.core.line import Candidate
from spellweaver.core.policy import Fold, Gap
from spellweaver.core.search import Excluded
from spellweaver.manifest import zones


@cache
def rules(name: str) -> zone.Zone:
    return zone.parse(zones.rules(name))


def calendar(
    cadence: str | Cadence,
    name: str = "UTC",
    *,
    fold: Fold = "earlier",
    gap: Gap = "skip",
    excluded: Excluded = (),
) -> Calendar:
    kept = rules(name)
    read = parse_cron(cadence) if isinstance(cadence, str) else cadence
    return Calendar(Interpretation(name, kept.digest, read, fold, gap), kept, excluded)


def utc(text: str) -> int:
    """The UTC second of ``2026-10-25T00:30:00Z``; years before 1970 too."""
    assert text.endswith("Z")
    return instant.parse_civil(text[:-1])


def shown(at_s: int) -> str:
    return f"{instant.civil_text(at_s)}Z"


def due(made: Calendar, after: str, until: str) -> list[str]:
    """The firing instants with ``after < instant <= until``, as texts."""
    return [shown(found.instant_s) for found in made.walk(utc(after), utc(until)) if found.fate == "fires"]


def candidates(made: Calendar, after: str, until: str) -> list[Candidate]:
    return list(made.walk(utc(after), utc(until)))
