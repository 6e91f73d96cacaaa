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

STEPS = {
    1: "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT; INSERT INTO note VALUES (1, 'one')",
    2: "ALTER TABLE note ADD COLUMN at INTEGER NOT NULL DEFAULT 0",
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
    assert migrate.climb(connection, path, steps=STEPS, top=3) == [1, 2]
    assert version(connection) == 3
    assert connection.execute("SELECT * FROM note").fetchall() == [(1, "one", 0)]
    assert connection.execute("SELECT * FROM occurrence").fetchall() == before
    assert migrate.climb(connection, path, steps=STEPS, top=3) == []


def test_a_step_that_fails_leaves_the_version_before_it(tmp_path: Path) -> None:
    connection, path = ledger(tmp_path)
    broken = STEPS | {2: "INSERT INTO note VALUES (2, 'two'); INSERT INTO nowhere VALUES (1)"}
    with pytest.raises(apsw.SQLError, match="nowhere"):
        migrate.climb(connection, path, steps=broken, top=3)
    assert version(connection) == 2
    assert connection.execute("SELECT * FROM note").fetchall() == [(1, "one")], "no half of a step stays"
    assert migrate.climb(connection, path, steps=STEPS, top=3) == [2]


def test_a_step_that_is_not_known_is_said_and_nothing_is_written(tmp_path: Path) -> None:
    connection, path = ledger(tmp_path)
    with pytest.raises(Unusable, match="version 1; no step leads from there to 3") as said:
        migrate.climb(connection, path, steps={2: STEPS[2]}, top=3)
    assert (said.value.exit_status, version(connection)) == (78, 1)


def test_a_file_that_is_no_ledger_is_not_climbed(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "other.db"))
    with pytest.raises(Unusable, match="not a spellweaver ledger"):
        migrate.climb(connection, "other.db", steps=STEPS, top=3)


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
        taken.extend(migrate.climb(second, path, steps=STEPS, top=3))

    other = threading.Thread(target=climb)
    other.start()
    assert waits.wait(20), "it has seen version 1, and now waits for the lock"
    connection.execute(STEPS[1])
    connection.execute("PRAGMA user_version = 2")
    connection.execute("COMMIT")
    other.join(20)
    assert taken == [2]
    assert connection.execute("SELECT * FROM note").fetchall() == [(1, "one", 0)]


def test_the_ladder_leads_to_the_schema_that_a_new_ledger_has(tmp_path: Path) -> None:
    """The last rung is this program's version, and no step stands beyond it."""
    made = create_ledger(f"{tmp_path}/new/ledger.db", VirtualClock(1), actor="test", machine="here")
    assert version(made.connection) == observe.VERSION == 1 + len(migrate.STEPS)
    assert sorted(migrate.STEPS) == list(range(1, observe.VERSION))
    made.close()
    open_ledger(f"{tmp_path}/new/ledger.db", VirtualClock(1), actor="test").close()
