"""SIM-04: what a real ledger recorded and the simulation of its span are the same, firing by firing."""

from __future__ import annotations

from pathlib import Path

import pytest

from spellweaver.core.instant import MINUTE
from spellweaver.ledger.backup import backup
from tests.support.engine import World, draft, us
from tests.support.recorded import both

BEGIN, END = "2026-03-01T00:00:00Z", "2026-03-01T02:00:00Z"


@pytest.mark.rule("SIM-04")
def test_a_recorded_span_is_simulated_alike(tmp_path: Path) -> None:
    world = World(tmp_path / "state", now=BEGIN, workers=1)
    world.add(
        draft("plain", "*/7 * * * *"), draft("wide", "*/10 * * * *", allowed_delay="12m"),
        draft("gone", "30 0 29 2 *"), draft("unbound", "*/50 * * * *", version="other@1"),
    )  # fmt: skip
    assert world.path is not None
    before = f"{tmp_path}/before.db"
    backup(world.path, before, progress=lambda done, of: None)
    world.live(END, takes="4m")
    recorded, simulated = both(before, world.path, begin=us(BEGIN), length=us(END) - us(BEGIN))
    assert recorded == simulated
    assert {row["reason"] for row in recorded.values()} >= {"foreground", "window_open", "overlap"}
    assert len(recorded) > 25


def test_a_difference_is_seen(tmp_path: Path) -> None:
    world = World(tmp_path / "state", now=BEGIN)
    world.add(draft("plain", "*/7 * * * *"))
    assert world.path is not None
    before = f"{tmp_path}/before.db"
    backup(world.path, before, progress=lambda done, of: None)
    world.live("2026-03-01T00:20:00Z", takes="1m")
    world.clock.advance(30 * MINUTE)
    world.live(END, takes="1m")
    recorded, simulated = both(before, world.path, begin=us(BEGIN), length=us(END) - us(BEGIN))
    assert [name for name in recorded if recorded[name] != simulated.get(name)] == [
        ("local/plain", f"c1:2026-03-01T00:{minute}") for minute in (21, 28, 35, 42, 49)
    ]
