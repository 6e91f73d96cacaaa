"""Missed runs and catch-up (RP-26 to RP-33), by simulation."""

from __future__ import annotations

import pytest

from spellweaver.core.instant import MINUTE
from spellweaver.simulate.run import introduce
from spellweaver.simulate.script import Job, Takes
from tests.support.engine import draft, policy, us
from tests.support.simulated import by_hand, manifest, simulated, text


def test_rp_26_three_days_of_minutes_are_accounted_for_and_the_next_one_runs() -> None:
    seen = simulated(
        draft("minute", "* * * * *"), begin="2026-03-01T00:00:00Z", length="73h",
        outages=[("2026-03-01T00:00:30Z", "2026-03-04T00:00:30Z")],
    )  # fmt: skip
    counts = seen.counts("minute")
    assert (counts["skipped", "horizon"], counts["skipped", "superseded"]) == (2880, 1439)
    assert seen.due("minute")[:3] == [f"2026-03-04T00:0{minute}:00Z" for minute in range(3)]
    assert [item["mode"] for item in seen.of("minute")][2:5] == ["catch_up", "live", "live"]
    assert counts["admitted", "foreground"] == 61


def test_rp_27_a_day_down_gives_one_run() -> None:
    seen = simulated(
        draft("status", "*/10 * * * *"), begin="2026-04-30T23:00:00Z", length="26h",
        outages=[("2026-05-01T00:00:30Z", "2026-05-02T00:05:00Z")],
    )  # fmt: skip
    assert seen.counts("status")["skipped", "superseded"] == 143
    down = [at for at in seen.due("status") if "2026-05-01T00:00:00Z" < at <= "2026-05-02T00:05:00Z"]
    assert down == ["2026-05-02T00:00:00Z"]
    after = [f"2026-05-02T0{at}:00Z" for at in ("0:10", "0:20", "0:30", "0:40", "0:50", "1:00")]
    assert seen.due("status")[-6:] == after


@pytest.mark.parametrize("where", ["schedule", "policy"], ids=["its own horizon", "the host's, pinned"])
def test_rp_28_two_seconds_late_is_not_missed(where: str) -> None:
    seen = simulated(
        draft("daily", "0 11 * * *", horizon="1h" if where == "schedule" else None), begin="2026-03-01T00:00:00Z",
        length="4d", policy=policy(horizon="1h") if where == "policy" else None,
        outages=[
            ("2026-03-01T10:59:00Z", "2026-03-01T11:00:01.800000Z"), ("2026-03-02T10:59:00Z", "2026-03-02T11:04:00Z"),
            ("2026-03-03T10:59:00Z", "2026-03-03T14:00:00Z"),
        ],
    )  # fmt: skip
    assert seen.fates("daily") == [
        ("2026-03-01T11:00:00Z", "admitted", "foreground"), ("2026-03-02T11:00:00Z", "admitted", "foreground"),
        ("2026-03-03T11:00:00Z", "skipped", "horizon"), ("2026-03-04T11:00:00Z", "admitted", "foreground"),
    ]  # fmt: skip
    assert seen.late_s("daily") == [1.8, 240, 0]


def test_rp_29_the_work_is_told_which_hour_it_is_for() -> None:
    """Catch-up of several is not in this version: of 13:00 and 14:00 the newest is offered."""
    told: list[int] = []

    def script(job: Job) -> Takes:
        told.append(job.nominal_at)
        return Takes(MINUTE)

    seen = simulated(
        draft("rollup", "0 * * * *", horizon="4h"), begin="2026-03-01T11:30:00Z", length="3h", script=script,
        outages=[("2026-03-01T12:30:00Z", "2026-03-01T14:20:00Z")],
    )  # fmt: skip
    assert told == [us("2026-03-01T12:00:00Z"), us("2026-03-01T14:00:00Z")]
    assert seen.fates("rollup")[1] == ("2026-03-01T13:00:00Z", "skipped", "superseded")
    recovered = seen.items[2]
    assert (text(recovered["nominal_at"]), text(recovered["started_at"])) == (
        "2026-03-01T14:00:00Z", "2026-03-01T14:20:00Z",
    )  # fmt: skip


def test_rp_30_one_more_schedule_runs_no_other_again() -> None:
    crons = {"a": "1 11 * * *", "b": "2 11 * * *", "c": "0 12 * * *"}
    first, second, third = (draft(name, cron, horizon="1h") for name, cron in crons.items())
    driver = by_hand(first, second, begin="2026-03-01T11:00:00Z")
    for minutes in range(1, 62):
        driver.clock.advance(MINUTE)
        driver.settle()
        if minutes in (30, 40):
            introduce(driver.ledger, manifest(first, second, third))
        driver.look()
    ran = driver.ledger.connection.execute("SELECT schedule, admitted FROM invocation_read").fetchall()
    at = {"a": "11:01", "b": "11:02", "c": "12:00"}
    assert ran == [(f"local/{name}", f"2026-03-01T{minute}:00Z") for name, minute in at.items()]
    assert driver.ledger.connection.execute("SELECT count(*) FROM occurrence").fetchall() == [(3,)]


@pytest.mark.rule("CAT-01")
def test_rp_31_after_a_year_nothing_fires_at_a_random_time() -> None:
    seen = simulated(
        draft("monthly", "0 5 1 * *", horizon="1d"), begin="2025-05-01T00:00:00Z", length="400d",
        outages=[("2025-05-02T00:00:00Z", "2026-05-17T16:00:00Z")],
    )  # fmt: skip
    assert seen.due("monthly") == ["2025-05-01T05:00:00Z", "2026-06-01T05:00:00Z"]
    assert seen.counts("monthly") == {("admitted", "foreground"): 2, ("skipped", "horizon"): 12}


def test_rp_33_a_brand_new_schedule_does_not_fire_at_once() -> None:
    seen = simulated(draft("new", "0 9 * * *", horizon="24h"), begin="2026-03-01T10:00:00Z", length="1d")
    assert seen.fates("new") == [("2026-03-02T09:00:00Z", "admitted", "foreground")]
