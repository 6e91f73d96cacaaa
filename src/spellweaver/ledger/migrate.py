"""The ladder from an older ledger to this version: numbered steps, each one transaction, none ever skipped or taken
twice.

``STEPS[n]`` is the SQL that turns version n into n + 1. A ledger that is newer than the program is refused by
``observe`` and never touched (RP-74). A test compares the schema after the last step with ``schema.sql``.
"""

from __future__ import annotations

import os

import apsw

from spellweaver.errors import Unusable
from spellweaver.ledger import observe

# 1: pauses; 2: events from outside
STEPS: dict[int, str] = {
    1: """
CREATE TABLE pause (
    id INTEGER PRIMARY KEY,
    schedule INTEGER NOT NULL REFERENCES schedule (id),
    begins_at INTEGER NOT NULL,
    until_at INTEGER,
    ended_at INTEGER,
    why TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX pause_open ON pause (schedule) WHERE ended_at IS NULL;
CREATE INDEX pause_until ON pause (until_at) WHERE ended_at IS NULL AND until_at IS NOT NULL;
CREATE INDEX pause_of_schedule ON pause (schedule, ended_at);
CREATE INDEX schedule_paused ON schedule (next_at) WHERE state = 'paused' AND next_at IS NOT NULL;
CREATE TRIGGER pause_ended BEFORE UPDATE ON pause WHEN OLD.ended_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'pause: ended once'); END;
CREATE TRIGGER pause_identity BEFORE UPDATE OF id, schedule, begins_at ON pause
BEGIN SELECT RAISE(ABORT, 'pause: its begin never changes'); END;
CREATE TRIGGER pause_kept BEFORE DELETE ON pause BEGIN SELECT RAISE(ABORT, 'pause: never goes'); END;
""",
    2: """
CREATE TABLE external_firing (
    id INTEGER PRIMARY KEY,
    schedule INTEGER NOT NULL REFERENCES schedule (id),
    source TEXT NOT NULL CHECK (length(source) > 0),
    event_id TEXT NOT NULL CHECK (length(event_id) > 0),
    content_digest BLOB NOT NULL CHECK (length(content_digest) = 32),
    content BLOB,
    origin TEXT NOT NULL CHECK (origin IN ('operator', 'agent', 'peer')),
    principal TEXT NOT NULL,
    received_at INTEGER NOT NULL,
    UNIQUE (schedule, source, event_id)
) STRICT;
CREATE TRIGGER external_firing_unchanged BEFORE UPDATE ON external_firing
BEGIN SELECT RAISE(ABORT, 'external firing: never changes'); END;
CREATE TRIGGER external_firing_kept BEFORE DELETE ON external_firing
BEGIN SELECT RAISE(ABORT, 'external firing: identity never goes'); END;
CREATE INDEX occurrence_inbox ON occurrence (schedule) WHERE state = 'pending' AND generation = 0;
""",
}


def newest() -> str:
    """The SQL that makes a ledger of this version."""
    with open(f"{os.path.dirname(__file__)}/schema.sql", encoding="utf-8") as file:
        return file.read()


def climb(
    connection: apsw.Connection, path: str, *, steps: dict[int, str] = STEPS, top: int = observe.VERSION
) -> list[int]:
    """Takes the steps that are missing and returns their numbers. Raises Unusable when a step is not known or the
    file is no ledger.
    """
    taken = []
    while _version(connection, path) < top:
        connection.execute("BEGIN IMMEDIATE")
        try:
            version = _version(connection, path)  # again, the lock being held: another program may climb too
            if version < top:
                connection.execute(_step(steps, version, path, top))
                connection.execute(f"PRAGMA user_version = {version + 1}")
                taken.append(version)
            connection.execute("COMMIT")
        except BaseException:
            if not connection.get_autocommit():
                connection.execute("ROLLBACK")
            raise
    return taken


def _step(steps: dict[int, str], version: int, path: str, top: int) -> str:
    if version not in steps:
        raise Unusable(
            "ledger_version",
            f"{path} has ledger version {version}; no step leads from there to {top}",
            path=path,
            found=version,
            known=top,
        )
    return steps[version]


def _version(connection: apsw.Connection, path: str) -> int:
    application = connection.execute("PRAGMA application_id").fetchone()
    if application != (observe.APPLICATION_ID,):
        raise Unusable("not_a_ledger", f"{path} is not a spellweaver ledger", path=path)
    row = connection.execute("PRAGMA user_version").fetchone()
    assert row is not None
    return int(row[0])
