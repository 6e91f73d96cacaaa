"""The disk refuses an operation, once or from then on: what the program says then is what the next one finds.

Every step of the story is done again and again, the first operation of the disk failing, then the second, and so on
until none is left to fail. After each the power goes. By hand, for every operation: SPELLWEAVER_FAULTS=100000.
"""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import apsw
import pytest

from spellweaver.clock import VirtualClock
from spellweaver.core.identity import AttemptId
from spellweaver.core.instant import SECOND
from spellweaver.errors import DiskTrouble
from spellweaver.ledger.audit import laws
from spellweaver.ledger.decide import Ledger, Transaction
from spellweaver.ledger.opening import open_ledger
from tests.crash.history import NAME, connect, new_ledger, state_of
from tests.crash.memory import Files, MemoryDisk, MemoryVFS, Operation
from tests.crash.power import Disk
from tests.support.engine import World, draft, us
from tests.support.faults import FailingDisk, failing_disk
from tests.support.story import STEPS, Step, Story

SEED = int(os.environ.get("SPELLWEAVER_SEED", "1"))
FAULTS = int(os.environ.get("SPELLWEAVER_FAULTS", "200"))


class Outspoken(Ledger):
    """Notes what it said of each transaction: ``made``, ``not made`` or ``unknown``."""

    def __init__(self, connection: apsw.Connection, clock: VirtualClock) -> None:
        super().__init__(connection, NAME, clock, "test")
        self.said: list[str] = []
        self.states = [state_of(connection)]

    @contextlib.contextmanager
    def decide(self, **how: bool) -> Iterator[Transaction]:
        try:
            with super().decide(**how) as tx:
                yield tx
        except DiskTrouble as trouble:
            self.said.append("unknown" if trouble.code == "commit_unknown" else "not made")
            raise
        self.said.append("made")
        self.states.append(state_of(self.connection))


class Longer(Story):
    """A daemon that has lived since before the step: what is launching, it claimed."""

    def claimed(self, attempt: AttemptId) -> bool:
        return True


@dataclass
class Fault:
    """The ``nth`` write, truncation or sync of the ledger's files fails, and with ``for_ever`` all after it."""

    nth: int
    error: type[apsw.Error]
    for_ever: bool
    seen: int = 0

    def __call__(self, operation: Operation) -> None:
        if operation[0] in ("write", "truncate", "sync"):
            self.seen += 1
            if self.seen == self.nth or (self.for_ever and self.seen > self.nth):
                raise self.error(f"planted in {operation[0]}")


@dataclass
class Told:
    """What one step said and did: its transactions, the ledger after each, and the log of the disk."""

    said: list[str]
    states: list[bytes]
    log: list[Operation]
    after: Files
    operations: int = field(default=0)


def told(vfs: MemoryVFS, before: Files, step: Step, fault: Fault) -> Told:
    """The step on a disk with this fault, by a program that ends when the disk has failed, as every writer does."""
    vfs.disk = MemoryDisk(before)
    clock = VirtualClock(us(step.at))
    ledger = Outspoken(connect(vfs), clock)
    vfs.disk.hook = fault
    with contextlib.suppress(DiskTrouble):
        Longer(ledger, clock).do(step)
        ledger.checkpoint()
    log, after = list(vfs.disk.log), vfs.disk.files()
    with contextlib.suppress(apsw.Error):
        ledger.close()
    return Told(ledger.said, ledger.states, log, after, fault.seen)


def after_power_cut(before: Files, log: list[Operation], model: str, *, failed_sync_wrote: bool) -> Files:
    disk = Disk(before, failed_sync_wrote=failed_sync_wrote)
    for operation in log:
        disk.step(operation)
    return disk.image(model, Random(SEED))


def contradictions(vfs: MemoryVFS, before: Files, seen: Told, states: list[bytes]) -> list[str]:
    """Where the next program finds other than what was said. ``states``: the ledger after each commit of the step when
    nothing fails.
    """
    made = seen.said.count("made")
    allowed = {states[made]} | ({states[made + 1]} if "unknown" in seen.said else set())
    wrong = [] if seen.states == states[: made + 1] else ["it went on from another state"]
    for model in ("kept", "lost", "torn"):
        for failed_sync_wrote in (True, False):
            vfs.disk = MemoryDisk(after_power_cut(before, seen.log, model, failed_sync_wrote=failed_sync_wrote))
            connection = connect(vfs)
            if state_of(connection) not in allowed:
                wrong.append(f"{model}, the failed sync wrote: {failed_sync_wrote}: said {seen.said}, found otherwise")
            if model == "lost":
                wrong += [found.sentence for found in laws.audit(connection)]
            connection.close()
    return wrong


@pytest.fixture
def vfs() -> Iterator[MemoryVFS]:
    made = MemoryVFS("failing")
    yield made
    made.unregister()


@pytest.mark.timeout(300 + FAULTS)
@pytest.mark.rule("WIN-04", "RCV-04")
def test_what_is_said_of_a_commit_is_what_the_next_program_finds(vfs: MemoryVFS, tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    before, said = new_ledger(tmp_path), Counter[str]()
    whole = []
    for step in STEPS:
        well = told(vfs, before, step, Fault(0, apsw.IOError, False))
        whole += [(before, step, well.states, nth) for nth in range(1, well.operations + 1)]
        before = well.after
    assert len(whole) > 1500
    points = Random(SEED).sample(whole, min(FAULTS, len(whole)))
    for number, (files, step, states, nth) in enumerate(points):
        for error in (apsw.IOError, apsw.FullError) if number % 4 == 0 else (apsw.IOError,):
            for for_ever in (False, True):
                seen = told(vfs, files, step, Fault(nth, error, for_ever))
                assert contradictions(vfs, files, seen, states) == [], (step.name, nth, error.__name__, for_ever)
                said.update(seen.said)
                said["points"] += 1
    assert said["not made"] > said["points"] // 4 and said["unknown"] > said["points"] // 20, said
    assert said["made"] > said["points"] // 4


@pytest.mark.rule("WIN-04")
@pytest.mark.parametrize("fenced", [True, False], ids=["with the fence", "without it"])
def test_every_sync_of_fifty_decisions_on_the_real_file_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fenced: bool
) -> None:
    """The control: without the fence a failed commit comes back, so the said and the found differ."""
    if not fenced:
        monkeypatch.setattr(Ledger, "_fenced", lambda _ledger: True)
    differ = []
    with failing_disk() as disk:
        world = World(tmp_path / "one")
        world.add(draft("a", "* * * * *"))
        for number in range(50):
            world.clock.advance(60 * SECOND)
            differ += [number] if not decided(world, disk, tmp_path / f"copy-{number}") else []
            world.reopen()
            world.look()
            for launch in world.launches[:]:
                world.end(launch)
    world.audit()
    assert bool(differ) is not fenced


def decided(world: World, disk: FailingDisk, copy: Path) -> bool:
    """Looks while the sync fails; whether a program that comes after a power cut finds what was said."""
    (before,) = world.row("SELECT max(seq) FROM event")
    disk.failing["xSync"] = 1
    with pytest.raises(DiskTrouble) as said:
        world.look()
    disk.failing.clear()
    assert said.value.code == "disk_error", "it was said not to be made"
    copy.mkdir(mode=0o700)
    for name in ("ledger.db", "ledger.db-wal"):
        (copy / name).write_bytes((copy.parent / "one" / name).read_bytes())
        (copy / name).chmod(0o600)
    with contextlib.closing(open_ledger(f"{copy}/ledger.db", world.clock, actor="test")) as after:
        return after.connection.execute("SELECT max(seq) FROM event").fetchall() == [(before,)]
