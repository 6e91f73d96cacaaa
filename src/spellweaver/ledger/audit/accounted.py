"""Whether every firing has a fate: what the calendars name up to the settled-to marks is counted and looked for."""

from __future__ import annotations

import json
from collections.abc import Iterator

import apsw

from spellweaver.core.zone import BadZone
from spellweaver.ledger.audit.finding import Finding, finding
from spellweaver.ledger.revisions import Damaged, Revisions


def every_firing_has_a_fate(connection: apsw.Connection) -> list[Finding]:
    """OCC-15: each firing up to the settled-to mark has an Occurrence or stands in a range. Schedules whose kept rules
    or revisions are damaged are another law's.
    """
    return finding("every_firing_has_a_fate", "OCC-15", "firings without a fate", _lost(connection))


# The firings of a switch lie after its begin and not after the decision of any later switch. One with a partition names
# those up to its span's end itself, and leaves what had no fate when it was decided to no earlier one. What lies before
# the first switch was never a firing, even if the clock went back since (CUT-13).
_SWITCHES = """
    SELECT s.id, s.authority || '/' || s.name, s.settled_to, a.revision,
        max(a.begins_at, first_value(a.begins_at) OVER (PARTITION BY s.id ORDER BY a.id)) / 1000000,
        a.decided_at / 1000000, a.partition ->> '$.span_end' / 1000000, a.partition ->> '$.settled_to',
        a.partition -> '$.firings'
    FROM schedule s JOIN activation a ON a.schedule = s.id WHERE s.settled_to IS NOT NULL ORDER BY s.id, a.id DESC"""
_RECORDED = """
    SELECT schedule, sum(n) FROM (
        SELECT schedule, count(*) AS n FROM occurrence WHERE generation <> 0 GROUP BY 1
        UNION ALL SELECT schedule, count FROM firing_range)
    GROUP BY 1"""


def _lost(connection: apsw.Connection) -> Iterator[str]:
    recorded = dict(connection.execute(_RECORDED))
    for schedule, (name, named) in _named(connection).items():
        missing = named - recorded.get(schedule, 0)
        if missing > 0:
            yield f"{name} ({missing})"


def _named(connection: apsw.Connection) -> dict[int, tuple[str, int]]:
    """How many firings each Schedule's calendars and partitions name up to its mark."""
    named: dict[int, tuple[str, int]] = {}
    ends: dict[int, int] = {}
    revisions = Revisions()
    for schedule, name, mark, revision, begins_s, decided_s, span_end_s, from_s, firings in connection.execute(
        _SWITCHES
    ):
        until_s, before = ends.get(schedule, mark), named.get(schedule, (name, 0))[1]
        ends[schedule] = min(until_s, decided_s if span_end_s is None else from_s)
        after_s = max(begins_s, span_end_s or 0)
        listed = [f for f in json.loads(firings or "[]") if from_s < f[3] <= until_s]
        try:
            calendar = revisions.get(connection, revision).calendar
        except (Damaged, BadZone):
            continue
        count = calendar.count(after_s, until_s) if after_s < until_s else 0
        named[schedule] = name, before + count + len(listed)
    return named


LAWS = (every_firing_has_a_fate,)
