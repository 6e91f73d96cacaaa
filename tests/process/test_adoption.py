"""A new daemon and the children of a dead one: waited for, never started twice, never taken for somebody else."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from spellweaver.core.identity import AttemptId
from spellweaver.core.launch import Contained, Ended, Identity, Lost, NeverStarted, OpenAttempt, Started
from spellweaver.host import attempt, process
from spellweaver.jobs.workers import Workers
from tests.process.test_gate import daemon, left_open
from tests.support.processes import Bell, Reports, await_end, launch, outcome, run


@pytest.mark.rule("RCV-01")
def test_rp_45_a_survivor_is_adopted_with_its_real_exit_status(tmp_path: Path, workers: Workers) -> None:
    bell, door = Bell(tmp_path / "bell"), Bell(tmp_path / "door")
    shell = f"echo $$ >> {tmp_path}/effects; echo here > {bell.path}; read x < {door.path}; exit 42"
    dead = daemon(tmp_path, "never", shell)
    bell.wait()
    dead.kill()
    dead.wait()
    left = left_open(tmp_path)[1]
    assert left.command is not None
    reports = Reports()
    workers.adopt(left, reports)
    assert workers.count() == 1
    assert process.alive(left.command)
    assert not attempt.lock_is_free(workers.place(left.attempt))
    Path(door.path).write_text("on\n")
    assert outcome(reports.next(Ended)) == ("exited", 42)
    assert (tmp_path / "effects").read_text() == f"{left.command.pid}\n"


@pytest.mark.rule("RCV-01")
def test_a_survivor_can_be_cancelled(tmp_path: Path, workers: Workers) -> None:
    bell = Bell(tmp_path / "bell")
    dead = daemon(tmp_path, "never", f"trap 'exit 5' TERM; sleep 600 & echo here > {bell.path}; wait")
    bell.wait()
    dead.kill()
    dead.wait()
    reports = Reports()
    workers.adopt(left_open(tmp_path)[1], reports)
    workers.cancel(AttemptId(1))
    ended = reports.next(Ended)
    assert (outcome(ended), ended.asked) == (("exited", 5), True)


def test_rp_36_a_result_that_waited_is_taken_at_once(workers: Workers) -> None:
    """Also when the machine was booted since."""
    started, ended = run(workers, launch(1, shell="exit 9"))
    assert workers.join(20_000_000)
    for boot in (started.shim.boot_id, "another boot"):
        shim = dataclasses.replace(started.shim, boot_id=boot)
        reports = Reports()
        workers.adopt(OpenAttempt(started.attempt, "running", shim, started.command), reports)
        assert reports.next(Ended) == ended
        assert workers.join(20_000_000)


@pytest.mark.rule("RCV-02")
def test_rp_46_a_number_that_belongs_to_somebody_else_is_not_adopted(workers: Workers) -> None:
    """A process of this user has the dead shim's pid: it is not waited for and gets no signal."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as stranger:
        real = process.identity(stranger.pid)
        folder = Path(workers.place(AttemptId(1)))
        folder.mkdir(0o700)
        (folder / "lock").touch(0o600)
        cases = [
            (dataclasses.replace(real, start_ticks=real.start_ticks - 1), Contained),
            (dataclasses.replace(real, pidfd_inode=real.pidfd_inode + 1), Contained),
            (dataclasses.replace(real, boot_id="another boot"), Lost),
        ]
        for left, verdict in cases:
            reports = Reports()
            assert not process.alive(left)
            assert not process.send(left, signal.SIGKILL)
            workers.adopt(OpenAttempt(AttemptId(1), "running", left, left), reports)
            workers.cancel(AttemptId(1))
            assert isinstance(reports.next(verdict), verdict)
            assert workers.join(20_000_000)
        assert process.alive(real)
        assert stranger.poll() is None
        stranger.communicate(b"\n")
        assert stranger.returncode == 0


def test_launching_with_no_folder_never_started(workers: Workers) -> None:
    reports = Reports()
    workers.adopt(OpenAttempt(AttemptId(8), "launching", None, None), reports)
    assert reports.next(NeverStarted) == NeverStarted(AttemptId(8), "gate")


def test_a_lost_lock_file_is_no_proof_of_an_end(tmp_path: Path, workers: Workers) -> None:
    bell, door = Bell(tmp_path / "bell"), Bell(tmp_path / "door")
    first, second = Reports(), Reports()
    workers.start(launch(1, shell=f"echo here > {bell.path}; read x < {door.path}; exit 2"), first)
    started = first.next(Started)
    bell.wait()
    os.unlink(f"{workers.place(started.attempt)}/lock")
    other = Workers.__new__(Workers)
    other.__dict__.update(workers.__dict__, _working={})
    other.adopt(OpenAttempt(started.attempt, "running", started.shim, started.command), second)
    assert process.alive(started.shim)
    assert second.all == []
    Path(door.path).write_text("on\n")
    assert outcome(second.next(Ended)) == ("exited", 2)
    assert outcome(first.next(Ended)) == ("exited", 2)


def test_an_attempt_folder_that_is_there_already_is_not_run_over(workers: Workers) -> None:
    """A ledger restored from a backup counts attempts again."""
    run(workers, launch(1, shell="exit 0"))
    assert workers.join(20_000_000)
    reports = Reports()
    workers.start(launch(1, shell="exit 1"), reports)
    assert reports.next(NeverStarted).why == "spawn"


def test_identities_are_the_shims_own_words(workers: Workers, tmp_path: Path) -> None:
    bell, door = Bell(tmp_path / "bell"), Bell(tmp_path / "door")
    reports = Reports()
    workers.start(launch(1, shell=f"echo $$ $PPID > {bell.path}; read x < {door.path}"), reports)
    started = reports.next(Started)
    command, shim = map(int, bell.wait().split())
    assert (started.shim, started.command) == (process.identity(shim), process.identity(command))
    assert isinstance(started.shim, Identity)
    Path(door.path).write_text("on\n")
    reports.next(Ended)
    await_end(started.shim)
    assert not process.alive(started.shim)
