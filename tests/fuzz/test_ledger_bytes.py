"""Random damage to the bytes of a real ledger: header, pages, log. Whatever is asked of it answers or refuses with an
error of ours, soon; and what was seen to be damaged is not written to.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import apsw
import pytest

from spellweaver.clock import VirtualClock
from spellweaver.errors import SpellweaverError
from spellweaver.ledger.observe import require_whole
from tests.support.engine import World, draft, us
from tests.support.fuzz import Chance, one_alone, rounds, told
from tests.support.program import SRC, Done, call

NOW = "2026-01-01T06:30:00Z"
PROBE = str(SRC.parent / "examples" / "probe.toml")
ASKED = (
    ("status",), ("explain", "job@latest"), ("explain", "occ_1"), ("occurrence", "list"),
    ("invocation", "list", "--json"), ("events", "--jsonl"), ("schedule", "list"), ("schedule", "show", "job"),
    ("next",), ("pattern", "show", "job"), ("policy", "show"), ("doctor", "--full"), ("simulate", "--for", "1h"),
    ("ledger", "check"), ("define", PROBE), ("activate", "window"), ("tick", "--no-wait"),
)  # fmt: skip
STATUSES = {0, 1, 3, 4, 65, 74, 75, 78}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small ledger with a bit of everything, once all in its file and once with its newest commits in the log."""
    folder = tmp_path_factory.mktemp("sound")
    world = World(folder / "state", now="2026-01-01T00:00:00Z")
    world.add(draft("job", "0 * * * *", zone="Europe/Rome"), draft("window", "*/30 * * * *", allowed_delay="10m"))
    world.live("2026-01-01T03:00:00Z", takes="2m")
    world.at("2026-01-01T05:00:00Z")
    shutil.copytree(folder / "state", folder / "logged")
    world.ledger.connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    world.ledger.close()
    for name in ("state", "logged"):
        (folder / name / "ledger.db-shm").unlink(missing_ok=True)
    return folder


def flipped(chance: Chance, path: Path) -> None:
    """1 to 64 bytes, alone or in a row, in the header or anywhere."""
    data = bytearray(path.read_bytes())
    count = chance.choice((1, 1, 2, 8, 64))
    head = chance.random() < 0.3
    if chance.random() < 0.5:
        at = chance.randrange(100 if head else len(data))
        data[at : at + count] = chance.choice((bytes(count), b"\xff" * count, chance.randbytes(count)))
    else:
        for _ in range(count):
            data[chance.randrange(100 if head else len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def damaged(chance: Chance, sound: Path, folder: Path) -> Path:
    shutil.copytree(sound / chance.choice(("state", "logged")), folder)
    log = folder / "ledger.db-wal"
    if log.exists() and log.stat().st_size and chance.random() < 0.5:
        if chance.random() < 0.3:
            log.write_bytes(log.read_bytes()[: chance.randrange(log.stat().st_size)])
        else:
            flipped(chance, log)
    else:
        flipped(chance, folder / "ledger.db")
    return folder / "ledger.db"


def bytes_of(ledger: Path) -> list[bytes]:
    """Its file and its log; an empty log is as good as none."""
    log = Path(f"{ledger}-wal")
    return [ledger.read_bytes(), log.read_bytes() if log.exists() else b""]


def broken(ledger: Path) -> bool:
    """Whether a page is seen to be damaged, so that a daemon must not even begin."""
    try:
        require_whole(str(ledger))
    except SpellweaverError:
        return True
    return False


def sane(done: Done) -> bool:
    return done.status in STATUSES and "Traceback" not in done.err and "fault in spellweaver" not in done.err


def test_ledger_bytes(sound: Path, tmp_path: Path) -> None:
    seen = {"answered": 0, "refused": 0, "run refused": 0}
    for chance in rounds():
        ledger = damaged(chance, sound, tmp_path / chance.name.replace(":", "-"))
        for line in chance.sample(ASKED, 4):
            before = bytes_of(ledger)
            with told(chance, line):
                done = call(*line, ledger=ledger, clock=VirtualClock(us(NOW)))
                assert sane(done), (line, done)
            if done.status == 78 and line[0] != "tick":  # a tick is many transactions; the first of them may be sound
                assert bytes_of(ledger) == before, (chance.name, line, "a damaged ledger was written to")
            seen["refused" if done.status == 78 else "answered"] += 1
        if broken(ledger):
            before = bytes_of(ledger)
            with told(chance, "run"):
                done = call("run", "--for", "1s", "-q", ledger=ledger, clock=VirtualClock(us(NOW)))
                assert sane(done) and done.status in (74, 78), done
            assert bytes_of(ledger) == before, (chance.name, "run", "a damaged ledger was written to")
            seen["run refused"] += 1
        shutil.rmtree(ledger.parent, ignore_errors=True)  # shims of a tick may be writing there still
    assert one_alone() or all(seen.values()), f"the damage is too small or too large to show anything: {seen}"
