"""Time-out, cancel, drain: TERM to the group, KILL after the grace, and nothing of the job is left then."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from spellweaver.core.launch import Ended, Started
from spellweaver.host import attempt, process
from spellweaver.host.keeper import Keeper
from spellweaver.jobs import environment
from spellweaver.jobs.workers import Workers
from tests.support.processes import Bell, Reports, launch, outcome, run

DEAF = "trap '' TERM; "


def left(workers: Workers, which: int) -> list[int]:
    return environment.carriers(launch(which).attempt, workers.place(launch(which).attempt))


@pytest.mark.rule("TMO-3")
def test_rp_42_a_timeout_takes_the_whole_tree(workers: Workers) -> None:
    """The shell, a background and a foreground child, and one that called setsid: all of them deaf to TERM."""
    shell = f"{DEAF} sleep 600 & setsid sh -c \"{DEAF} sleep 600; :\" & sleep 600"
    _, ended = run(workers, launch(1, shell=shell, timeout_us=1_000_000))
    assert (ended.state, ended.signal, ended.asked) == ("timed_out", 9, False)
    assert left(workers, 1) == []


def test_a_timeout_is_polite_first(workers: Workers) -> None:
    _, ended = run(workers, launch(1, shell="trap 'echo bye; exit 9' TERM; sleep 600 & wait", timeout_us=1_500_000))
    assert outcome(ended) == ("timed_out", 9)
    _, ended = run(workers, launch(2, shell="kill -STOP $$", timeout_us=200_000))
    assert outcome(ended) == ("timed_out", -15)


def test_the_timeout_is_counted_from_the_gate(workers: Workers) -> None:
    reports = Reports()

    def slow_commit(sighting: object) -> None:
        if isinstance(sighting, Started):
            subprocess.run(["sleep", "1.7"], check=True)
        reports(sighting)

    workers.start(launch(1, shell="sleep 0.1", timeout_us=1_500_000), slow_commit)
    reports.next(Started)
    assert outcome(reports.next(Ended)) == ("exited", 0)


def test_a_background_child_keeps_the_run_open(workers: Workers, tmp_path: Path) -> None:
    """Also one in a session of its own, with other output: the sub-reaper waits for it."""
    bell, door = Bell(tmp_path / "bell"), Bell(tmp_path / "door")
    reports = Reports()
    child = f"echo $PPID > {bell.path}; read x < {door.path}; echo late > {tmp_path}/late"
    workers.start(launch(1, shell=f"setsid sh -c '{child}' > /dev/null 2>&1 & exit 6"), reports)
    started = reports.next(Started)
    bell.wait()
    assert workers.count() == 1
    assert process.alive(started.shim)
    Path(door.path).write_text("on\n")
    assert outcome(reports.next(Ended)) == ("exited", 6)
    assert (tmp_path / "late").read_text() == "late\n"


def test_a_background_child_counts_against_the_timeout(workers: Workers) -> None:
    _, ended = run(workers, launch(1, shell=f"{DEAF} setsid sleep 600 & exit 6", timeout_us=1_000_000))
    assert outcome(ended) == ("timed_out", 6)
    assert left(workers, 1) == []


def test_a_cancel_goes_through_the_shim(workers: Workers, tmp_path: Path) -> None:
    bell = Bell(tmp_path / "bell")
    reports = Reports()
    # the stray rings, once it listens: a signal between a fork and its exec would be lost, and the grace is 30 s
    stray = f'trap "exit 0" TERM; echo here > {bell.path}; while :; do sleep 0.1; done'
    shell = f"trap 'exit 8' TERM; setsid sh -c '{stray}' & wait"
    workers.start(launch(1, shell=shell), reports)
    reports.next(Started)
    bell.wait()
    workers.cancel(launch(1).attempt)
    ended = reports.next(Ended)
    assert (outcome(ended), ended.asked) == (("exited", 8), True)
    assert left(workers, 1) == []
    workers.cancel(launch(1).attempt)  # too late: nobody is signalled


def test_terminate_ends_deaf_ones_after_their_grace(workers: Workers, tmp_path: Path) -> None:
    reports, bells = Reports(), [Bell(tmp_path / str(n)) for n in range(3)]
    for n, bell in enumerate(bells, 1):
        shell = f"{DEAF} echo here > {bell.path}; sleep 600 & wait; wait"
        workers.start(launch(n, shell=shell, timeout_us=5_000_000), reports)
    for bell in bells:
        bell.wait()
    workers.terminate()
    assert workers.join(20_000_000)
    assert workers.idle()
    ended = [one for one in reports.all if isinstance(one, Ended)]
    assert [(one.state, one.signal, one.asked) for one in ended] == [("signalled", 9, True)] * 3


def test_rp_44_a_signal_to_the_daemons_group_reaches_no_job(tmp_path: Path) -> None:
    """A terminal's Ctrl-C, a service manager's TERM, a hang-up: to the whole process group of the daemon."""
    bell, door = Bell(tmp_path / "bell"), Bell(tmp_path / "door")
    shell = f"trap 'echo hit > {bell.path}' INT TERM HUP; echo here > {bell.path}; read x < {door.path}; exit 3"
    daemon = subprocess.Popen(
        [sys.executable, "-m", "tests.support.fake_daemon", tmp_path / "attempts", tmp_path / "ledger", "never", shell],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(["src", "."])}, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert bell.wait() == b"here\n"
    for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
        os.killpg(daemon.pid, number)
    daemon.wait()
    Path(door.path).write_text("on\n")
    keeper = Keeper()
    pool = Workers(keeper, str(tmp_path / "attempts"), trouble=lambda *_: None)
    attempt.wait_until_free(pool.place(launch(1).attempt))
    status = attempt.read_status(pool.place(launch(1).attempt))
    keeper.close()
    assert status is not None
    assert (status["state"], status["code"], status["asked"]) == ("exited", 3, False)
    assert not bell.rung()
