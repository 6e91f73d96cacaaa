"""Catch-up ``none`` on the real engine: what was missed is skipped, what was found in time is not."""

from __future__ import annotations

import pytest

from tests.support.engine import World, draft


@pytest.mark.rule("CAT-03")
def test_under_none_every_missed_firing_is_skipped_and_the_next_one_fires() -> None:
    world = World(now="2026-01-01T00:30:00Z")
    world.add(draft("s", "0 * * * *", catch_up="none"), draft("m", "* * * * *", catch_up="none"))
    world.live("2026-01-01T00:59:00Z")
    admitted = [fate for fate in world.fates("m") if fate[1] == "admitted"]
    assert len(admitted) == 29
    world.at("2026-01-01T03:10:30Z")
    nominals = [f"2026-01-01T0{hour}:00:00Z" for hour in (1, 2, 3)]
    assert world.fates("s") == [(nominal, "skipped", "catch_up_none") for nominal in nominals]
    assert world.rows("SELECT state, reason, count FROM firing_range") == [("skipped", "catch_up_none", 131)]
    world.live("2026-01-01T04:00:00Z")
    assert world.fates("s")[-1] == ("2026-01-01T04:00:00Z", "admitted", "foreground")
    world.audit()


@pytest.mark.rule("CAT-03", "CAT-10")
def test_under_none_age_and_window_are_the_reason_first() -> None:
    world = World(now="2026-01-01T00:30:00Z")
    world.add(draft("s", "0 * * * *", catch_up="none", allowed_delay="90m", horizon="3h"))
    world.at("2026-01-01T05:10:00Z")
    assert [reason for _, _, reason in world.fates("s")] == [
        "horizon", "horizon", "latest_start", "catch_up_none", "catch_up_none",
    ]  # fmt: skip
    world.audit()


@pytest.mark.rule("CAT-03", "CAT-08")
def test_under_none_a_stored_one_that_is_found_late_is_skipped_and_one_that_waits_stays() -> None:
    world = World(now="2026-01-01T00:30:00Z", workers=1)
    world.add(draft("busy", "59 0 * * *"), draft("late", "0 * * * *", catch_up="none", jitter="20m"))
    world.add(draft("waits", "0 * * * *", catch_up="none", allowed_delay="5h"))
    world.at("2026-01-01T00:59:00Z")
    world.at("2026-01-01T01:00:00Z")
    assert world.fates("waits") == [("2026-01-01T01:00:00Z", "pending", "capacity")]
    assert world.fates("late") == [("2026-01-01T01:00:00Z", "pending", "not_yet")]
    world.at("2026-01-01T02:40:00Z")
    assert world.fates("waits") == [
        ("2026-01-01T01:00:00Z", "pending", "capacity"), ("2026-01-01T02:00:00Z", "skipped", "catch_up_none"),
    ]  # fmt: skip
    assert [fate[1:] for fate in world.fates("late")] == [("skipped", "catch_up_none")] * 2
    world.audit()
