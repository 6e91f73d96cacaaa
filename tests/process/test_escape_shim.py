"""A killed or stopped shim, and jobs that get away from what holds them: closed descriptors, new sessions, dropped
environments, another cgroup.
"""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from spellweaver.core.launch import Contained, Ended, Lost, NeverStarted, OpenAttempt, Started
from spellweaver.host import attempt, cgroup, kernel, logs, process
from spellweaver.jobs import environment
from spellweaver.jobs.workers import Workers
from tests.support.processes import Bell, Reports, await_end, launch, outcome, run

needs_cgroup = pytest.mark.skipif(
    cgroup.base() is None, reason="this user has no cgroup of version 2 that was delegated to him and could be divided"
)
STRAY = "setsid env -i sh -c 'exec >&- 2>&-; echo $$ > {bell}; exec sleep 600' & "


def killed(workers: Workers, bell: Bell, shell: str, reports: Reports) -> Started:
    """An attempt whose shim was killed once the bell had rung."""
    workers.start(launch(1, shell=shell), reports)
    started = reports.next(Started)
    bell.wait()
    assert process.send(started.shim, signal.SIGKILL)
    return started


@pytest.mark.rule("RCV-02", "OVL-02")
def test_a_shim_killed_leaves_the_attempt_contained(without_cgroups: None, workers: Workers, tmp_path: Path) -> None:
    bell, reports = Bell(tmp_path / "bell"), Reports()
    started = killed(workers, bell, f"echo here > {bell.path}; exec sleep 600", reports)
    contained = reports.next(Contained)
    assert contained.why == "shim_killed"
    pid = started.command.pid
    assert contained.detail.replace("(sleep)", "(sh)") == (
        f"The shim (pid {started.shim.pid}) ended without leaving a status. Its command (pid {pid}) still runs. "
        f"Processes with its environment: {pid} (sh)."
    )
    assert process.send(started.command, signal.SIGKILL)
    await_end(started.command)
    again = Reports()
    workers.join(20_000_000)
    workers.adopt(OpenAttempt(started.attempt, "contained", started.shim, started.command), again)
    found = again.next(Contained)
    assert "is gone. No process was found with its environment; one that dropped it may still run." in found.detail


@pytest.mark.rule("OVL-02")
def test_one_that_dropped_its_environment_is_not_seen_without_a_cgroup(
    without_cgroups: None, workers: Workers, tmp_path: Path
) -> None:
    """So nothing may be concluded from what is not found: dead shim, dead command, no token, and yet it runs."""
    bell, reports = Bell(tmp_path / "bell"), Reports()
    workers.start(launch(1, shell=STRAY.format(bell=bell.path) + "exec sleep 600"), reports)
    started = reports.next(Started)
    stray = int(bell.wait())
    process.send(started.shim, signal.SIGSTOP)
    os.killpg(started.command.pid, signal.SIGKILL)
    await_end(started.command)
    process.send(started.shim, signal.SIGKILL)
    detail = reports.next(Contained).detail
    assert Path(f"/proc/{stray}").exists()
    assert str(stray) not in detail
    assert "one that dropped it may still run" in detail
    os.kill(stray, signal.SIGKILL)


@needs_cgroup
@pytest.mark.rule("RCV-02")
def test_an_empty_cgroup_is_the_proof_that_a_dead_shim_is_not(workers: Workers, tmp_path: Path) -> None:
    """The child left its session, its descriptors and its environment: its cgroup it could not leave."""
    bell, reports = Bell(tmp_path / "bell"), Reports()
    workers.start(launch(1, shell=STRAY.format(bell=bell.path) + "exec sleep 600"), reports)
    started = reports.next(Started)
    stray = int(bell.wait())
    group = cgroup.of(workers.place(started.attempt))
    assert group is not None
    process.send(started.shim, signal.SIGKILL)
    assert f"Its cgroup holds {started.command.pid} (" in reports.next(Contained).detail
    assert workers.join(20_000_000), "nobody waits for what only a person can end"
    others = [process.identity(pid) for pid in cgroup.members(group) if pid != stray]
    os.killpg(started.command.pid, signal.SIGKILL)
    await_end(*others)
    assert cgroup.members(group) == [stray]
    again = Reports()
    workers.adopt(OpenAttempt(started.attempt, "contained", started.shim, started.command), again)
    detail = again.next(Contained).detail
    assert f"No process was found with its environment. Its cgroup holds {stray} (" in detail
    os.kill(stray, signal.SIGKILL)
    assert reports.next(Lost) == again.next(Lost) == Lost(started.attempt, "cgroup")
    assert not os.path.exists(group)


@needs_cgroup
@pytest.mark.rule("RCV-02")
def test_one_that_moved_to_another_cgroup_is_given_away_by_its_environment(workers: Workers, tmp_path: Path) -> None:
    bell, reports, base = Bell(tmp_path / "bell"), Reports(), cgroup.base()
    shell = f"echo $$ > {base}/cgroup.procs; echo here > {bell.path}; exec sleep 600"
    started = killed(workers, bell, shell, reports)
    detail = reports.next(Contained).detail
    assert f"Processes with its environment: {started.command.pid} (" in detail
    assert "). Its cgroup is empty; these left it." in detail
    (watching,) = [thread for thread in threading.enumerate() if thread.name == "att_1"]
    watching.join(0.3)
    assert watching.is_alive(), "an empty cgroup is not enough while somebody has its environment"
    process.send(started.command, signal.SIGKILL)
    assert reports.next(Lost) == Lost(started.attempt, "cgroup")


@needs_cgroup
def test_a_cgroup_is_gone_with_its_attempt(workers: Workers) -> None:
    """With what the job made below it."""
    shell = 'cat /proc/self/cgroup; cd "$(cat "${SPELLWEAVER_INPUT%/*}/cgroup")" && mkdir below && echo made; exit 3'
    _, ended = run(workers, launch(1, shell=shell))
    assert outcome(ended) == ("exited", 3)
    folder = workers.place(ended.attempt)
    name = f"spellweaver-att_1-{os.stat(folder).st_dev:x}-{os.stat(folder).st_ino:x}"
    assert f"/{name}\nmade\n" in logs.read(folder).head.decode()
    assert not os.path.exists(f"{cgroup.base()}/{name}")
    assert not os.path.exists(f"{folder}/cgroup")


def test_a_job_that_closes_everything_is_followed_to_its_end(workers: Workers, tmp_path: Path) -> None:
    """No output, no lock, no gate to hold on to: only being our descendant is left."""
    bell, door = Bell(tmp_path / "bell"), Bell(tmp_path / "door")
    reports = Reports()
    inner = f"exec 0<&- 1>&- 2>&-; echo here > {bell.path}; read x < {door.path}"
    workers.start(launch(1, shell=f"echo before; setsid sh -c '{inner}' & exec 0<&- 1>&- 2>&-; exit 5"), reports)
    started = reports.next(Started)
    bell.wait()
    assert process.alive(started.shim)
    Path(door.path).write_text("on\n")
    assert outcome(reports.next(Ended)) == ("exited", 5)
    assert logs.read(workers.place(started.attempt)).head == b"before\n"


def test_a_double_fork_into_a_new_session_is_ended_by_the_timeout(workers: Workers) -> None:
    """Deaf, stopped, without output or environment, and nobody's child any more."""
    deaf = "trap '' TERM HUP INT; kill -STOP $$; sleep 600"
    shell = f'(setsid setsid env -i sh -c "exec >&- 2>&-; {deaf}" &) & exec sleep 600'
    started, ended = run(workers, launch(1, shell=shell, timeout_us=1_000_000))
    assert (ended.state, ended.signal) == ("timed_out", 15)
    assert environment.carriers(started.attempt, workers.place(started.attempt)) == []
    await_end(started.shim)


def test_a_job_that_stops_itself_is_ended_all_the_same(workers: Workers) -> None:
    for n, shell in enumerate(("kill -STOP $$", "trap '' TERM; kill -STOP $$; sleep 600 & wait", "kill -STOP 0"), 1):
        _, ended = run(workers, launch(n, shell=shell, timeout_us=300_000))
        assert ended.state == "timed_out", shell


def test_a_stopped_shim_still_takes_a_cancel(workers: Workers, tmp_path: Path) -> None:
    bell, reports = Bell(tmp_path / "bell"), Reports()
    workers.start(launch(1, shell=f"kill -STOP $PPID; echo here > {bell.path}; sleep 600"), reports)
    reports.next(Started)
    bell.wait()
    workers.cancel(launch(1).attempt)
    assert outcome(reports.next(Ended)) == ("signalled", -15)


def test_an_escape_is_told_to_a_daemon_that_came_later(workers: Workers, tmp_path: Path) -> None:
    """The shim's line went to the dead one; a file says the same."""
    bell, door = Bell(tmp_path / "bell"), Bell(tmp_path / "door")
    first, second = Reports(), Reports()
    workers.start(launch(1, shell=f"echo here > {bell.path}; read x < {door.path}"), first)
    started = first.next(Started)
    bell.wait()
    later = Workers.__new__(Workers)
    later.__dict__.update(workers.__dict__, _working={})
    later.adopt(OpenAttempt(started.attempt, "running", started.shim, started.command), second)
    attempt.write_escaped(workers.place(started.attempt), [(started.command.pid, "sh")])
    assert second.next(Contained).why == "escaped"
    Path(door.path).write_text("on\n")
    assert outcome(second.next(Ended)) == ("exited", 0)


def test_a_shim_killed_at_the_gate_has_started_nothing(workers: Workers, tmp_path: Path) -> None:
    """Between the commit of both identities and the word: the command sees that its shim is gone, and ends."""
    reports = Reports()

    def report(sighting: object) -> None:
        if isinstance(sighting, Started):
            process.send(sighting.shim, signal.SIGKILL)
            await_end(sighting.shim)
        reports(sighting)

    workers.start(launch(1, "/usr/bin/touch", str(tmp_path / "effect")), report)
    started = reports.next(Started)
    seen = reports._news.get(timeout=30)
    assert isinstance(seen, Contained | Lost), "no status says that it never ran"
    await_end(started.command)
    assert not (tmp_path / "effect").exists()


def test_a_kernel_without_such_a_fork_gets_an_ordinary_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if cgroup.base() is None:
        pytest.skip("this user has no cgroup that could be divided")
    from spellweaver.host import keeper as keeping
    from spellweaver.host.keeper import Keeper
    from tests.support.processes import no_trouble

    refusing = "from spellweaver.host import cgroup; cgroup._CLONE3 = 100000; from spellweaver.host.keeper_main"
    monkeypatch.setattr(keeping, "_PROGRAM", keeping._PROGRAM.replace("from spellweaver.host.keeper_main", refusing))
    one = Keeper()
    pool = Workers(one, str(tmp_path / "attempts"), trouble=no_trouble)
    _, ended = run(pool, launch(1, shell="cat /proc/self/cgroup; exit 4"))
    one.close()
    assert outcome(ended) == ("exited", 4)
    assert b"spellweaver-att" not in logs.read(pool.place(ended.attempt)).head


def test_who_was_killed_at_the_gate_leaves_no_cgroup(workers: Workers, tmp_path: Path) -> None:
    reports = Reports()

    def report(sighting: object) -> None:
        if isinstance(sighting, Started):
            process.send(sighting.command, signal.SIGKILL)
        reports(sighting)

    workers.start(launch(1, "/bin/true"), report)
    reports.next(Started)
    assert reports.next(NeverStarted).why == "gate"
    assert not os.path.exists(f"{workers.place(launch(1).attempt)}/cgroup")


def test_a_name_is_one_process_for_the_whole_boot(workers: Workers) -> None:
    """What a reused number could not forge: the inode of its pidfd, where the kernel gives one."""
    (one, _), (two, _) = run(workers, launch(1, "/bin/true")), run(workers, launch(2, "/bin/true"))
    pidfd = os.pidfd_open(os.getpid())
    if kernel.pidfd_inode(pidfd):
        assert len({who.pidfd_inode for each in (one, two) for who in (each.shim, each.command)}) == 4
    os.close(pidfd)
