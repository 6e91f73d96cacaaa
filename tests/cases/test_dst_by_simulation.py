"""Daylight-saving folds and gaps (RP-01 to RP-08), by simulation: the engine itself under a virtual clock."""

from __future__ import annotations

import pytest

from spellweaver.core.policy import Fold, Gap
from tests.support.engine import content, draft
from tests.support.simulated import by_hand, simulated, text


def _verify(fold: Fold, takes: str) -> list[tuple[str, str, str]]:
    seen = simulated(
        draft("verify-backup", "0 2 * * *", zone="Europe/Berlin", fold=fold),
        begin="2023-10-28T23:30:00Z", length="1590m", runtimes={"*": takes},
    )  # fmt: skip
    keys = [str(item["firing"]) for item in seen.items]
    assert len(keys) == len(set(keys))
    return seen.fates("verify-backup")


def test_rp_01_a_daily_job_runs_once_on_the_night_the_clocks_go_back() -> None:
    earlier, later, next_day = (
        (f"2023-10-{at}:00Z", "admitted", "foreground") for at in ("29T00:00", "29T01:00", "30T01:00")
    )
    assert _verify("earlier", "5m") == [earlier, next_day]
    assert _verify("later", "5m") == [later, next_day]
    assert _verify("both", "5m") == [earlier, later, next_day]
    overlapped = ("2023-10-29T01:00:00Z", "skipped", "overlap")
    assert _verify("both", "90m") == [earlier, overlapped, next_day]


def test_rp_01_asking_again_finds_the_firing_that_is_on_record() -> None:
    driver = by_hand(
        draft("verify-backup", "0 2 * * *", zone="Europe/Berlin", fold="both"), begin="2023-10-28T23:30:00Z"
    )
    for minutes in (30, 0, 60, 0):
        driver.clock.advance(minutes * 60_000_000)
        driver.settle()
        driver.recover()
        driver.look()
        driver.look()
    rows = driver.ledger.connection.execute("SELECT civil, fold, state FROM occurrence ORDER BY id").fetchall()
    assert [row[1:] for row in rows] == [(0, "admitted"), (1, "admitted")]
    assert rows[0][0] == rows[1][0]


@pytest.mark.parametrize(
    ("gap", "on_the_day"),
    [
        ("skip", ("2026-03-08T07:00:00Z", "skipped", "gap")),
        ("advance", ("2026-03-08T07:00:00Z", "admitted", "foreground")),
        ("fail", ("2026-03-08T07:00:00Z", "refused", "gap")),
    ],
)
def test_rp_02_a_job_in_the_missing_hour_is_on_record(gap: Gap, on_the_day: tuple[str, str, str]) -> None:
    seen = simulated(
        draft("nightly", "30 2 * * *", zone="America/New_York", gap=gap), begin="2026-03-07T12:00:00Z", length="3d"
    )
    assert seen.fates("nightly") == [
        on_the_day, ("2026-03-09T06:30:00Z", "admitted", "foreground"),
        ("2026-03-10T06:30:00Z", "admitted", "foreground"),
    ]  # fmt: skip
    ran = [item["started_at"] is not None for item in seen.items]
    assert ran == [gap == "advance", True, True]
    assert seen.items[0]["civil"] == ("2026-03-08T03:00:00" if gap == "advance" else "2026-03-08T02:30:00")
    assert seen.items[0]["firing"] == "c1:2026-03-08T02:30"


def test_rp_04_a_fold_that_crosses_midnight_sends_nothing_a_day_back() -> None:
    seen = simulated(
        draft("midnight", "0 0 * * *", zone="America/Sao_Paulo"), begin="2018-02-17T02:05:00Z", length="4d"
    )
    assert seen.due("midnight") == [f"2018-02-{day}T03:00:00Z" for day in (18, 19, 20)]
    assert len(seen.items) == 3


def test_rp_05_a_schedule_of_certain_hours_goes_on_after_the_change() -> None:
    seen = simulated(
        draft("quarter", "*/15 6-22 * * *", zone="Europe/Brussels"), begin="2023-10-28T18:00:00Z", length="54h"
    )
    due = seen.due("quarter")
    assert due == sorted(set(due))
    assert due[due.index("2023-10-28T20:45:00Z") + 1] == "2023-10-29T05:00:00Z"
    on_the_day = [at for at in due if "2023-10-29T00:00:00Z" <= at < "2023-10-29T23:00:00Z"]
    assert (len(on_the_day), on_the_day[-1]) == (68, "2023-10-29T21:45:00Z")
    assert len(due) == len(seen.items)


def test_rp_06_no_extra_run_on_the_first_working_day_after_the_change() -> None:
    monday = draft("monday", "0 8 * * 1", zone="Europe/Amsterdam")
    alive = simulated(monday, begin="2026-10-19T00:00:00Z", length="15d")
    assert alive.due("monday") == ["2026-10-19T06:00:00Z", "2026-10-26T07:00:00Z", "2026-11-02T07:00:00Z"]
    assert len(alive.items) == 3
    nights = [(f"2026-10-{day}T22:00:00Z", f"2026-10-{day}T22:00:30Z") for day in range(19, 32)]
    restarted = simulated(monday, begin="2026-10-19T00:00:00Z", length="15d", outages=nights)
    assert content(restarted.done.ledger.connection) == content(alive.done.ledger.connection)


def test_rp_07_a_noon_job_runs_once_on_the_day_of_the_change() -> None:
    driver = by_hand(draft("noon", "0 12 * * *", zone="Europe/Bratislava"), begin="2026-10-24T09:00:00Z")
    for minutes in (60, 1, 23 * 60 + 49, *[1] * 80):
        driver.clock.advance(minutes * 60_000_000)
        driver.settle()
        driver.look()
    rows = driver.ledger.connection.execute("SELECT nominal, state FROM occurrence_read ORDER BY occurrence").fetchall()
    assert rows == [("2026-10-24T10:00:00Z", "admitted"), ("2026-10-25T11:00:00Z", "admitted")]


def test_rp_08_civil_hours_win_over_elapsed_ones() -> None:
    seen = simulated(
        draft("twice", "0 7,9 * * *", zone="America/Los_Angeles"), begin="2020-03-07T00:00:00Z", length="3d"
    )
    days = {"07": ("15", "17"), "08": ("14", "16"), "09": ("14", "16")}
    assert seen.due("twice") == [f"2020-03-{day}T{hour}:00:00Z" for day, hours in days.items() for hour in hours]
    assert [text(item["nominal_at"]) for item in seen.items] == seen.due("twice")
