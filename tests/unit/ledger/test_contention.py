"""Writers side by side: each gets its turn, and the log does not grow while nobody is idle."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import apsw
import pytest

from spellweaver.clock import VirtualClock
from spellweaver.ledger import decide, observe, writer
from spellweaver.ledger.decide import Ledger, Transaction
from spellweaver.ledger.opening import create_ledger, open_ledger
from spellweaver.ledger.writer import Writer


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return create_ledger(f"{tmp_path}/state/ledger.db", VirtualClock(1_800_000_000_000_000), actor="test", machine="m")


def taken(folder: str) -> int | None:
    """The turn, as another process would take it; None when somebody has it."""
    fd = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        return None
    return fd


def test_a_writer_lets_the_one_before_it_go_first(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    turn, waits = taken(os.path.dirname(ledger.path)), []
    assert turn is not None

    def pause(us: int) -> None:
        waits.append(us)
        if len(waits) == 3:
            os.close(turn)

    monkeypatch.setattr(decide, "pause", pause)
    with ledger.decide() as tx:
        tx.record("test", tx.decided_at(), {})
    assert waits == [decide.LOCK_STEP_US] * 3


def test_one_that_never_goes_is_passed_by(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    turn, waited = taken(os.path.dirname(ledger.path)), []
    monkeypatch.setattr(decide, "pause", waited.append)
    with ledger.decide() as tx:
        tx.record("test", tx.decided_at(), {})
    assert turn is not None
    os.close(turn)
    assert sum(waited) == decide.TURN_US


def test_who_waits_for_the_lock_is_in_turn_and_who_has_it_is_not(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = os.path.dirname(ledger.path)
    other = apsw.Connection(ledger.path)
    other.execute("BEGIN IMMEDIATE")

    def pause(us: int) -> None:
        assert taken(folder) is None
        other.execute("COMMIT")

    monkeypatch.setattr(decide, "pause", pause)
    with ledger.decide() as tx:
        tx.record("test", tx.decided_at(), {})
        turn = taken(folder)
        assert turn is not None
        os.close(turn)
    other.close()


def test_the_log_is_copied_back_before_it_outgrows_its_file(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "IDLE_S", 600)
    path, clock = ledger.path, ledger.clock
    ledger.close()

    def one(tx: Transaction) -> None:
        tx.record("test", tx.decided_at(), {"text": "x" * 100_000})

    busy = Writer(lambda: open_ledger(path, clock, actor="test"))
    busy.start()
    for _ in range(100):
        busy.call(one)
    assert os.path.getsize(f"{path}-wal") < observe.WAL_LIMIT * 1.1
    busy.close()


def test_a_command_beside_the_daemon_leaves_the_log_to_it(ledger: Ledger) -> None:
    """Copying it back inside its commit would hold everybody up."""
    before = os.path.getsize(ledger.path)
    with observe.observe(ledger.path):  # not the last to close
        for _ in range(100):
            with ledger.decide() as tx:
                tx.record("test", tx.decided_at(), {"text": "x" * 100_000})
        assert os.path.getsize(ledger.path) == before
        assert os.path.getsize(f"{ledger.path}-wal") > observe.WAL_LIMIT
        ledger.close()
