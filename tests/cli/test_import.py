"""``import crontab`` and ``import systemd``: the file on stdout, each answer in it and in JSON, and an exit status that
a script can use.
"""

from __future__ import annotations

import io
import sys
import tomllib
from pathlib import Path

import pytest

from spellweaver.host.local_zone import local_zone
from tests.support.program import Done, at_terminal, call

ZONE = ("--zone", "Europe/Rome")


def written(folder: Path, text: str, name: str = "crontab") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def imported(folder: Path, text: str, *words: str) -> Done:
    return call("import", "crontab", written(folder, text), *ZONE, *words)


@pytest.mark.parametrize(
    ("text", "status"),
    [("0 1 * * * a\n", 0), ("MAILTO=x\n0 1 * * * a\n", 0), ("@reboot b\n0 1 * * * a\n", 1),
     ("@reboot b\nwhat\n0 1 * * * a\n", 65), ("", 0)],
)  # fmt: skip
def test_the_status_says_whether_every_line_could_be_kept(tmp_path: Path, text: str, status: int) -> None:
    done = imported(tmp_path, text)
    assert done.status == status
    assert len(tomllib.loads(done.out).get("schedule", [])) == text.count("0 1"), "what could be read is there"
    assert ("next: " in done.err) == (status < 65 and bool(text))


def test_an_unreadable_line_is_told_with_its_place(tmp_path: Path) -> None:
    done = imported(tmp_path, "0 1 * * * a\n  99 1 * * * b\n")
    assert f"{tmp_path}/crontab:2:3: cron minute '99' is outside 0 to 59\n      99 1 * * * b\n      ^\n" in done.err
    assert "2 lines, 1 Schedule: 1 can't be read" in done.err


def test_json_has_an_item_for_each_line_and_the_file(tmp_path: Path) -> None:
    done = imported(tmp_path, "# hello\n\nMAILTO=x\n@reboot b\n0 1 * * * a\nwhat\n", "--json")
    items = done.items
    assert [item["line"] for item in items] == [1, 2, 3, 4, 5, 6]
    assert [item["what"] for item in items] == ["comment", "blank", "setting", "job", "job", "job"]
    assert [item["answer"] for item in items] == ["kept", "kept", "changed", "dropped", "kept", "unreadable"]
    assert [item["schedules"] for item in items] == [[], [], [], [], ["a"], []]
    assert done.document["toml"] == imported(tmp_path, "# hello\n\nMAILTO=x\n@reboot b\n0 1 * * * a\nwhat\n").out
    assert done.error["code"] == "lines_unreadable" and done.status == 65


def test_what_comes_out_can_be_checked_defined_and_activated(tmp_path: Path) -> None:
    ledger = str(tmp_path / "state" / "ledger.db")
    path = written(tmp_path, imported(tmp_path, "MAILTO=x\n*/5 * * * * a%b\n0 1 1 * * a\n").out, "crontab.toml")
    assert call("init", ledger=ledger).status == 0
    assert call("check", path, ledger=ledger).status == 0
    done = call("define", path, "--bind", "--activate", "--json", ledger=ledger)
    assert done.status == 0, done.err
    assert [item["name"] for item in done.items] == ["a@1", "a-2@1", "local/a", "local/a-2"]


def test_standard_input_is_read_and_the_system_form_taken_by_its_place_or_by_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"0 1 * * * root a\n")))
    done = call("import", "crontab", "-", "--system", *ZONE)
    assert done.status == 0 and 'user = "root"' in done.out and "Proposed from crontab." in done.out
    assert 'user = "root"' not in imported(tmp_path, "0 1 * * * root a\n").out
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"#" * 70_000)))
    assert call("import", "crontab", "-", *ZONE).status == 66


def test_a_terminal_gets_nothing_of_a_foreign_file_that_it_would_obey(tmp_path: Path) -> None:
    path = written(tmp_path, "# \x9b2J\n0 1 * * * echo \x9b2J \u202e\nwhat \x9b\n")
    done = at_terminal("import", "crontab", path, *ZONE)
    assert not {"\x9b", "\u202e"} & set(done.out + done.err) and 'name = "echo"' in done.out
    file = tomllib.loads(call("import", "crontab", path, *ZONE).out)
    assert file["binding"]["echo@1"]["main"]["shell"] == "echo \x9b2J \u202e"


def test_what_is_no_crontab_at_all(tmp_path: Path) -> None:
    assert call("import", "crontab", str(tmp_path / "none"), *ZONE).status == 66
    assert call("import", "crontab", str(tmp_path), *ZONE).status == 66
    done = call("import", "crontab", written(tmp_path, ""), "--zone", "europe/rome")
    assert done.status == 2 and "did you mean Europe/Rome?" in done.err
    assert call("import", "crontab").status == 2


def test_the_hosts_own_zone_is_named(tmp_path: Path) -> None:
    done = call("import", "crontab", written(tmp_path, "0 1 * * * a\n"))
    zone = local_zone()
    assert zone is None or (f"zone: {zone}, this host's" in done.err and f'zone = "{zone}"' in done.out)


def test_the_zone_of_a_host_by_its_files(tmp_path: Path) -> None:
    assert local_zone(str(tmp_path)) == "UTC", "as the C library has it"
    rules = tmp_path / "zoneinfo" / "Europe" / "Rome"
    rules.parent.mkdir(parents=True)
    rules.write_bytes(b"TZif")
    (tmp_path / "localtime").symlink_to(rules)
    assert local_zone(str(tmp_path)) == "Europe/Rome"
    (tmp_path / "localtime").unlink()
    (tmp_path / "localtime").write_bytes(b"TZif")
    assert local_zone(str(tmp_path)) is None
    (tmp_path / "timezone").write_text("Asia/Tokyo\n", encoding="ascii")
    assert local_zone(str(tmp_path)) == "Asia/Tokyo"


def test_timers_and_services_are_read_together_and_come_out_as_one_file(tmp_path: Path) -> None:
    ledger = str(tmp_path / "state" / "ledger.db")
    timer = written(tmp_path, "[Timer]\nOnCalendar=Mon 02:30\nPersistent=yes\n", "a.timer")
    service = written(tmp_path, "[Service]\nType=oneshot\nExecStart=/bin/a\n", "a.service")
    done = call("import", "systemd", timer, service, timer, *ZONE)
    assert done.status == 0, done.err
    assert f"# {timer}\n" in done.out and f"# {service}\n" in done.out
    path = written(tmp_path, done.out, "a.toml")
    assert call("init", ledger=ledger).status == 0
    assert call("check", path, ledger=ledger).status == 0
    assert call("define", path, "--bind", "--activate", ledger=ledger).status == 0
    lost = call("import", "systemd", timer, *ZONE, "--json")
    assert lost.status == 1 and [item["answer"] for item in lost.items] == ["kept", "dropped", "kept"]
    assert lost.document["toml"]
    assert call("import", "systemd", timer, str(tmp_path / "b.service"), *ZONE).status == 66
