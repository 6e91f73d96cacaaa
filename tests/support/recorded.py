"""A recorded run against the simulation of its span (SIM-04): the same firings, each with the same outcome.

    recorded, simulated = both("before.db", "ledger.db", begin=began_at, length=us("30s"))
    assert recorded == simulated
"""

from __future__ import annotations

from spellweaver.cli.screens import simulation
from spellweaver.ledger.observe import observe
from spellweaver.ledger.simulation import mark
from spellweaver.simulate.run import Plan, simulate
from spellweaver.simulate.scenario import Scenario
from spellweaver.simulate.script import Job, Script, Takes
from tests.support.simulated import Item, instant

Rows = dict[tuple[object, object], dict[str, object]]
COMPARED = ("revision", "nominal_at", "due_at", "mode", "state", "reason", "count", "last", "outcome", "outcome_reason")


def both(before: str, after: str, *, begin: int, length: int) -> tuple[Rows, Rows]:
    """``before``: a copy of the ledger from when the run began, at ``begin`` (µs); ``after``: the ledger that the run
    left. Commands take as long as the record says, and end as it says.

    A run that the simulation leaves running at the end of the span is compared without its end.
    """
    with observe(before) as view:
        stood = mark(view)
    with observe(after) as view:
        recorded = simulation.since(view, stood)
    done = simulate(Plan(Scenario(begin, begin + length), before, script=_as_recorded(recorded)))
    simulated = simulation.items(done)
    running = {_name(item) for item in simulated if item["outcome"] == "running"}
    return _rows(recorded, running), _rows(simulated, running)


def _as_recorded(recorded: list[Item]) -> Script:
    took = {
        (item["schedule"], instant(item["nominal_at"])): Takes(
            instant(item["ended_at"]) - instant(item["started_at"]), 0 if item["outcome"] == "completed" else 1
        )
        for item in recorded
        if item["started_at"] is not None and item["ended_at"] is not None
    }
    return lambda job: took.get((job.schedule, job.nominal_at), _unknown(job))


def _unknown(job: Job) -> Takes:
    """What the record has no end of went on to the end of the span."""
    return Takes(job.ends_within_us)


def _rows(items: list[Item], running: set[tuple[object, object]]) -> Rows:
    found: Rows = {}
    for item in items:
        name = _name(item)
        kept = COMPARED[:-2] if name in running else COMPARED
        found[name] = {key: getattr(item[key], "us", item[key]) for key in kept}
    return found


def _name(item: Item) -> tuple[object, object]:
    return item["schedule"], item["firing"]
