"""The one error handler: each class of the family, usage, a closed pipe, Ctrl-C, a full disk, and a fault of ours."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from spellweaver import errors
from spellweaver.cli import app
from spellweaver.errors import SpellweaverError
from spellweaver.manifest.problems import Problem
from tests.support.program import SRC, call, process

STATUSES = {
    "Usage": 2, "Refused": 3, "NotFound": 4, "BadFile": 65, "NoInput": 66, "Unavailable": 69, "DiskTrouble": 74,
    "TryAgain": 75,
    "NotAuthorised": 77, "Unusable": 78,
}  # fmt: skip


def family() -> list[type[SpellweaverError]]:
    def below(kind: type[SpellweaverError]) -> list[type[SpellweaverError]]:
        return [kind, *(further for child in kind.__subclasses__() for further in below(child))]

    return below(SpellweaverError)[1:]


def raising(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def run(*_: object) -> int:
        raise error

    monkeypatch.setattr(app, "run", run)


def test_the_family_is_the_list_of_exit_statuses() -> None:
    assert {kind.__name__: kind.exit_status for kind in family() if kind.__module__ == errors.__name__} == STATUSES
    assert {kind.exit_status for kind in family()} == set(STATUSES.values()), "a subclass keeps a status of the list"


@pytest.mark.parametrize("kind", family(), ids=lambda kind: kind.__name__)
def test_every_error_has_its_status_its_sentence_and_its_next_command(
    kind: type[SpellweaverError], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    error = kind.__new__(kind)
    SpellweaverError.__init__(error, "a_code", "what was wrong", hint="spellweaver status", path="/a/b")
    raising(monkeypatch, error)

    done = call("status")
    assert (done.status, done.out) == (kind.exit_status, "")
    assert done.err == "spellweaver: what was wrong\nnext: spellweaver status\n"

    told = call("status", "--json").error
    assert told == {
        "kind": "error", "v": 1, "code": "a_code", "exit_status": kind.exit_status, "message": "what was wrong",
        "hint": "spellweaver status", "fields": {"path": "/a/b"}, "problems": [],
    }  # fmt: skip


def test_a_hint_names_the_ledger_that_was_named(tmp_path: Path) -> None:
    done = call("status", ledger=tmp_path / "other ledger.db")
    assert done.status == 4
    assert done.err.endswith(f"next: spellweaver init --ledger '{tmp_path}/other ledger.db'\n")


def test_commands_in_the_middle_of_a_hint_are_typed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    raising(
        monkeypatch, errors.Refused("unbound", "not bound", hint="spellweaver bind FILE, or activate with --unbound")
    )
    assert call("activate", "x", env={"SPELLWEAVER_LEDGER": "/a"}).err.endswith(
        "next: spellweaver bind FILE, or activate with --unbound\n"
    )
    raising(
        monkeypatch, errors.Refused("rewritten", "other content", hint="change it, then spellweaver pattern show a@1")
    )
    assert "hint: change it, then spellweaver pattern show a@1\n" in call("define", "x").err


def test_a_wrong_file_shows_every_problem_with_a_caret(monkeypatch: pytest.MonkeyPatch) -> None:
    problems = (Problem("a.toml", 3, 5, "x", "is no key", None, "abc = 1"), Problem("b.toml", 0, 0, "", "no such file"))
    raising(monkeypatch, errors.BadFile("file_wrong", "2 problems in 2 files", problems=problems))
    assert call("check", "a").err.splitlines() == [
        "a.toml:3:5: x: is no key", "    abc = 1", "        ^", "b.toml: no such file",
        "spellweaver: 2 problems in 2 files",
    ]  # fmt: skip
    told = call("check", "--json", "a").error["problems"]
    assert told == [
        {"path": "a.toml", "line": 3, "col": 5, "key": "x", "message": "is no key", "hint": None},
        {"path": "b.toml", "line": 0, "col": 0, "key": "", "message": "no such file", "hint": None},
    ]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (("nxet",), "there is no command 'nxet'; did you mean 'next'?"),
        (("schedule", "lst"), "there is no command 'schedule lst'; did you mean 'list'?"),
        (("paths", "--bogus"), "no such option: --bogus"),
        (("paths", "--color", "blue"), "invalid value for '--color'"),
        (("check",), "missing argument 'FILE...'"),
        (("schedule",), "Usage: spellweaver schedule"),
        ((), "Usage: spellweaver"),
        (("paths", "--json", "--jsonl"), "--json and --jsonl exclude each other"),
        (("paths", "extra"), "got unexpected extra argument"),
    ],
)
def test_a_wrong_line_is_2_and_says_what(line: tuple[str, ...], said: str) -> None:
    done = call(*line)
    assert (done.status, done.out) == (2, "")
    assert said in done.err


def test_a_wrong_line_that_asks_for_json_is_told_in_json() -> None:
    done = call("paths", "--bogus", "--json")
    assert done.error["code"] == "usage"
    assert done.error["exit_status"] == done.status == 2
    assert not call("new", "a", "--bogus", "--", "ls", "--json").err.startswith("{"), (
        "what stands behind -- asks for nothing"
    )


def test_ctrl_c_is_130_and_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    raising(monkeypatch, KeyboardInterrupt())
    done = call("status")
    assert (done.status, done.out, done.err) == (130, "", "")


def test_a_fault_of_ours_is_70_with_the_traceback_in_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    raising(monkeypatch, ZeroDivisionError("one \x1b[31m by nought"))
    done = call("status", env={"SPELLWEAVER_LEDGER": f"{tmp_path}/ledger.db"})
    (kept,) = tmp_path.iterdir()
    assert done.status == 70
    assert "ZeroDivisionError: one \\x1b[31m by nought" in done.err
    assert f"hint: report it with the traceback in {kept}" in done.err
    assert "Traceback" not in done.err
    assert "ZeroDivisionError" in kept.read_text()
    assert kept.stat().st_mode & 0o777 == 0o600


def test_a_fault_that_can_be_kept_nowhere_shows_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    raising(monkeypatch, ZeroDivisionError())
    nowhere = {"SPELLWEAVER_LEDGER": "/nonexistent/ledger.db"}
    done = call("status", env=nowhere)
    assert done.status == 70
    assert "Traceback (most recent call last)" in done.err
    assert call("status", "--json", env=nowhere).error["code"] == "fault"


def run_shell(script: str) -> subprocess.CompletedProcess[str]:
    program = f"PYTHONPATH={SRC} {sys.executable} -m spellweaver.cli.main"
    return subprocess.run(
        ["bash", "-c", script.replace("PROGRAM", program)], text=True, capture_output=True, timeout=60
    )


def test_a_reader_that_has_had_enough_is_no_error() -> None:
    done = run_shell("PROGRAM completions bash | true; echo ${PIPESTATUS[0]}")
    assert (done.stdout, done.stderr) == ("0\n", "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_output_that_can_not_be_written_is_74() -> None:
    done = run_shell("PROGRAM paths > /dev/full")
    assert done.returncode == 74
    assert done.stderr == "spellweaver: the output can't be written: no space left on device\n"


def test_closed_streams_do_no_harm() -> None:
    assert run_shell("PROGRAM paths >&-").returncode == 0
    assert run_shell("PROGRAM nonsense 2>&-").returncode == 2


def test_the_real_program_reports_like_the_function(tmp_path: Path) -> None:
    done = process("schedule", "list", "--ledger", str(tmp_path / "none.db"))
    assert done.returncode == 4
    assert done.stdout == ""
    assert "there is no ledger at" in done.stderr
    assert f"next: python3 -m spellweaver.cli.main init --ledger {tmp_path}/none.db" in done.stderr
