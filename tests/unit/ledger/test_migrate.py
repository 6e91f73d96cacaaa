"""The ladder, with planted steps: each is taken once, whole or not at all, and one that is unknown is said."""

from __future__ import annotations

import threading
from pathlib import Path

import apsw
import pytest

from spellweaver.clock import VirtualClock
from spellweaver.errors import Unusable
from spellweaver.ledger import migrate, observe
from spellweaver.ledger.opening import create_ledger, open_ledger
from tests.support.engine import World, draft

FIRST = observe.VERSION
STEPS = {
    FIRST: "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT; INSERT INTO note VALUES (1, 'one')",
    FIRST + 1: "ALTER TABLE note ADD COLUMN at INTEGER NOT NULL DEFAULT 0",
}


def ledger(folder: Path) -> tuple[apsw.Connection, str]:
    world = World(folder)
    world.add(draft("s", "@hourly"))
    world.at("2026-01-01T01:00:00Z")
    assert world.path is not None
    world.ledger.close()
    return apsw.Connection(world.path), world.path


def version(connection: apsw.Connection) -> int:
    row = connection.execute("PRAGMA user_version").fetchone()
    assert row is not None
    return int(row[0])


def test_each_step_is_taken_once_and_in_order(tmp_path: Path) -> None:
    connection, path = ledger(tmp_path)
    before = connection.execute("SELECT * FROM occurrence").fetchall()
    assert migrate.climb(connection, path, steps=STEPS, top=FIRST + 2) == [FIRST, FIRST + 1]
    assert version(connection) == FIRST + 2
    assert connection.execute("SELECT * FROM note").fetchall() == [(1, "one", 0)]
    assert connection.execute("SELECT * FROM occurrence").fetchall() == before
    assert migrate.climb(connection, path, steps=STEPS, top=FIRST + 2) == []


def test_a_step_that_fails_leaves_the_version_before_it(tmp_path: Path) -> None:
    connection, path = ledger(tmp_path)
    broken = STEPS | {FIRST + 1: "INSERT INTO note VALUES (2, 'two'); INSERT INTO nowhere VALUES (1)"}
    with pytest.raises(apsw.SQLError, match="nowhere"):
        migrate.climb(connection, path, steps=broken, top=FIRST + 2)
    assert version(connection) == FIRST + 1
    assert connection.execute("SELECT * FROM note").fetchall() == [(1, "one")], "no half of a step stays"
    assert migrate.climb(connection, path, steps=STEPS, top=FIRST + 2) == [FIRST + 1]


def test_a_step_that_is_not_known_is_said_and_nothing_is_written(tmp_path: Path) -> None:
    connection, path = ledger(tmp_path)
    with pytest.raises(Unusable, match=f"version {FIRST}; no step leads from there to {FIRST + 2}") as said:
        migrate.climb(connection, path, steps={FIRST + 1: STEPS[FIRST + 1]}, top=FIRST + 2)
    assert (said.value.exit_status, version(connection)) == (78, FIRST)


def test_a_file_that_is_no_ledger_is_not_climbed(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "other.db"))
    with pytest.raises(Unusable, match="not a spellweaver ledger"):
        migrate.climb(connection, "other.db", steps=STEPS, top=FIRST + 2)


def test_two_programs_that_climb_at_once_take_each_step_once(tmp_path: Path) -> None:
    connection, path = ledger(tmp_path)
    connection.execute("BEGIN IMMEDIATE")
    waits, taken = threading.Event(), list[int]()

    def begins(_cursor: apsw.Cursor, sql: str, _values: object) -> bool:
        if sql.startswith("BEGIN"):
            waits.set()
        return True

    def climb() -> None:
        second = apsw.Connection(path)
        second.set_busy_timeout(20_000)
        second.exec_trace = begins
        taken.extend(migrate.climb(second, path, steps=STEPS, top=FIRST + 2))

    other = threading.Thread(target=climb)
    other.start()
    assert waits.wait(20), "it has seen the first version, and now waits for the lock"
    connection.execute(STEPS[FIRST])
    connection.execute(f"PRAGMA user_version = {FIRST + 1}")
    connection.execute("COMMIT")
    other.join(20)
    assert taken == [FIRST + 1]
    assert connection.execute("SELECT * FROM note").fetchall() == [(1, "one", 0)]


def test_the_ladder_leads_to_the_schema_that_a_new_ledger_has(tmp_path: Path) -> None:
    """The last rung is this program's version, and no step stands beyond it."""
    made = create_ledger(f"{tmp_path}/new/ledger.db", VirtualClock(1), actor="test", machine="here")
    assert version(made.connection) == observe.VERSION == 1 + len(migrate.STEPS)
    assert sorted(migrate.STEPS) == list(range(1, observe.VERSION))
    made.close()
    open_ledger(f"{tmp_path}/new/ledger.db", VirtualClock(1), actor="test").close()


def objects(connection: apsw.Connection) -> set[str]:
    return {str(sql) for (sql,) in connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")}


def test_a_ledger_of_the_first_version_is_brought_to_this_one_when_it_is_opened_for_writing(tmp_path: Path) -> None:
    """The first version had no pauses."""
    connection, path = ledger(tmp_path)
    wanted, events = objects(connection), connection.execute("SELECT * FROM event").fetchall()
    connection.execute("DROP TABLE pause; DROP INDEX schedule_paused; DROP TABLE external_firing; "
        "DROP INDEX occurrence_inbox; PRAGMA user_version = 1")
    connection.close()
    with pytest.raises(Unusable, match="version 1") as said, observe.observe(path):
        pass
    assert said.value.hint is not None and "any command that writes" in said.value.hint
    open_ledger(path, VirtualClock(2_000_000_000_000_000), actor="test").close()
    connection = apsw.Connection(path)
    assert (version(connection), objects(connection)) == (observe.VERSION, wanted)
    assert connection.execute("SELECT * FROM event").fetchall() == events
