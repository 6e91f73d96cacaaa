"""A flood of output, a daemon that is stopped in the middle of a decision, and secrets: seen through the real daemon.

By hand: ``SPELLWEAVER_FLOOD_MB=10240`` for 10 GB of output, ``SPELLWEAVER_STOP_S=20`` for a stop of 20 seconds.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from spellweaver.host.ring import HEAD, HEADER, RING, TAIL
from spellweaver.ledger.observe import observe
from tests.support.audit import audit
from tests.support.daemon import Site, schedule, site, toml

FLOOD = int(os.environ.get("SPELLWEAVER_FLOOD_MB", "128")) << 20
STOP_S = float(os.environ.get("SPELLWEAVER_STOP_S", "0"))
CANARY = "s3cr3t-canary-2c9e"


def peak_kib(pid: int) -> int:
    return int(Path(f"/proc/{pid}/status").read_text().split("VmHWM:")[1].split()[0])


def check(made: Site) -> None:
    with observe(str(made.ledger)) as view:
        assert audit(view.connection) == []
    assert "Traceback" not in made.said()


@pytest.mark.timeout(300 + FLOOD // (20 << 20))
def test_rp_43_a_flood_of_output_is_bounded_on_disk_and_in_memory(tmp_path: Path) -> None:
    """Both streams, no line end; meanwhile others fire on time, and the log can be read."""
    script = f"head -c {FLOOD // 2} /dev/zero; head -c {FLOOD // 2} /dev/zero >&2; touch {tmp_path}/said; sleep 600"
    text = toml(schedule("flood", every="1h", script=script, timeout="1h", anchor=soon()), schedule("fast", every="1s"))
    with site(tmp_path, text) as made:
        daemon = made.start()
        made.until("SELECT count(*) FROM attempt a JOIN run r ON r.id = a.run JOIN invocation i ON i.id = r.invocation "
                   "JOIN schedule s ON s.id = i.schedule WHERE s.name = 'flood' AND a.state = 'running'")  # fmt: skip
        flood = "SELECT {} FROM attempt a JOIN run r ON r.id = a.run JOIN invocation i ON i.id = r.invocation JOIN schedule s ON s.id = i.schedule WHERE s.name = 'flood'"  # noqa: E501
        shim, invocation, attempt = made.rows(flood.format("a.shim_pid, i.id, a.id"))[0]
        before = peak_kib(daemon.pid)
        while not (tmp_path / "said").exists():
            assert daemon.poll() is None, made.said()
            time.sleep(0.1)
        assert peak_kib(int(str(shim))) < 40 << 10, "the shim's memory does not grow with the output"
        assert peak_kib(daemon.pid) < before + (16 << 10), "and nothing of it comes to the daemon"
        folder = made.folder / "attempts" / f"att_{attempt}"
        used = sum(path.stat().st_size for path in folder.iterdir())
        assert used < HEAD + HEADER.size + RING + 4096
        assert made.call("cancel", f"inv_{invocation}", "--reason", "enough").returncode == 0
        made.until(flood.format("a.ended_at IS NOT NULL"))
        assert made.rows(flood.format("a.output_bytes, a.dropped_bytes")) == [(FLOOD, FLOOD - HEAD - TAIL)]
        late = "SELECT count(*) FROM occurrence o JOIN schedule s ON s.id = o.schedule WHERE s.name = 'fast' AND o.state = 'missed'"  # noqa: E501
        assert made.one(late) == 0
        said = made.call("logs", f"inv_{invocation}").stdout
        assert f"[spellweaver: {FLOOD - HEAD - TAIL} bytes dropped here]" in said
        check(made)


def soon() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 2))


def stopped(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] == "T"


@pytest.mark.timeout(120 + 2 * STOP_S)
@pytest.mark.rule("WIN-03", "RCV-03")
def test_a_daemon_stopped_while_it_holds_the_lock(tmp_path: Path) -> None:
    """Writers wait their time and say who is in the way of whom; readers read; a second daemon stays out; nothing is
    taken over. Let go, its own decision stands with the time at which it was made.
    """
    mark = tmp_path / "stop"
    (tmp_path / "more.toml").write_text(toml(schedule("more", every="1h")))
    with site(tmp_path, toml(schedule("job", every="1s", script=f"echo x >> {tmp_path}/effects"))) as made:
        daemon = made.start(fault=f"stop:{mark}")
        made.until("SELECT count(*) > 1 FROM occurrence WHERE state = 'admitted'")
        mark.touch()
        while not stopped(daemon.pid):
            assert daemon.poll() is None, made.said()
            time.sleep(0.01)
        began, last = time.monotonic(), made.one("SELECT max(seq) FROM event")
        stopped_at = time.time_ns() // 1000
        lines = (
            ("define", str(tmp_path / "more.toml")), ("cancel", "inv_1", "--reason", "x"),
            ("resolve", "inv_1", "--outcome", "failed", "--reason", "x"), ("run",),
        )  # fmt: skip
        done: dict[str, subprocess.CompletedProcess[str]] = {}
        callers = [
            threading.Thread(target=lambda line=line: done.update({line[0]: made.call(*line)})) for line in lines
        ]
        for caller in callers:
            caller.start()
        asked = time.monotonic()
        assert made.call("status").returncode == 0
        assert made.call("explain", "inv_1").returncode == 0
        assert time.monotonic() - asked < 8, "who only reads waits for nobody"
        for caller in callers:
            caller.join()
        for verb in ("define", "cancel", "resolve"):
            assert done[verb].returncode == 75, (verb, done[verb].stderr)
            assert "has been locked by another writer for 10 s" in done[verb].stderr
            assert "try again" in done[verb].stderr
        assert done["run"].returncode == 75
        assert f"pid {daemon.pid} is running on this ledger already" in done["run"].stderr
        time.sleep(max(0.0, STOP_S - (time.monotonic() - began)))
        assert made.one("SELECT max(seq) FROM event") == last
        daemon.send_signal(signal.SIGCONT)
        made.until(f"SELECT max(seq) > {last} FROM event")
        at, type_ = made.rows(f"SELECT at, type FROM event WHERE seq = {int(str(last)) + 1}")[0]
        assert type_ == "occurrence.admitted"
        assert int(str(at)) <= stopped_at
        again = made.one("SELECT max(id) FROM occurrence WHERE state = 'admitted'")
        made.until(f"SELECT max(id) > {again} FROM occurrence WHERE state = 'admitted' AND reason = 'foreground'")
        assert made.call("define", str(tmp_path / "more.toml")).returncode == 0
        daemon.send_signal(signal.SIGTERM)
        assert daemon.wait(60) == 0, made.said()
        ran = len((tmp_path / "effects").read_text().splitlines())
        assert ran == made.one("SELECT count(*) FROM attempt WHERE state = 'exited'")
        check(made)


@pytest.mark.rule("CFG-5")
def test_a_secret_is_in_no_file_no_line_and_no_answer(tmp_path: Path) -> None:
    secret = tmp_path / "outside" / "secret"
    secret.parent.mkdir()
    secret.write_text(f"{CANARY}\n")
    secret.chmod(0o600)
    script = f'[ "$TOKEN" = "$(cat {secret})" ] || exit 1; [ -n "$TOKEN" ] && exit 3'
    bound = f'env_from = {{ TOKEN = "file:{secret}" }}\numask = "022"\nnice = 5'
    with site(tmp_path, toml(schedule("job", every="2s", script=script, bound=bound))) as made:
        daemon = made.start()
        made.until("SELECT count(*) FROM attempt WHERE state = 'exited'")
        assert made.rows("SELECT DISTINCT code FROM attempt WHERE state = 'exited'") == [(3,)]
        secret.chmod(0o620)
        made.until("SELECT count(*) FROM attempt WHERE state = 'never_started'")
        invocation = made.one("SELECT r.invocation FROM attempt a JOIN run r ON r.id = a.run WHERE a.errno IS NULL "
                              "AND a.state = 'never_started'")  # fmt: skip
        assert made.rows("SELECT state, reason FROM invocation WHERE id = ?", (invocation,)) == [
            ("failed", "unavailable")
        ]
        told = made.call("explain", f"inv_{invocation}").stdout
        assert (
            f"DID NOT RUN: its command could not be started: env_from TOKEN: {secret}: is writable by others "
            f"(mode 0620); chmod go-w {secret}."
        ) in told
        daemon.send_signal(signal.SIGTERM)
        assert daemon.wait(60) == 0
        (pattern,) = json.loads(made.call("pattern", "show", "job@1", "--json").stdout)["items"]
        (shown,) = [station["binding"] for station in pattern["stations"] if station["key"] == "main"]
        assert (shown["env_from"], shown["umask"], shown["nice"], shown["user"]) == (
            {"TOKEN": f"file:{secret}"}, "022", 5, None,
        )  # fmt: skip
        said = [made.said()]
        for line in (("events", "--jsonl"), ("explain", "inv_1", "--json"), ("invocation", "show", "inv_1"),
                     ("logs", "inv_1"), ("pattern", "show", "job@1"), ("status", "--json")):  # fmt: skip
            done = made.call(*line)
            said += [done.stdout, done.stderr]
        assert CANARY not in "".join(said)
        held = [path for path in made.folder.rglob("*") if path.is_file() and CANARY.encode() in path.read_bytes()]
        assert held == []
        check(made)


def test_a_jobs_result_is_shown_bounded_and_harmless(tmp_path: Path) -> None:
    good = {"outcome": "ok", "outputs": {"esc": "\x1b[2J\ud800", "long": "x" * 3000}}
    (tmp_path / "good").write_text(json.dumps(good))
    text = toml(
        schedule("good", every="1h", script=f"cp {tmp_path}/good $SPELLWEAVER_RESULT", anchor=soon()),
        schedule("bad", every="1h", script='echo "[1]" > "$SPELLWEAVER_RESULT"', anchor=soon()),
        schedule("none", every="1h", script="true", anchor=soon()),
    )
    with site(tmp_path, text) as made:
        assert made.start("--for", "4s").wait(60) == 0, made.said()
        shown = {}
        for name in ("good", "bad", "none"):
            (item,) = json.loads(made.call("invocation", "show", f"{name}@latest", "--json").stdout)["items"]
            shown[name] = (item["result"], item["result_note"])
        assert shown["good"] == (good, None)
        assert shown["bad"] == (None, "result ignored: it is not one JSON object")
        assert shown["none"] == (None, None)
        told = made.call("invocation", "show", "good@latest").stdout
        (line,) = [line for line in told.splitlines() if line.startswith("RESULT\t")]
        assert line.startswith('RESULT\t{"outcome":"ok","outputs":{"esc":"\\u001b[2J\\ud800","long":"xxx')
        assert line.endswith(" characters)") and len(line) < 1100
        assert "result ignored: it is not one JSON object" in made.call("invocation", "show", "bad@latest").stdout
        check(made)
