"""The event journal: append-only, hash-chained, one event per object and transaction.

hash = SHA-256(previous hash ‖ canonical JSON of [seq, txn, at, type, schedule, occurrence, invocation, actor, data]).
Events are gathered while a transaction works and written just before its commit: what happens to one object in one
transaction becomes one event, of the last type, with all the numbers (stored and admitted in one commit is one
``admitted``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256

import apsw

from spellweaver.core.schedule import canonical_json
from spellweaver.errors import Unusable
from spellweaver.ledger import observe

START = bytes(32)
Place = tuple[int, bytes]  # seq and hash of an event
_INSERT = (
    "INSERT INTO event (seq, txn, at, type, schedule, occurrence, invocation, actor, data, hash) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One event before it has its place in the chain. ``data`` holds the numbers that were compared."""

    at: int
    type: str
    actor: str
    data: dict[str, object]
    schedule: int | None = None
    occurrence: int | None = None
    invocation: int | None = None

    @property
    def object(self) -> tuple[str, int] | None:
        """What the event is about; None for one that is never joined with another."""
        if self.type.startswith("occurrence.") and self.occurrence is not None:
            return "occurrence", self.occurrence
        if self.type.startswith("invocation.") and self.invocation is not None:
            return "invocation", self.invocation
        return None


class Buffer:
    """The events of one transaction, in order; ``mark`` and ``rewind`` follow a savepoint."""

    def __init__(self) -> None:
        self._entries: dict[object, Entry] = {}
        self._alone = 0

    def add(self, entry: Entry) -> None:
        key: object = entry.object
        if key is None:
            self._alone += 1
            key = self._alone
        elif earlier := self._entries.pop(key, None):
            entry = Entry(
                entry.at,
                entry.type,
                entry.actor,
                earlier.data | entry.data,
                entry.schedule,
                entry.occurrence,
                entry.invocation if entry.invocation is not None else earlier.invocation,
            )
        self._entries[key] = entry

    def mark(self) -> dict[object, Entry]:
        return dict(self._entries)

    def rewind(self, mark: dict[object, Entry]) -> None:
        self._entries = mark

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)


def head(connection: apsw.Connection) -> Place:
    """(seq, hash) of the last event; (0, zeros) of an empty journal."""
    row = connection.execute("SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1").fetchone()
    return (row[0], row[1]) if row else (0, START)


def link(previous: bytes, row: list[object]) -> bytes:
    """The hash of an event row [seq, txn, at, type, schedule, occurrence, invocation, actor, data]; data is its JSON
    text.
    """
    return sha256(previous + canonical_json(row).encode()).digest()


def write(connection: apsw.Connection, entries: Iterable[Entry], *, seq: int, previous: bytes) -> Place:
    """Appends the entries, one at least, after ``seq`` and returns the place of the first: the id of their
    transaction.
    """
    txn, rows, hashes = seq + 1, [], []
    for e in entries:
        seq += 1
        row: list[object] = [
            seq,
            txn,
            e.at,
            e.type,
            e.schedule,
            e.occurrence,
            e.invocation,
            e.actor,
            canonical_json(e.data),
        ]
        previous = link(previous, row)
        hashes.append(previous)
        rows.append((*row, previous))
    connection.executemany(_INSERT, rows)
    return txn, hashes[0]


def verify_from(view: observe.View, *, after: int) -> int:
    """``verify`` for a reader: what SQLite says of a damaged page is told in words of ours."""
    try:
        return verify(view.connection, after=after)
    except apsw.Error as error:
        raise observe.trouble(error, view.path) from None
    except (UnicodeDecodeError, TypeError):
        raise observe.damaged(view.path, "an event in it can't be read") from None


def verify(connection: apsw.Connection, *, after: int = 0) -> int:
    """Walks the chain and returns the last seq; ``after``: from behind that event on, whose own hash is taken on trust.
    Raises Unusable at the first event that does not follow.
    """
    known = connection.execute("SELECT hash FROM event WHERE seq = ?", (after,)).fetchone() if after else None
    expected, previous = (after, bytes(known[0])) if known else (0, START)
    for row in connection.execute(
        "SELECT seq, txn, at, type, schedule, occurrence, invocation, actor, data, hash FROM event "
        "WHERE seq > ? ORDER BY seq",
        (expected,),
    ):
        expected += 1
        if row[0] != expected or link(previous, list(row[:9])) != row[9]:
            raise Unusable(
                "journal_broken",
                f"the journal does not verify at event {expected}: a past event was altered or is gone",
                hint="restore a backup",
                seq=expected,
            )
        previous = bytes(row[9])
    return expected


def parse(data: str) -> dict[str, object]:
    """The numbers of an event."""
    found = json.loads(data)
    assert isinstance(found, dict)
    return found
