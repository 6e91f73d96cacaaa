"""The sign of a transaction: by what a commit whose answer was lost is found again (WIN-04).

It is the place of its first event, seq and hash; where it recorded none, a random mark in the ledger's one row.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import apsw

from spellweaver.ledger import journal


@dataclass(frozen=True, slots=True)
class Sign:
    """``what`` are words for a person. Without a ``place``: the ``mark``, and the one ``before`` it."""

    what: str
    place: journal.Place | None = None
    mark: int = 0
    before: int = 0


def leave(connection: apsw.Connection, events: journal.Buffer, *, seq: int, previous: bytes, marked: bool) -> Sign:
    """Writes the events after ``seq``, or a mark where there are none. Not ``marked``: in memory, where no commit fails
    and nothing may be random.
    """
    if len(events):
        place = journal.write(connection, events, seq=seq, previous=previous)
        kinds = list(dict.fromkeys(entry.type for entry in events))
        last = f" to evt_{seq + len(events)}" if len(events) > 1 else ""
        return Sign(f"evt_{place[0]}{last} ({', '.join(kinds[:3])})", place)
    mark = int.from_bytes(os.urandom(7)) if marked else 0
    row = connection.execute("SELECT mark FROM ledger").fetchone()
    assert row is not None
    if mark:
        connection.execute("UPDATE ledger SET mark = ?", (mark,))
    return Sign("what was noted of a run", mark=mark, before=row[0])


def stands(connection: apsw.Connection, sign: Sign) -> bool | None:
    """Whether a commit that was reported as failed is on record; None where it can't be told."""
    try:
        if sign.place is not None:
            sql = "SELECT 1 FROM event WHERE seq = ? AND hash = ?"
            return connection.execute(sql, sign.place).fetchone() is not None
        row = connection.execute("SELECT mark FROM ledger").fetchone()
    except apsw.Error:
        return None
    return {sign.mark: True, sign.before: False}.get(row[0]) if row else None
