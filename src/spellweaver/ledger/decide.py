"""The write door. ``Ledger.decide()`` is the only maker of a transaction and the only source of a decision time.

    BEGIN IMMEDIATE  →  ``tx.decided_at()`` samples the clock, the lock being held (WIN-02)  →  events  →  COMMIT

A rollback decides nothing. A sample earlier than the last committed one puts a ``clock_stepped_back`` event into the
same transaction (CAT-05).

An error from COMMIT means that the outcome is not known; it is never taken for a rollback, for the next program may
find the commit in the log. A fence is committed first: after it the failed commit is on record for good or never will
be. Then the ledger says which, by a sign that the transaction left: seq and hash of its first event, or a random mark
where it recorded none. Where that can't be had either, the error says what is not known (WIN-04).
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeGuard, cast

import apsw

from spellweaver import files
from spellweaver.clock import pause
from spellweaver.core import instant
from spellweaver.core.policy import HostPolicy, host_policy
from spellweaver.errors import DiskTrouble, TryAgain
from spellweaver.ledger import clock_events, journal, observe, sign, witness
from spellweaver.ledger.revisions import Revisions

if TYPE_CHECKING:
    from spellweaver.clock import Clock

LOCK_STEP_US = 1_000  # short even steps: SQLite's own busy handler sleeps in growing ones and starves somebody
LONG_LOG = 16_384  # frames: a commit copies the log back only when neither daemon nor last close has, by far
TURN_US = 50_000  # so long one waits for somebody who is in turn; that one may have been stopped
LOCK_PATIENCE_US = 10_000_000

Values = dict[str, object] | tuple[object, ...]


class Transaction:
    """What a verb works in. Rows by SQL named in ``queries``; ``record`` for the journal; ``decided_at`` for the
    time.
    """

    def __init__(self, ledger: Ledger, connection: apsw.Connection) -> None:
        self.ledger = ledger
        self.connection = connection
        self.actor = ledger.actor
        self.seq, self.hash = journal.head(connection)
        self.events = journal.Buffer()
        self.last_sample = ledger.last_sample(self.seq)
        self.policy_generation, self.policy = ledger.policy(connection)

    @property
    def revisions(self) -> Revisions:
        """Parsed revisions and zones, kept by digest between transactions."""
        return self.ledger.revisions

    def decided_at(self) -> int:
        """Samples the clock, the write lock being held. Raises TryAgain outside the years 1970 to 2200 (WIN-11)."""
        now = self.ledger.clock.now()
        if not instant.FIRST <= now <= instant.LAST:
            raise TryAgain(
                "clock_untrusted", "the clock of this host is outside the years 1970 to 2200", hint="set the clock"
            )
        before, self.last_sample = self.last_sample, now
        if now < before:
            self.record("clock_stepped_back", now, {"before_at": before, "after_at": now, "size_us": before - now})
        return now

    def record(
        self,
        type_: str,
        at: int,
        data: dict[str, object],
        *,
        schedule: int | None = None,
        occurrence: int | None = None,
        invocation: int | None = None,
    ) -> None:
        """One event: what happened, when, and the numbers that were compared."""
        self.events.add(journal.Entry(at, type_, self.actor, data, schedule, occurrence, invocation))

    def rows(self, sql: str, values: Values = ()) -> list[tuple[apsw.SQLiteValue, ...]]:
        return self.connection.execute(sql, values).fetchall()

    def numbers(self, sql: str, values: Values = ()) -> list[tuple[int, ...]]:
        """Rows whose every column is an INTEGER NOT NULL of a STRICT table."""
        return cast("list[tuple[int, ...]]", self.connection.execute(sql, values).fetchall())

    def row(self, sql: str, values: Values = ()) -> tuple[apsw.SQLiteValue, ...] | None:
        return self.connection.execute(sql, values).fetchone()

    def insert(self, sql: str, values: Values) -> int:
        """Executes an INSERT and returns the row number."""
        self.connection.execute(sql, values)
        return self.connection.last_insert_rowid()

    def change(self, sql: str, values: Values, *, rows: int = 1) -> None:
        """A guarded write (WHERE state = …): exactly so many rows must change, else the law was broken elsewhere."""
        self.connection.execute(sql, values)
        changed = self.connection.changes()
        assert changed == rows, f"{changed} rows changed where {rows} had to: {sql.split()[:3]} {values}"

    def change_many(self, sql: str, values: Sequence[Values]) -> None:
        """The same guarded write for each of many rows."""
        if not values:
            return
        before = self.connection.total_changes()
        self.connection.executemany(sql, values)
        changed = self.connection.total_changes() - before
        assert changed == len(values), f"{changed} rows changed where {len(values)} had to: {sql.split()[:3]}"

    @contextlib.contextmanager
    def savepoint(self) -> Iterator[None]:
        """Undoes rows, events and the last sample together if the body raises. Raises DiskTrouble, TryAgain in place
        of what SQLite says.
        """
        self.check_open()
        mark, last = self.events.mark(), self.last_sample
        self.connection.execute("SAVEPOINT chunk")
        try:
            yield
        except BaseException as error:
            if not self.connection.get_autocommit():
                self.connection.execute("ROLLBACK TO chunk")
                self.connection.execute("RELEASE chunk")
            self.events.rewind(mark)
            self.last_sample = last
            self.ledger.forget_undone()
            if _says_sqlite(error):
                raise observe.trouble(error, self.ledger.path) from None
            raise
        self.connection.execute("RELEASE chunk")

    def check_open(self) -> None:
        """Raises DiskTrouble when SQLite has undone the whole transaction, as it does on some faults of the disk:
        then a further statement would stand alone, outside any decision.
        """
        if self.connection.get_autocommit():
            raise DiskTrouble(
                "transaction_undone",
                f"{self.ledger.path}: the disk failed while a decision was made. Nothing was written",
                hint=f"df -h {os.path.dirname(self.ledger.path) or '.'}",
                path=self.ledger.path,
            )


class Ledger:
    """An open ledger with its clock: one connection, for one thread at a time. ``witness`` is the path of its witness,
    None for one that has none.
    """

    def __init__(
        self, connection: apsw.Connection, path: str, clock: Clock, actor: str, *, witness: str | None = None
    ) -> None:
        self.connection = connection
        self.path = path
        self._folder = None if path == ":memory:" else os.path.dirname(path) or "."
        self.clock = clock
        self.actor = actor
        self.witness = witness
        self._unwitnessed = False
        self.drives = False  # a driver of the engine: it waits until the clock has settled
        self.revisions = Revisions()
        self._policy: tuple[int, HostPolicy] = (0, HostPolicy())
        self._sampled = (-1, 0)
        _keep_the_heap()
        # a statement is compiled once: else again for each value that may give it another plan, as LIMIT ? always may
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        connection.execute("PRAGMA temp_store = MEMORY")  # what a savepoint undoes with is else a file in /tmp
        connection.wal_autocheckpoint(LONG_LOG)

    @contextlib.contextmanager
    def decide(self, *, dry_run: bool = False, unsettled: bool = False) -> Iterator[Transaction]:
        """One transaction. Commits when the body ends, rolls back when it raises or on ``dry_run``. ``unsettled``: also
        while the clock settles, for what needs no time; a driver, which sees to the clock, always may.

        Raises TryAgain (lock, clock not settled), DiskTrouble (disk, or a commit whose outcome is not known).
        """
        self._begin()
        left: sign.Sign | None = None
        try:
            tx, changes = Transaction(self, self.connection), self.connection.total_changes()
            if not (unsettled or self.drives):
                clock_events.require_settled(tx)
            yield tx
            tx.check_open()
            if not dry_run and (len(tx.events) or self.connection.total_changes() > changes):
                left = sign.leave(
                    self.connection, tx.events, seq=tx.seq, previous=tx.hash, marked=self.path != ":memory:"
                )
        except BaseException as error:
            self._rollback()
            if _says_sqlite(error):
                raise observe.trouble(error, self.path) from None
            raise
        if dry_run:
            self._rollback()
            return
        self._commit(left)
        self._unwitnessed = self._unwitnessed or len(tx.events) > 0
        self._sampled = (tx.seq + len(tx.events), tx.last_sample)

    def last_sample(self, seq: int) -> int:
        """The last committed sample, ``seq`` being the journal's head: of this connection if nobody wrote since
        (not every commit has an event), else of the last event.
        """
        if self._sampled[0] == seq:
            return self._sampled[1]
        last = self.connection.execute("SELECT at FROM event WHERE seq = ?", (seq,)).fetchone()
        return last[0] if last else 0

    def forget_undone(self) -> None:
        """A rollback gives row numbers back, so what was read under them may come to mean something else."""
        self.revisions = Revisions()

    def policy(self, connection: apsw.Connection) -> tuple[int, HostPolicy]:
        """(generation, policy) in force; generation 0 is the default one of a ledger that was given none."""
        row = connection.execute("SELECT max(generation) FROM policy").fetchone()
        generation = row[0] if row and row[0] is not None else 0
        if generation != self._policy[0]:
            body = connection.execute("SELECT body FROM policy WHERE generation = ?", (generation,)).fetchone()
            assert body is not None
            self._policy = generation, host_policy(journal.parse(body[0]))
        return self._policy

    def data_version(self) -> int:
        """Changes when another connection has committed: an idle look that takes no lock."""
        return observe.data_version(self.connection)

    def grow_log(self) -> None:
        """Fills the log file with zeros up to its limit, under the write lock, so that no commit has to extend it.

        Recovery stops at the first frame whose salt does not match, and a zero never does.
        """
        log = f"{self.path}-wal"
        if self.path == ":memory:" or not os.path.exists(log):
            return
        self._begin()
        try:
            missing = observe.WAL_LIMIT - os.path.getsize(log)
            if missing > 0:
                with open(log, "ab") as file:
                    file.write(bytes(missing))
                    file.flush()
                    os.fsync(file.fileno())
        except OSError as error:
            raise DiskTrouble(
                "disk_full", f"{log}: {error.strerror}", hint=f"df -h {os.path.dirname(log)}", path=log
            ) from None
        finally:
            self._rollback()

    def checkpoint(self) -> tuple[int, int]:
        """Copies the log back without disturbing anyone: (frames in the log, frames copied). Raises DiskTrouble."""
        try:
            return self.connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        except apsw.BusyError:
            return -1, -1
        except apsw.Error as error:
            raise observe.trouble(error, self.path) from None

    @property
    def machine(self) -> str:
        """The machine that this ledger belongs to (``host.machine``)."""
        row = self.connection.execute("SELECT machine FROM ledger").fetchone()
        assert row is not None
        return str(row[0])

    @property
    def last_attempt(self) -> int:
        """The highest row number of an attempt, 0 without any."""
        row = self.connection.execute("SELECT ifnull(max(id), 0) FROM attempt").fetchone()
        assert row is not None
        return int(row[0])

    def keep_witness(self) -> None:
        """Lets the witness see what was committed since it was written last. Raises DiskTrouble."""
        if self.witness is not None and self._unwitnessed:
            try:
                now = witness.of(self.connection)
            except apsw.Error as error:
                said = f"{self.path} can't be read: {error}"
                raise DiskTrouble("witness_not_written", said, path=self.path) from None
            witness.write(self.witness, now)
            self._unwitnessed = False

    def close(self) -> None:
        """A clean stop: the witness has seen all of it. Where it can't be written it lags, as after a kill."""
        with contextlib.suppress(DiskTrouble):
            self.keep_witness()
        self.connection.close()

    def _begin(self) -> None:
        """Takes the write lock, in turn: who writes without a pause would else never let in one who looks at every
        step whether the lock is free.
        """
        if self._folder is None:
            self._take_lock()
            return
        waits = iter(range(TURN_US // LOCK_STEP_US))
        with files.in_turn(self._folder, lambda: _paused(waits)):
            self._take_lock()

    def _take_lock(self) -> None:
        patience = LOCK_PATIENCE_US
        while True:
            try:
                self.connection.execute("BEGIN IMMEDIATE")
                return
            except apsw.BusyError:
                if patience <= 0:
                    raise TryAgain(
                        "ledger_busy",
                        f"{self.path} has been locked by another writer for {LOCK_PATIENCE_US // 1_000_000} s",
                        hint="try again in a moment",
                        path=self.path,
                    ) from None
            except apsw.Error as error:
                raise observe.trouble(error, self.path) from None
            pause(LOCK_STEP_US)
            patience -= LOCK_STEP_US

    def _commit(self, left: sign.Sign | None) -> None:
        """Without a sign nothing was changed."""
        try:
            self.connection.execute("COMMIT")
        except apsw.Error as error:
            self._rollback()
            refused = isinstance(error, apsw.BusyError)  # before anything was written
            made = False if left is None or refused else sign.stands(self.connection, left) if self._fenced() else None
            if made is None:
                assert left is not None
                raise DiskTrouble(
                    "commit_unknown",
                    f"{self.path}: the disk failed while a decision was written ({error}). Not known is whether it is "
                    f"on record: {left.what}",
                    hint="spellweaver events, after the disk is well again",
                    path=self.path,
                    seq=left.place[0] if left.place else None,
                ) from None
            if not made:
                raise observe.trouble(error, self.path) from None

    def _fenced(self) -> bool:
        """Whether something else could be committed. After it, a failed commit either stands in the log for good or
        never will: a later recovery can't find it again.
        """
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            self.connection.execute("UPDATE ledger SET fences = fences + 1")
            self.connection.execute("COMMIT")
        except apsw.Error:
            self._rollback()
            return False
        return True

    def _rollback(self) -> None:
        if not self.connection.get_autocommit():
            self.connection.execute("ROLLBACK")
        self.forget_undone()


def _paused(waits: Iterator[int]) -> bool:
    """Waits a step; False when there is none left."""
    if next(waits, None) is None:
        return False
    pause(LOCK_STEP_US)
    return True


def _says_sqlite(error: BaseException) -> TypeGuard[apsw.Error]:
    """What is translated for the caller. A broken constraint is a bug of ours and stays what it is."""
    return isinstance(error, apsw.Error) and not isinstance(error, apsw.ConstraintError)


def _keep_the_heap() -> None:
    """One large block that comes and goes raises the size from which the C library hands freed memory back to the
    kernel (mallopt(3), M_MMAP_THRESHOLD, "dynamic").

    SQLite makes a small b-tree for each list of three words or more, at every execution; in an untouched process each
    costs twenty page faults, and a settlement takes ten of them.
    """
    bytes(16 << 20)
