"""States that go together: of an Invocation, its delivery and its attempts, open and over."""

from __future__ import annotations

import apsw

from spellweaver.ledger.audit.finding import Finding, broken, open_words


def one_open_attempt(connection: apsw.Connection) -> list[Finding]:
    """OVL-02, OCC-16: an open Invocation has one attempt at work, one that is over has none."""
    sql = f"""
        SELECT i.id FROM invocation i LEFT JOIN run r ON r.invocation = i.id
        LEFT JOIN attempt a ON a.run = r.id AND a.state IN {open_words("attempt")}
        GROUP BY i.id HAVING count(a.id) <> (i.state IN {open_words("invocation")})"""
    what = "runs with an attempt at work too many or too few"
    return broken(connection, "one_open_attempt", "OVL-02", what, sql, prefix="inv")


def states_agree(connection: apsw.Connection) -> list[Finding]:
    """OCC-12: an open Invocation, its delivery and its attempt are in states that go together."""
    sql = f"""
        SELECT i.id FROM invocation i JOIN run r ON r.invocation = i.id
        JOIN attempt a ON a.run = r.id AND a.state IN {open_words("attempt")}
        JOIN delivery d ON d.run = a.run AND d.seq = a.delivery
        WHERE d.state <> CASE a.state WHEN 'granted' THEN 'pending' ELSE 'claimed' END
            OR NOT CASE i.state WHEN 'queued' THEN a.state IN ('granted', 'launching')
                WHEN 'cancelling' THEN a.state IN ('launching', 'running') ELSE a.state = i.state END"""
    return broken(connection, "states_agree", "OCC-12", "runs whose attempt is in another state", sql, prefix="inv")


def deliveries_settled(connection: apsw.Connection) -> list[Finding]:
    """OCC-12: every delivery of an Invocation that is over is settled, and none before its attempts are over."""
    sql = f"""
        SELECT i.id FROM delivery d JOIN run r ON r.id = d.run JOIN invocation i ON i.id = r.invocation
        WHERE (d.state = 'settled' AND EXISTS (SELECT 1 FROM attempt a
                WHERE a.run = d.run AND a.delivery = d.seq AND a.state IN {open_words("attempt")}))
            OR (d.state <> 'settled' AND i.state NOT IN {open_words("invocation")})"""
    what = "runs whose delivery does not go with them"
    return broken(connection, "deliveries_settled", "OCC-12", what, sql, prefix="inv")


def one_real_attempt(connection: apsw.Connection) -> list[Finding]:
    """RCV-01: a delivery is tried again only after an attempt of which no instruction ran."""
    sql = """
        SELECT 'att_' || id FROM (
            SELECT id, nth, state, row_number() OVER line AS place, lead(nth) OVER line AS later
            FROM attempt WINDOW line AS (PARTITION BY run, delivery ORDER BY nth))
        WHERE nth <> place OR (later IS NOT NULL AND state <> 'never_started')"""
    return broken(connection, "one_real_attempt", "RCV-01", "attempts that were followed by another", sql)


def end_follows_begin(connection: apsw.Connection) -> list[Finding]:
    """OCC-12: what ended was admitted before, in the journal's own order, and nothing is told of it afterwards but
    that its event came again with other content.
    """
    sql = """
        SELECT occurrence FROM (
            SELECT occurrence, max(seq) FILTER (WHERE type = 'occurrence.admitted') AS admitted,
                min(seq) FILTER (WHERE type GLOB 'invocation.*') AS began, max(seq) AS last,
                max(seq) FILTER (WHERE type IN ('invocation.completed', 'invocation.failed', 'invocation.cancelled',
                    'invocation.timed_out', 'occurrence.missed', 'occurrence.skipped', 'occurrence.refused')) AS ended
            FROM event WHERE occurrence IS NOT NULL AND type <> 'occurrence.conflict' GROUP BY occurrence)
        WHERE ended < last OR (began IS NOT NULL AND (admitted IS NULL OR began < admitted))"""
    return broken(connection, "end_follows_begin", "OCC-12", "firings told of out of order", sql, prefix="occ")


def exit_is_the_outcome(connection: apsw.Connection) -> list[Finding]:
    """RCV-01: completed means that the command's own exit said so, or a named operator did."""
    sql = """
        WITH success AS MATERIALIZED (
            SELECT b.id AS binding, code.value AS code FROM binding b, json_each(b.body, '$.success') code)
        SELECT i.id FROM invocation i JOIN run r ON r.invocation = i.id
        JOIN attempt a ON a.id = (SELECT max(id) FROM attempt WHERE run = r.id)
        LEFT JOIN success s ON s.binding = a.binding AND s.code = a.code AND a.state = 'exited'
        LEFT JOIN proof p ON p.attempt = a.id AND p.kind = 'operator'
        WHERE i.state = 'completed' AND s.binding IS NULL AND p.attempt IS NULL"""
    return broken(connection, "exit_is_the_outcome", "RCV-01", "runs completed without a success", sql, prefix="inv")


def no_start_past_finish(connection: apsw.Connection) -> list[Finding]:
    """WIN-06: nothing is started at or past a finish bound."""
    sql = """
        SELECT i.id FROM occurrence o JOIN invocation i ON i.occurrence = o.id JOIN run r ON r.invocation = i.id
        JOIN attempt a ON a.run = r.id WHERE a.started_at >= o.finish_by"""
    return broken(connection, "no_start_past_finish", "WIN-06", "runs begun past their finish bound", sql, prefix="inv")


LAWS = (
    one_open_attempt, states_agree, deliveries_settled, one_real_attempt, end_follows_begin, exit_is_the_outcome,
    no_start_past_finish,
)  # fmt: skip
