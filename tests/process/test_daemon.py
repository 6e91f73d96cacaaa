"""The daemon as supervisors and operators meet it: stopping, a second one, restarts, slow jobs beside quick ones,
writers beside it.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.support.daemon import SRC, schedule, site, toml


def _stopped(process: subprocess.Popen[bytes], within_s: float = 60) -> int:
    return process.wait(timeout=within_s)


def test_rp_44_a_first_signal_lets_running_work_finish(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    with site(
        tmp_path,
        toml(schedule("job", every="4s", script=f"trap 'echo told >> {mark}' TERM; sleep 2; echo finished >> {mark}")),
    ) as made:
        daemon = made.start()
        made.until("SELECT count(*) FROM attempt WHERE state = 'running'")
        os.killpg(daemon.pid, signal.SIGTERM)  # as a terminal's Ctrl-C reaches the whole group
        assert _stopped(daemon) == 0, made.said()
        assert mark.read_text() == "finished\n"
        assert made.rows("SELECT DISTINCT state FROM invocation") == [("completed",)]


def test_rp_44_a_second_signal_or_the_limit_ends_it_as_shutdown(tmp_path: Path) -> None:
    with site(tmp_path, toml(schedule("job", every="3s", script="sleep 60", timeout="2m"))) as made:
        for how in ("second signal", "limit"):
            daemon = made.start("--drain", "60s" if how == "second signal" else "1s")
            made.until("SELECT count(*) FROM attempt WHERE state = 'running'")
            daemon.send_signal(signal.SIGTERM)
            if how == "second signal":
                time.sleep(0.5)
                daemon.send_signal(signal.SIGTERM)
            assert _stopped(daemon) == 0, made.said()
            state = made.rows(
                "SELECT i.state, i.reason, a.state, a.signal FROM invocation i JOIN run r ON r.invocation = i.id "
                "JOIN attempt a ON a.run = r.id ORDER BY a.id DESC LIMIT 1"
            )
            assert state == [("cancelled", "shutdown", "signalled", 15)], how
        assert made.one("SELECT count(*) FROM event WHERE type = 'invocation.cancelling'") == 2


@pytest.mark.rule("RCV-03")
def test_rp_38_a_second_daemon_refuses_naming_the_first_and_takes_over_at_once_when_it_dies(tmp_path: Path) -> None:
    text = toml(*(schedule(f"s{n}", every="1s", script="true") for n in range(5)))
    with site(tmp_path, text) as made:
        first = made.start()
        made.until("SELECT count(*) > 5 FROM occurrence")
        second = made.start()
        assert _stopped(second) == 75
        assert f"pid {first.pid} is running on this ledger already" in made.said()
        first.kill()
        first.wait()
        third = made.start("--for", "3s")
        assert _stopped(third) == 0, made.said()
        assert made.one("SELECT count(*) FROM invocation") == made.one(
            "SELECT count(*) FROM occurrence WHERE state = 'admitted'"
        )
        doubled = "SELECT count(*) FROM (SELECT 1 FROM occurrence GROUP BY schedule, civil HAVING count(*) > 1)"
        assert made.one(doubled) == 0
        assert made.one("SELECT count(*) FROM invocation WHERE state <> 'completed'") == 0


def test_rp_20_restarts_leave_schedules_as_they_were(tmp_path: Path) -> None:
    text = toml(*(schedule(f"s{n}", every="1h") for n in range(6)))
    (tmp_path / "again.toml").write_text(text)
    with site(tmp_path, text) as made:
        before = made.rows("SELECT name, state, active FROM schedule ORDER BY id")
        assert {row[1] for row in before} == {"active"}
        for n in range(6):
            daemon = made.start()
            made.until(
                f"SELECT looked_at > {time.time_ns() // 1000 - 2_000_000} FROM ledger", within_s=40
            ) if n == 0 else time.sleep(0.8)
            done = made.call("define", str(tmp_path / "again.toml"), "--bind", "--activate")
            assert done.returncode == 0, done.stderr
            daemon.send_signal(signal.SIGKILL if n % 2 else signal.SIGTERM)
            daemon.wait()
            assert made.rows("SELECT name, state, active FROM schedule ORDER BY id") == before


def test_rp_47_a_slow_job_stops_no_other_schedule(tmp_path: Path) -> None:
    text = toml(schedule("slow", every="20s", script="sleep 12"), schedule("fast", every="1s", script="true"))
    with site(tmp_path, text) as made:
        assert _stopped(made.start("--for", "10s", "--drain", "20s")) == 0
        late = made.rows(
            "SELECT decided_at - due_at FROM occurrence o JOIN schedule s ON s.id = o.schedule WHERE s.name = 'fast'"
        )
        assert len(late) >= 9
        assert (
            made.one(
                "SELECT count(*) FROM occurrence o JOIN schedule s ON s.id = o.schedule "
                "WHERE s.name = 'fast' AND o.state <> 'admitted'"
            )
            == 0
        )
        assert made.one("SELECT min(decided_at - due_at) FROM occurrence") >= 0


def test_rp_60_readers_and_writers_beside_a_busy_daemon_meet_no_lock_error(tmp_path: Path) -> None:
    text = toml(*(schedule(f"s{n}", every="1s", script="true") for n in range(20)))
    (tmp_path / "again.toml").write_text(text)
    with site(tmp_path, text) as made:
        daemon = made.start()
        made.until("SELECT count(*) > 20 FROM occurrence")
        failed: list[str] = []

        def without_pause(*words: str) -> None:
            for _ in range(5):
                done = made.call(*words)
                if done.returncode:
                    failed.append(f"{words}: {done.returncode} {done.stderr}")

        commands = (("status",), ("occurrence", "list"), ("define", str(tmp_path / "again.toml")), ("events",))
        callers = [threading.Thread(target=without_pause, args=words) for words in commands]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
        assert failed == []
        daemon.send_signal(signal.SIGTERM)
        assert _stopped(daemon) == 0, made.said()
        assert "Traceback" not in made.said()


def test_a_writer_that_holds_the_ledger_too_long_is_said_with_its_remedy(tmp_path: Path) -> None:
    held = (
        "import apsw, sys, time; c = apsw.Connection(sys.argv[1]); c.execute('BEGIN IMMEDIATE'); "
        "print('held', flush=True); time.sleep(60)"
    )
    with site(tmp_path, toml(schedule("s", every="1h"))) as made:
        holder = subprocess.Popen(
            [sys.executable, "-c", held, str(made.ledger)],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": SRC},
        )
        try:
            assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
            (tmp_path / "more.toml").write_text(toml(schedule("more", every="1h")))
            done = made.call("define", str(tmp_path / "more.toml"))
            assert done.returncode == 75
            assert "locked by another writer" in done.stderr and "try again" in done.stderr
        finally:
            holder.kill()
            holder.wait()
        assert made.one("SELECT count(*) FROM schedule") == 1


def test_a_supervisor_hears_ready_and_stopping(tmp_path: Path) -> None:
    with (
        site(tmp_path, toml(schedule("s", every="1h"))) as made,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear,
    ):
        path = str(tmp_path / "notify")
        ear.bind(path)
        ear.settimeout(20)
        daemon = subprocess.Popen(
            [sys.executable, "-m", "spellweaver.cli.main", "run", "--ledger", str(made.ledger)],
            env={**os.environ, "PYTHONPATH": SRC, "NOTIFY_SOCKET": path},
            stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        made.processes.append(daemon)
        assert ear.recv(4096) == b"READY=1"
        facts = json.loads((made.folder / "ledger.db.lock").read_text())
        assert facts["pid"] == daemon.pid and facts["socket"] == str(made.folder / "socket")
        daemon.send_signal(signal.SIGTERM)
        while (said := ear.recv(4096)) != b"STOPPING=1":
            assert said.startswith(b"STATUS="), said
        assert _stopped(daemon) == 0


def test_a_committed_change_is_seen_within_a_second_without_a_wake(tmp_path: Path) -> None:
    with site(tmp_path, toml(schedule("s", every="1h"))) as made:
        made.start()
        made.until("SELECT count(*) FROM ledger")
        time.sleep(1)
        made.add(toml(schedule("new", every="1s")))
        made.until("SELECT count(*) FROM occurrence", within_s=4)


def test_a_cancel_reaches_the_command(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    with site(
        tmp_path,
        toml(
            schedule(
                "job",
                every="30s",
                script=f"trap 'echo told >> {mark}; exit 0' TERM; echo up >> {mark}; while :; do sleep 0.1; done",
                anchor=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 2)),
            )
        ),
    ) as made:
        made.start()
        made.until("SELECT count(*) FROM attempt WHERE state = 'running'")
        while not mark.exists():
            time.sleep(0.02)
        done = made.call("cancel", "inv_1", "--reason", "wrong disk")
        assert done.returncode == 0, done.stderr
        made.until("SELECT count(*) FROM invocation WHERE ended_at IS NOT NULL", within_s=10)
        assert mark.read_text() == "up\ntold\n"
        why = json.loads(str(made.one("SELECT data FROM event WHERE type = 'invocation.cancelling'")))
        assert why["why"] == "wrong disk"
