"""The writer thread: the one connection of a service that decides. Others hand it ``tx -> value`` closures and wait
for the commit.

Several closures share one transaction and one flush to disk, each inside its own savepoint: one that raises is undone
alone and its caller hears of it. Nobody is answered before the commit has returned (P2). When the disk fails, every
caller from then on hears it.

The witness is written once a second at most, in an idle moment if there is one, and when the writer closes.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import apsw

from spellweaver.core.instant import SECOND
from spellweaver.errors import DiskTrouble, SpellweaverError
from spellweaver.ledger import observe
from spellweaver.ledger.decide import Ledger, Transaction

T = TypeVar("T")
TOGETHER = 64  # closures in one commit at most: the lock is held for milliseconds
IDLE_S = 0.5
BUSY_FRAMES = observe.WAL_LIMIT // 4096  # without an idle moment the log is copied back before it outgrows its file
IDLE_FRAMES = BUSY_FRAMES // 4  # fewer wait for a longer quiet: after a copy the next commit takes a flush more
QUIET_S = 10
WITNESS_US = SECOND


class Ticket(Generic[T]):
    """A closure on its way: ``result`` waits for the commit it is in."""

    def __init__(self, work: Callable[[Transaction], T]) -> None:
        self.work = work
        self._done = threading.Event()
        self._value: list[T] = []
        self._error: BaseException | None = None

    def result(self) -> T:
        """The closure's value, once it is durable. Raises what the closure or the commit raised."""
        self._done.wait()
        if self._error is not None:
            raise self._error
        return self._value[0]

    @property
    def answered(self) -> bool:
        return self._done.is_set()

    def settle(self, value: T) -> None:
        self._value.append(value)
        self._done.set()

    def fail(self, error: BaseException) -> None:
        self._error = error
        self._done.set()


class Writer:
    """Owns a ledger from ``start`` to ``close``. ``open_`` is called in the thread: a connection belongs to one."""

    def __init__(self, open_: Callable[[], Ledger]) -> None:
        self._open = open_
        self._queue: deque[Ticket[Any]] = deque()
        self._changed = threading.Condition()
        self._closing = False
        self._frames = 0  # in the log, since it was last copied back
        self._witnessed_at = -WITNESS_US  # monotonic, as the next
        self._unwitnessed_since: int | None = None
        self._broken: SpellweaverError | None = None
        self._thread = threading.Thread(target=self._serve, name="ledger-writer", daemon=True)
        self._opened: Ticket[None] = Ticket(lambda tx: None)

    def start(self) -> None:
        """Opens the ledger. Raises what opening raises."""
        self._thread.start()
        self._opened.result()

    def submit(self, work: Callable[[Transaction], T]) -> Ticket[T]:
        """Hands over a closure; it is decided in the order of arrival."""
        ticket = Ticket(work)
        with self._changed:
            if self._broken is not None or self._closing:
                ticket.fail(self._broken or DiskTrouble("writer_closed", "the ledger is closed already"))
                return ticket
            self._queue.append(ticket)
            self._changed.notify()
        return ticket

    def call(self, work: Callable[[Transaction], T]) -> T:
        """Hands over a closure and waits until it is durable."""
        return self.submit(work).result()

    def close(self) -> None:
        """Decides what was handed over, then copies the log back and closes the ledger."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join()

    def _serve(self) -> None:
        ledger = None
        try:
            ledger = self._open()
            ledger.connection.set_wal_hook(self._logged)  # in place of SQLite's own, which copies under the lock
            ledger.grow_log()
        except BaseException as error:  # noqa: BLE001  # of who waits in ``start``: handed over whole
            if ledger is not None:
                ledger.close()
            self._opened.fail(error)
            return
        self._opened.settle(None)
        try:
            while batch := self._next(ledger):
                self._decide(ledger, batch)
                self._keep_witness(ledger, idle=False)
                if self._frames >= BUSY_FRAMES:
                    self._copy_back(ledger)
        finally:
            self._break(DiskTrouble("writer_closed", "the ledger is closed already"), [])
            ledger.close()

    def _next(self, ledger: Ledger) -> list[Ticket[Any]]:
        """The closures of the next commit; none when the writer closes. Idle time copies the log back."""
        quiet_s = 0.0
        with self._changed:
            while not self._queue and not self._closing:
                if not self._changed.wait(IDLE_S):
                    quiet_s += IDLE_S
                    self._keep_witness(ledger, idle=True)
                    if self._frames >= (IDLE_FRAMES if quiet_s < QUIET_S else 1):
                        self._copy_back(ledger)
            return [self._queue.popleft() for _ in range(min(len(self._queue), TOGETHER))]

    def _decide(self, ledger: Ledger, batch: list[Ticket[Any]]) -> None:
        values: list[tuple[Ticket[Any], Any]] = []
        try:
            with ledger.decide() as tx:
                for ticket in batch:
                    if len(batch) == 1:  # undone with its transaction
                        values.append((ticket, ticket.work(tx)))
                        break
                    try:
                        with tx.savepoint():
                            values.append((ticket, ticket.work(tx)))
                    except BaseException as error:  # noqa: BLE001  # it is the caller's: handed over whole
                        ticket.fail(error)
        except BaseException as error:  # noqa: BLE001  # before the first closure, or with all of them
            self._break(error, [ticket for ticket in batch if not ticket.answered])
            return
        if self._unwitnessed_since is None:
            self._unwitnessed_since = ledger.clock.monotonic()
        for ticket, value in values:
            ticket.settle(value)

    def _break(self, error: BaseException, waiting: list[Ticket[Any]]) -> None:
        """A lock that stayed taken fails this commit alone; a disk that failed ends the writer."""
        if isinstance(error, DiskTrouble):
            with self._changed:
                self._broken = self._broken or error
                waiting = [*waiting, *self._queue]
                self._queue.clear()
        for ticket in waiting:
            ticket.fail(error)

    def _keep_witness(self, ledger: Ledger, *, idle: bool) -> None:
        """Where it can't be written it lags, and is tried again; the ledger itself is written all the same."""
        now = ledger.clock.monotonic()
        if self._unwitnessed_since is None:
            return
        if now - self._unwitnessed_since >= WITNESS_US or (idle and now - self._witnessed_at >= WITNESS_US):
            self._witnessed_at = now
            with contextlib.suppress(DiskTrouble):
                ledger.keep_witness()
                self._unwitnessed_since = None

    def _copy_back(self, ledger: Ledger) -> None:
        """A disk that fails here would lose nothing yet, but nothing more is promised on it."""
        try:
            ledger.checkpoint()
        except DiskTrouble as error:
            self._broken = error
        self._frames = 0

    def _logged(self, _connection: apsw.Connection, _name: str, frames: int) -> int:
        """Called by SQLite after each commit."""
        self._frames = frames
        return apsw.SQLITE_OK
