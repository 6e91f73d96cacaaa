"""Which firing a row or a range stands for: one fate each, under the revision that was in force."""

from __future__ import annotations

import apsw

from spellweaver.ledger.audit.finding import Finding, broken


def one_row_a_firing(connection: apsw.Connection) -> list[Finding]:
    """OCC-01: no firing has two Occurrences."""
    sql = "SELECT max(id) FROM occurrence GROUP BY schedule, generation, civil, fold HAVING count(*) > 1"
    return broken(connection, "one_row_a_firing", "OCC-01", "firings with a second Occurrence", sql, prefix="occ")


def row_or_range(connection: apsw.Connection) -> list[Finding]:
    """OCC-13: a firing with a row of its own is not counted in a range too. Missing times lie among others."""
    sql = """
        SELECT o.id FROM firing_range r CROSS JOIN occurrence o ON o.schedule = r.schedule
            AND o.generation = r.generation AND o.civil BETWEEN r.first_civil - 93600 AND r.last_civil + 93600
        WHERE (o.nominal_at > r.first_at AND o.nominal_at < r.last_at AND (o.reason = 'gap') = (r.reason = 'gap'))
            OR (o.civil, o.fold) = (r.first_civil, r.first_fold) OR (o.civil, o.fold) = (r.last_civil, r.last_fold)"""
    return broken(connection, "row_or_range", "OCC-13", "firings with a row and inside a range", sql, prefix="occ")


def ranges_apart(connection: apsw.Connection) -> list[Finding]:
    """OCC-13: no firing is counted in two ranges."""
    sql = """
        SELECT 'range ' || id FROM (
            SELECT id, first_at, max(last_at) OVER (PARTITION BY schedule, reason = 'gap' ORDER BY first_at, last_at
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM firing_range)
        WHERE first_at < before"""
    return broken(connection, "ranges_apart", "OCC-13", "ranges that reach into another", sql)


def revision_in_force(connection: apsw.Connection) -> list[Finding]:
    """OCC-04: a firing has a revision of its own Schedule and generation, in force since before its nominal instant."""
    sql = """
        WITH force AS MATERIALIZED (
            SELECT r.id AS revision, r.schedule, r.generation, min(a.begins_at) AS begins_at
            FROM revision r JOIN activation a ON a.revision = r.id AND a.schedule = r.schedule GROUP BY r.id),
        firing AS (
            SELECT 'occ_' || id AS name, schedule, generation, revision, nominal_at AS at FROM occurrence
                WHERE generation <> 0
            UNION ALL SELECT 'range ' || id, schedule, generation, revision, first_at FROM firing_range)
        SELECT f.name FROM firing f LEFT JOIN force w ON w.revision = f.revision
        WHERE w.revision IS NULL OR w.schedule <> f.schedule OR w.generation <> f.generation OR w.begins_at >= f.at"""
    return broken(connection, "revision_in_force", "OCC-04", "firings of a revision that was not in force", sql)


def partitions_kept(connection: apsw.Connection) -> list[Finding]:
    """CUT-08: what a cutover named comes as it said, under its owner; what it took for another's firing has none of its
    own.
    """
    sql = """
        WITH cut AS MATERIALIZED (
            SELECT a.schedule, a.partition, a.partition ->> '$.settled_to' AS begins, min(s.settled_to,
                ifnull(min(a.partition ->> '$.settled_to') OVER later, s.settled_to)) AS ends
            FROM activation a JOIN schedule s ON s.id = a.schedule WHERE a.partition ->> '$.span_end' IS NOT NULL
            WINDOW later AS (PARTITION BY a.schedule ORDER BY a.id ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)),
        named AS (
            SELECT c.schedule, f.value ->> 0 AS generation, f.value ->> 1 AS civil, f.value ->> 2 AS fold,
                f.value ->> 3 AS at, f.value ->> 5 AS owner, f.value ->> 6 AS skipped
            FROM cut c, json_each(c.partition, '$.firings') f
            WHERE f.value ->> 3 > c.begins AND f.value ->> 3 <= c.ends)
        SELECT 'c' || n.generation || ' at ' || n.at FROM named n
        WHERE NOT EXISTS (SELECT 1 FROM occurrence o WHERE o.schedule = n.schedule AND o.generation = n.generation
                AND o.civil = n.civil AND o.fold = n.fold AND o.revision = n.owner
                AND (o.reason = 'cutover') = n.skipped)
            AND NOT EXISTS (SELECT 1 FROM firing_range r WHERE r.schedule = n.schedule AND r.generation = n.generation
                AND n.at * 1000000 BETWEEN r.first_at AND r.last_at AND r.revision = n.owner
                AND (r.reason = 'cutover') = n.skipped)
        UNION ALL
        SELECT 'occ_' || o.id FROM cut c, json_each(c.partition, '$.aliases') v
        JOIN occurrence o ON o.schedule = c.schedule AND o.generation = v.value ->> 0 AND o.civil = v.value ->> 1
            AND o.fold = v.value ->> 2 AND o.nominal_at > c.begins * 1000000 AND o.nominal_at <= c.ends * 1000000"""
    return broken(connection, "partitions_kept", "CUT-08", "firings of which a cutover said otherwise", sql)


def bounds_of_the_revision(connection: apsw.Connection) -> list[Finding]:
    """WIN-06, CAL-08: class, jitter and window are what the revision says, counted from the nominal instant."""
    sql = """
        WITH said AS MATERIALIZED (
            SELECT id, body ->> '$.class' AS class, body ->> '$.allowed_delay_us' AS delay,
                max(body ->> '$.calendar.jitter.max_us', 1) AS jitter FROM revision)
        SELECT o.id FROM occurrence o JOIN said r ON r.id = o.revision
        WHERE o.class <> r.class OR o.due_at < o.nominal_at OR o.due_at >= o.nominal_at + r.jitter
            OR o.latest_start_at IS NOT o.nominal_at + r.delay
            OR o.not_before IS NOT CASE WHEN r.delay IS NOT NULL THEN o.due_at END"""
    what = "firings whose window is not the one their revision gives"
    return broken(connection, "bounds_of_the_revision", "WIN-06", what, sql, prefix="occ")


def nothing_past_the_mark(connection: apsw.Connection) -> list[Finding]:
    """OCC-15: a firing is on record exactly up to its Schedule's settled-to mark, and the next one is after it."""
    sql = """
        SELECT 'occ_' || o.id FROM occurrence o JOIN schedule s ON s.id = o.schedule
            WHERE o.generation <> 0 AND (s.settled_to IS NULL OR o.nominal_at > s.settled_to * 1000000)
        UNION ALL SELECT 'range ' || r.id FROM firing_range r JOIN schedule s ON s.id = r.schedule
            WHERE s.settled_to IS NULL OR r.last_at > s.settled_to * 1000000
        UNION ALL SELECT 'sch_' || id FROM schedule WHERE next_at <= settled_to * 1000000"""
    return broken(connection, "nothing_past_the_mark", "OCC-15", "the settled-to mark is passed by", sql)


def recorded_in_time(connection: apsw.Connection) -> list[Finding]:
    """OCC-14: no firing is recorded before its nominal instant, none has a fate before it is due."""
    sql = """
        SELECT id FROM occurrence WHERE created_at < nominal_at
            OR (state <> 'pending' AND decided_at < due_at AND reason NOT IN ('cutover', 'operator', 'retired'))"""
    return broken(connection, "recorded_in_time", "OCC-14", "firings decided before they were due", sql, prefix="occ")


LAWS = (
    one_row_a_firing, row_or_range, ranges_apart, revision_in_force, partitions_kept, bounds_of_the_revision,
    nothing_past_the_mark, recorded_in_time,
)  # fmt: skip
