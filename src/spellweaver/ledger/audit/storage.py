"""The file itself: its pages, its settings, and the laws that the schema holds."""

from __future__ import annotations

from functools import cache

import apsw

from spellweaver.ledger import migrate, observe
from spellweaver.ledger.audit.finding import Finding, broken, finding

SETTINGS = {
    "application_id": observe.APPLICATION_ID, "user_version": observe.VERSION, "journal_mode": "wal", "synchronous": 2,
    "foreign_keys": 1,
}  # fmt: skip


def pages_whole(connection: apsw.Connection) -> list[Finding]:
    """RCV-04: every page and every index is what SQLite expects."""
    sql = "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'"
    return broken(connection, "pages_whole", "RCV-04", "the file is damaged", sql)


def references_whole(connection: apsw.Connection) -> list[Finding]:
    """RCV-04: what a row refers to is there."""
    sql = """SELECT DISTINCT "table" || ' without its ' || parent FROM pragma_foreign_key_check"""
    return broken(connection, "references_whole", "RCV-04", "rows refer to what is not there", sql)


def schema_whole(connection: apsw.Connection) -> list[Finding]:
    """RCV-04: every table, index and trigger is this version's, so that the database refuses what it has to."""
    have, need = _objects(connection), _needed()
    wrong = sorted(name for name in have.keys() | need.keys() if have.get(name) != need.get(name))
    return finding("schema_whole", "RCV-04", "the ledger's schema was altered", wrong)


def settings_safe(connection: apsw.Connection) -> list[Finding]:
    """RCV-04: what makes a commit durable is set. A ledger in memory has no log and no disk."""
    wrong, on_disk = [], bool(connection.db_filename("main"))
    for name, value in SETTINGS.items():
        row = connection.execute(f"PRAGMA {name}").fetchone()
        if row != (value,) and (on_disk or name in ("application_id", "user_version")):
            wrong.append(f"{name} is {row[0] if row else None} and not {value}")
    return finding("settings_safe", "RCV-04", "the ledger's settings are not safe", wrong)


def one_ledger(connection: apsw.Connection) -> list[Finding]:
    """SIM-01: the row that names the ledger agrees with its first event; a real one was never a simulated one."""
    sql = """
        SELECT 'its row' WHERE (SELECT count(*) FROM ledger) <> 1
        UNION ALL
        SELECT 'its first event' FROM ledger WHERE NOT EXISTS (
            SELECT 1 FROM event e WHERE e.seq = 1 AND e.type = 'ledger.made' AND e.at = ledger.made_at
                AND e.data ->> 'id' = ledger.id AND (ledger.kind = 'simulated' OR e.data ->> 'kind' = ledger.kind))"""
    return broken(connection, "one_ledger", "SIM-01", "the ledger is not the one that was made", sql)


def machine_told(connection: apsw.Connection) -> list[Finding]:
    """RCV-02: the machine that the ledger belongs to is the one that made it, or the last that adopted it."""
    sql = """
        SELECT 'machine ' || substr(machine, 1, 12) FROM ledger WHERE machine IS NOT (
            SELECT ifnull(data ->> 'machine_after', data ->> 'machine') FROM event
            WHERE type IN ('ledger.made', 'ledger.adopted') ORDER BY seq DESC LIMIT 1)"""
    return broken(connection, "machine_told", "RCV-02", "the journal does not tell of", sql)


def _objects(connection: apsw.Connection) -> dict[str, str]:
    found = connection.execute("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
    return {f"{type_} {name}": str(sql) for type_, name, sql in found if not str(name).startswith("sqlite_")}


@cache
def _needed() -> dict[str, str]:
    fresh = apsw.Connection(":memory:")
    fresh.execute(migrate.newest())
    needed = _objects(fresh)
    fresh.close()
    return needed


WHOLE_FILE = (pages_whole,)
LAWS = (references_whole, schema_whole, settings_safe, one_ledger, machine_told)
