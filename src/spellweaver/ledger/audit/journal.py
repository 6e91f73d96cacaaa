"""The journal by itself, and the journal against the rows: what stands in a row was told, with the same words."""

from __future__ import annotations

import apsw

from spellweaver.errors import Unusable
from spellweaver.ledger import journal
from spellweaver.ledger.audit.finding import RESTORE, Finding, broken


def chain_verifies(connection: apsw.Connection) -> list[Finding]:
    """AUT-05: every event is chained to the one before it by its hash, and none is missing."""
    try:
        journal.verify(connection)
    except Unusable as altered:
        return [Finding("chain_verifies", "AUT-05", altered.message, RESTORE)]
    return []


def numbered_in_order(connection: apsw.Connection) -> list[Finding]:
    """AUT-05: numbers have no gap, and events of one transaction stand together under the number of the first."""
    sql = """
        SELECT seq FROM (SELECT seq, txn, lag(seq, 1, 0) OVER line AS before, lag(txn) OVER line AS earlier FROM event
            WINDOW line AS (ORDER BY seq))
        WHERE seq <> before + 1 OR (txn <> seq AND txn IS NOT earlier)"""
    return broken(connection, "numbered_in_order", "AUT-05", "events out of order", sql, prefix="evt")


def clock_steps_told(connection: apsw.Connection) -> list[Finding]:
    """CAT-05: time goes back from one event to the next only in a transaction that says so."""
    sql = """
        SELECT seq FROM (SELECT seq, txn, at, lag(at) OVER (ORDER BY seq) AS before FROM event) e
        WHERE at < before AND NOT EXISTS (
            SELECT 1 FROM event c WHERE c.seq >= e.txn AND c.txn = e.txn AND c.type = 'clock_stepped_back')"""
    return broken(connection, "clock_steps_told", "CAT-05", "time went back untold", sql, prefix="evt")


def fates_told(connection: apsw.Connection) -> list[Finding]:
    """OCC-18: the outcome, or the present obstacle, of each firing is told with its reason and its time."""
    sql = """
        SELECT 'occ_' || o.id FROM occurrence o WHERE NOT EXISTS (
            SELECT 1 FROM event e WHERE e.occurrence = o.id AND e.schedule = o.schedule AND CASE
                WHEN o.state <> 'pending' THEN e.type = 'occurrence.' || o.state AND e.data ->> 'reason' = o.reason
                    AND e.at = o.decided_at
                WHEN o.reason = 'not_yet' THEN e.type GLOB 'occurrence.*'
                ELSE e.type = 'occurrence.pending' AND e.data ->> 'reason' = o.reason END)
        UNION ALL SELECT 'range ' || r.id FROM firing_range r LEFT JOIN (
            SELECT type, schedule, at, data ->> 'reason' AS reason, data ->> 'range' AS range, data ->> 'count' AS count
            FROM event WHERE type GLOB 'range.*') e
            ON e.range = r.id AND e.schedule = r.schedule AND e.type = 'range.' || r.state AND e.reason = r.reason
            AND e.count = r.count AND e.at = r.decided_at
        WHERE e.range IS NULL"""
    return broken(connection, "fates_told", "OCC-18", "firings whose fate the journal tells otherwise", sql)


def runs_told(connection: apsw.Connection) -> list[Finding]:
    """OCC-18: the end of each run is told with its reason and its time, and so are cancellation and containment."""
    sql = """
        SELECT i.id FROM invocation i WHERE i.state NOT IN ('queued', 'running') AND NOT EXISTS (
            SELECT 1 FROM event e WHERE e.occurrence = i.occurrence AND e.invocation = i.id
                AND e.type = 'invocation.' || i.state AND e.at = ifnull(i.ended_at, e.at)
                AND (i.state = 'contained' OR e.data ->> 'reason' = i.reason))"""
    return broken(connection, "runs_told", "OCC-18", "runs whose state the journal tells otherwise", sql, prefix="inv")


def stops_told(connection: apsw.Connection) -> list[Finding]:
    """RCV-05: a Schedule that stopped says why, and so does the journal."""
    sql = """
        SELECT id FROM schedule s WHERE (state = 'stopped') <> (why IS NOT NULL) OR (state = 'stopped' AND NOT EXISTS (
            SELECT 1 FROM event WHERE schedule = s.id AND type = 'schedule.stopped' AND data ->> 'why' = s.why))"""
    return broken(connection, "stops_told", "RCV-05", "Schedules stopped without a word", sql, prefix="sch")


WHOLE_CHAIN = (chain_verifies,)
LAWS = (numbered_in_order, clock_steps_told, fates_told, runs_told, stops_told)
