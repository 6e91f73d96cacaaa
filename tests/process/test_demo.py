"""The newcomer's first look, behind a pipe: it prints lines, and what it shows is answered by the ledger that it
leaves.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.support.daemon import SRC


def _call(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("SPELLWEAVER", "STATE_", "XDG_"))}
    return subprocess.run(
        [sys.executable, "-m", "spellweaver.cli.main", *words],
        env={**clean, "PYTHONPATH": SRC, "SPELLWEAVER_LEDGER": str(home / "state" / "ledger.db")},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
    )  # fmt: skip


def test_the_demo_ends_with_a_miss_that_explain_answers_from_its_ledger(tmp_path: Path) -> None:
    done = _call(tmp_path, "demo", "--seconds", "8")
    assert done.returncode == 0, done.stderr
    missed = re.search(r"^(occ_\d+)\s+demo/report.*\nDID NOT RUN: missed", done.stdout, re.M)
    assert missed is not None, done.stdout
    assert "occurrence.missed" in done.stderr and "invocation.failed" in done.stderr
    ledger = tmp_path / "state" / "demo" / "ledger.db"
    again = _call(tmp_path, "explain", missed[1], "--ledger", str(ledger))
    assert again.returncode == 0, again.stderr
    assert again.stdout.splitlines()[:2] == done.stdout[missed.start() :].splitlines()[:2]
    for reference in re.findall(r"\b(?:occ|inv)_\d+\b", done.stdout):
        assert _call(tmp_path, "explain", reference, "--ledger", str(ledger)).returncode == 0
    assert not (tmp_path / "state" / "ledger.db").exists(), "the operator's own ledger is not touched"
    assert f"--ledger {ledger}" in done.stderr


def test_a_second_demo_replaces_the_first_and_says_so_while_one_runs(tmp_path: Path) -> None:
    first = subprocess.Popen(
        [sys.executable, "-m", "spellweaver.cli.main", "demo", "--seconds", "6"],
        env={**os.environ, "PYTHONPATH": SRC, "SPELLWEAVER_LEDGER": str(tmp_path / "state" / "ledger.db")},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert first.stderr is not None
    while "started" not in first.stderr.readline():
        assert first.poll() is None
    beside = _call(tmp_path, "demo", "--seconds", "5")
    assert beside.returncode == 75
    assert f"pid {first.pid} is running on this ledger already" in beside.stderr
    first.communicate(timeout=60)
    after = _call(tmp_path, "demo", "--seconds", "5")
    assert after.returncode == 0
    assert re.search(r"\bocc_1\b", after.stdout), "a fresh ledger begins to count again"
