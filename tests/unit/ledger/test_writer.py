"""The writer thread: whoever handed something over is answered, whatever becomes of the transaction."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from spellweaver.errors import DiskTrouble, TryAgain
from spellweaver.ledger import decide
from spellweaver.ledger.decide import Ledger
from spellweaver.ledger.opening import open_ledger
from spellweaver.ledger.writer import Writer
from tests.support.engine import World, draft


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path)
    made.add(draft("s", "0 * * * *"))
    return made


def opened(world: World) -> Ledger:
    assert world.path is not None
    ledger = open_ledger(world.path, world.clock, actor="test")
    ledger.drives = True
    return ledger


def test_a_lock_that_stays_taken_is_told_to_all_who_wait(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decide, "LOCK_PATIENCE_US", 20_000)
    writer = Writer(lambda: opened(world))
    writer.start()
    holder = apsw.Connection(str(world.path))
    holder.execute("BEGIN IMMEDIATE")
    waiting = [writer.submit(lambda tx: tx.seq) for _ in range(3)]
    for ticket in waiting:
        with pytest.raises(TryAgain):
            ticket.result()
    holder.execute("ROLLBACK")
    assert writer.call(lambda tx: tx.seq) > 0, "the next one is decided again"
    writer.close()


def test_what_stumbles_before_the_first_closure_is_told_too(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the head of a damaged journal does."""
    writer = Writer(lambda: opened(world))
    writer.start()
    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "policy", lambda self, connection: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            writer.call(lambda tx: tx.seq)
    assert writer.call(lambda tx: tx.seq) > 0
    writer.close()


def test_an_open_that_fails_is_told_and_leaves_nothing_open(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    before = len(apsw.connections())

    def fail(ledger: Ledger) -> None:
        raise UnicodeDecodeError("utf-8", b"\xff", 0, 1, "planted")

    monkeypatch.setattr(Ledger, "grow_log", fail)
    with pytest.raises(UnicodeDecodeError):
        Writer(lambda: opened(world)).start()
    assert len(apsw.connections()) == before


def test_a_closure_that_raises_fails_alone_and_a_closed_writer_says_so(world: World) -> None:
    writer = Writer(lambda: opened(world))
    writer.start()

    def fail(tx: object) -> None:
        raise KeyError("mine")

    wrong, right = writer.submit(fail), writer.submit(lambda tx: 7)
    with pytest.raises(KeyError):
        wrong.result()
    assert right.result() == 7
    writer.close()
    with pytest.raises(DiskTrouble):
        writer.call(lambda tx: 7)
