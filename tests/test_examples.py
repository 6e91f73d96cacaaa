"""The examples are what the README says they are: each can be defined, activated and simulated, and the unit keeps
the shims alive.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from spellweaver.clock import VirtualClock
from spellweaver.core import instant
from spellweaver.service.loop import Orders
from tests.support.engine import World
from tests.support.program import call

EXAMPLES = Path(__file__).parents[1] / "examples"
SCHEDULES = ("nightly-backup.toml", "probe.toml", "dst.toml")


@pytest.mark.parametrize("name", SCHEDULES)
def test_an_example_can_be_defined_and_activated(name: str, tmp_path: Path) -> None:
    ledger, clock = str(tmp_path / "state" / "ledger.db"), VirtualClock(instant.parse("2026-11-30T12:00:00Z"))
    assert call("init", ledger=ledger, clock=clock).status == 0
    assert call("check", str(EXAMPLES / name), ledger=ledger, clock=clock).status == 0
    done = call("define", str(EXAMPLES / name), "--bind", "--activate", ledger=ledger, clock=clock)
    assert done.status == 0, done.err
    listed = call("schedule", "list", "--json", ledger=ledger, clock=clock).document["items"]
    assert listed and {item["state"] for item in listed} == {"active"}


@pytest.mark.parametrize("name", SCHEDULES)
def test_an_example_can_be_simulated_over_both_clock_changes(name: str, tmp_path: Path) -> None:
    for start in ("2026-03-28T12:00:00Z", "2026-10-24T12:00:00Z"):
        said = ("simulate", str(EXAMPLES / name), "--from", start, "--for", "2d", "--json")
        done = call(*said, ledger=str(tmp_path / "none.db"))
        assert done.status == 0, done.err
        assert done.document["items"]


@pytest.mark.parametrize(
    ("words", "lost", "names"),
    [
        (("crontab", "crontab"), ["a start of the host"], ["close-the-books", "mail", "pg_dump", "sync-mirror"]),
        (
            ("systemd", "systemd-timers/thumbnails.timer", "systemd-timers/thumbnails.service"),
            ["it counts from something other", "a binding has nothing like it"], ["thumbnails", "thumbnails-2"],
        ),
    ],
)  # fmt: skip
def test_what_comes_from_elsewhere_can_be_imported_defined_and_activated(
    words: tuple[str, ...], lost: list[str], names: list[str], tmp_path: Path
) -> None:
    ledger, clock = str(tmp_path / "state" / "ledger.db"), VirtualClock(instant.parse("2026-11-30T12:00:00Z"))
    files = [str(EXAMPLES / name) for name in words[1:]]
    done = call("import", words[0], *files, "--zone", "Europe/Bratislava", ledger=ledger)
    assert done.status == 1 and done.err.count("can't be kept: ") == len(lost)
    assert all(f"can't be kept: {why}" in done.err for why in lost)
    file = tmp_path / "proposed.toml"
    file.write_text(done.out, encoding="utf-8")
    assert call("init", ledger=ledger, clock=clock).status == 0
    assert call("check", str(file), ledger=ledger, clock=clock).status == 0
    assert call("define", str(file), "--bind", "--activate", ledger=ledger, clock=clock).status == 0
    listed = call("schedule", "list", "--json", ledger=ledger, clock=clock).items
    assert sorted(str(item["schedule"]).removeprefix("local/") for item in listed) == names


def test_the_policy_example_can_be_applied(tmp_path: Path) -> None:
    ledger = str(tmp_path / "state" / "ledger.db")
    assert call("init", ledger=ledger).status == 0
    assert call("policy", "check", str(EXAMPLES / "policy.toml"), ledger=ledger).status == 0
    assert call("policy", "apply", str(EXAMPLES / "policy.toml"), ledger=ledger).status == 0


def test_the_unit_lets_the_shims_live() -> None:
    lines = (EXAMPLES / "systemd" / "spellweaver.service").read_text(encoding="utf-8").splitlines()
    settings = dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))
    wanted = {
        "Type": "notify", "KillMode": "process", "Restart": "on-failure", "StateDirectory": "spellweaver",
        "RuntimeDirectory": "spellweaver", "RuntimeDirectoryMode": "0755",
    }  # fmt: skip
    assert {key: settings.get(key) for key in wanted} == wanted
    drain = instant.parse_duration(settings["ExecStart"].rpartition("--drain ")[2])
    longest_grace = 30 * instant.SECOND
    assert int(settings["TimeoutStopSec"]) * instant.SECOND > drain + longest_grace
    assert drain >= Orders().drain_us


def steps(readme: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """(instant, command lines, what the last of them has to say) of each block of commands under its heading."""
    at, lines, said, fence = "", list[str](), list[str](), ""
    for line in readme.splitlines():
        if line.startswith("```"):
            if line == "```sh" and lines:
                yield at, lines, said
                lines, said = [], []
            fence = "" if fence else line[3:]
        elif fence == "sh":
            lines.append(line)
        elif fence == "text":
            said.append(line)
        elif line.startswith("## "):
            if lines:
                yield at, lines, said
            at, lines, said = line[3:], [], []
    yield at, lines, said


@pytest.mark.rule("CUT-09", "CUT-11")
def test_the_readme_of_the_cutover_holds_line_by_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands as they stand there, while a daemon looks whenever time has come."""
    folder = tmp_path / "example"
    shutil.copytree(EXAMPLES / "cutover", folder)
    monkeypatch.chdir(folder)
    ledger, readme = str(tmp_path / "state" / "ledger.db"), (folder / "README.md").read_text(encoding="utf-8")
    clock = VirtualClock(0)
    for at, lines, said in steps(readme):
        if clock.now() and instant.parse(at) > clock.now():
            daemon = World.opened(ledger, clock.now())
            daemon.live(at)
            daemon.audit()
            daemon.ledger.close()
        clock.advance(instant.parse(at) - clock.now())
        for line in lines:
            command, _, status = line.partition("  # exit ")
            command, _, file = command.partition(" > ")
            done = call(*command.split()[1:], ledger=ledger, clock=clock)
            assert done.status == int(status or 0), (line, done.err)
            if file:
                Path(file).write_text(done.out, encoding="utf-8")
        for text in said:
            assert text in done.out + done.err, (lines, done.out, done.err)
