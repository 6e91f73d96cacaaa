"""Pauses: a Schedule is paused while one of its pauses is open, and what a pause took lies within it (CAT-07)."""

from __future__ import annotations

import apsw

from spellweaver.ledger.audit.finding import Finding, broken


def pauses_hold(connection: apsw.Connection) -> list[Finding]:
    """CAT-07: no restart, activation or other hand ends a pause, or makes one that nobody asked for."""
    sql = """
        SELECT id FROM schedule s WHERE state IN ('active', 'paused')
            AND (state = 'paused') <> EXISTS (SELECT 1 FROM pause WHERE schedule = s.id AND ended_at IS NULL)
        UNION SELECT p.schedule FROM pause p WHERE NOT EXISTS (
            SELECT 1 FROM event e WHERE e.schedule = p.schedule AND e.type = 'schedule.paused'
                AND ifnull(e.data ->> 'begins_at', e.at) = p.begins_at)"""
    return broken(connection, "pauses_hold", "CAT-07", "Schedules that are not as their pauses say", sql, prefix="sch")


def paused_within(connection: apsw.Connection) -> list[Finding]:
    """CAT-07: what was skipped for a pause has its nominal instant in one."""
    sql = """
        SELECT 'occ_' || o.id FROM occurrence o WHERE o.state = 'skipped' AND o.reason = 'paused' AND NOT EXISTS (
            SELECT 1 FROM pause p WHERE p.schedule = o.schedule AND p.begins_at <= o.nominal_at
                AND (p.ended_at IS NULL OR o.nominal_at < p.ended_at))
        UNION ALL
        SELECT 'range ' || r.id FROM firing_range r WHERE r.state = 'skipped' AND r.reason = 'paused' AND NOT EXISTS (
            SELECT 1 FROM pause p WHERE p.schedule = r.schedule AND p.begins_at <= r.last_at
                AND (p.ended_at IS NULL OR r.first_at < p.ended_at))"""
    return broken(connection, "paused_within", "CAT-07", "firings skipped for a pause that was not", sql)


LAWS = (pauses_hold, paused_within)
