"""Ids of different things are of different types: a checker and a text both refuse one for the other."""

from __future__ import annotations

import subprocess
import sys
from itertools import permutations
from pathlib import Path

import pytest

import spellweaver
from spellweaver.core import identity
from spellweaver.core.identity import Id

KINDS = [kind for kind in vars(identity).values() if isinstance(kind, type) and issubclass(kind, Id) and kind is not Id]


@pytest.mark.rule("OCC-17")
def test_every_kind_has_a_type_and_a_prefix_of_its_own() -> None:
    assert len({kind.prefix for kind in KINDS}) == len(KINDS) >= 10
    assert all(not issubclass(a, b) for a, b in permutations(KINDS, 2))
    for kind in KINDS:
        assert kind.parse(str(kind(12))) == 12 and str(kind(12)) == f"{kind.prefix}_12"


@pytest.mark.rule("OCC-10", "OCC-17")
def test_a_text_of_another_kind_is_refused() -> None:
    for meant, other in permutations(KINDS, 2):
        with pytest.raises(ValueError, match=f"is not a {meant.prefix}_ id"):
            meant.parse(str(other(12)))


@pytest.mark.parametrize(
    "text", ["", "occ", "occ_", "occ_0", "occ_-1", "occ_1.5", "occ_١٢", "occ_1 ", "12", "OCC_1", "occ_" + "9" * 19]
)
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not"):
        identity.OccurrenceId.parse(text)


SNIPPET = """
from spellweaver.core.identity import AttemptId, InvocationId, OccurrenceId, RunId
from spellweaver.core.launch import Launch, Lost
from spellweaver.engine.cancel import cancel
from spellweaver.ledger.decide import Transaction

def good(tx: Transaction, invocation: InvocationId, attempt: AttemptId) -> None:
    cancel(tx, invocation, why="x")
    Lost(attempt, "other_boot")

def bad(tx: Transaction, occurrence: OccurrenceId, attempt: AttemptId, run: RunId) -> None:
    cancel(tx, attempt, why="x")  # refused
    cancel(tx, occurrence, why="x")  # refused
    Lost(occurrence, "other_boot")  # refused
    Lost(run, "other_boot")  # refused
    cancel(tx, 12, why="x")  # refused
"""


@pytest.mark.rule("OCC-10", "OCC-17")
def test_a_checker_refuses_one_kind_of_id_for_another(tmp_path: Path) -> None:
    (tmp_path / "snippet.py").write_text(SNIPPET)
    source = Path(spellweaver.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", str(tmp_path / "snippet.py")],
        cwd=tmp_path, capture_output=True, text=True, env={"MYPYPATH": str(source), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    refused = [line for line in done.stdout.splitlines() if "snippet.py" in line and "arg-type" in line]
    bad = [number for number, line in enumerate(SNIPPET.splitlines(), 1) if line.endswith("# refused")]
    assert [int(line.split(":")[1]) for line in refused] == bad, done.stdout + done.stderr
