"""Rules that show in the course of time, by simulation: jitter, horizon, catch-up, lateness, overlap."""

from __future__ import annotations

from dataclasses import replace

import pytest

from spellweaver.core.instant import HOUR, MINUTE, SECOND
from spellweaver.ledger.journal import parse
from tests.support.engine import draft, policy, us
from tests.support.simulated import Seen, by_hand, instant, most_at_once, simulated

BEGIN = "2026-03-01T00:00:00Z"


def numbers(seen: Seen, occurrence: object) -> dict[str, object]:
    """The numbers of the event that ended a firing."""
    id_ = int(str(occurrence).removeprefix("occ_"))
    rows = seen.done.ledger.connection.execute("SELECT data FROM event WHERE occurrence = ? ORDER BY seq", (id_,))
    return {key: value for (data,) in rows.fetchall() for key, value in parse(data).items()}


@pytest.mark.rule("CAL-08", "OCC-03")
def test_jitter_sets_the_due_instant_and_nothing_else() -> None:
    plain = draft("s", "0 * * * *", allowed_delay="2h")
    jittered = draft("s", "0 * * * *", allowed_delay="2h", jitter="40m")
    without, first, again = (simulated(d, begin=BEGIN, length="2d") for d in (plain, jittered, jittered))
    assert first.items[0]["due_at"] != without.items[0]["due_at"]
    keys = ("schedule", "firing", "nominal_at", "latest_start_at", "finish_by")

    def named(seen: Seen) -> list[tuple[str, ...]]:
        return [tuple(str(getattr(item[key], "us", item[key])) for key in keys) for item in seen.items]

    assert named(first) == named(without)
    late = [instant(item["due_at"]) - instant(item["nominal_at"]) for item in first.items]
    assert all(0 <= each < 40 * MINUTE for each in late) and len(set(late)) > 40
    assert [instant(i["due_at"]) for i in again.items] == [instant(i["due_at"]) for i in first.items]
    begun = [instant(i["decided_at"]) for i in first.items if i["state"] == "admitted"]
    assert begun == [instant(i["due_at"]) for i in first.items if i["state"] == "admitted"]
    assert [item["not_before"] is not None and instant(item["not_before"]) for item in first.items] == [
        instant(item["due_at"]) for item in first.items
    ]


@pytest.mark.rule("CAT-01")
@pytest.mark.parametrize(
    ("horizon", "fate"), [("59m", "horizon"), ("0s", "horizon"), ("60m", "foreground"), (None, "foreground")]
)
def test_older_than_the_horizon_is_skipped_at_discovery(horizon: str | None, fate: str) -> None:
    seen = simulated(
        draft("s", "0 6 * * *", horizon=horizon), begin=BEGIN, length="1d",
        outages=[("2026-03-01T05:00:00Z", "2026-03-01T07:00:00Z")],
    )  # fmt: skip
    assert [item["reason"] for item in seen.items] == [fate]
    if fate == "horizon":
        told = numbers(seen, seen.items[0]["id"])
        assert (told["late_us"], told["horizon_us"], told["allowance_us"]) == (HOUR, us(str(horizon)), SECOND)


@pytest.mark.rule("CAT-01")
def test_a_horizon_is_pinned_when_it_is_defined() -> None:
    driver = by_hand(draft("s", "0 6 * * *"), begin=BEGIN, policy=policy(horizon="30m"))
    connection = driver.ledger.connection
    pinned = connection.execute("SELECT body ->> '$.recovery.misfire_horizon_us' FROM revision").fetchall()
    assert pinned == [(30 * MINUTE,)]


@pytest.mark.rule("CAT-02")
def test_of_what_was_missed_the_newest_is_offered() -> None:
    seen = simulated(
        draft("s", "0 * * * *", allowed_delay="150m"), begin=BEGIN, length="6h",
        outages=[("2026-03-01T00:30:00Z", "2026-03-01T04:20:00Z")],
    )  # fmt: skip
    assert seen.fates("s") == [
        ("2026-03-01T01:00:00Z", "missed", "latest_start"), ("2026-03-01T02:00:00Z", "skipped", "superseded"),
        ("2026-03-01T03:00:00Z", "skipped", "superseded"), ("2026-03-01T04:00:00Z", "admitted", "window_open"),
        ("2026-03-01T05:00:00Z", "admitted", "window_open"), ("2026-03-01T06:00:00Z", "admitted", "window_open"),
    ]  # fmt: skip
    assert [item["mode"] for item in seen.items] == ["live", "live", "live", "catch_up", "live", "live"]


@pytest.mark.rule("CAT-02")
def test_an_ordinary_firing_of_the_same_look_is_newer_than_all_that_were_missed() -> None:
    seen = simulated(
        draft("s", "0 * * * *"), begin=BEGIN, length="5h", outages=[("2026-03-01T00:30:00Z", "2026-03-01T04:00:00Z")]
    )
    assert seen.fates("s")[:4] == [
        *((f"2026-03-01T0{hour}:00:00Z", "skipped", "superseded") for hour in (1, 2, 3)),
        ("2026-03-01T04:00:00Z", "admitted", "foreground"),
    ]  # fmt: skip
    assert seen.items[3]["mode"] == "live"


@pytest.mark.rule("CAT-02")
def test_where_nothing_was_missed_what_waits_stays() -> None:
    wide = draft("w", "0,10 1 * * *", allowed_delay="6h")
    seen = simulated(
        wide, begin=BEGIN, length="8h", runtimes={"*": "2h"}, outages=[("2026-03-01T01:30:00Z", "2026-03-01T02:30:00Z")]
    )
    assert seen.fates("w") == [
        ("2026-03-01T01:00:00Z", "admitted", "window_open"), ("2026-03-01T01:10:00Z", "admitted", "window_open"),
    ]  # fmt: skip
    assert instant(seen.items[1]["decided_at"]) == us("2026-03-01T03:00:00Z")


@pytest.mark.rule("CAT-08")
@pytest.mark.parametrize(
    ("late", "mode"), [("00:00:01Z", "live"), ("00:00:01.000001Z", "catch_up"), ("00:04:00Z", "catch_up")]
)
def test_later_than_the_allowance_was_missed_at_discovery(late: str, mode: str) -> None:
    seen = simulated(
        draft("s", "0 0 2 * *"), begin=BEGIN, length="2d", outages=[("2026-03-01T23:00:00Z", f"2026-03-02T{late}")]
    )
    (item,) = seen.items
    assert (item["state"], item["mode"]) == ("admitted", mode)
    told = numbers(seen, item["id"])
    lateness = us(f"2026-03-02T{late}") - us("2026-03-02T00:00:00Z")
    assert (told["late_us"], told["allowance_us"]) == (lateness, SECOND)


@pytest.mark.rule("CAT-08")
def test_the_allowance_is_the_tick_of_the_policy() -> None:
    lax = policy()
    lax = replace(lax, clock=replace(lax.clock, tick_us=5 * MINUTE))
    seen = simulated(
        draft("s", "0 * * * *"), begin=BEGIN, length="2h", policy=lax,
        outages=[("2026-03-01T00:30:00Z", "2026-03-01T01:05:00Z")],
    )  # fmt: skip
    assert [item["mode"] for item in seen.items] == ["live", "live"]


@pytest.mark.rule("OVL-01")
def test_under_forbid_a_windowed_firing_waits_and_then_runs_or_is_missed() -> None:
    wide = draft("w", "0 * * * *", allowed_delay="90m")
    seen = simulated(wide, begin=BEGIN, length="4h", runtimes={"*": "80m"}, until_quiet=True)
    assert seen.fates("w") == [
        ("2026-03-01T01:00:00Z", "admitted", "window_open"), ("2026-03-01T02:00:00Z", "admitted", "window_open"),
        ("2026-03-01T03:00:00Z", "admitted", "window_open"), ("2026-03-01T04:00:00Z", "admitted", "window_open"),
    ]  # fmt: skip
    assert seen.late_s("w") == [0, 20 * 60, 40 * 60, 60 * 60]
    assert most_at_once(seen.runs("w")) == 1
    longer = simulated(wide, begin=BEGIN, length="4h", runtimes={"*": "100m"}, until_quiet=True)
    assert longer.fates("w")[1:] == [
        ("2026-03-01T02:00:00Z", "admitted", "window_open"), ("2026-03-01T03:00:00Z", "admitted", "window_open"),
        ("2026-03-01T04:00:00Z", "missed", "overlap"),
    ]  # fmt: skip
    (missed,) = (item for item in longer.items if item["state"] == "missed")
    assert missed["blockers"] == ["inv_3"] and missed["invocation"] is None
    assert instant(missed["decided_at"]) == us("2026-03-01T05:30:00Z"), "at the bound and not later"


@pytest.mark.rule("OVL-01")
def test_under_forbid_several_that_wait_go_in_firing_order_one_by_one() -> None:
    seen = simulated(
        draft("w", "0,1,2 1 * * *", allowed_delay="10h"), begin=BEGIN, length="8h", runtimes={"*": "1h"}
    )
    assert seen.late_s("w") == [0, 59 * 60, 118 * 60]
    assert most_at_once(seen.runs("w")) == 1


@pytest.mark.rule("OVL-01")
def test_under_forbid_a_firing_without_a_window_is_skipped_at_once() -> None:
    seen = simulated(draft("s", "*/10 * * * *"), begin=BEGIN, length="1h", runtimes={"*": "25m"})
    skipped = [item for item in seen.items if item["state"] == "skipped"]
    assert [item["reason"] for item in skipped] == ["overlap"] * 4
    assert all(instant(item["decided_at"]) == instant(item["nominal_at"]) for item in skipped)
    assert [item["blockers"] for item in skipped] == [["inv_1"], ["inv_1"], ["inv_2"], ["inv_2"]]


@pytest.mark.rule("OVL-01")
def test_of_those_that_capacity_keeps_back_without_a_window_the_newest_stays() -> None:
    hog, other = draft("hog", "30 0 * * *", version="hog@1"), draft("s", "0 * * * *")
    seen = simulated(hog, other, begin=BEGIN, length="5h", runtimes={"hog@1.main": "4h"}, policy=policy(workers=1))
    assert seen.fates("s") == [
        *((f"2026-03-01T0{hour}:00:00Z", "skipped", "superseded") for hour in (1, 2, 3)),
        ("2026-03-01T04:00:00Z", "admitted", "foreground"), ("2026-03-01T05:00:00Z", "admitted", "foreground"),
    ]  # fmt: skip
    assert seen.late_s("s") == [30 * 60, 0]
