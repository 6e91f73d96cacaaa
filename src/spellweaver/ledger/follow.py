"""A second connection that follows what is committed, for a service's loop and a live view. It reads and never
decides.
"""

from __future__ import annotations

import apsw

from spellweaver.ledger import observe
from spellweaver.ledger.queries import load

SQL = load("service")


class Follower:
    """``changed`` reads one counter and takes no lock; ``events`` are the journal's rows since the last call."""

    def __init__(self, path: str) -> None:
        """Raises NotFound, Unusable, DiskTrouble, TryAgain."""
        self._path = path
        self._connection = observe.open_file(path, apsw.SQLITE_OPEN_READONLY)
        self._connection.set_busy_timeout(2000)
        self._version = -1
        self._seq = self._one("head")

    def changed(self) -> bool:
        """Whether anything was committed since the last call."""
        before, self._version = self._version, observe.data_version(self._connection)
        return before != self._version

    def events(self) -> list[tuple[object, ...]]:
        """(seq, at, type, schedule name, occurrence, invocation, data) of each new event."""
        found: list[tuple[object, ...]] = []
        try:
            while rows := self._connection.execute(SQL["after"], (self._seq,)).fetchall():
                found += rows
                self._seq = int(str(rows[-1][0]))
        except apsw.Error as error:
            raise observe.trouble(error, self._path) from None
        return found

    def busy(self) -> bool:
        """Whether a run is open or a firing pends."""
        return bool(self._one("busy"))

    def _one(self, name: str) -> int:
        row = self._connection.execute(SQL[name]).fetchone()
        assert row is not None
        return int(str(row[0]))

    def close(self) -> None:
        self._connection.close()
