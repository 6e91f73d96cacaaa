"""Clock jumps, sleep, early and late wake-ups (RP-22 to RP-24), by simulation."""

from __future__ import annotations

import time

import pytest

from tests.support.engine import draft, us
from tests.support.simulated import by_hand, simulated


def test_rp_22_a_frozen_hour_gives_one_run_at_most() -> None:
    seen = simulated(
        draft("ping", "*/5 * * * * *"), begin="2026-03-01T09:59:30Z", length="62m",
        outages=[("2026-03-01T10:00:00Z", "2026-03-01T11:00:00Z")],
    )  # fmt: skip
    assert seen.fates("ping")[5:7] == [
        ("2026-03-01T10:00:00Z..2026-03-01T10:59:55Z*720", "skipped", "superseded"),
        ("2026-03-01T11:00:00Z", "admitted", "foreground"),
    ]
    after = seen.due("ping")[6:]
    assert [us(at) - us("2026-03-01T11:00:00Z") for at in after] == [5_000_000 * n for n in range(1, len(after) + 1)]
    assert seen.counts("ping")["admitted", "foreground"] + 720 == 62 * 12


def test_rp_22_the_first_look_after_waking_is_quick() -> None:
    driver = by_hand(draft("ping", "*/5 * * * * *"), begin="2026-03-01T10:00:00Z")
    driver.clock.advance(us("1h"))
    began = time.perf_counter()
    driver.look()
    assert time.perf_counter() - began < 2


def test_rp_23_an_early_reading_fires_nothing_and_a_second_one_nothing_again() -> None:
    driver = by_hand(draft("monthly", "0 0 1 * *"), begin="2016-12-31T23:59:00Z")
    connection, stored = driver.ledger.connection, []
    for reading in (
        "2016-12-31T23:59:58.900000Z", "2016-12-31T23:59:59.070000Z", "2016-12-31T23:59:59.980000Z",
        "2017-01-01T00:00:00.007000Z", "2016-12-31T23:59:59.990000Z", "2017-01-01T00:00:00.500000Z",
    ):  # fmt: skip
        driver.clock.step(us(reading) - driver.clock.now())
        driver.look()
        stored.append(connection.execute("SELECT count(*) FROM occurrence").fetchone()[0])
    assert stored == [0, 0, 0, 1, 1, 1]
    row = connection.execute("SELECT nominal_at, created_at, decided_at, state FROM occurrence").fetchone()
    reading_at = us("2017-01-01T00:00:00.007000Z")
    assert row == (us("2017-01-01T00:00:00Z"), reading_at, reading_at, "admitted")


@pytest.mark.parametrize(
    ("wakes", "fate"),
    [
        ("2026-03-02T08:00:00Z", ("2026-03-01T20:30:00Z", "admitted", "window_open")),
        ("2026-03-02T10:30:00Z", ("2026-03-01T20:30:00Z", "missed", "latest_start")),
    ],
)
def test_rp_24_what_was_slept_through_is_noticed_on_waking(wakes: str, fate: tuple[str, str, str]) -> None:
    """Sleep, stall and restart go down one path: here the loop was not there."""
    seen = simulated(
        draft("backup", "30 20 * * *", allowed_delay="14h"), begin="2026-03-01T12:00:00Z", length="36h",
        outages=[("2026-03-01T20:00:00Z", wakes)],
    )  # fmt: skip
    assert seen.fates("backup") == [fate, ("2026-03-02T20:30:00Z", "admitted", "window_open")]
    admitted = fate[1] == "admitted"
    assert seen.late_s("backup") == ([11.5 * 3600, 0] if admitted else [0])
    assert seen.items[0]["mode"] == ("catch_up" if admitted else "live")
    assert len(seen.runs("backup")) == 1 + admitted
