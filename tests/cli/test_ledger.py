"""ledger check and adopt; and run and tick before an adoption."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from spellweaver import files
from spellweaver.cli.typed import NAME
from spellweaver.clock import VirtualClock
from spellweaver.host.machine import machine
from spellweaver.ledger import witness
from spellweaver.ledger.opening import create_ledger, open_ledger
from tests.support.engine import World, draft, us
from tests.support.program import Done, at_terminal, call
from tests.support.story import STEPS, Story

WHY = ("--reason", "moved to the new host")


def named(ledger: Path) -> str:
    """What --confirm wants."""
    connection = open_ledger(str(ledger), VirtualClock(1), actor="test", unwitnessed=True).connection
    (row,) = connection.execute("SELECT substr(id, 1, 8) FROM ledger").fetchall()
    connection.close()
    return str(row[0])


def adopt(world: World, *more: str) -> Done:
    return call("ledger", "adopt", *WHY, *more, ledger=world.path, clock=world.clock)


def events(world: World) -> list[tuple[str, dict[str, object]]]:
    assert world.path is not None
    world.ledger = open_ledger(world.path, world.clock, actor="test")
    return world.events("ledger.adopted")


def bytes_of(folder: Path) -> dict[str, bytes]:
    """What is kept; shared memory and the lock file are not."""
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file() and p.suffix not in (".lock", ".db-shm")}


def running(tmp_path: Path, *, of: str) -> World:
    """At 10:00 a run goes on, on the machine ``of``."""
    world = World.__new__(World)
    folder = tmp_path / "state"
    world.clock, world.path, world.launches = VirtualClock(us("2026-01-01T09:59:00Z")), f"{folder}/ledger.db", []
    world.ledger = create_ledger(world.path, world.clock, actor="test", machine=of)
    world.add(draft("a", "* * * * *"))
    world.clock.advance(60_000_000)
    world.look()
    world.start(world.launches[0])
    return world


@pytest.mark.rule("AUT-05", "RCV-04")
def test_a_sound_ledger_is_said_to_be_so(tmp_path: Path) -> None:
    world = World(tmp_path / "state")
    world.add(draft("a", "* * * * *"))
    world.live("2026-01-01T00:10:00Z", takes="5s")
    last = world.row("SELECT max(seq) FROM event")[0]
    world.reopen()
    done = call("ledger", "check", ledger=world.path)
    assert (done.status, done.out, done.err) == (0, "", f"{last} events, every law asked: nothing found\n")
    document = call("ledger", "check", "--json", ledger=world.path).document
    assert (document["items"], document["events"], document["witness_seq"]) == ([], last, last)
    assert document["machine"] == "this"


@pytest.mark.rule("AUT-05")
def test_what_is_altered_is_named_with_what_comes_next(tmp_path: Path) -> None:
    world = World(tmp_path / "state")
    world.add(draft("a", "* * * * *"))
    world.at("2026-01-01T00:01:00Z")
    world.ledger.connection.execute(
        "DROP TRIGGER event_unchanged; UPDATE event SET actor = 'nobody' WHERE seq = 3; "
        "UPDATE schedule SET settled_to = settled_to + 60"
    )
    world.ledger.close()
    before = bytes_of(tmp_path / "state")
    done = call("ledger", "check", "--json", ledger=world.path)
    assert done.status == 1
    assert {item["id"]: item["rule"] for item in done.items} == {
        "chain_verifies": "AUT-05", "schema_whole": "RCV-04", "every_firing_has_a_fate": "OCC-15",
        "nothing_past_the_mark": "OCC-15",
    }  # fmt: skip
    told = call("ledger", "check", "--header", ledger=world.path)
    assert told.status == 1 and told.out.splitlines()[0].split("\t") == ["FINDING", "RULE", "WHAT", "NEXT"]
    assert "event 3: a past event was altered or is gone" in told.out
    assert "firings without a fate: local/a (1)" in told.out
    assert told.err.endswith("every law asked: 4 found\n")
    assert bytes_of(tmp_path / "state") == before, "nothing was written"
    wide = at_terminal("ledger", "check", ledger=world.path, width=60)
    assert wide.status == 1 and all(len(line) <= 60 for line in wide.out.splitlines())
    assert "chain_verifies (AUT-05)\n    the journal does not verify at event 3" in wide.out


def test_a_backup_can_be_checked_too(tmp_path: Path) -> None:
    world = World(tmp_path / "state")
    copy = tmp_path / "copy.db"
    assert call("backup", str(copy), ledger=world.path).status == 0
    done = call("ledger", "check", ledger=copy)
    assert done.status == 0 and "it has no witness: whether it is the newest can't be told" in done.err


def test_a_file_that_is_no_ledger_is_refused_as_ever(tmp_path: Path) -> None:
    (tmp_path / "no.db").write_bytes(b"SQLite format 3\0" + bytes(200))
    assert call("ledger", "check", ledger=tmp_path / "no.db").status == 78
    assert call("ledger", "check", ledger=tmp_path / "none.db").status == 4
    assert call("ledger", "adopt", *WHY, ledger=tmp_path / "none.db").status == 4


@pytest.mark.rule("RCV-02")
@pytest.mark.parametrize("words", [("run", "--for", "1s"), ("tick",), ("tick", "--no-wait")], ids=" ".join)
def test_rp_73_on_another_machine_nothing_runs_until_it_is_adopted(tmp_path: Path, words: tuple[str, ...]) -> None:
    world = running(tmp_path, of="elsewhere" * 4)
    world.ledger.close()
    before = bytes_of(tmp_path / "state")
    world.clock.advance(4 * 3600_000_000)
    done = call(*words, "--quiet", ledger=world.path, clock=world.clock)
    assert done.status == 78 and "belongs to another machine (elsewhereels…, this is" in done.err
    assert f"{NAME} ledger adopt" in done.err
    assert bytes_of(tmp_path / "state") == before
    check = call("ledger", "check", ledger=world.path)
    assert check.status == 0 and "here it does not run until it is adopted" in check.err


@pytest.mark.rule("RCV-02", "AUT-05")
def test_rp_73_adoption_must_be_named_and_contains_what_was_open(tmp_path: Path) -> None:
    world = running(tmp_path, of="elsewhere")
    assert world.path is not None
    world.ledger.close()
    name = named(Path(world.path))
    before = bytes_of(tmp_path / "state")
    for words in ((), ("--confirm", "00000000")):
        refused = adopt(world, *words)
        assert refused.status == 3 and f"ledger adopt --confirm {name}" in refused.err
    tried = adopt(world, "--dry-run", "--json")
    assert tried.status == 0 and tried.items[0] | {"dry_run": False} == {
        "ledger": tried.items[0]["ledger"], "status": "adopted", "machine_before": "elsewhere",
        "machine_after": machine()[0], "witness_seq": tried.items[0]["seq"], "seq": tried.items[0]["seq"],
        "contained": ["inv_1"], "set_aside": [], "dry_run": False,
    }  # fmt: skip
    assert bytes_of(tmp_path / "state") == before, "nothing was written"
    done = adopt(world, "--confirm", name)
    assert done.status == 0 and "CONTAINED\tinv_1" in done.out and f"next: {NAME} resolve inv_1" in done.err
    ((_, told),) = events(world)
    assert told["why"] == "moved to the new host" and told["machine_before"] == "elsewhere"
    assert world.rows("SELECT state FROM invocation") == [("contained",)]
    assert world.rows("SELECT actor FROM event WHERE type = 'ledger.adopted'") == [(f"uid:{os.getuid()}",)]
    world.audit()
    world.ledger.close()
    assert call("ledger", "check", ledger=world.path).status == 0
    assert adopt(world, "--json").items[0]["status"] == "unchanged", "once is enough"
    said = at_terminal("events", "--type", "ledger.*", ledger=world.path, width=200)
    assert said.status == 0 and "taken on as it is, by machine" in said.out


def lagging(tmp_path: Path) -> World:
    """An older copy stands in the ledger's place; of three attempts it knows one."""
    world = running(tmp_path, of=machine()[0])
    assert world.path is not None
    world.ledger.close()
    shutil.copytree(tmp_path / "state", tmp_path / "copy")
    world.ledger = open_ledger(world.path, world.clock, actor="test")
    world.end(world.launches[0])
    for _ in range(2):
        world.clock.advance(60_000_000)
        world.look()
        world.end(world.launches[0])
    world.ledger.close()
    for number in (1, 2, 3):
        (tmp_path / "state" / "attempts" / f"att_{number}").mkdir(parents=True)
    os.chmod(tmp_path / "state" / "attempts", 0o700)
    for name in ("ledger.db", "ledger.db-wal"):
        shutil.copyfile(tmp_path / "copy" / name, tmp_path / "state" / name)
    return world


@pytest.mark.rule("RCV-04")
def test_rp_73_an_older_ledger_is_noticed_by_every_writer_and_read_all_the_same(tmp_path: Path) -> None:
    world = lagging(tmp_path)
    for words in (("tick",), ("cancel", "inv_1", *WHY), ("activate", "a"), ("activate", "a", "--dry-run")):
        done = call(*words, ledger=world.path, clock=world.clock)
        assert done.status == 78 and "events are missing" in done.err and f"{NAME} ledger adopt" in done.err, words
    assert call("status", ledger=world.path, clock=world.clock).status == 0
    check = call("ledger", "check", "--json", ledger=world.path)
    assert check.status == 1 and [item["id"] for item in check.items] == ["ledger_older"]
    assert check.items[0]["hint"] == "spellweaver ledger adopt"


@pytest.mark.rule("RCV-04")
def test_doctor_says_so_too(tmp_path: Path) -> None:
    world = lagging(tmp_path)
    (found,) = (item for item in call("doctor", "--json", ledger=world.path).items if item["id"] == "witness")
    assert found["state"] == "wrong" and "events are missing" in str(found["sentence"])
    assert found["next"] == f"{NAME} ledger adopt --ledger {world.path}"
    os.unlink(tmp_path / "state" / "ledger.witness")
    (found,) = (item for item in call("doctor", "--json", ledger=world.path).items if item["id"] == "witness")
    assert found["state"] == "note"


@pytest.mark.rule("RCV-01", "RCV-04")
def test_an_older_ledger_is_adopted_and_attempts_that_it_does_not_know_are_set_aside(tmp_path: Path) -> None:
    world = lagging(tmp_path)
    assert world.path is not None
    held = os.open(tmp_path / "state/attempts/att_3/lock", os.O_CREAT | os.O_RDWR, 0o600)
    files.wait_lock(held)
    name = named(Path(world.path))
    refused = adopt(world, "--confirm", name)
    assert refused.status == 3 and "att_3 still run, and this ledger, being older, does not know of them" in refused.err
    os.close(held)
    (item,) = adopt(world, "--confirm", name, "--json").items
    assert (item["set_aside"], item["contained"]) == (["att_2", "att_3"], [])
    assert sorted(os.listdir(tmp_path / "state/attempts")) == ["att_1", "att_2.unknown", "att_3.unknown"]
    ((_, told),) = events(world)
    seen = witness.read(witness.beside(world.path))
    assert told["witness_seq"] == item["witness_seq"] and seen is not None and seen.seq == item["seq"] + 1
    world.audit()
    world.ledger.close()
    assert call("tick", ledger=world.path, clock=world.clock).status == 0
    assert call("ledger", "check", ledger=world.path).status == 0


def test_a_ledger_that_is_not_sound_is_not_adopted(tmp_path: Path) -> None:
    world = running(tmp_path, of="elsewhere")
    assert world.path is not None
    world.ledger.connection.execute("DROP TRIGGER event_kept; DELETE FROM event WHERE seq = 3")
    world.ledger.close()
    done = adopt(world, "--confirm", named(Path(world.path)))
    assert done.status == 78 and "is not sound" in done.err and f"{NAME} ledger check" in done.err


@pytest.mark.rule("RCV-03")
def test_no_ledger_is_adopted_under_a_daemon(tmp_path: Path) -> None:
    world = running(tmp_path, of="elsewhere")
    assert world.path is not None
    world.ledger.close()
    with files.locked(f"{world.path}.lock"):
        done = adopt(world, "--confirm", named(Path(world.path)))
    assert done.status == 75 and "is running on this ledger already" in done.err


def test_the_whole_story_is_sound(tmp_path: Path) -> None:
    clock = VirtualClock(us(STEPS[0].at))
    story = Story(create_ledger(f"{tmp_path}/state/ledger.db", clock, actor="test", machine=machine()[0]), clock)
    for step in STEPS:
        story.do(step)
    story.ledger.close()
    done = call("ledger", "check", "--jsonl", ledger=tmp_path / "state" / "ledger.db")
    assert (done.status, done.out) == (0, "")
