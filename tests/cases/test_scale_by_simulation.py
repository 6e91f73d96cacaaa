"""Many schedules (RP-70), ten simulated minutes of them."""

from __future__ import annotations

import time

from spellweaver.core.instant import SECOND
from spellweaver.manifest import zones
from tests.support.engine import draft, policy
from tests.support.simulated import by_hand


def test_rp_70_a_look_costs_what_is_due_and_not_what_there_is() -> None:
    names = zones.names()[::15][:40]
    daily = [draft(f"daily-{n}", f"{n % 60} {n // 60 % 24} * * *", zone=names[n % 40]) for n in range(5000)]
    minutely = [draft(f"minute-{n}", "* * * * *") for n in range(200)]
    driver = by_hand(*daily, *minutely, begin="2026-03-01T00:00:30Z", policy=policy(workers=200))
    due: list[tuple[int, float]] = []
    idle: list[tuple[int, float]] = []
    for look in range(20):
        driver.clock.advance(30 * SECOND)
        driver.settle()
        began = time.perf_counter()
        done = driver.look()
        (idle if look % 2 else due).append((done.schedules, time.perf_counter() - began))
    assert all(200 <= schedules <= 240 and took < 2 for schedules, took in due), due
    assert all(schedules == 0 for schedules, _ in idle)
    assert sorted(took for _, took in idle)[len(idle) // 2] < 0.1, idle
    fired = driver.ledger.connection.execute("SELECT count(*) FROM occurrence").fetchone()
    assert fired == (sum(schedules for schedules, _ in due),)
