"""The launch gate: no instruction of a command before both identities are committed, whoever dies when."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from spellweaver.core.identity import AttemptId
from spellweaver.core.launch import Ended, Identity, NeverStarted, OpenAttempt, Sighting, Started
from spellweaver.errors import DiskTrouble, SpellweaverError
from spellweaver.host import attempt, keeper, process
from spellweaver.jobs.workers import Workers
from tests.support import fake_daemon
from tests.support.processes import Bell, Reports, await_end, launch, no_trouble, outcome

ROUNDS = int(os.environ.get("SPELLWEAVER_TEST_KILLS", "4"))


def daemon(tmp_path: Path, step: str, shell: str, how_many: int = 1) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.support.fake_daemon", f"{tmp_path}/attempts", f"{tmp_path}/ledger", step, shell,
         str(how_many)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(["src", "."])}, cwd=Path(__file__).parents[2],
    )  # fmt: skip


def left_open(tmp_path: Path) -> dict[int, OpenAttempt]:
    """What the dead daemon's ledger holds open."""
    found: dict[int, OpenAttempt] = {}
    for line in (tmp_path / "ledger").read_text().splitlines():
        row = json.loads(line)
        if "launching" in row:
            found[row["launching"]] = OpenAttempt(AttemptId(row["launching"]), "launching", None, None)
        elif "running" in row:
            shim, command = Identity(*row["shim"]), Identity(*row["command"])
            found[row["running"]] = OpenAttempt(AttemptId(row["running"]), "running", shim, command)
        else:
            del found[row["ended"]]
    return found


@pytest.mark.rule("RCV-01")
@pytest.mark.parametrize("step", fake_daemon.STEPS[:-1])
def test_a_daemon_killed_at_each_step(tmp_path: Path, workers: Workers, step: str) -> None:
    effects = tmp_path / "effects"
    dead = daemon(tmp_path, step, f"echo $SPELLWEAVER_ATTEMPT >> {effects}; exit 7")
    assert dead.wait(30) == -signal.SIGKILL
    left = left_open(tmp_path)[1]
    assert left.state == ("running" if step in ("after commit", "after gate") else "launching")
    reports = Reports()
    workers.adopt(left, reports)
    if step == "after gate":
        assert outcome(reports.next(Ended)) == ("exited", 7)
        assert effects.read_text() == "att_1\n"
    else:
        assert reports.next(NeverStarted) == NeverStarted(AttemptId(1), "gate")
        folder = workers.place(AttemptId(1))
        attempt.wait_until_free(folder)
        assert not effects.exists()


@pytest.mark.rule("RCV-01")
def test_a_daemon_killed_at_random_has_no_effect_unknown_and_none_twice(tmp_path: Path, keeper: keeper.Keeper) -> None:
    chance = random.Random(7)
    for n in range(ROUNDS):
        home = tmp_path / str(n)
        home.mkdir()
        effects = home / "effects"
        one = daemon(home, "never", f"echo $SPELLWEAVER_ATTEMPT >> {effects}; exit 7", how_many=30)
        assert one.stdout is not None
        one.stdout.readline()
        with pytest.raises(subprocess.TimeoutExpired):
            one.wait(chance.uniform(0.02, 0.12))
        one.kill()
        one.wait()
        left = left_open(home)
        pool, reports = Workers(keeper, str(home / "attempts"), trouble=no_trouble), Reports()
        for each in left.values():
            pool.adopt(each, reports)
        assert pool.join(30_000_000)
        done = effects.read_text().splitlines() if effects.exists() else []
        rows = map(json.loads, (home / "ledger").read_text().splitlines())
        ran = {f"att_{row['ended']}" for row in rows if "ended" in row}
        for sighting in reports.all:
            if isinstance(sighting, Ended):
                assert outcome(sighting) == ("exited", 7)
                ran.add(str(sighting.attempt))
            else:
                assert sighting == NeverStarted(sighting.attempt, "gate")
        assert sorted(done) == sorted(ran)


def test_a_report_that_raises_keeps_the_gate_shut(tmp_path: Path, keeper: keeper.Keeper) -> None:
    told: list[tuple[AttemptId, SpellweaverError]] = []
    pool = Workers(keeper, str(tmp_path / "attempts"), trouble=lambda *what: told.append(what))
    gone = DiskTrouble("commit_unknown", "the ledger is gone")
    seen: list[Sighting] = []

    def report(sighting: Sighting) -> None:
        seen.append(sighting)
        raise gone

    pool.start(launch(1, "/usr/bin/touch", str(tmp_path / "effect")), report)
    assert pool.join(30_000_000)
    assert told == [(AttemptId(1), gone)]
    assert [type(sighting) for sighting in seen] == [Started]
    attempt.wait_until_free(pool.place(AttemptId(1)))
    assert not (tmp_path / "effect").exists()
    assert attempt.read_status(pool.place(AttemptId(1))) == {"state": "never_started", "why": "gate", "errno": None}


def test_a_cancel_before_the_gate_keeps_it_shut(tmp_path: Path, workers: Workers) -> None:
    reports = Reports()

    def report(sighting: Sighting) -> None:
        if isinstance(sighting, Started):
            workers.cancel(sighting.attempt)
        reports(sighting)

    workers.start(launch(1, "/usr/bin/touch", str(tmp_path / "effect")), report)
    reports.next(Started)
    assert reports.next(NeverStarted).why == "gate"
    assert not (tmp_path / "effect").exists()


def test_a_command_killed_at_the_gate_never_started(workers: Workers, tmp_path: Path) -> None:
    reports = Reports()

    def report(sighting: Sighting) -> None:
        if isinstance(sighting, Started):
            process.send(sighting.command, signal.SIGKILL)
            await_end(sighting.command)
        reports(sighting)

    workers.start(launch(1, "/usr/bin/touch", str(tmp_path / "effect")), report)
    reports.next(Started)
    assert reports.next(NeverStarted).why == "gate"
    assert not (tmp_path / "effect").exists()


def test_a_keeper_killed_while_jobs_run(workers: Workers, keeper: keeper.Keeper, tmp_path: Path) -> None:
    bell, door = Bell(tmp_path / "bell"), Bell(tmp_path / "door")
    first, second = Reports(), Reports()
    workers.start(launch(1, shell=f"echo here > {bell.path}; read x < {door.path}; exit 4"), first)
    bell.wait()
    dead = keeper.pid
    os.kill(dead, signal.SIGKILL)
    os.waitid(os.P_PID, dead, os.WEXITED | os.WNOWAIT)
    workers.start(launch(2, shell="exit 5"), second)
    second.next(Started)
    assert outcome(second.next(Ended)) == ("exited", 5)
    assert keeper.pid != dead
    Path(door.path).write_text("on\n")
    first.next(Started)
    assert outcome(first.next(Ended)) == ("exited", 4)


def test_a_keeper_that_dies_with_a_launch_in_hand_has_not_started_it(
    tmp_path: Path, workers: Workers, keeper: keeper.Keeper
) -> None:
    os.kill(keeper.pid, signal.SIGSTOP)
    reports = Reports()
    ask = keeper.launch

    def kill_after(order: object) -> object:
        launching = ask(order)
        os.kill(keeper.pid, signal.SIGKILL)
        return launching

    keeper.launch = kill_after
    workers.start(launch(1, "/usr/bin/touch", str(tmp_path / "effect")), reports)
    assert reports.next(NeverStarted) == NeverStarted(AttemptId(1), "gate")
    keeper.launch = ask
    workers.start(launch(2, "/bin/true"), reports)
    reports.next(Started)
    reports.next(Ended)
    assert not (tmp_path / "effect").exists()
