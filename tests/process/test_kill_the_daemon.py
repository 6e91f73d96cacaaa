"""``kill -9`` of a running daemon with real children: no firing lost, none started twice, every real exit status on
record.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.support.daemon import Site, schedule, site, toml

KILLS = int(os.environ.get("SPELLWEAVER_KILLS", "20"))
SCRIPT = (
    "echo begin $SPELLWEAVER_ATTEMPT $SPELLWEAVER_FIRING >> {effects}; sleep {takes}; "
    "echo end $SPELLWEAVER_ATTEMPT {code} >> {effects}; exit {code}"
)


def effects(path: Path) -> tuple[Counter[str], Counter[str], dict[str, int]]:
    """(begun attempts, begun Schedule-and-firing pairs, exit codes by attempt), from what the commands wrote
    themselves.
    """
    begun, firings, codes = Counter[str](), Counter[str](), dict[str, int]()
    for line in path.read_text().splitlines() if path.exists() else []:
        word, attempt, rest = line.split()
        if word == "begin":
            begun[attempt] += 1
            firings[f"{path.name} {rest}"] += 1
        else:
            codes[attempt] = int(rest)
    return begun, firings, codes


def audit(made: Site, folder: Path, periods: dict[str, int]) -> None:
    for name, period in periods.items():
        begun, firings, codes = effects(folder / name)
        assert all(times == 1 for times in begun.values()), "an attempt's command ran once"
        assert all(times == 1 for times in firings.values()), "a firing was started once"
        rows = dict(made.rows(
            "SELECT 'att_' || a.id, a.code FROM attempt a JOIN run r ON r.id = a.run "
            "JOIN invocation i ON i.id = r.invocation "
            "JOIN schedule s ON s.id = i.schedule WHERE s.name = ? AND a.state = 'exited'", (name,),
        ))  # fmt: skip
        assert rows == codes, "the recorded exit status of each child is the real one"
        began, settled = made.rows(
            "SELECT a.begins_at / 1000000, s.settled_to FROM schedule s "
            "JOIN activation a ON a.schedule = s.id WHERE s.name = ?",
            (name,),
        )[0]
        due = set(range((int(str(began)) // period + 1) * period, int(str(settled)) + 1, period))
        having = {
            int(str(r[0]))
            for r in made.rows(
                "SELECT o.civil FROM occurrence o JOIN schedule s ON s.id = o.schedule WHERE s.name = ?", (name,)
            )
        }
        for first, last in made.rows(
            "SELECT first_civil, last_civil FROM firing_range f JOIN schedule s ON s.id = f.schedule WHERE s.name = ?",
            (name,),
        ):
            having |= set(range(int(str(first)), int(str(last)) + 1, period))
        assert having == due, "every firing has its outcome"
    assert made.one("SELECT count(*) FROM invocation WHERE state NOT IN ('completed', 'failed')") == 0


@pytest.mark.rule("RCV-01", "OCC-08", "OCC-04")
def test_killed_at_random_moments(tmp_path: Path) -> None:
    seed = int(os.environ.get("SPELLWEAVER_SEED", time.time_ns() % 1_000_000))
    rng = random.Random(seed)
    print(f"SPELLWEAVER_SEED={seed}")
    periods = {"quick": 3, "slow": 5}
    text = toml(
        schedule("quick", every="3s", script=SCRIPT.format(effects=tmp_path / "quick", takes="2", code=0)),
        schedule("slow", every="5s", script=SCRIPT.format(effects=tmp_path / "slow", takes="4", code=3)),
    )
    with site(tmp_path, text) as made:
        for _ in range(KILLS):
            daemon = made.start()
            time.sleep(rng.uniform(0.2, 2.0))
            daemon.send_signal(signal.SIGKILL)
            daemon.wait()
        last = made.start("--for", "6s")
        assert last.wait(timeout=60) == 0, made.said()
        audit(made, tmp_path, periods)
        assert "Traceback" not in made.said()


@pytest.mark.rule("RCV-01")
def test_rp_45_a_child_of_a_killed_daemon_is_adopted_with_its_real_exit_status(tmp_path: Path) -> None:
    text = toml(
        schedule("once", every="1h", script=SCRIPT.format(effects=tmp_path / "once", takes="3", code=7), anchor=_soon())
    )
    with site(tmp_path, text) as made:
        daemon = made.start()
        made.until("SELECT count(*) FROM attempt WHERE state = 'running'")
        daemon.send_signal(signal.SIGKILL)
        daemon.wait()
        pid = int(str(made.one("SELECT pid FROM attempt")))
        assert Path(f"/proc/{pid}").exists(), "the command outlives the daemon"
        assert made.start("--for", "5s").wait(timeout=60) == 0
        assert made.rows("SELECT state, code FROM attempt") == [("exited", 7)]
        assert made.rows("SELECT state, reason FROM invocation") == [("failed", "exit")]


def test_rp_36_killed_with_its_daemon_is_settled_once_and_blocks_nothing(tmp_path: Path) -> None:
    with site(tmp_path, toml(schedule("n", every="4s", script="sleep 50"))) as made:
        daemon = made.start()
        made.until("SELECT count(*) FROM attempt WHERE state = 'running'")
        daemon.send_signal(signal.SIGKILL)
        daemon.wait()
        os.killpg(int(str(made.one("SELECT pid FROM attempt"))), signal.SIGKILL)
        made.start()
        made.until("SELECT count(*) = 2 FROM attempt WHERE state IN ('signalled', 'running')")
        first = made.rows(
            "SELECT i.state, i.reason, a.state, a.signal FROM invocation i JOIN run r ON r.invocation = i.id "
            "JOIN attempt a ON a.run = r.id ORDER BY a.id"
        )
        assert first[0] == ("failed", "signal", "signalled", 9)
        assert made.one('SELECT count(*) FROM "grant" WHERE settled IS NULL') == 1
        assert len(made.rows("SELECT 1 FROM event WHERE type = 'invocation.failed'")) == 1
        os.killpg(int(str(made.one("SELECT pid FROM attempt WHERE state = 'running'"))), signal.SIGKILL)


def _soon() -> str:
    """An anchor two seconds ahead, so that an hourly Schedule fires once, now."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 2))
