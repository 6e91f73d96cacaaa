"""The real daemon kills itself at each step of the launch gate, again and again: no firing lost, none started twice, no
effect that the ledger does not know.

By hand: ``SPELLWEAVER_KILLS=200`` kills at each step.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from spellweaver.ledger.observe import observe
from tests.process.test_kill_the_daemon import SCRIPT, audit, effects
from tests.support import audit as invariants
from tests.support.daemon import schedule, site, toml
from tests.support.faulty_daemon import STEPS

KILLS = int(os.environ.get("SPELLWEAVER_KILLS", "2"))


@pytest.mark.timeout(60 + 10 * KILLS)
@pytest.mark.rule("RCV-01", "OCC-08")
@pytest.mark.parametrize("step", STEPS)
def test_a_daemon_killed_at_a_step_of_the_gate(tmp_path: Path, step: str) -> None:
    """Its successor dies in the same place; the last one does not."""
    job = SCRIPT.format(effects=tmp_path / "job", takes="0", code=7)
    with site(tmp_path, toml(schedule("job", every="1s", script=job))) as made:
        for _ in range(KILLS):
            daemon = made.start(fault=f"die:{step}")
            assert daemon.wait(timeout=60) == -signal.SIGKILL, made.said()
        at_step = made.rows("SELECT state, pid IS NULL FROM attempt ORDER BY id DESC LIMIT 1")
        assert at_step == [("running", 0) if step.startswith("after") else ("launching", 1)]
        begun = sum(effects(tmp_path / "job")[0].values())
        if step != "after gate":
            assert begun == 0, "no gate was opened"
        assert made.start("--for", "3s").wait(timeout=60) == 0, made.said()
        audit(made, tmp_path, {"job": 1})
        never = made.one("SELECT count(*) FROM attempt WHERE state = 'never_started'")
        assert never == (0 if step == "after gate" else KILLS)
        with observe(str(made.ledger)) as view:
            assert invariants.audit(view.connection) == []
        assert "Traceback" not in made.said()
