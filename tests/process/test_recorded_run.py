"""A recorded ``run`` of real commands and the simulation of the same span agree, firing by firing."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import apsw
import pytest

from spellweaver.core.instant import SECOND
from spellweaver.simulate.run import Plan, simulate
from spellweaver.simulate.scenario import Scenario
from spellweaver.simulate.script import Job, Takes
from tests.support.daemon import schedule, site, toml

SECONDS = max(16, int(os.environ.get("SPELLWEAVER_RECORDED_S", "30")))
OUTCOMES = """
SELECT s.authority || '/' || s.name, o.civil, o.state, o.reason, i.state, i.reason,
    (SELECT a.code FROM run r JOIN attempt a ON a.run = r.id WHERE r.invocation = i.id)
FROM occurrence o JOIN schedule s ON s.id = o.schedule LEFT JOIN invocation i ON i.occurrence = o.id
WHERE o.nominal_at <= ? ORDER BY 1, 2
"""
TOOK = """
SELECT s.authority || '/' || s.name, o.nominal_at, a.ended_at - a.started_at, a.code
FROM attempt a JOIN run r ON r.id = a.run
JOIN invocation i ON i.id = r.invocation JOIN occurrence o ON o.id = i.occurrence JOIN schedule s ON s.id = o.schedule
"""


@pytest.mark.rule("SIM-04")
def test_a_recorded_run_and_its_simulation_agree_row_by_row(tmp_path: Path) -> None:
    anchor = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 6))
    window = 'class = "deadline_windowed"\nallowed_delay = "2s"'
    text = toml(
        schedule("quick", every="2s", script="sleep 0.3", anchor=anchor),
        schedule("over", every="3s", script="sleep 4.5; exit 3", anchor=anchor),
        schedule("waits", every="5s", script="sleep 6", extra=window, anchor=anchor),
        schedule("misses", every="4s", script="sleep 7", extra=window, anchor=anchor),
    )
    with site(tmp_path, text) as made:
        before = tmp_path / "before.db"
        shutil.copy(made.ledger, before)  # nobody has it open, and its log was copied back when it was closed
        if os.path.exists(f"{made.ledger}-wal"):
            shutil.copy(f"{made.ledger}-wal", f"{before}-wal")
        assert made.start("--for", f"{SECONDS}s", "--drain", "20s").wait(timeout=SECONDS + 60) == 0, made.said()
        settled_to = min(int(str(row[0])) for row in made.rows("SELECT settled_to FROM schedule"))
        until = (settled_to - 1) * SECOND
        real = made.rows(OUTCOMES, (until,))
        took = {
            (str(name), int(str(at))): Takes(int(str(us)), int(str(code))) for name, at, us, code in made.rows(TOOK)
        }
        last = int(str(apsw.Connection(str(before)).execute("SELECT max(at) FROM event").fetchone()[0]))

    def script(job: Job) -> Takes:
        return took.get((job.schedule, job.nominal_at), Takes())

    scenario = Scenario(last, until + 10 * SECOND, until_quiet=True)
    done = simulate(Plan(scenario, copy_of=str(before), script=script))
    simulated = done.ledger.connection.execute(OUTCOMES, (until,)).fetchall()
    assert len(real) > SECONDS // 2
    assert {row[2] for row in real} >= {"admitted", "skipped", "missed"}
    assert simulated == real
