"""What stands of processes: who they were, that none was started twice, and what proved them gone."""

from __future__ import annotations

import apsw

from spellweaver.ledger.audit.finding import Finding, broken


def identity_before_start(connection: apsw.Connection) -> list[Finding]:
    """RCV-01: who a command is was on record before its gate opened, so whatever ran or runs has an identity."""
    sql = """
        SELECT 'att_' || id FROM attempt WHERE state IN ('running', 'exited', 'signalled', 'timed_out')
            AND (pid IS NULL OR shim_pid IS NULL OR boot IS NULL OR started_at IS NULL OR launched_at IS NULL)"""
    return broken(connection, "identity_before_start", "RCV-01", "attempts that ran unknown to the ledger", sql)


def no_process_twice(connection: apsw.Connection) -> list[Finding]:
    """RCV-01: no process is two attempts. A kernel without pidfd inodes can't tell them apart for certain."""
    sql = """
        SELECT 'att_' || max(id) FROM attempt WHERE inode <> 0 GROUP BY boot, pid, ticks, inode HAVING count(*) > 1"""
    return broken(connection, "no_process_twice", "RCV-01", "attempts with the process of another", sql)


def containment_proved(connection: apsw.Connection) -> list[Finding]:
    """RCV-02: what was contained ended by a proof on record, and so did what is lost."""
    sql = """
        SELECT i.id FROM event e JOIN invocation i ON i.id = e.invocation JOIN run r ON r.invocation = i.id
        WHERE e.type = 'invocation.contained' AND i.ended_at IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM attempt a JOIN proof p ON p.attempt = a.id WHERE a.run = r.id)
        UNION
        SELECT i.id FROM attempt a JOIN run r ON r.id = a.run JOIN invocation i ON i.id = r.invocation
        WHERE a.state = 'lost' AND NOT EXISTS (SELECT 1 FROM proof p WHERE p.attempt = a.id)"""
    return broken(connection, "containment_proved", "RCV-02", "contained runs that ended unproved", sql, prefix="inv")


def proof_of_an_end(connection: apsw.Connection) -> list[Finding]:
    """RCV-02: a proof ends an attempt, in the same breath."""
    sql = """
        SELECT 'att_' || a.id FROM proof p JOIN attempt a ON a.id = p.attempt WHERE a.ended_at IS NOT p.at"""
    return broken(connection, "proof_of_an_end", "RCV-02", "proofs of attempts that did not end by them", sql)


def bound_to_its_station(connection: apsw.Connection) -> list[Finding]:
    """CFG-4: an attempt used a binding of its own workflow version and station."""
    sql = """
        SELECT 'att_' || a.id FROM attempt a JOIN binding b ON b.id = a.binding JOIN run r ON r.id = a.run
        JOIN pattern_version p ON p.id = r.pattern JOIN delivery d ON d.run = a.run AND d.seq = a.delivery
        WHERE b.pattern_key <> p.key OR b.pattern_revision <> p.revision OR b.station <> d.station"""
    return broken(connection, "bound_to_its_station", "CFG-4", "attempts with the binding of another station", sql)


LAWS = (identity_before_start, no_process_twice, containment_proved, proof_of_an_end, bound_to_its_station)
