"""The witness: it may lag behind its ledger and never lead, and it shows what SQLite does not notice."""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from spellweaver import files
from spellweaver.core.instant import SECOND
from spellweaver.errors import DiskTrouble, Unusable
from spellweaver.ledger import witness, writer
from spellweaver.ledger.audit import laws
from spellweaver.ledger.decide import Ledger
from spellweaver.ledger.opening import create_ledger, open_ledger
from spellweaver.ledger.writer import Writer
from tests.support.engine import World


def said(world: World) -> int:
    """The seq that the witness saw."""
    assert world.path is not None
    found = witness.read(witness.beside(world.path))
    assert found is not None
    return found.seq


def last(world: World) -> object:
    return world.row("SELECT max(seq) FROM event")[0]


def decide(ledger: Ledger) -> None:
    with ledger.decide() as tx:
        tx.record("planted", tx.decided_at(), {})




def test_a_new_ledger_has_a_witness_beside_it_for_its_owner_alone(tmp_path: Path) -> None:
    world = World(tmp_path)
    path = tmp_path / "ledger.witness"
    assert path.stat().st_mode & 0o777 == 0o600 and said(world) == last(world) == 1
    assert set(json.loads(path.read_bytes())) == {"ledger", "seq", "hash"}


@pytest.mark.rule("RCV-04")
def test_it_is_written_after_the_commits_and_at_a_clean_stop(tmp_path: Path) -> None:
    world = World(tmp_path)
    decide(world.ledger)
    decide(world.ledger)
    assert (said(world), last(world)) == (1, 3), "it lags"
    world.ledger.keep_witness()
    assert said(world) == 3
    decide(world.ledger)
    world.reopen()
    assert said(world) == last(world) == 4
    before = os.stat(tmp_path / "ledger.witness").st_mtime_ns
    with world.ledger.decide() as tx:
        tx.decided_at()
    world.reopen()
    assert os.stat(tmp_path / "ledger.witness").st_mtime_ns == before, "nothing was recorded, so nothing is written"


@pytest.mark.rule("RCV-04")
def test_one_that_lags_is_no_reason_to_refuse(tmp_path: Path) -> None:
    """As after a kill; another program may have written on meanwhile."""
    world = World(tmp_path)
    assert world.path is not None
    other = open_ledger(world.path, world.clock, actor="other")
    decide(world.ledger)
    decide(other)
    assert said(world) == 1
    open_ledger(world.path, world.clock, actor="test").close()
    other.close()
    assert said(world) == last(world) == 3, "each writes what the ledger holds, not what it wrote itself"


def restored(world: World, copy: Path) -> None:
    """The files of an older copy in the ledger's place."""
    assert world.path is not None
    world.ledger.close()
    for name in ("ledger.db", "ledger.db-wal"):
        shutil.copyfile(copy / name, Path(world.path).with_name(name))
    Path(f"{world.path}-shm").unlink(missing_ok=True)


def older(world: World, tmp_path: Path) -> None:
    shutil.copytree(tmp_path / "state", tmp_path / "copy")
    decide(world.ledger)
    decide(world.ledger)
    restored(world, tmp_path / "copy")


def older_and_written_on(world: World, tmp_path: Path) -> None:
    older(world, tmp_path)
    os.rename(tmp_path / "state" / "ledger.witness", tmp_path / "aside")
    assert world.path is not None
    ledger = open_ledger(world.path, world.clock, actor="another")
    for _ in range(3):
        decide(ledger)
    ledger.close()
    os.rename(tmp_path / "aside", tmp_path / "state" / "ledger.witness")


def without_its_log(world: World, tmp_path: Path) -> None:
    """The newest commits stand in the log alone until it is copied back."""
    decide(world.ledger)
    world.ledger.keep_witness()
    for name in ("ledger.db", "ledger.witness"):
        shutil.copyfile(tmp_path / "state" / name, tmp_path / name)
    world.ledger.close()
    shutil.rmtree(tmp_path / "state")
    (tmp_path / "state").mkdir(mode=0o700)
    for name in ("ledger.db", "ledger.witness"):
        os.rename(tmp_path / name, tmp_path / "state" / name)
        os.chmod(tmp_path / "state" / name, 0o600)


def another(world: World, tmp_path: Path) -> None:
    create_ledger(f"{tmp_path}/other/ledger.db", world.clock, actor="test", machine="here").close()
    restored(world, tmp_path / "other")


def unreadable(world: World, tmp_path: Path) -> None:
    (tmp_path / "state" / "ledger.witness").write_bytes(b"{}")


def linked(world: World, tmp_path: Path) -> None:
    os.rename(tmp_path / "state" / "ledger.witness", tmp_path / "elsewhere")
    os.symlink(tmp_path / "elsewhere", tmp_path / "state" / "ledger.witness")


@pytest.mark.rule("RCV-04")
@pytest.mark.parametrize(
    "what, code, sentence",
    [
        (older, "ledger_older", "ends at evt_1, and its witness saw evt_3: 2 events are missing"),
        (older_and_written_on, "ledger_diverged", "evt_3 of .* is not the event that its witness saw"),
        (without_its_log, "ledger_older", "1 events are missing. An older copy was put in its place, or its log is"),
        (another, "ledger_exchanged", "another one was put in its place"),
        (unreadable, "witness_damaged", "is not what a witness looks like; whether the ledger is the newest"),
        (linked, "witness_damaged", "is a symbolic link"),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_rp_73_a_ledger_that_is_not_what_its_witness_saw_is_refused(
    tmp_path: Path, what: Callable[[World, Path], None], code: str, sentence: str
) -> None:
    world = World(tmp_path / "state")
    what(world, tmp_path)
    assert world.path is not None
    files_before = {path.name: path.read_bytes() for path in (tmp_path / "state").iterdir() if "shm" not in path.name}
    with pytest.raises(Unusable, match=sentence) as told:
        open_ledger(world.path, world.clock, actor="test")
    assert (told.value.code, told.value.exit_status, told.value.hint) == (code, 78, "spellweaver ledger adopt")
    ledger = open_ledger(world.path, world.clock, actor="test", unwitnessed=True)
    assert laws.audit(ledger.connection) == [], "by itself it is sound: SQLite notices nothing"
    ledger.connection.close()
    after = {path.name: path.read_bytes() for path in (tmp_path / "state").iterdir() if "shm" not in path.name}
    assert after["ledger.db"] == files_before["ledger.db"] and after["ledger.witness"] == files_before["ledger.witness"]


def test_a_witness_of_an_earlier_ledger_does_not_keep_a_new_one_from_being_made(tmp_path: Path) -> None:
    world = World(tmp_path / "state")
    decide(world.ledger)
    world.ledger.close()
    for name in ("ledger.db", "ledger.db-wal", "ledger.db-shm"):
        (tmp_path / "state" / name).unlink(missing_ok=True)
    again = World(tmp_path / "state")
    again.reopen()
    assert said(again) == last(again) == 1


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"\xff", b'{"ledger": 1, "seq": 1, "hash": ""}', b'{"ledger": "a"}', b"[" * 4000]
)
def test_what_is_no_witness_is_told_and_no_traceback(body: bytes) -> None:
    with pytest.raises(ValueError):
        witness.parse(body)


def test_a_witness_that_can_t_be_written_lags_and_the_ledger_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path)
    decide(world.ledger)
    with monkeypatch.context() as patched:
        patched.setattr(files, "write_whole", _full)
        with pytest.raises(DiskTrouble, match="ledger.witness can't be written: no space left on device"):
            world.ledger.keep_witness()
        world.ledger.close()
    assert world.path is not None and said(world) == 1
    world.ledger = open_ledger(world.path, world.clock, actor="test")
    assert last(world) == 2


def _full(path: str, data: bytes) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.rule("RCV-04")
def test_a_busy_writer_writes_it_once_a_second_and_an_idle_one_when_there_is_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path)
    assert world.path is not None
    path, clock = world.path, world.clock
    world.ledger.close()
    seen: list[int] = []
    real = witness.write
    monkeypatch.setattr(witness, "write", lambda place, now: (seen.append(now.seq), real(place, now)))
    monkeypatch.setattr(writer, "IDLE_S", 30)
    busy = Writer(lambda: open_ledger(path, clock, actor="daemon"))
    busy.start()
    for _ in range(40):
        busy.call(lambda tx: tx.record("planted", tx.decided_at(), {}))
        clock.advance(SECOND // 10)
    between = [later - earlier for earlier, later in zip(seen, seen[1:], strict=False)]
    assert 3 <= len(seen) <= 4 and all(10 <= events <= 12 for events in between), seen
    busy.close()
    assert said(world) == 41 and seen[-1] == 41, "a clean stop"

    written = threading.Event()
    monkeypatch.setattr(witness, "write", lambda place, now: (real(place, now), written.set()))
    monkeypatch.setattr(writer, "IDLE_S", 0.01)
    idle = Writer(lambda: open_ledger(path, clock, actor="daemon"))
    idle.start()
    idle.call(lambda tx: tx.record("planted", tx.decided_at(), {}))
    assert written.wait(30) and said(world) == 42
    idle.close()
