"""What can't be killed, and what can't be spawned: both are told, neither is hidden."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from spellweaver.core.identity import AttemptId
from spellweaver.core.launch import Contained, NeverStarted
from spellweaver.host import attempt
from spellweaver.host.keeper import Keeper
from spellweaver.jobs import verdict
from spellweaver.jobs.workers import Workers
from tests.support.processes import Bell, Reports, launch, run

SHIM_WITHOUT_TEETH = """
import json, sys
from spellweaver.host import shim
shim._ESCAPED_US = 100_000
shim.Shim._signal_group = shim.Shim._signal_child = shim.cgroup.kill_all = lambda *_: None
shim.run(json.loads(sys.argv[1]), gate_fd=int(sys.argv[2]), report=int(sys.argv[3]))
"""


def test_what_lives_on_after_kill_is_told_and_waited_for(tmp_path: Path) -> None:
    """As with a child that has become another user's: the shim's signals come to nothing."""
    door = Bell(tmp_path / "door")
    folder = str(tmp_path / "att_1")
    attempt.prepare(folder, "{}")
    gate, opener = os.pipe()
    lines, report = os.pipe()
    request = {
        "folder": folder, "argv": ["/bin/sh", "-c", f"read x < {door.path}; exit 6"], "env": {"PATH": "/usr/bin:/bin"},
        "cwd": "/", "timeout_us": 50_000, "grace_us": 50_000, "place": folder, "user": None, "umask": 0o077, "nice": 0,
    }  # fmt: skip
    shim = subprocess.Popen(
        [sys.executable, "-c", SHIM_WITHOUT_TEETH, json.dumps(request), str(gate), str(report)],
        pass_fds=(gate, report), env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")},
    )  # fmt: skip
    os.close(gate)
    os.close(report)
    with open(lines, encoding="utf-8") as said:
        command = json.loads(said.readline())["command"][0]
        os.write(opener, b"go\n")
        os.close(opener)
        left = json.loads(said.readline())["escaped"]
        assert left == [[command, "sh"]]
        assert not attempt.lock_is_free(folder)
        Path(door.path).write_text("on\n")
        assert said.readline() == ""
    assert shim.wait(30) == 0
    assert attempt.lock_is_free(folder)
    status = attempt.read_status(folder)
    assert status is not None
    assert (status["state"], status["code"]) == ("timed_out", 6)


def test_an_escape_is_a_sentence() -> None:
    told = verdict.escaped(AttemptId(3), [(17, "sleep"), (18, "sh")])
    assert told == Contained(
        AttemptId(3), "escaped", "These processes did not end after KILL: 17 (sleep), 18 (sh). The shim waits for them."
    )


def test_a_keeper_that_cannot_be_asked(workers: Workers, keeper: Keeper, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(keeper, "launch", refuse)
    reports = Reports()
    workers.start(launch(1, "/bin/true"), reports)
    assert reports.next(NeverStarted) == NeverStarted(
        AttemptId(1), "spawn", errno.EMFILE, "no process could be made for it: Too many open files"
    )


def test_a_shim_that_cannot_take_its_lock(workers: Workers, keeper: Keeper, monkeypatch: pytest.MonkeyPatch) -> None:
    ask = keeper.launch

    def without_folder(order: object) -> object:
        shutil.rmtree(workers.place(AttemptId(1)))
        return ask(order)

    monkeypatch.setattr(keeper, "launch", without_folder)
    reports = Reports()
    workers.start(launch(1, "/bin/true"), reports)
    seen = reports.next(NeverStarted)
    assert (seen.why, seen.errno) == ("spawn", errno.ENOENT)


def test_no_descriptor_is_left_behind(workers: Workers, keeper: Keeper) -> None:
    run(workers, launch(99, "/bin/true"))  # the keeper is up
    reports = Reports()

    def open_now() -> int:
        return len(os.listdir("/proc/self/fd"))

    before = open_now(), len(os.listdir(f"/proc/{keeper.pid}/fd"))
    for n in range(1, 11):
        workers.start(launch(n, "/bin/true" if n % 2 else "/nowhere"), reports)
    assert workers.join(30_000_000)
    assert (open_now(), len(os.listdir(f"/proc/{keeper.pid}/fd"))) == before
