"""Overlap, double firing and slow jobs (RP-34, RP-37, RP-41, RP-47, RP-71), by simulation."""

from __future__ import annotations

import os
import random

from spellweaver.core.instant import MINUTE, SECOND
from tests.support.engine import draft, policy, us
from tests.support.simulated import by_hand, simulated

DAYS = int(os.environ.get("SPELLWEAVER_TEST_DAYS", "1"))  # the case speaks of a week


def test_rp_34_a_run_that_outlives_its_driver_goes_on_blocking() -> None:
    seen = simulated(
        draft("etl", "0 * * * *"), begin="2026-03-01T09:30:00Z", length="180m", runtimes={"*": "90m"},
        outages=[("2026-03-01T10:20:00Z", "2026-03-01T10:25:00Z")],
    )  # fmt: skip
    assert seen.fates("etl") == [
        ("2026-03-01T10:00:00Z", "admitted", "foreground"), ("2026-03-01T11:00:00Z", "skipped", "overlap"),
        ("2026-03-01T12:00:00Z", "admitted", "foreground"),
    ]  # fmt: skip
    assert seen.runs("etl")[0] == (us("2026-03-01T10:00:00Z"), us("2026-03-01T11:30:00Z"))
    assert seen.items[1]["blockers"] == ["inv_1"]


def test_rp_37_what_was_just_fired_is_not_judged_missed() -> None:
    """The case asks for overlap ``replace``, which is not in this version; ``forbid`` may double nothing either."""
    driver = by_hand(draft("r", "0 8 * * *", horizon="60s"), begin="2026-03-01T07:59:59Z", takes="30s")
    for _ in range(66 * 5):
        driver.clock.advance(SECOND // 5)
        driver.settle()
        driver.look()
    connection = driver.ledger.connection
    fired = connection.execute("SELECT nominal, state FROM occurrence_read").fetchall()
    assert fired == [("2026-03-01T08:00:00Z", "admitted")]
    assert connection.execute("SELECT state FROM invocation").fetchall() == [("completed",)]


def test_rp_41_slipping_looks_fire_each_minute_once_at_most() -> None:
    chance = random.Random(41)
    driver = by_hand(draft("minute", "* * * * *"), begin="2026-03-01T00:00:00Z")
    end = us("2026-03-01T00:00:00Z") + DAYS * us("1d")
    planned = driver.clock.now() + 28 * SECOND + 200_000
    while planned < end + MINUTE:
        slip = chance.randrange(70 * SECOND) if chance.random() < 0.02 else 0
        driver.clock.advance(max(0, planned + slip - driver.clock.now()))
        driver.settle()
        driver.look(allowance_us=30 * SECOND)
        planned = max(planned + 30 * SECOND, (driver.clock.now() // (30 * SECOND) + 1) * 30 * SECOND - 1_800_000)
    connection = driver.ledger.connection
    rows = connection.execute(
        "SELECT nominal_at, state, reason FROM occurrence WHERE nominal_at <= ? ORDER BY nominal_at", (end,)
    ).fetchall()
    assert [row[0] for row in rows] == list(range(us("2026-03-01T00:01:00Z"), end + 1, MINUTE))
    assert connection.execute("SELECT count(*) FROM firing_range").fetchall() == [(0,)]
    assert {row[1:] for row in rows} == {("admitted", "foreground"), ("skipped", "superseded")}
    ran = connection.execute("SELECT count(DISTINCT occurrence), count(*) FROM invocation").fetchone()
    assert ran is not None and ran[0] == ran[1]


def test_rp_47_a_slow_job_holds_up_no_other_schedule() -> None:
    seen = simulated(
        draft("slow", "* * * * *", version="slow@1"), draft("fast", "*/5 * * * * *", version="fast@1"),
        begin="2026-03-01T00:00:00Z", length="10m", runtimes={"slow@1.main": "60s", "fast@1.main": "1s"},
        policy=policy(workers=2),
    )  # fmt: skip
    assert seen.counts("fast") == {("admitted", "foreground"): 120}
    assert set(seen.late_s("fast")) == {0}
    assert seen.counts("slow") == {("admitted", "foreground"): 10}


def test_rp_71_what_runs_less_often_than_it_says_is_on_record_firing_by_firing() -> None:
    seen = simulated(
        draft("s", "*/10 * * * * *"), begin="2026-03-01T00:00:00Z", length="5m", runtimes={"*": "25s"}
    )
    assert seen.counts("s") == {("admitted", "foreground"): 10, ("skipped", "overlap"): 20}
