"""The host's own zone has no say (RP-03, RP-10, RP-12), by simulation."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.engine import draft
from tests.support.program import process
from tests.support.simulated import by_hand

UTC_HOURS = """format = 1
[[pattern]]
key = "p"
revision = "1"
""" + "".join(
    f"""[[schedule]]
name = "at-{at.replace(":", "")}"
pattern = "p@1"
[schedule.calendar]
cron = "{int(at[3:])} {int(at[:2])} * * *"
zone = "UTC"
"""
    for at in ("00:59", "01:00", "01:30", "01:59", "02:00")
)

SetZone = Callable[[str], None]


@pytest.fixture
def set_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[SetZone]:
    """Sets the zone of this very process, as a host that was moved has it after a restart."""

    def to(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield to
    monkeypatch.undo()
    time.tzset()


@pytest.mark.rule("CAL-01")
def test_rp_03_utc_schedules_lose_no_hour_to_the_host_zone(tmp_path: Path) -> None:
    file = tmp_path / "utc.toml"
    file.write_text(UTC_HOURS)
    words = ("simulate", str(file), "--from", "2022-10-29T23:00:00Z", "--for", "4h", "--json")
    told = {zone: process(*words, env={"TZ": zone}) for zone in ("Europe/London", "UTC", "Pacific/Auckland")}
    assert {done.returncode for done in told.values()} == {0}
    assert len({done.stdout for done in told.values()}) == 1
    found = [(item["nominal_at"], item["outcome"]) for item in json.loads(told["UTC"].stdout)["items"]]
    assert found == [(f"2022-10-30T{at}:00Z", "completed") for at in ("00:59", "01:00", "01:30", "01:59", "02:00")]


def test_rp_10_a_zone_behind_the_host_s_fires_once_a_day(set_zone: SetZone) -> None:
    set_zone("Europe/Vilnius")
    driver = by_hand(draft("daily", "15 5 * * *", zone="America/New_York"), begin="2025-05-20T00:00:00Z")
    for _ in range(36 * 720):
        driver.clock.advance(5_000_000)
        driver.settle()
        driver.look()
    rows = driver.ledger.connection.execute("SELECT nominal, state FROM occurrence_read").fetchall()
    assert rows == [("2025-05-20T09:15:00Z", "admitted"), ("2025-05-21T09:15:00Z", "admitted")]


def test_rp_12_a_host_that_moves_moves_no_schedule(set_zone: SetZone) -> None:
    set_zone("UTC")
    driver = by_hand(draft("eleven", "0 11 * * *", zone="Asia/Ho_Chi_Minh"), begin="2026-05-01T00:00:00Z")
    for zone in ("UTC", "Asia/Ho_Chi_Minh", "America/Denver"):
        set_zone(zone)
        driver.recover()
        for _ in range(24):
            driver.clock.advance(3_600_000_000)
            driver.settle()
            driver.look()
    connection = driver.ledger.connection
    rows = connection.execute("SELECT nominal, revision, state FROM occurrence_read").fetchall()
    assert rows == [(f"2026-05-{day}T04:00:00Z", 1, "admitted") for day in ("01", "02", "03")]
    assert connection.execute("SELECT count(*) FROM revision").fetchall() == [(1,)]
