"""SIM-01: it is the same engine. A core function that is replaced changes the real engine and the simulation alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from spellweaver.core import overlap, window
from spellweaver.simulate.run import Plan, simulate
from spellweaver.simulate.script import Takes
from tests.support.engine import World, draft, policy, us
from tests.support.simulated import Seen, manifest, scenario, simulation

BEGIN, END = "2026-03-01T00:00:00Z", "2026-03-01T06:00:00Z"
DRAFTS = (
    draft("narrow", "*/20 * * * *", allowed_delay="10m"),
    draft("plain", "*/15 * * * *"),
    draft("wide", "0 * * * *", allowed_delay="3h"),
)


def really(folder: Path) -> dict[str, list[tuple[str, str, str]]]:
    """The engine over a file, driven by hand."""
    world = World(folder, now=BEGIN, workers=2)
    world.add(*DRAFTS)
    world.live(END, takes="25m")
    return {d.name: world.fates(d.name) for d in DRAFTS}


def simulated() -> dict[str, list[tuple[str, str, str]]]:
    files, takes = manifest(*DRAFTS, policy=policy(workers=2)), {"*": "25m"}
    done = simulate(Plan(scenario(BEGIN, "6h"), manifest=files, script=lambda _: Takes(us(takes["*"]))))
    seen = Seen(done, simulation.items(done))
    return {d.name: seen.fates(d.name) for d in DRAFTS}


@pytest.mark.rule("SIM-01", "SIM-04")
def test_engine_and_simulation_agree_firing_by_firing(tmp_path: Path) -> None:
    real = really(tmp_path / "state")
    assert real == simulated()
    fates = {fate[1:] for of_one in real.values() for fate in of_one}
    assert fates >= {("admitted", "foreground"), ("skipped", "overlap"), ("missed", "overlap"), ("missed", "capacity")}


@pytest.mark.rule("SIM-01")
def test_a_replaced_overlap_policy_changes_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lawful = simulated()
    monkeypatch.setattr(overlap, "forbid", lambda _, *, blocked: "skip" if blocked else "free")
    changed = really(tmp_path / "state")
    assert changed != lawful
    assert simulated() == changed
    assert ("missed", "overlap") not in {fate[1:] for of_one in changed.values() for fate in of_one}


@pytest.mark.rule("SIM-01")
def test_a_replaced_bound_changes_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lawful = simulated()

    def closes_early(self: window.Window, at: int) -> window.Bound | None:
        bound = self.latest_start_at
        return "latest_start" if bound is not None and at >= bound - 8 * 60_000_000 else None

    monkeypatch.setattr(window.Window, "closed_by", closes_early)
    changed = really(tmp_path / "state")
    assert changed != lawful
    assert simulated() == changed
