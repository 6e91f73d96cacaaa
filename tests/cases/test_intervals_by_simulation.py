"""Intervals and month arithmetic (RP-55, RP-57, RP-59), and a copy of a busy ledger (RP-60), by simulation."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

from spellweaver.core.grammar import Every
from spellweaver.core.instant import MINUTE, SECOND
from spellweaver.core.schedule import ScheduleDraft
from spellweaver.ledger.opening import open_ledger
from spellweaver.simulate.script import Job, Takes
from tests.support.engine import World, draft, us
from tests.support.program import call
from tests.support.simulated import by_hand, simulated


def test_rp_55_an_interval_does_not_slide() -> None:
    chance = random.Random(55)
    begin = us("2026-03-01T00:00:00Z")

    def takes(job: Job) -> Takes:
        long = job.nominal_at == begin + 24 * 15 * MINUTE
        return Takes(40 * MINUTE if long else chance.randrange(28 * SECOND, 92 * SECOND))

    driver = by_hand(draft("quarter", every="15m"), begin="2026-02-28T23:59:00Z", takes=takes)
    connection = driver.ledger.connection
    for n in range(96):
        driver.clock.advance(begin + n * 15 * MINUTE + chance.randrange(4 * SECOND) - driver.clock.now())
        driver.settle()
        driver.look(allowance_us=5 * SECOND)
    rows = connection.execute("SELECT nominal_at, state, reason FROM occurrence ORDER BY nominal_at").fetchall()
    assert [row[0] for row in rows] == [begin + n * 15 * MINUTE for n in range(96)]
    skipped = [n for n, row in enumerate(rows) if row[1:] != ("admitted", "foreground")]
    assert skipped == [25, 26]
    assert {row[1:] for row in rows} == {("admitted", "foreground"), ("skipped", "overlap")}


def _anchored(name: str, every_s: int, anchor: str) -> ScheduleDraft:
    made = draft(name, every="1h")
    assert made.calendar is not None
    return replace(made, calendar=replace(made.calendar, cadence=Every(every_s, us(anchor) // SECOND)))


def test_rp_57_a_step_of_fifty_minutes_and_an_interval_of_fifty_minutes() -> None:
    seen = simulated(
        draft("step", "*/50 * * * *"), _anchored("interval", 3000, "2026-03-01T09:00:00Z"),
        begin="2026-03-01T08:59:00Z", length="212m",
    )  # fmt: skip
    assert [at[11:16] for at in seen.due("interval")] == ["09:00", "09:50", "10:40", "11:30", "12:20"]
    assert [at[11:16] for at in seen.due("step")] == ["09:00", "09:50", "10:00", "10:50", "11:00", "11:50", "12:00"]


def test_rp_59_leap_days_alone() -> None:
    seen = simulated(draft("leap", "0 6 29 2 *"), begin="2027-03-01T00:00:00Z", length="6300d")
    assert seen.due("leap") == [f"{year}-02-29T06:00:00Z" for year in (2028, 2032, 2036, 2040, 2044)]
    assert len(seen.items) == 5


def test_rp_60_a_simulation_reads_beside_a_writer_that_holds_the_ledger(tmp_path: Path) -> None:
    world = World(tmp_path / "state", now="2026-03-01T00:00:00Z")
    world.add(draft("s", "*/10 * * * *"))
    assert world.path is not None
    writer = open_ledger(world.path, world.clock, actor="test")
    with writer.decide(dry_run=True):
        done = call("simulate", "--for", "1h", "--json", ledger=world.path, clock=world.clock)
    assert done.status == 0, done.err
    assert len(done.items) == 6
