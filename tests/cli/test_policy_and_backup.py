"""policy show, check and apply; backup; paths and version."""

from __future__ import annotations

import os
from pathlib import Path

import apsw
import pytest

from spellweaver.cli.commands import backup as command
from spellweaver.clock import VirtualClock
from spellweaver.core import instant
from spellweaver.host.machine import machine
from spellweaver.ledger import backup as copying
from spellweaver.ledger.observe import observe
from tests.support.program import Done, call, process

NOW = instant.parse("2026-01-01T00:30:00Z")
POLICY = 'format = 1\n[policy]\nworkers = 2\nmisfire_horizon = "12h"\n[policy.clock]\ntick = "2s"\n'


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "state" / "ledger.db"
    assert call("init", "--example", ledger=path, clock=VirtualClock(NOW)).status == 0
    return path


def run(ledger: Path, *words: str) -> Done:
    return call(*words, ledger=ledger, clock=VirtualClock(NOW + instant.HOUR))


def test_policy_apply_shows_what_changes_and_show_what_is_in_force(ledger: Path, tmp_path: Path) -> None:
    file = tmp_path / "host.toml"
    file.write_text(POLICY)
    tried = run(ledger, "policy", "apply", "--dry-run", str(file))
    assert tried.out == "WOULD BE\tapplied\nGENERATION\t2\nCHANGES\t" + (
        "workers: 4 → 2,misfire_horizon_us: 86400000000 → 43200000000,clock.tick_us: 1000000 → 2000000\n"
    )
    assert run(ledger, "policy", "show", "--json").items[0]["generation"] == 1
    done = run(ledger, "policy", "apply", str(file))
    assert done.out == tried.out.replace("WOULD BE", "STATUS")
    (item,) = run(ledger, "policy", "show", "--json").items
    assert item == {
        "generation": 2, "applied_at": "2026-01-01T01:30:00Z", "actor": f"uid:{os.getuid()}", "workers": 2,
        "misfire_horizon_us": 43_200_000_000, "clock_tick_us": 2_000_000, "clock_step_us": 300_000_000,
        "clock_settle_us": 15_000_000,
    }  # fmt: skip
    assert run(ledger, "policy", "apply", str(file), "--json").items[0]["status"] == "unchanged"


def test_policy_check_needs_no_ledger(tmp_path: Path) -> None:
    file = tmp_path / "host.toml"
    file.write_text(POLICY)
    assert call("policy", "check", str(file), "--json").items[0]["workers"] == 2
    file.write_text(POLICY.replace("workers = 2", "workers = 0"))
    assert call("policy", "check", str(file)).status == 65
    file.write_text("format = 1\n")
    done = call("policy", "check", str(file))
    assert done.status == 65 and "there is no [policy] in it" in done.err


@pytest.mark.rule("RCP-03")
def test_a_key_of_a_later_version_is_refused_by_name(tmp_path: Path) -> None:
    file = tmp_path / "host.toml"
    file.write_text(POLICY + '[[policy.notify]]\non = ["failed"]\nrun = ["/bin/true"]\n')
    done = call("policy", "check", str(file))
    assert done.status == 65
    assert "notify" in done.err and "is not available in this version" in done.err


def test_backup_is_one_whole_verified_private_file(ledger: Path, tmp_path: Path) -> None:
    target = tmp_path / "copies" / "l.db"
    target.parent.mkdir()
    done = run(ledger, "backup", str(target))
    with observe(str(ledger)) as view, observe(str(target)) as copy:
        assert copy.head() == view.head()
        for table in ("event", "schedule", "revision", "binding"):
            assert list(copy.rows(f"SELECT * FROM {table}")) == list(view.rows(f"SELECT * FROM {table}"))
        assert done.out.splitlines()[1] == f"LAST EVENT\t{view.head()[1]}"
    assert target.stat().st_mode & 0o777 == 0o600
    assert run(target, "schedule", "list").out == run(ledger, "schedule", "list").out, "it is a ledger"


def test_backup_replaces_nothing_and_leaves_nothing_behind(ledger: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    there, link = folder / "there", folder / "link"
    there.write_text("mine")
    link.symlink_to("nowhere")
    for target in (there, link):
        for line in (("backup",), ("backup", "--dry-run")):
            done = run(ledger, *line, str(target))
            assert done.status == 3 and "a backup replaces nothing" in done.err
    assert there.read_text() == "mine"
    assert run(ledger, "backup", "--dry-run", str(folder / "x")).status == 0
    assert run(ledger, "backup", str(folder / "absent" / "x")).status == 74
    assert run(tmp_path / "no.db", "backup", str(folder / "y")).status == 4
    assert sorted(path.name for path in folder.iterdir()) == ["link", "there"]


def test_a_backup_that_does_not_verify_is_no_backup(ledger: Path, tmp_path: Path) -> None:
    with apsw.Connection(str(ledger)) as damaged:
        damaged.execute("DROP TRIGGER event_unchanged")
        damaged.execute("UPDATE event SET actor = 'somebody' WHERE seq = 3")
    damaged.close()
    target = tmp_path / "copy.db"
    done = run(ledger, "backup", str(target))
    assert done.status == 78
    assert "does not verify at event 3" in done.err
    assert not target.exists()


def test_a_backup_goes_on_while_others_write(ledger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copying, "PAGES", 4)
    file = tmp_path / "host.toml"
    file.write_text(POLICY)
    applied: list[int] = []

    def write_meanwhile(*_: object) -> None:
        if not applied:
            applied.append(run(ledger, "policy", "apply", str(file)).status)

    monkeypatch.setattr(command, "_progress", write_meanwhile)
    before = run(ledger, "backup", "--dry-run", str(tmp_path / "x")).out.splitlines()[1]
    done = run(ledger, "backup", str(tmp_path / "copy.db"))
    assert applied == [0], "the writer was not kept waiting"
    assert done.out.splitlines()[1] == before, "the copy is of one moment"


def test_paths_says_what_is_there_and_why(ledger: Path) -> None:
    items = {str(item["what"]): item for item in run(ledger, "paths", "--json").items}
    assert list(items) == ["ledger", "state", "attempts", "lock", "witness", "socket", "demo", "zones"]
    assert items["ledger"] == {"what": "ledger", "path": str(ledger), "there": True, "why": "--ledger"}
    assert items["lock"]["there"] is False


def test_version_names_what_it_stands_on() -> None:
    from spellweaver import __version__

    assert call("version").out.splitlines()[:2] == [f"spellweaver\t{__version__}", "ledger\t3"]
    (item,) = call("version", "--json").items
    assert item["sqlite"] == apsw.sqlite_lib_version() and str(item["zones"]).startswith("tzdata ")
    assert process("-V").stdout == call("version").out


def test_a_machine_is_named_by_a_hash_of_its_id(tmp_path: Path) -> None:
    identity = tmp_path / "machine-id"
    identity.write_text("0123456789abcdef0123456789abcdef\n")
    name, source = machine((str(tmp_path / "absent"), str(identity)))
    assert source == str(identity)
    assert len(name) == 32 and name != identity.read_text().strip()
    assert machine((str(identity),)) == (name, source), "it stays the same"
    for useless in ("", "uninitialized\n"):
        identity.write_text(useless)
        assert machine((str(identity),))[1] == "the host name"
