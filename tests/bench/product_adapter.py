"""The product as one more contender of a benchmark: plain functions with the arguments that such a harness hands in."""

from __future__ import annotations

from functools import lru_cache

from spellweaver.core import zone
from spellweaver.core.calendar import Calendar, Interpretation
from spellweaver.core.grammar import parse_cron
from spellweaver.manifest import zones


def firings(expr: str, tz: str, start_epoch: int, n: int) -> list[int]:
    """The first ``n`` nominal instants (UTC seconds) from ``start_epoch`` on, earlier fold, a gap skipped."""
    return calendar(expr, tz).instants(start_epoch - 1, n)


@lru_cache(maxsize=256)
def calendar(expr: str, tz: str) -> Calendar:
    """As the ledger keeps it for a revision: read once."""
    rules = zone.parse(zones.rules(tz))
    return Calendar(Interpretation(tz, rules.digest, parse_cron(expr)), rules)
