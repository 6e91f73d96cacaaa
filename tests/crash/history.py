"""The story told once on a disk in memory, with a register of what was acknowledged, kept apart from that disk.

The register knows after which operation of the disk each commit was acknowledged, and what the whole ledger held then.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest import mock

import apsw

from spellweaver import files
from spellweaver.clock import VirtualClock
from spellweaver.core.identity import AttemptId
from spellweaver.host import attempt as folder
from spellweaver.ledger import observe, witness
from spellweaver.ledger.decide import Ledger, Transaction
from spellweaver.ledger.opening import create_ledger
from tests.crash.memory import DiskOS, Files, MemoryDisk, MemoryVFS, Operation
from tests.support.engine import us
from tests.support.story import STEPS, Story

NAME = "ledger.db"
LOG_SIZE = 160 << 10  # what the log is grown to beforehand: a real one is larger, and costs each image its copying
REOPENED_EVERY = 9  # steps
WITNESS, WITNESSED_EVERY = witness.beside(NAME), 3  # commits; and at each clean stop


@dataclass(frozen=True)
class Options:
    """How the program behaves. Whatever is not the default is a fault that the harness has to see."""

    synchronous: str = "FULL"
    acknowledges_early: bool = False
    splits_admission: bool = False
    witness_leads: bool = False
    syncs_files: bool = True
    steps: int = len(STEPS)


@dataclass
class History:
    """``operations`` begin after ``before``. ``states[n]`` is what the ledger held after ``n`` commits, and
    ``acknowledged[n - 1]`` how many operations were done when the last of them was acknowledged. ``begun[i]``: how many
    were done when step ``i`` began.
    """

    before: Files
    operations: list[Operation] = field(default_factory=list)
    acknowledged: list[int] = field(default_factory=list)
    states: list[bytes] = field(default_factory=list)
    begun: list[int] = field(default_factory=list)
    outcome: dict[str, list[tuple[object, ...]]] = field(default_factory=dict)


def connect(vfs: MemoryVFS, *, synchronous: str = "FULL") -> apsw.Connection:
    """The ledger on that disk, opened and set as the program does, but for itself alone."""
    connection = apsw.Connection(NAME, vfs=vfs.name, flags=apsw.SQLITE_OPEN_READWRITE)
    connection.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")
    observe.check_format(connection, NAME)
    connection.execute(f"PRAGMA synchronous = {synchronous}")
    connection.wal_autocheckpoint(0)
    return connection


def state_of(connection: apsw.Connection) -> bytes:
    """A digest of every row of every table. The journal's last hash stands for all of it; fences and the mark of a
    commit are no decisions.
    """
    digest = sha256()
    for (table,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
        part = _PARTS.get(table, f'* FROM "{table}"')
        digest.update(repr(connection.execute(f"SELECT {part}").fetchall()).encode())
    return digest.digest()


_PARTS = {
    "event": "seq, hash FROM event ORDER BY seq DESC LIMIT 1",
    "ledger": "id, kind, machine, looked_at FROM ledger",
}


class RegisteredLedger(Ledger):
    """Notes each commit when it is acknowledged: when ``decide`` returns."""

    def __init__(self, connection: apsw.Connection, clock: VirtualClock, history: History, disk: MemoryDisk,
                 options: Options) -> None:  # fmt: skip
        super().__init__(connection, NAME, clock, "test", witness=WITNESS)
        self._history, self._disk, self._options = history, disk, options

    @contextlib.contextmanager
    def decide(self, **how: Any) -> Iterator[Transaction]:
        early = len(self._disk.log)
        with super().decide(**how) as tx:
            yield tx
            early = len(self._disk.log)
        state = state_of(self.connection)
        if state != self._history.states[-1]:
            self._history.states.append(state)
            self._history.acknowledged.append(early if self._options.acknowledges_early else len(self._disk.log))
        if len(self._history.states) % WITNESSED_EVERY == 0:
            self.keep_witness()

    def _commit(self, sign: Any) -> None:
        if self._options.witness_leads:
            witness.write(WITNESS, witness.of(self.connection))
        super()._commit(sign)


class DurableStory(Story):
    """The story on a disk in memory. Statuses of attempts stand on it too."""

    def __init__(self, vfs: MemoryVFS, history: History, options: Options, clock: VirtualClock) -> None:
        self._vfs, self._history, self._options = vfs, history, options
        super().__init__(self._opened(clock), clock)

    def _opened(self, clock: VirtualClock) -> Ledger:
        connection = connect(self._vfs, synchronous=self._options.synchronous)
        if not self._history.states:
            self._history.states.append(state_of(connection))
        return RegisteredLedger(connection, clock, self._history, self._vfs.disk, self._options)

    def left_status(self, attempt: AttemptId, status: dict[str, object]) -> None:
        """The shim's own way of writing it, on the disk that ``files`` sees."""
        folder.write_status(f"attempts/{attempt}", status)

    def copy_back(self) -> None:
        self.ledger.checkpoint()

    def reopen(self) -> None:
        self.ledger.close()
        self.ledger = self._opened(self.clock)
        self.grow_log()

    def grow_log(self) -> None:
        """What ``Ledger.grow_log`` does to a real file."""
        disk = self._vfs.disk
        inode = disk.names[f"{NAME}-wal"]
        if (missing := LOG_SIZE - len(disk.contents[inode])) > 0:
            disk.write(inode, len(disk.contents[inode]), bytes(missing))
            disk.do("sync", inode)

    def close(self) -> None:
        self.ledger.close()


def new_ledger(place: Path) -> Files:
    """A new ledger as ``create_ledger`` leaves it, as the files of a disk."""
    create_ledger(f"{place}/{NAME}", VirtualClock(us(STEPS[0].at)), actor="test", machine="here").close()
    return {path.name: path.read_bytes() for path in sorted(place.iterdir()) if path.suffix != ".db-shm"}


def tell(vfs: MemoryVFS, before: Files, options: Options) -> History:
    """Tells the story once and returns what was written and acknowledged."""
    with _written(vfs, before, options) as (history, story):
        for number, step in enumerate(STEPS[: options.steps], 1):
            history.begun.append(len(vfs.disk.log))
            story.do(step)
            if number % REOPENED_EVERY == 0:
                story.reopen()
            elif number % 2 == 0:
                story.copy_back()
        history.outcome = story.outcome()
        story.close()
    return history


def tell_again(vfs: MemoryVFS, image: Files, interrupted: int) -> History:
    """Opens an image, recovers, does again the step that was interrupted, and copies all of it back."""
    with _written(vfs, image, Options()) as (history, story):
        story.clock.step(us(STEPS[interrupted].at) - story.clock.now())
        story.restart()
        story.do(STEPS[interrupted])
        story.copy_back()
        story.close()
    return history


def continued(vfs: MemoryVFS, image: Files, interrupted: int) -> dict[str, list[tuple[object, ...]]]:
    """Opens an image, recovers, and tells the story to its end, from the step that was interrupted."""
    with _written(vfs, image, Options()) as (_, story):
        story.clock.step(us(STEPS[interrupted].at) - story.clock.now())
        story.restart()
        for step in STEPS[interrupted:]:
            story.do(step)
        outcome = story.outcome()
        story.close()
    return outcome


@contextlib.contextmanager
def _written(vfs: MemoryVFS, before: Files, options: Options) -> Iterator[tuple[History, DurableStory]]:
    """A story on a disk with these files, all of whose writing is noted."""
    vfs.disk = MemoryDisk(before)
    history = History(before, vfs.disk.log)
    with mock.patch.object(files, "os", DiskOS(lambda: vfs.disk, synced=options.syncs_files)), _split(options):
        yield history, DurableStory(vfs, history, options, VirtualClock(us(STEPS[0].at)))


@contextlib.contextmanager
def _split(options: Options) -> Iterator[None]:
    """The Invocation in one commit, its Occurrence's admission in the next: what a program may not do (OCC-16)."""
    whole = Transaction.change_many

    def half(tx: Transaction, sql: str, values: Any) -> None:
        tx.connection.execute("COMMIT")
        tx.connection.execute("BEGIN IMMEDIATE")
        whole(tx, sql, values)

    with mock.patch.object(Transaction, "change_many", half if options.splits_admission else whole):
        yield
