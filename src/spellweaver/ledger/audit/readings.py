"""Whether civil time, instant and fold member of a firing agree in the zone rules that its revision keeps.

The kept table of changes is cut where a clock shows its times once, for the first or for the second time, as in
``core.calendar`` but apart from it; SQLite then finds for each firing the piece that holds its instant.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator

import apsw

from spellweaver.core import zone
from spellweaver.core.instant import SECOND
from spellweaver.ledger.audit.finding import Finding, broken

Piece = tuple[str, int, int, int, int, int]  # zone; begin, end and offset (UTC seconds); fold; seconds passed over

_FIRINGS = """
    SELECT 'occ_' || id AS name, revision, civil, fold, nominal_at AS at FROM occurrence WHERE generation <> 0
    UNION ALL SELECT 'range ' || id, revision, first_civil, first_fold, first_at FROM firing_range
    UNION ALL SELECT 'range ' || id, revision, last_civil, last_fold, last_at FROM firing_range"""
# A missing time surfaces at the end of its gap: its civil second is one that the piece's begin passed over.
_SQL = """
    WITH firing AS ({firings}),
    civil AS MATERIALIZED (
        SELECT id, lower(hex(zone_rules)) AS zone FROM revision
        WHERE ifnull(body ->> '$.calendar.cadence.every_s', body ->> '$.calendar.cadence.at_s') IS NULL),
    piece AS MATERIALIZED (
        SELECT value ->> 0 AS zone, value ->> 1 AS begins, value ->> 2 AS ends, value ->> 3 AS offset,
            value ->> 4 AS fold, value ->> 5 AS missing FROM json_each({pieces}))
    SELECT f.name FROM firing f LEFT JOIN civil c ON c.id = f.revision
    LEFT JOIN piece p ON p.zone = c.zone AND p.begins * {second} <= f.at AND f.at < p.ends * {second}
    WHERE CASE WHEN c.id IS NULL THEN f.civil * {second} <> f.at OR f.fold <> -1
        WHEN f.civil * {second} = f.at + p.offset * {second} THEN f.fold <> p.fold
        ELSE NOT ifnull(f.at = p.begins * {second} AND f.fold = -1
            AND f.civil < p.begins + p.offset AND f.civil >= p.begins + p.offset - p.missing, FALSE) END"""


def civil_and_instant(connection: apsw.Connection) -> list[Finding]:
    """CAL-07, OCC-02: a firing's name and its instant are one reading of the kept rules."""
    pieces = apsw.format_sql_value(json.dumps(list(_pieces(connection))))
    sql = _SQL.format(firings=_FIRINGS, pieces=pieces, second=SECOND)
    return broken(connection, "civil_and_instant", "CAL-07", "firings whose name and instant disagree", sql)


def _pieces(connection: apsw.Connection) -> Iterator[Piece]:
    """Of all kept rules, as far as firings are on record. Rules that can't be read are another law's."""
    row = connection.execute(f"SELECT min(at) / {SECOND}, max(at) / {SECOND} FROM ({_FIRINGS})").fetchone()
    first, last = row if row and row[0] is not None else (0, 0)
    for digest, data in connection.execute("SELECT digest, data FROM zone_rules"):
        try:
            rules = zone.parse(data)
        except zone.BadZone:
            continue
        yield from _cut(digest.hex(), rules, first, last)


def _cut(digest: str, rules: zone.Zone, first: int, last: int) -> Iterator[Piece]:
    cuts, offsets = rules.cuts, rules.cut_offsets
    for at in range(bisect_right(cuts, first) - 1, bisect_right(cuts, last)):
        begin, offset = cuts[at], offsets[at]
        end = cuts[at + 1] if at + 1 < len(cuts) else 1 << 40
        ahead = offset - offsets[at - 1] if at else 0
        next_ahead = offsets[at + 1] - offset if at + 1 < len(cuts) else 0
        once, again = begin + max(0, -ahead), end - max(0, -next_ahead)
        if begin < once:
            yield digest, begin, once, offset, 1, 0
        yield digest, once, again, offset, -1, max(0, ahead)
        if again < end:
            yield digest, again, end, offset, 0, max(0, ahead) if once == again else 0


LAWS = (civil_and_instant,)
