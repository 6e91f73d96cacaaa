"""What attempts hold of the accounts, and what they gave back."""

from __future__ import annotations

import apsw

from spellweaver.ledger.audit.finding import Finding, broken, open_words


def each_holds_its_share(connection: apsw.Connection) -> list[Finding]:
    """SEL-07: an attempt was granted its worker, holds it as long as it is open, and then holds nothing."""
    sql = f"""
        SELECT 'att_' || a.id FROM attempt a LEFT JOIN "grant" g ON g.attempt = a.id AND g.account = 'workers'
        WHERE g.attempt IS NULL OR (g.settled IS NULL) <> (a.state IN {open_words("attempt")})"""
    return broken(connection, "each_holds_its_share", "SEL-07", "attempts and what they hold disagree", sql)


def given_back_as_used(connection: apsw.Connection) -> list[Finding]:
    """AUT-07: a grant is rolled back where nothing ran, and released where something did."""
    sql = """
        SELECT 'att_' || a.id FROM "grant" g JOIN attempt a ON a.id = g.attempt
        WHERE g.settled IS NOT NULL AND (g.settled = 'rollback') <> (a.state = 'never_started')"""
    return broken(connection, "given_back_as_used", "AUT-07", "grants given back the wrong way", sql)


def within_capacity(connection: apsw.Connection) -> list[Finding]:
    """SEL-07: no more is held than the account ever had; a policy that takes workers away ends nothing that runs."""
    sql = """
        SELECT 'account ' || a.name FROM account a
        LEFT JOIN "grant" g ON g.account = a.name AND g.settled IS NULL GROUP BY a.name
        HAVING ifnull(sum(g.amount), 0) > max(a.capacity, (SELECT max(body ->> '$.workers') FROM policy))"""
    return broken(connection, "within_capacity", "SEL-07", "more is held than there is", sql)


def capacity_of_the_policy(connection: apsw.Connection) -> list[Finding]:
    """SEL-07: the account of workers has what the policy in force gives."""
    sql = """
        SELECT 'account workers' WHERE (SELECT capacity FROM account WHERE name = 'workers')
            IS NOT (SELECT body ->> '$.workers' FROM policy ORDER BY generation DESC LIMIT 1)"""
    return broken(connection, "capacity_of_the_policy", "SEL-07", "capacity is not the policy's", sql)


LAWS = (each_holds_its_share, given_back_as_used, within_capacity, capacity_of_the_policy)
