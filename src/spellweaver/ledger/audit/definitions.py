"""What firings and runs are pinned to: it is what its digest says, and the journal told of it when it came."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

import apsw

from spellweaver.core.pattern import MalformedPattern, from_canonical
from spellweaver.ledger.audit.finding import Finding, broken, finding

WHAT = "what is kept is not what its digest says"


def revisions_as_digested(connection: apsw.Connection) -> list[Finding]:
    """CUT-01: a revision is what its digest says."""
    wrong = _otherwise(connection, "SELECT 'rev_' || id, body, digest FROM revision")
    return finding("revisions_as_digested", "CUT-01", WHAT, wrong)


def bindings_as_digested(connection: apsw.Connection) -> list[Finding]:
    """CFG-4: a binding is what its digest says."""
    sql = "SELECT 'binding ' || pattern_key || '@' || pattern_revision || '.' || station, body, digest FROM binding"
    return finding("bindings_as_digested", "CFG-4", WHAT, _otherwise(connection, sql))


def zone_rules_as_digested(connection: apsw.Connection) -> list[Finding]:
    """CAL-06: kept zone rules are what their digest says."""
    sql = "SELECT 'zone rules ' || substr(lower(hex(digest)), 1, 12), data, lower(hex(digest)) FROM zone_rules"
    return finding("zone_rules_as_digested", "CAL-06", WHAT, _otherwise(connection, sql))


def patterns_well_formed(connection: apsw.Connection) -> list[Finding]:
    """PAT-5, PAT-6: a workflow version is what its digest says, and its score is well formed all the same."""
    sql = "SELECT 'pattern ' || key || '@' || revision, snapshot, digest FROM pattern_version"
    wrong = [*_otherwise(connection, sql), *_malformed(connection, sql)]
    return finding("patterns_well_formed", "PAT-5", "workflow versions that can't be used", dict.fromkeys(wrong))


def one_reading_a_generation(connection: apsw.Connection) -> list[Finding]:
    """CUT-03: revisions read the calendar alike exactly where they share a generation."""
    sql = """
        WITH said AS MATERIALIZED (
            SELECT id, schedule, generation, json_extract(body, '$.calendar.zone', '$.calendar.zone_rules',
                '$.calendar.cadence', '$.calendar.fold', '$.calendar.gap') AS reading
            FROM revision WHERE schedule IN (SELECT schedule FROM revision GROUP BY 1 HAVING count(*) > 1))
        SELECT max(id) FROM said GROUP BY schedule, generation HAVING count(DISTINCT reading) > 1
        UNION
        SELECT max(id) FROM said GROUP BY schedule, reading HAVING count(DISTINCT generation) > 1"""
    what = "revisions that read the calendar otherwise than their generation"
    return broken(connection, "one_reading_a_generation", "CUT-03", what, sql, prefix="rev")


def active_as_switched(connection: apsw.Connection) -> list[Finding]:
    """CUT-08: the revision in force is the last that was switched to, and each switch replaced the one before it."""
    sql = """
        WITH switch AS MATERIALIZED (
            SELECT schedule, revision, replaced, lag(revision) OVER line AS before, lead(id) OVER line AS later
            FROM activation WINDOW line AS (PARTITION BY schedule ORDER BY id))
        SELECT schedule FROM switch WHERE replaced IS NOT before
        UNION
        SELECT s.id FROM schedule s LEFT JOIN switch w ON w.schedule = s.id AND w.later IS NULL
        WHERE s.active IS NOT w.revision"""
    what = "Schedules whose revision in force does not follow from their switches"
    return broken(connection, "active_as_switched", "CUT-08", what, sql, prefix="sch")


def definitions_told(connection: apsw.Connection) -> list[Finding]:
    """AUT-05: each revision, workflow version, binding, switch and policy stands in the journal, with its digest."""
    sql = """
        WITH told AS MATERIALIZED (
            SELECT type, schedule, at, data ->> 'digest' AS digest, data ->> 'generation' AS generation
            FROM event WHERE type IN ('schedule.defined', 'pattern.defined', 'bound', 'schedule.activated',
                'policy.applied'))
        SELECT 'rev_' || r.id FROM revision r LEFT JOIN told t
            ON t.digest = r.digest AND t.schedule = r.schedule AND t.type = 'schedule.defined' WHERE t.type IS NULL
        UNION ALL SELECT 'pattern ' || p.key || '@' || p.revision FROM pattern_version p LEFT JOIN told t
            ON t.digest = p.digest AND t.type = 'pattern.defined' WHERE t.type IS NULL
        UNION ALL SELECT 'binding ' || b.id FROM binding b LEFT JOIN told t
            ON t.digest = b.digest AND t.type = 'bound' AND t.generation = b.generation WHERE t.type IS NULL
        UNION ALL SELECT 'act_' || a.id FROM activation a LEFT JOIN told t
            ON t.schedule = a.schedule AND t.at = a.decided_at AND t.type = 'schedule.activated' WHERE t.type IS NULL
        UNION ALL SELECT 'policy ' || p.generation FROM policy p LEFT JOIN told t
            ON t.generation = p.generation AND t.type = 'policy.applied' WHERE t.type IS NULL AND p.generation > 1"""
    return broken(connection, "definitions_told", "AUT-05", "the journal does not tell of", sql)


def _otherwise(connection: apsw.Connection, sql: str) -> Iterator[str]:
    """The names of rows (name, content, digest) whose content has another digest."""
    for name, content, digest in connection.execute(sql):
        if sha256(content if isinstance(content, bytes) else str(content).encode()).hexdigest() != digest:
            yield name


def _malformed(connection: apsw.Connection, sql: str) -> Iterator[str]:
    for name, snapshot, _ in connection.execute(sql):
        try:
            from_canonical(snapshot if isinstance(snapshot, bytes) else b"")
        except MalformedPattern:
            yield name


LAWS = (
    revisions_as_digested, bindings_as_digested, zone_rules_as_digested, patterns_well_formed, one_reading_a_generation,
    active_as_switched, definitions_told,
)  # fmt: skip
