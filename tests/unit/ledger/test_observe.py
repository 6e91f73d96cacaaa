"""What is opened and what is refused, and that a refusal leaves the file as it was."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import apsw
import pytest

from spellweaver.clock import VirtualClock
from spellweaver.errors import DiskTrouble, NotFound, SpellweaverError, TryAgain, Unusable
from spellweaver.ledger import observe
from spellweaver.ledger.opening import memory_ledger, open_ledger
from tests.support.engine import World, draft

CLOCK = VirtualClock(1)


def crashed(folder: Path, spoil: str = "") -> Path:
    """A ledger whose last commits stand in its log alone, as a killed program leaves it; changed by ``spoil``."""
    world = World(folder / "alive")
    world.add(draft("s", "0 * * * *"))
    world.at("2026-01-01T01:00:00Z")
    if spoil:
        world.ledger.connection.execute(spoil)
    (folder / "dead").mkdir(mode=0o700)
    for name in ("ledger.db", "ledger.db-wal"):
        shutil.copy(folder / "alive" / name, folder / "dead" / name)
        os.chmod(folder / "dead" / name, 0o600)
    return folder / "dead" / "ledger.db"


def contents(path: Path) -> dict[str, bytes]:
    return {name: (path.parent / name).read_bytes() for name in os.listdir(path.parent) if not name.endswith("-shm")}


def every_door(path: Path) -> list[SpellweaverError]:
    said = []
    for open_ in (
        lambda: open_ledger(str(path), CLOCK, actor="test"), lambda: observe.observe(str(path)),
        lambda: memory_ledger(CLOCK, actor="test", copy_of=str(path)),
    ):  # fmt: skip
        with pytest.raises(SpellweaverError) as one:
            open_()
        said.append(one.value)
    return said


def test_rp_74_a_newer_ledger_is_refused_and_left_byte_for_byte(tmp_path: Path) -> None:
    path = crashed(tmp_path, f"PRAGMA user_version = {observe.VERSION + 1}")
    before = contents(path)
    assert len(before) == 2 and len(before["ledger.db-wal"]) > 0
    for said in every_door(path):
        assert (said.code, said.exit_status) == ("ledger_version", 78)
        assert f"version {observe.VERSION + 1}" in said.message and f"version {observe.VERSION}." in said.message
        assert said.hint and "newer" in said.hint
    assert contents(path) == before


def test_an_older_ledger_is_refused_too_until_it_is_climbed(tmp_path: Path) -> None:
    path = crashed(tmp_path, "PRAGMA user_version = 0")
    before = contents(path)
    assert {said.code for said in every_door(path)} == {"ledger_version"}
    assert contents(path) == before


def test_a_database_of_another_program_is_refused_and_left_byte_for_byte(tmp_path: Path) -> None:
    path = crashed(tmp_path, "PRAGMA application_id = 7")
    before = contents(path)
    assert {(said.code, said.exit_status) for said in every_door(path)} == {("not_a_ledger", 78)}
    assert contents(path) == before


def test_a_ledger_that_is_not_write_ahead_is_refused_and_left_byte_for_byte(tmp_path: Path) -> None:
    path = crashed(tmp_path)
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()
    before = contents(path)
    for said in every_door(path):
        assert (said.code, said.exit_status) == ("ledger_unsafe", 78) and "journal_mode is delete" in said.message
    assert contents(path) == before


@pytest.mark.parametrize("data", [b"", b"no database at all " * 100, b"SQLite format 3\0" + b"\xff" * 2000])
def test_a_file_that_is_no_database_is_refused_and_left_byte_for_byte(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "dead" / "ledger.db"
    path.parent.mkdir(mode=0o700)
    path.write_bytes(data)
    path.chmod(0o600)
    assert {said.exit_status for said in every_door(path)} == {78}
    assert path.read_bytes() == data


def test_a_ledger_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    for said in every_door(path):
        assert isinstance(said, NotFound) and said.hint == "spellweaver init" and said.exit_status == 4
    assert os.listdir(tmp_path) == []


def test_a_directory_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").mkdir()
    with pytest.raises(SpellweaverError) as said:
        observe.observe(f"{tmp_path}/ledger.db")
    assert said.value.exit_status in (74, 78)


def test_a_reader_sees_one_state_and_writes_nothing(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.add(draft("s", "0 * * * *"))
    assert world.path is not None
    with observe.observe(world.path) as view:
        before = view.head()
        world.at("2026-01-01T01:00:00Z")
        assert view.head() == before, "one snapshot"
        assert list(view.rows("SELECT count(*) FROM occurrence")) == [(0,)]
        with pytest.raises(DiskTrouble, match="can't be written") as said:
            list(view.rows("UPDATE schedule SET next_at = 0"))
        assert said.value.exit_status == 74
    with observe.observe(world.path) as view:
        assert view.head()[1] > before[1]


def test_a_reader_works_while_a_writer_holds_the_lock(tmp_path: Path) -> None:
    world = World(tmp_path)
    assert world.path is not None
    with world.ledger.decide() as tx:
        tx.record("planted", tx.decided_at(), {})
        with observe.observe(world.path) as view:
            assert view.head()[1] == 1, "what is not committed is not there"


def test_an_open_waits_for_one_who_holds_the_file_and_then_says_busy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = crashed(tmp_path)
    other = apsw.Connection(str(path))
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    monkeypatch.setattr(observe, "OPENING_MS", 20)
    with pytest.raises(TryAgain) as said:
        open_ledger(str(path), CLOCK, actor="test")
    assert said.value.exit_status == 75
    other.close()
    open_ledger(str(path), CLOCK, actor="test").close()


def test_what_an_open_sets_is_read_back(tmp_path: Path) -> None:
    world = World(tmp_path)
    for pragma, value in (
        ("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1), ("application_id", observe.APPLICATION_ID),
    ):  # fmt: skip
        assert world.row(f"PRAGMA {pragma}") == (value,)
    assert {strict for (strict,) in world.rows("SELECT strict FROM pragma_table_list WHERE name NOT LIKE 'sqlite%' "
                                               "AND type = 'table'")} == {1}  # fmt: skip
    damaged = apsw.Connection(f"{tmp_path}/ledger.db")
    with pytest.raises(Unusable, match="synchronous 1"):
        damaged.execute("PRAGMA synchronous = NORMAL")
        observe.check_format(damaged, "ledger.db")
