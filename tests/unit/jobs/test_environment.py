"""What is declared, what is fixed, and what nobody can declare away."""

from __future__ import annotations

import dataclasses

from spellweaver.jobs import environment
from tests.support.processes import NOMINAL, launch


def test_declared_names_pass_and_may_replace_the_fixed_ones() -> None:
    env = environment.build(launch(1, "true", env=(("LEVEL", "1"), ("PATH", "/opt/bin"))), "/a")
    assert (env["LEVEL"], env["PATH"], env["TZ"]) == ("1", "/opt/bin", "UTC")


def test_ids_cannot_be_declared() -> None:
    sly = launch(1, "true", env=(("SPELLWEAVER_RUN", "run_9"),))
    assert environment.build(sly, "/a")["SPELLWEAVER_RUN"] == "run_1001"


def test_finish_by_is_there_only_when_it_is_set() -> None:
    assert "SPELLWEAVER_FINISH_BY" not in environment.build(launch(1, "true"), "/a")
    bound = dataclasses.replace(launch(1, "true"), finish_by=NOMINAL + 60_000_000)
    assert environment.build(bound, "/a")["SPELLWEAVER_FINISH_BY"] == "2026-10-26T07:34:20Z"
