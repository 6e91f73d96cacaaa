"""Outside events: each with its one Occurrence, what it was known by, and what the journal told of it."""

from __future__ import annotations

import apsw

from spellweaver.core.event import digest
from spellweaver.ledger.audit.finding import Finding, broken, finding


def one_occurrence_an_event(connection: apsw.Connection) -> list[Finding]:
    """OCC-01, OCC-16: an event has exactly one Occurrence, of its own Schedule, and an external one has its event."""
    sql = """
        SELECT 'occ_' || o.id FROM occurrence o LEFT JOIN external_firing x ON x.id = o.civil
            WHERE o.generation = 0 AND (x.id IS NULL OR x.schedule <> o.schedule OR o.fold <> -1)
        UNION ALL SELECT 'event ' || x.source || ':' || x.event_id FROM external_firing x LEFT JOIN occurrence o
            ON o.schedule = x.schedule AND o.generation = 0 AND o.civil = x.id GROUP BY x.id HAVING count(o.id) <> 1
        UNION ALL SELECT 'event ' || max(source || ':' || event_id) FROM external_firing
            GROUP BY schedule, source, event_id HAVING count(*) > 1"""
    return broken(connection, "one_occurrence_an_event", "OCC-01", "events without their one Occurrence", sql)


def assigned_when_received(connection: apsw.Connection) -> list[Finding]:
    """OCC-07, WIN-10: its instants are that of its assignment, under a revision that had been activated by then."""
    sql = """
        SELECT o.id FROM occurrence o JOIN external_firing x ON x.id = o.civil
        WHERE o.generation = 0 AND (o.nominal_at <> x.received_at OR o.due_at <> x.received_at
            OR o.created_at <> x.received_at OR o.mode <> 'live' OR NOT EXISTS (
                SELECT 1 FROM activation a JOIN revision r ON r.id = a.revision
                JOIN event t ON t.type = 'schedule.activated' AND t.schedule = a.schedule AND t.at = a.decided_at
                    AND t.data ->> 'revision' = r.number
                WHERE a.schedule = o.schedule AND a.revision = o.revision
                    AND t.seq < (SELECT min(seq) FROM event WHERE occurrence = o.id)))"""
    what = "events that are not assigned as they came"
    return broken(connection, "assigned_when_received", "OCC-07", what, sql, prefix="occ")


def events_told(connection: apsw.Connection) -> list[Finding]:
    """OCC-06, OCC-18: the journal told of each under its name, with the digest that it is kept under."""
    sql = """
        SELECT o.id FROM occurrence o JOIN external_firing x ON x.id = o.civil WHERE o.generation = 0 AND NOT EXISTS (
            SELECT 1 FROM event e WHERE e.occurrence = o.id AND e.at = x.received_at
                AND e.type IN ('occurrence.stored', 'occurrence.skipped') AND e.data ->> 'source' = x.source
                AND e.data ->> 'event_id' = x.event_id AND e.data ->> 'origin' = x.origin
                AND e.data ->> 'principal' = x.principal
                AND e.data ->> 'content_digest' = lower(hex(x.content_digest)))"""
    return broken(connection, "events_told", "OCC-06", "events told of otherwise", sql, prefix="occ")


def content_is_kept(connection: apsw.Connection) -> list[Finding]:
    """OCC-06: what is kept of an event is what its digest says."""
    sql = "SELECT source || ':' || event_id, ifnull(content, x''), content_digest FROM external_firing"
    rows = connection.execute(sql)
    wrong = (f"event {name}" for name, content, said in rows if digest(content) != said)
    return finding("content_is_kept", "OCC-06", "events whose content is another", wrong)


LAWS = (one_occurrence_an_event, assigned_when_received, events_told, content_is_kept)
