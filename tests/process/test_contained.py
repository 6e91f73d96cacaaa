"""What a killed daemon with a killed shim leaves, what a reused number is taken for, and how containment ends."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from spellweaver.host import cgroup, process
from spellweaver.ledger.observe import observe
from tests.support.audit import audit
from tests.support.daemon import Site, schedule, site, toml
from tests.support.processes import reachable_place

BLIND = "no-cgroups"
ONCE = "[ -e {mark} ] && exit 0; touch {mark}; exec sleep 600"
STATES = (
    "SELECT i.state, i.reason, a.state FROM invocation i JOIN run r ON r.invocation = i.id "
    "JOIN attempt a ON a.run = r.id ORDER BY i.id"
)
needs_cgroup = pytest.mark.skipif(
    cgroup.base() is None, reason="this user has no cgroup of version 2 that was delegated to him and could be divided"
)
# root without the right to signal others: it can start a job as somebody else, and can't end it
POWERLESS = ["setpriv", "--bounding-set=-kill", "--inh-caps=-kill"]
powerless = pytest.mark.skipif(
    os.geteuid() != 0 or subprocess.run([*POWERLESS, "true"], capture_output=True).returncode != 0
    if shutil.which("setpriv") else True, reason="needs root and setpriv, to plant a shim that may not signal its job",
)  # fmt: skip


def soon() -> str:
    """An anchor two seconds ahead: an hourly Schedule fires once, now."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 2))


def at_work(made: Site, *marks: Path) -> None:
    """Until each job has made its mark: it passed its gate, so a kill can't keep it from running."""
    ends = time.monotonic() + 30
    while not all(mark.exists() for mark in marks):
        assert time.monotonic() < ends, made.said()
        time.sleep(0.02)


def kill_daemon(daemon: subprocess.Popen[bytes]) -> None:
    daemon.send_signal(signal.SIGKILL)
    daemon.wait()


def kill(*pids: object) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(str(pid)), signal.SIGKILL)


def await_death(*pids: object) -> None:
    """A zombie counts as dead: an orphan's new parent may be slow to reap."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            process.wait(process.identity(int(str(pid))))


def check(made: Site) -> None:
    with observe(str(made.ledger)) as view:
        assert audit(view.connection) == []
    assert "Traceback" not in made.said()


@pytest.mark.rule("RCV-02", "OVL-02", "FIN-06")
def test_daemon_and_shim_killed_is_contained_until_an_operator_says_what_became_of_it(tmp_path: Path) -> None:
    """It blocks; its window's end ends it not; the dead process, the free worker, the bound prove nothing."""
    text = toml(
        schedule("job", every="2s", script=ONCE.format(mark=tmp_path / "mark"), extra=WINDOW, anchor=soon()),
    )
    with site(tmp_path, text) as made:
        daemon = made.start(fault=BLIND)
        at_work(made, tmp_path / "mark")
        shim, command = made.rows("SELECT shim_pid, pid FROM attempt")[0]
        kill_daemon(daemon)
        kill(shim)
        await_death(shim)
        made.start(fault=BLIND)
        made.until("SELECT count(*) FROM attempt WHERE state = 'contained'")
        made.until("SELECT count(*) FROM occurrence WHERE state = 'missed' AND reason = 'overlap'")
        assert made.one("SELECT blockers FROM occurrence WHERE state = 'missed'") == "[1]"
        assert process.identity(int(str(command))), "nothing that runs was killed by a bound"
        kill(command)
        await_death(command)
        missed = made.one("SELECT count(*) FROM occurrence WHERE state = 'missed'")
        made.until(f"SELECT count(*) > {missed} FROM occurrence WHERE state = 'missed' AND reason = 'overlap'")
        assert made.rows(STATES) == [("contained", "settling", "contained")]
        assert made.one('SELECT count(*) FROM "grant" WHERE settled IS NULL') == 1

        (shown,) = json.loads(made.call("status", "--json").stdout)["items"]
        assert [(w["code"], w["ref"]) for w in shown["warnings"] if w["code"] == "contained"] == [
            ("contained", "inv_1")
        ]
        told = made.call("explain", "inv_1").stdout
        assert f"NOT SETTLED: not proved gone, so it goes on blocking: The shim (pid {shim}) ended without" in told
        assert f"Its command (pid {command}) still runs" in told and "(shim_killed)." in told

        refused = made.call("cancel", "inv_1", "--reason", "x")
        assert refused.returncode == 3 and "nothing of it can be told to stop" in refused.stderr
        done = made.call("resolve", "inv_1", "--outcome", "failed", "--reason", "ps shows nothing of it")
        assert done.returncode == 0, done.stderr
        made.until("SELECT count(*) FROM invocation WHERE state = 'completed'", within_s=15)
        actor = f"uid:{os.getuid()}"
        assert made.rows("SELECT attempt, kind, detail, actor FROM proof") == [
            (1, "operator", "ps shows nothing of it", actor)
        ]
        assert made.rows(STATES)[0] == ("failed", "interrupted", "lost")
        told = made.call("explain", "inv_1").stdout
        assert "what became of it is not known; proved over by operator: ps shows nothing of it." in told
        check(made)


WINDOW = 'class = "deadline_windowed"\nallowed_delay = "1s"'


@needs_cgroup
@pytest.mark.rule("RCV-02")
def test_an_empty_cgroup_ends_it_without_an_operator(tmp_path: Path) -> None:
    script = f"sleep 600 & touch {tmp_path}/mark; wait"
    with site(tmp_path, toml(schedule("job", every="1h", script=script, anchor=soon()))) as made:
        made.start()
        at_work(made, tmp_path / "mark")
        shim, command = made.rows("SELECT shim_pid, pid FROM attempt")[0]
        kill(shim)
        made.until("SELECT count(*) FROM attempt WHERE state = 'contained'")
        assert f"Its cgroup holds {command} (" in made.call("explain", "inv_1").stdout
        os.killpg(int(str(command)), signal.SIGKILL)
        made.until("SELECT count(*) FROM attempt WHERE state = 'lost'")
        assert made.rows(STATES) == [("failed", "lost", "lost")]
        assert made.rows("SELECT kind, detail, actor FROM proof") == [("cgroup", "its own cgroup is empty", "daemon")]
        told = made.call("explain", "inv_1").stdout
        assert "RAN AND FAILED: it is gone without a result: its own cgroup is empty." in told
        assert "proof cgroup" in told
        check(made)


@pytest.mark.rule("RCV-01", "RCV-02")
def test_rp_46_a_number_of_somebody_else_is_not_adopted_and_gets_no_signal(tmp_path: Path) -> None:
    """Ticks, inode, boot: each alone tells the stranger apart."""
    stranger = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    marks = [tmp_path / f"s{n}" for n in (1, 2, 3)]
    jobs = [schedule(m.name, every="1h", script=f"touch {m}; exec sleep 600", anchor=soon()) for m in marks]
    with site(tmp_path, toml(*jobs)) as made, stranger:
        daemon = made.start(fault=BLIND)
        at_work(made, *marks)
        kill_daemon(daemon)
        pids = [pid for row in made.rows("SELECT shim_pid, pid FROM attempt") for pid in row]
        kill(*pids)
        await_death(*pids)
        who = process.identity(stranger.pid)
        forge(made, 1, who.pid, who.start_ticks - 1, who.pidfd_inode)
        forge(made, 2, who.pid, who.start_ticks, who.pidfd_inode + 1)
        forge(made, 3, who.pid, who.start_ticks, who.pidfd_inode, boot="of another day")
        daemon = made.start(fault=BLIND)
        made.until("SELECT count(*) = 2 FROM attempt WHERE state = 'contained'")
        made.until("SELECT count(*) FROM attempt WHERE state = 'lost'")
        by_number = [("contained", "settling", "contained"), ("contained", "settling", "contained")]
        expected = [*by_number, ("failed", "lost", "lost")] if who.pidfd_inode else None
        assert expected is None or made.rows(STATES) == expected
        assert made.rows("SELECT attempt, kind FROM proof") == [(3, "other_boot")]
        assert "the machine has been booted since" in made.call("explain", "inv_3").stdout
        daemon.send_signal(signal.SIGTERM)
        assert daemon.wait(60) == 0, made.said()
        assert stranger.poll() is None
        stranger.communicate(b"\n")
        assert stranger.returncode == 0, "it was never signalled"
        check(made)


def forge(made: Site, attempt: int, pid: int, ticks: int, inode: int, boot: str | None = None) -> None:
    """The ledger then says that this process was the attempt's shim and command."""
    with contextlib.closing(apsw.Connection(str(made.ledger))) as connection:
        connection.set_busy_timeout(5000)
        if boot is not None:
            connection.execute("INSERT INTO boot (boot_id) VALUES (?)", (boot,))
            connection.execute("UPDATE attempt SET boot = (SELECT max(id) FROM boot) WHERE id = ?", (attempt,))
        connection.execute(
            "UPDATE attempt SET shim_pid = ?1, pid = ?1, shim_ticks = ?2, ticks = ?2, shim_inode = ?3, inode = ?3 "
            "WHERE id = ?4",
            (pid, ticks, inode, attempt),
        )


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may choose the next process number")
@pytest.mark.rule("RCV-01", "RCV-02")
def test_rp_46_a_number_that_really_came_back_is_not_adopted(tmp_path: Path) -> None:
    """The stranger was given the dead shim's number by the kernel, while nobody looked."""
    script = f"touch {tmp_path}/mark; exec sleep 600"
    with site(tmp_path, toml(schedule("job", every="1h", script=script, anchor=soon()))) as made:
        daemon = made.start(fault=BLIND)
        at_work(made, tmp_path / "mark")
        kill_daemon(daemon)
        shim, command = (int(str(pid)) for pid in made.rows("SELECT shim_pid, pid FROM attempt")[0])
        kill(shim, command)
        await_death(shim, command)
        with reused(shim) as stranger:
            daemon = made.start(fault=BLIND)
            made.until("SELECT count(*) FROM attempt WHERE state = 'contained'")
            assert "ended without leaving a status" in made.call("explain", "inv_1").stdout
            daemon.send_signal(signal.SIGTERM)
            assert daemon.wait(60) == 0, made.said()
            assert os.waitpid(stranger, os.WNOHANG) == (0, 0), "it lives, and was never signalled"
        check(made)


@contextlib.contextmanager
def reused(pid: int) -> Iterator[int]:
    """A child of ours with this number, which another process had: it is free once that one has been reaped."""
    ends = time.monotonic() + 10
    while time.monotonic() < ends:
        Path("/proc/sys/kernel/ns_last_pid").write_text(str(pid - 1))
        child = os.fork()
        if child == 0:
            signal.pause()
            os._exit(0)
        if child == pid:
            break
        kill(child)
        os.waitpid(child, 0)
        time.sleep(0.01)
    else:
        pytest.skip("somebody else was always quicker to take the number")
    try:
        yield child
    finally:
        kill(child)
        os.waitpid(child, 0)


@powerless
@pytest.mark.rule("RCV-02", "FIN-06")
def test_rp_42_what_cannot_be_signalled_is_contained_until_its_shim_sees_it_end(tmp_path: Path) -> None:
    """TERM and KILL come to nothing, as with a job that took on another uid: that is told, and waited for."""
    job = schedule("job", every="1h", script="exec sleep 600", timeout="1s", bound='user = "nobody"', anchor=soon())
    with reachable_place() as place, site(tmp_path, toml(job)) as made:
        made.start(wrapper=POWERLESS, fault=BLIND, env={"RUNTIME_DIRECTORY": str(place)})
        made.until("SELECT count(*) FROM attempt WHERE state = 'contained'")
        pid = made.one("SELECT pid FROM attempt")
        assert made.rows(STATES) == [("contained", "settling", "contained")]
        told = f"These processes did not end after KILL: {pid} (sleep). The shim waits for them. (escaped)"
        assert f"NOT SETTLED: not proved gone, so it goes on blocking: {told}" in made.call("explain", "inv_1").stdout
        kill(pid)
        made.until("SELECT count(*) FROM invocation WHERE ended_at IS NOT NULL")
        assert made.rows(STATES) == [("timed_out", "timeout", "timed_out")]
        assert made.rows("SELECT kind, detail FROM proof") == [("echild", "its shim saw the last of its processes end")]
        told = "proved over by echild: its shim saw the last of its processes end."
        assert told in made.call("explain", "inv_1").stdout
        check(made)


@powerless
@needs_cgroup
def test_rp_42_the_kill_of_a_cgroup_reaches_what_cannot_be_signalled(tmp_path: Path) -> None:
    script = "trap '' TERM; setsid sleep 600 & sleep 600; :"
    job = schedule("job", every="1h", script=script, timeout="1s", bound='user = "nobody"', anchor=soon())
    with reachable_place() as place, site(tmp_path, toml(job)) as made:
        made.start(wrapper=POWERLESS, env={"RUNTIME_DIRECTORY": str(place)})
        made.until("SELECT count(*) FROM invocation WHERE ended_at IS NOT NULL")
        assert made.rows(STATES) == [("timed_out", "timeout", "timed_out")]
        assert made.rows("SELECT type FROM event WHERE type = 'invocation.contained'") == []
        check(made)
