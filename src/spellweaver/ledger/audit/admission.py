"""What was admitted, and what ended without a run: inside its window or past it, and whole."""

from __future__ import annotations

import apsw

from spellweaver.ledger.audit.finding import Finding, broken, open_words


def admitted_has_invocation(connection: apsw.Connection) -> list[Finding]:
    """OCC-16: an admitted Occurrence has its one Invocation, and no other has any."""
    sql = """
        SELECT o.id FROM occurrence o LEFT JOIN invocation i ON i.occurrence = o.id
        WHERE (o.state = 'admitted') <> (i.id IS NOT NULL) OR o.schedule <> i.schedule
        UNION SELECT occurrence FROM invocation GROUP BY 1 HAVING count(*) > 1"""
    what = "firings admitted without their one Invocation, or with one and not admitted"
    return broken(connection, "admitted_has_invocation", "OCC-16", what, sql, prefix="occ")


def admission_whole(connection: apsw.Connection) -> list[Finding]:
    """OCC-16, ADM-2: an Invocation has its Run, first delivery, first attempt and grant."""
    sql = """
        SELECT i.id FROM invocation i LEFT JOIN run r ON r.invocation = i.id
        LEFT JOIN delivery d ON d.run = r.id AND d.seq = 1
        LEFT JOIN attempt a ON a.run = d.run AND a.delivery = 1 AND a.nth = 1
        LEFT JOIN "grant" g ON g.attempt = a.id WHERE g.attempt IS NULL"""
    return broken(connection, "admission_whole", "OCC-16", "admissions that lack a part", sql, prefix="inv")


def admission_is_one_act(connection: apsw.Connection) -> list[Finding]:
    """OCC-16: Occurrence, Invocation, first attempt and one event tell of the admission at one time."""
    sql = """
        SELECT i.id FROM invocation i JOIN occurrence o ON o.id = i.occurrence LEFT JOIN run r ON r.invocation = i.id
        LEFT JOIN attempt a ON a.run = r.id AND a.delivery = 1 AND a.nth = 1
        WHERE o.decided_at IS NOT i.admitted_at OR a.granted_at IS NOT i.admitted_at OR (
            SELECT count(*) FROM event e WHERE e.occurrence = o.id AND e.type = 'occurrence.admitted'
                AND e.invocation = i.id AND e.at = i.admitted_at AND e.data ->> 'reason' = o.reason) <> 1"""
    return broken(connection, "admission_is_one_act", "OCC-16", "admissions told of otherwise", sql, prefix="inv")


def admitted_in_window(connection: apsw.Connection) -> list[Finding]:
    """WIN-01, OCC-14: admitted at or after the due instant and before every bound."""
    sql = """
        SELECT id FROM occurrence WHERE state = 'admitted'
            AND (decided_at < due_at OR decided_at >= latest_start_at OR decided_at >= finish_by)"""
    return broken(connection, "admitted_in_window", "WIN-01", "admitted outside their window", sql, prefix="occ")


def missed_past_bound(connection: apsw.Connection) -> list[Finding]:
    """WIN-05: missed means that a bound had been reached."""
    sql = """
        SELECT id FROM occurrence WHERE state = 'missed' AND (latest_start_at IS NULL OR decided_at < latest_start_at)
            AND (finish_by IS NULL OR decided_at < finish_by)"""
    return broken(connection, "missed_past_bound", "WIN-05", "missed before their window closed", sql, prefix="occ")


def one_at_a_time(connection: apsw.Connection) -> list[Finding]:
    """OVL-04: under ``forbid`` a Schedule has one open Invocation, whatever its revision and state."""
    sql = f"""
        SELECT max(id) FROM invocation WHERE exclusive = 1 AND state IN {open_words("invocation")}
        GROUP BY schedule HAVING count(*) > 1"""
    return broken(connection, "one_at_a_time", "OVL-04", "runs beside another of their Schedule", sql, prefix="inv")


def pinned_version(connection: apsw.Connection) -> list[Finding]:
    """PAT-19: a Run is of exactly the workflow version that its firing's revision names."""
    sql = """
        SELECT i.id FROM invocation i JOIN occurrence o ON o.id = i.occurrence JOIN revision v ON v.id = o.revision
        JOIN pattern_version p ON p.id = v.pattern JOIN run r ON r.invocation = i.id
        WHERE r.pattern <> v.pattern OR r.name <> p.key OR p.digest <> v.body ->> '$.pattern.digest'"""
    return broken(connection, "pinned_version", "PAT-19", "runs of another workflow version", sql, prefix="inv")


LAWS = (
    admitted_has_invocation, admission_whole, admission_is_one_act, admitted_in_window, missed_past_bound,
    one_at_a_time, pinned_version,
)  # fmt: skip
