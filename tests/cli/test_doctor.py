"""``doctor``: a sound ledger has nothing wrong, each thing that is wrong is found with its next command, and nothing is
written.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from spellweaver.cli.screens.checkup import ledger as of_ledger
from spellweaver.cli.screens.checkup import place
from spellweaver.core.launch import Contained
from spellweaver.host import kernel
from spellweaver.manifest import zones
from spellweaver.safety import volume
from tests.support.engine import World, draft, us
from tests.support.program import Done, at_terminal, call

NOW = "2026-01-01T00:30:00Z"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A ledger with one run that is over, and a daemon: this very process."""
    made = World(tmp_path / "state", now=NOW)
    made.add(draft("job", "0 * * * *", zone="Europe/Rome"))
    made.at("2026-01-01T01:00:00Z")
    made.end(made.launches[0])
    lives(made)
    yield made
    made.ledger.close()


def lives(world: World) -> None:
    pid = os.getpid()
    said = {"pid": pid, "start_ticks": kernel.start_ticks(pid), "boot_id": kernel.boot_id(), "started_at": us(NOW)}
    lock = Path(f"{world.path}.lock")
    lock.write_text(json.dumps(said))
    lock.chmod(0o600)


def doctor(world: World, *more: str, env: dict[str, str] | None = None) -> Done:
    return call("doctor", *more, ledger=world.path, clock=world.clock, env=env)


def found(done: Done, id_: str) -> dict[str, object]:
    (item,) = [each for each in done.items if each["id"] == id_]
    return item


def wrong(done: Done) -> set[object]:
    return {each["id"] for each in done.items if each["state"] == "wrong"}


@pytest.mark.rule("AUT-05")
def test_a_sound_ledger_has_nothing_wrong_and_its_chain_is_walked(world: World) -> None:
    for more in ((), ("--full",)):
        done = doctor(world, "--json", *more)
        assert (wrong(done), done.status) == (set(), 0), done.out
        last = world.row("SELECT max(seq) FROM event")[0]
        said = f"all {last} events follow from each other, from the first on"
        assert found(done, "journal_chain")["sentence"] == said


def test_nothing_is_written(world: World) -> None:
    folder = Path(str(world.path)).parent
    before = {each.name: each.read_bytes() for each in folder.iterdir() if not each.name.endswith("-shm")}
    doctor(world, "--full")
    assert {each.name: each.read_bytes() for each in folder.iterdir() if not each.name.endswith("-shm")} == before


def test_a_pipe_gets_lines_and_a_person_paragraphs_with_the_next_command(world: World) -> None:
    Path(f"{world.path}.lock").unlink()
    assert "daemon\twrong\tno daemon runs, so nothing fires" in doctor(world).out
    seen = at_terminal("doctor", ledger=world.path, clock=world.clock)
    assert seen.status == 1
    assert "✗ daemon" in seen.out and "next: spellweaver run --ledger" in seen.out and "1 wrong" in seen.out
    assert all(len(line) <= 80 or max(map(len, line.split())) > 50 for line in seen.out.splitlines())


def test_without_a_ledger_there_is_nothing_to_look_at(tmp_path: Path) -> None:
    assert call("doctor", ledger=tmp_path / "none.db").status == 4


def _writable(world: World, _: pytest.MonkeyPatch) -> None:
    os.chmod(os.path.dirname(str(world.path)), 0o777)


def _linked(world: World, _: pytest.MonkeyPatch) -> None:
    os.link(str(world.path), f"{world.path}.second")


def _attempts(world: World, _: pytest.MonkeyPatch) -> None:
    attempts = Path(str(world.path)).parent / "attempts"
    attempts.mkdir()
    attempts.chmod(0o777)


def _no_room(_: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "LOW_BYTES", 1 << 62)


def _log(_: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "LOG_BYTES", 0)


def _sqlite(_: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_ledger, "sqlite_version", lambda: "3.50.6")


def _machine(world: World, _: pytest.MonkeyPatch) -> None:
    world.ledger.connection.execute("UPDATE ledger SET machine = 'another'")


def _clock(world: World, _: pytest.MonkeyPatch) -> None:
    values = (us(NOW), us(NOW) + 7_200_000_000, 7_200_000_000, us(NOW))
    sql = "INSERT INTO clock_event (before_at, after_at, size_us, opened_at) VALUES (?, ?, ?, ?)"
    world.ledger.connection.execute(sql, values)


def _daemon(world: World, _: pytest.MonkeyPatch) -> None:
    Path(f"{world.path}.lock").unlink()


def _contained(world: World, _: pytest.MonkeyPatch) -> None:
    world.at("2026-01-01T02:00:00Z")
    world.start(world.launches[0])
    world.see(Contained(world.launches[0].attempt, "escaped", "a process of it lives on"))


WRONG: list[tuple[str, Callable[[World, pytest.MonkeyPatch], None], str, str]] = [
    ("state_directory", _writable, "is writable by others (mode 0777)", "chmod go-w"),
    ("ledger_files", _linked, "has 2 names (hard links)", "find "),
    ("attempts_directory", _attempts, "is writable by others", "chmod go-w"),
    ("room", _no_room, "MiB", "df -h"),
    ("log_size", _log, "is not copied back", "fuser -v"),
    ("sqlite", _sqlite, "SQLite 3.50.6", "pip install --upgrade apsw"),
    ("machine", _machine, "the ledger is of machine another", ""),
    ("clock", _clock, "set by 2h at 2026-01-01T00:30:00Z and not settled", "spellweaver tick"),
    ("daemon", _daemon, "no daemon runs, so nothing fires; the last look was 30min ago", "spellweaver run"),
    ("contained", _contained, "inv_2 of local/job, admitted at 2026-01-01T02:00:00Z", "spellweaver explain inv_2"),
]


@pytest.mark.parametrize(("id_", "spoil", "sentence", "next_"), WRONG, ids=[each[0] for each in WRONG])
def test_what_is_wrong_is_found_with_its_next_command(
    id_: str, spoil: Callable[[World, pytest.MonkeyPatch], None], sentence: str, next_: str, world: World,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    spoil(world, monkeypatch)
    done = doctor(world, "--json")
    item = found(done, id_)
    assert (item["state"], done.status) == ("wrong", 1)
    assert sentence in str(item["sentence"])
    assert str(item["next"] or "").startswith(next_)


@pytest.mark.parametrize(
    ("version", "safe"),
    [("3.51.2", False), ("3.51.3", True), ("3.52.0", True), ("3.50.6", False), ("3.50.7", True), ("3.44.6", True),
     ("3.45.1", False), ("3.46.0", False), ("4.0", True)],
)  # fmt: skip
def test_releases_of_sqlite_that_can_damage_a_ledger_are_known(version: str, safe: bool) -> None:
    assert of_ledger._safe(version) is safe


@pytest.mark.rule("AUT-05")
def test_a_past_event_that_was_altered_is_found(world: World) -> None:
    connection = world.ledger.connection
    ((sql,),) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'event_unchanged'").fetchall()
    connection.execute("DROP TRIGGER event_unchanged")
    connection.execute("UPDATE event SET actor = 'somebody' WHERE seq = 3")
    connection.execute(str(sql))
    done = doctor(world, "--json")
    assert wrong(done) == {"journal_chain"}
    assert "does not verify at event 3" in str(found(done, "journal_chain")["sentence"])


def test_a_long_chain_is_walked_from_near_its_end_and_wholly_when_asked(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(of_ledger, "CHAIN", 2)
    item = found(doctor(world, "--json"), "journal_chain")
    assert item["state"] == "note" and "the last 2 of" in str(item["sentence"])
    assert str(item["next"]).startswith("spellweaver doctor --full")
    assert found(doctor(world, "--json", "--full"), "journal_chain")["state"] == "ok"


def test_laws_that_are_broken_are_told_with_their_rule(world: World) -> None:
    world.ledger.connection.execute("UPDATE schedule SET state = 'stopped', why = 'nobody knows'")
    done = doctor(world, "--json")
    assert found(done, "stopped")["sentence"] == "local/job is stopped: nobody knows"
    assert "(RCV-05)" in str(found(done, "stops_told")["sentence"])


def rules_of(folder: Path, zone: str, name: str) -> dict[str, str]:
    """A zone source in which ``name`` has the rules of ``zone``."""
    path = folder / "zones" / name
    path.parent.mkdir(parents=True)
    path.write_bytes(zones.rules(zone))
    (folder / "zones" / "UTC").write_bytes(zones.rules("UTC"))
    return {"SPELLWEAVER_ZONES": str(folder / "zones")}


@pytest.mark.rule("CAL-05")
def test_zone_rules_that_differ_from_the_kept_ones_are_told_with_the_first_instant(
    world: World, tmp_path: Path
) -> None:
    world.add(draft("twin", "30 2 * * *", zone="Europe/Rome"), draft("other", "0 3 * * *", zone="UTC"))
    assert found(doctor(world, "--json"), "zone_rules")["state"] == "ok"

    item = found(doctor(world, "--json", env=rules_of(tmp_path / "a", "Africa/Algiers", "Europe/Rome")), "zone_rules")
    assert item["state"] == "note", "it fires by its kept rules: nothing is wrong with it"
    said = str(item["sentence"])
    assert "local/job and 1 more: the kept rules of Europe/Rome" in said
    assert "differ from 2026-03-29T01:00:00Z on (Sun 2026-03-29 03:00 CEST, not Sun 2026-03-29 02:00 CET)" in said


@pytest.mark.rule("CAL-05")
def test_what_the_host_has_none_of_or_only_in_other_bytes_is_told(world: World, tmp_path: Path) -> None:
    gone = rules_of(tmp_path / "b", "UTC", "Etc/UTC")
    assert "the host has none: zone 'Europe/Rome' is unknown" in str(
        found(doctor(world, "--json", env=gone), "zone_rules")["sentence"]
    )
    same = rules_of(tmp_path / "c", "Europe/Rome", "Europe/Rome")
    path = Path(same["SPELLWEAVER_ZONES"]) / "Europe" / "Rome"
    data = path.read_bytes()
    path.write_bytes(data[:5] + b"\x01" + data[6:])  # a reserved byte
    assert "no time to come differs" in str(found(doctor(world, "--json", env=same), "zone_rules")["sentence"])


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
def test_a_process_of_a_run_that_is_over_is_an_orphan(world: World) -> None:
    attempts = f"{os.path.dirname(str(world.path))}/attempts"
    for number, orphan in ((1, True), (99, False)):
        env = {"SPELLWEAVER_ATTEMPT": f"att_{number}", "SPELLWEAVER_INPUT": f"{attempts}/att_{number}/input"}
        with subprocess.Popen([sys.executable, "-c", "import sys; print(flush=True); sys.stdin.read()"], env=env,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE) as job:  # fmt: skip
            assert job.stdout is not None and job.stdin is not None
            job.stdout.readline()
            item = found(doctor(world, "--json"), "orphans")
            job.stdin.close()
        assert (item["state"] == "wrong") is orphan
        assert (f"process {job.pid} " in str(item["sentence"])) is orphan


def test_a_ledger_that_does_not_open_is_a_finding_beside_those_of_its_place(
    world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    mounts = Path(volume.MOUNTS).read_text()
    fake = tmp_path / "mounts"
    fake.write_text("\n".join(f"{line.partition(' - ')[0]} - nfs4 server:/x rw" for line in mounts.splitlines()))
    monkeypatch.setattr(volume, "MOUNTS", str(fake))
    done = doctor(world, "--json")
    assert wrong(done) == {"file_system", "ledger_opens"}
    assert done.document["ledger"] is None


def test_damaged_pages_are_found_when_every_page_is_read(world: World) -> None:
    world.ledger.connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    ((page,),) = world.rows("SELECT rootpage FROM sqlite_schema WHERE name = 'occurrence_pending'")
    world.ledger.close()
    with open(str(world.path), "r+b") as file:
        file.seek((int(str(page)) - 1) * 4096 + 100)
        file.write(b"\xff" * 64)
        file.seek((int(str(page)) - 1) * 4096)
        file.write(b"\x00" * 8)
    done = doctor(world, "--json", "--full")
    assert done.status == 1 and "pages_whole" in wrong(done)


@pytest.mark.rule("CAL-05")
def test_the_lists_of_schedules_say_so_too(world: World, tmp_path: Path) -> None:
    world.add(draft("other", "0 3 * * *", zone="UTC"))
    env = rules_of(tmp_path, "Africa/Algiers", "Europe/Rome")
    listed = call("schedule", "list", "--json", ledger=world.path, clock=world.clock, env=env)
    assert {each["schedule"]: each["host_rules_differ_at"] for each in listed.items} == {
        "local/job": "2026-03-29T01:00:00Z", "local/other": None,
    }  # fmt: skip
    assert listed.err.startswith("note: local/job: the kept rules of Europe/Rome")
    shown = call("schedule", "show", "job", "--json", ledger=world.path, clock=world.clock, env=env)
    assert shown.items[0]["host_rules_differ_at"] == "2026-03-29T01:00:00Z"
    assert call("schedule", "show", "other", ledger=world.path, clock=world.clock, env=env).err == ""
    assert call("schedule", "list", ledger=world.path, clock=world.clock).err == ""
