"""Ledgers that were made by earlier versions: today's program brings them to its own version, reads them, and says of
them what was said when they were recorded (``make``). Their files never change.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from hashlib import sha256
from pathlib import Path

import apsw
import pytest

from spellweaver.clock import VirtualClock
from spellweaver.ledger import journal, migrate, observe
from tests.golden.make import NOW, make
from tests.support.audit import audit
from tests.support.engine import World, us
from tests.support.program import call

PLACE = Path(__file__).parent / "ledger"
GOLDEN = sorted(PLACE.glob("*.db"))


def recorded(golden: Path) -> dict[str, object]:
    body = json.loads(golden.with_suffix(".json").read_text(encoding="utf-8"))
    assert isinstance(body, dict)
    return body


@pytest.fixture(params=GOLDEN, ids=lambda path: path.stem)
def golden(request: pytest.FixtureRequest) -> Path:
    assert isinstance(request.param, Path)
    return request.param


@pytest.fixture
def copy(golden: Path, tmp_path: Path) -> Path:
    """A copy in a place of its own, brought to today's version."""
    folder = tmp_path / "state"
    folder.mkdir(mode=0o700)
    path = Path(shutil.copyfile(golden, folder / "ledger.db"))
    path.chmod(0o600)
    with contextlib.closing(apsw.Connection(str(path))) as connection:
        migrate.climb(connection, str(path))
        assert connection.execute("PRAGMA user_version").fetchall() == [(observe.VERSION,)]
    return path


def test_its_file_never_changes(golden: Path) -> None:
    assert sha256(golden.read_bytes()).hexdigest() == recorded(golden)["sha256"]


def test_there_is_one_of_every_version_and_each_leads_to_this_one(golden: Path, copy: Path) -> None:
    versions = [int(path.stem.removeprefix("v")) for path in GOLDEN]
    assert versions == list(range(1, observe.VERSION + 1)), "record one: python -m tests.golden.make FOLDER"
    connection = apsw.Connection(f"file:{golden}?immutable=1", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    with contextlib.closing(connection):
        assert connection.execute("PRAGMA user_version").fetchall() == [(int(golden.stem.removeprefix("v")),)]


@pytest.mark.rule("AUT-05")
def test_no_law_is_broken_and_the_journal_is_whole(copy: Path) -> None:
    with contextlib.closing(World.opened(str(copy), us(NOW)).ledger) as ledger:
        assert audit(ledger.connection) == []
        assert journal.head(ledger.connection)[0] > 100
        journal.verify(ledger.connection)
    checked = call("ledger", "check", "--json", ledger=copy, clock=VirtualClock(us(NOW)))
    assert (checked.status, checked.items) == (0, [])


@pytest.mark.rule("CAL-07")
def test_the_program_says_of_it_what_was_recorded(golden: Path, copy: Path) -> None:
    before = recorded(golden)
    del before["sha256"]
    now = us(str(before.pop("now")))
    for line, items in before.items():
        done = call(*line.split(), "--json", ledger=copy, clock=VirtualClock(now))
        assert done.status == 0, (line, done.err)
        assert not differences(items, done.items), line


def differences(before: object, now: object, at: str = "") -> list[str]:
    """Where what was recorded is said no more, or otherwise. What is said besides is a later version's."""
    if isinstance(before, dict) and isinstance(now, dict):
        gone = [f"{at}.{key} is gone" for key in before.keys() - now.keys()]
        pairs = [(f"{at}.{key}", before[key], now[key]) for key in before.keys() & now.keys()]
        return gone + [d for where, old, new in pairs for d in differences(old, new, where)]
    if isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        return [d for n, old in enumerate(before) for d in differences(old, now[n], f"{at}[{n}]")]
    return [] if before == now else [f"{at}: {before!r} was recorded, and it is {now!r}"]


def test_what_was_recorded_is_a_bit_of_everything(copy: Path) -> None:
    with contextlib.closing(World.opened(str(copy), us(NOW)).ledger) as ledger:
        for what, least in {
            "state FROM occurrence": {"admitted", "missed", "skipped", "refused", "pending"},
            "reason FROM firing_range": {"horizon", "superseded", "latest_start"},
            "state FROM invocation": {"completed", "failed", "contained", "cancelled", "running", "queued"},
            "kind FROM proof": {"other_boot", "operator"},
            "mode FROM occurrence": {"live", "catch_up"},
        }.items():
            assert {word for (word,) in ledger.connection.execute(f"SELECT DISTINCT {what}")} >= least, what
        for table, few in (("clock_event", 1), ("policy", 3), ("zone_rules", 2), ("binding", 2), ("activation", 9)):
            ((count,),) = ledger.connection.execute(f"SELECT count(*) FROM {table}").fetchall()
            assert int(str(count)) >= few, table


@pytest.mark.rule("RCV-04")
def test_the_engine_goes_on_with_it(copy: Path) -> None:
    world = World.opened(str(copy), us("2026-03-29T01:40:00Z"))
    before = world.rows("SELECT id, state, reason, decided_at FROM occurrence WHERE state <> 'pending' ORDER BY id")
    world.look()
    assert set(before) <= set(world.rows("SELECT id, state, reason, decided_at FROM occurrence"))
    assert world.rows("SELECT count(*) FROM occurrence WHERE nominal_at > ?", us("2026-03-29T01:30:00Z")) != [(0,)]
    world.audit()
    world.ledger.close()


def test_the_history_can_still_be_told(tmp_path: Path) -> None:
    """What the next golden ledger will be made of."""
    with contextlib.closing(World.opened(str(make(tmp_path / "new")), us(NOW)).ledger) as ledger:
        assert audit(ledger.connection) == []
