"""A twin of the engine: the same rows and the same chained events, by the same statements, with nothing decided.

It knows beforehand what the answer is (daily firings of revisions of one calendar, all in time, nothing in their way),
so its time is what SQLite, JSON and SHA-256 take: the limit for a tick. ``equal`` proves that it is a twin: after both
have done their work on copies of one ledger, their rows are the same, the hashes of the journal too.

It leaves out what guards the product: decision times that are sampled, savepoints, checked numbers of changed rows.
"""

from __future__ import annotations

import json
from hashlib import sha256

import apsw

from spellweaver.ledger.queries import load

ADMISSION, MATERIALIZE, SETTLEMENT = load("admission"), load("materialize"), load("settlement")
SECOND, DAY_S, DELAY_US = 1_000_000, 86_400, 3 * 3600 * 1_000_000
_EVENT = (
    "INSERT INTO event (seq, txn, at, type, schedule, occurrence, invocation, actor, data, hash) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_DUE = (
    "SELECT s.id, s.settled_to, s.active, r.generation FROM schedule s JOIN revision r ON r.id = s.active "
    "WHERE s.state = 'active' AND s.next_at <= ? ORDER BY s.next_at LIMIT ?"
)


class Twin:
    """Works on an existing ledger file. ``now`` is what its clock says all the time, in UTC seconds."""

    def __init__(self, path: str, *, actor: str, allowance_us: int) -> None:
        self.connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
        self.connection.execute("PRAGMA foreign_keys = ON")
        self.connection.execute("PRAGMA synchronous = FULL")
        self.actor = actor
        self.allowance_us = allowance_us

    def materialize(self, now: int, *, limit: int) -> int:
        """One transaction: stores the firing at ``now`` of so many Schedules that are due."""
        run, at = self.connection.execute, now * SECOND
        run("BEGIN IMMEDIATE")
        (policy,) = run("SELECT max(generation) FROM policy").fetchone() or ()
        (last,) = run(MATERIALIZE["last_occurrence"]).fetchone() or ()
        due = run(_DUE, (at, limit)).fetchall()
        rows = [
            {
                "id": last + nth, "schedule": schedule, "generation": generation, "civil": now, "fold": -1,
                "revision": revision, "nominal_at": at, "due_at": at, "not_before": at,
                "latest_start_at": at + DELAY_US, "class": "deadline_windowed", "mode": "live", "policy": policy,
                "authority": 1, "created_at": at, "state": "pending", "reason": "not_yet", "decided_at": None,
                "wake_at": at,
            }
            for nth, (schedule, _, revision, generation) in enumerate(due, 1)
        ]  # fmt: skip
        self.connection.executemany(MATERIALIZE["store"], rows)
        self.connection.executemany(
            MATERIALIZE["settled"],
            [
                {"id": schedule, "before": before, "settled_to": now, "next_at": (now + DAY_S) * SECOND}
                for schedule, before, _, _ in due
            ],
        )
        data = {"due_at": at, "late_us": 0, "allowance_us": self.allowance_us}
        self._events([("occurrence.stored", row["schedule"], row["id"], None, data) for row in rows], at)
        run("COMMIT")
        return len(due)

    def admit(self, now: int, *, limit: int) -> int:
        """One transaction: admits so many of what pends."""
        run, at = self.connection.execute, now * SECOND
        run("BEGIN IMMEDIATE")
        (free,) = run(ADMISSION["free"], {"account": "workers"}).fetchone() or ()
        found = run(ADMISSION["facts"], {"now": at, "free": free, "limit": limit}).fetchall()
        invocation, run_, attempt = run(ADMISSION["last_ids"]).fetchone() or ()
        rows = [
            {
                "occurrence": facts[0], "schedule": facts[1], "at": at, "reason": "window_open",
                "invocation": invocation + nth, "run": run_ + nth, "attempt": attempt + nth, "pattern": facts[8],
                "name": "job", "station": "main",
            }
            for nth, facts in enumerate(found, 1)
        ]  # fmt: skip
        for name in ("invoke", "run", "deliver", "attempt", "grant", "admitted"):
            self.connection.executemany(ADMISSION[name], rows)
        self._events(
            [
                (
                    "occurrence.admitted", row["schedule"], row["occurrence"], row["invocation"],
                    {"reason": "window_open", "waited_us": 0, "free": free - nth},
                )
                for nth, row in enumerate(rows)
            ],
            at,
        )  # fmt: skip
        run("COMMIT")
        return len(found)

    def claim(self, now: int, *, limit: int) -> int:
        """One transaction: takes so many granted attempts to ``launching``."""
        run = self.connection.execute
        run("BEGIN IMMEDIATE")
        found = run(SETTLEMENT["granted"], (limit,)).fetchall()
        bound: dict[tuple[str, str, str], int] = {}
        for row in found:
            version = row[7], row[8], row[4]
            if version not in bound:
                bound[version] = (run(ADMISSION["binding"], version).fetchone() or ())[0]
        self.connection.executemany(
            SETTLEMENT["launching"],
            [{"attempt": row[0], "binding": bound[row[7], row[8], row[4]], "at": now * SECOND} for row in found],
        )
        self.connection.executemany(SETTLEMENT["claimed"], [{"run": row[1], "delivery": row[2]} for row in found])
        run("COMMIT")
        return len(found)

    def _events(self, events: list[tuple[str, object, object, object, dict[str, object]]], at: int) -> None:
        head = self.connection.execute("SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1").fetchone()
        assert head is not None
        seq, previous = head
        txn, rows = seq + 1, []
        for type_, schedule, occurrence, invocation, data in events:
            seq += 1
            row = (seq, txn, at, type_, schedule, occurrence, invocation, self.actor, _json(data))
            previous = sha256(previous + _json(row).encode()).digest()
            rows.append((*row, previous))
        self.connection.executemany(_EVENT, rows)

    def close(self) -> None:
        self.connection.close()


def _json(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def equal(one: apsw.Connection, other: apsw.Connection) -> bool:
    """Whether every row of every table is the same in both, but for the ledger's own, which bears a random mark."""
    tables = [name for (name,) in one.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")]
    tables.remove("ledger")
    return all(
        one.execute(f'SELECT * FROM "{table}" ORDER BY 1, 2').fetchall()
        == other.execute(f'SELECT * FROM "{table}" ORDER BY 1, 2').fetchall()
        for table in tables
    )
