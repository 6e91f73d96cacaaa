"""Pause and resume on the real engine: what a pause takes, what it holds back, and that nothing else ends it."""

from __future__ import annotations

from pathlib import Path

import pytest

from spellweaver.core.instant import DAY
from spellweaver.errors import Refused
from tests.support.engine import World, draft, us


def states(world: World, name: str) -> dict[str, str]:
    return {nominal[11:16]: f"{state} {reason}" for nominal, state, reason in world.fates(name)}


@pytest.mark.rule("CAT-07")
def test_rp_17_a_new_revision_leaves_a_paused_schedule_paused() -> None:
    world = World(now="2026-01-01T00:30:00Z")
    world.add(draft("report", "0 * * * *"))
    world.pause("report")
    world.define(draft("report", "0 * * * *", allowed_delay="30m"))
    world.activate("report")
    world.live("2026-01-01T03:30:00Z")
    assert world.row("SELECT state FROM schedule") == ("paused",)
    assert states(world, "report") == dict.fromkeys(("01:00", "02:00", "03:00"), "skipped paused")
    assert world.rows("SELECT DISTINCT r.number FROM occurrence o JOIN revision r ON r.id = o.revision") == [(2,)]
    assert world.resume("report").next_at == us("2026-01-01T04:00:00Z")
    world.live("2026-01-01T04:30:00Z")
    assert states(world, "report")["04:00"] == "admitted window_open"
    world.audit()


@pytest.mark.rule("CAT-07")
def test_rp_18_a_pause_survives_a_restart_and_keeps_back_what_waits(tmp_path: Path) -> None:
    world = World(tmp_path / "state", now="2026-01-01T09:55:00Z", workers=1)
    world.add(draft("busy", "58 9 * * *"), draft("sync", "*/10 * * * *", allowed_delay="20m"))
    world.at("2026-01-01T09:58:00Z")  # takes the worker
    world.at("2026-01-01T10:00:00Z")
    assert states(world, "sync") == {"10:00": "pending capacity"}
    world.at("2026-01-01T10:03:00Z")
    world.pause("sync")
    world.look()
    assert states(world, "sync") == {"10:00": "pending paused"}
    world.reopen()
    world.at("2026-01-01T10:15:00Z")
    world.end(world.launches[0])
    world.at("2026-01-01T10:20:00Z")
    world.at("2026-01-01T10:25:00Z")
    assert states(world, "sync") == {
        "10:00": "missed paused", "10:10": "skipped paused", "10:20": "skipped paused",
    }  # fmt: skip
    world.audit()


@pytest.mark.rule("CAT-07")
@pytest.mark.parametrize(
    ("cron", "zone", "paused", "resumed", "then"),
    [
        ("45 20 * * FRI", "Europe/Moscow", "2025-02-21T14:00:00Z", "2025-02-24T08:00:00Z", "2025-02-28T17:45:00Z"),
        ("* * * * *", "UTC", "2025-02-21T14:00:30Z", "2025-02-21T14:04:30Z", "2025-02-21T14:05:00Z"),
    ],
)
def test_rp_19_nothing_runs_on_resume(cron: str, zone: str, paused: str, resumed: str, then: str) -> None:
    world = World(now="2025-02-21T13:59:59Z")
    world.add(draft("weekly", cron, zone=zone))
    world.live(paused, takes="1s")
    before = world.rows("SELECT id FROM occurrence")
    world.pause("weekly")
    world.live(resumed)
    assert world.resume("weekly").next_at == us(then)
    world.look()
    after = world.fates("weekly")[len(before) :]
    assert after and {(state, reason) for _, state, reason in after} == {("skipped", "paused")}
    world.live(then)
    assert world.fates("weekly")[-1] == (then, "admitted", "foreground")
    world.audit()


@pytest.mark.rule("CAT-07", "OCC-13")
def test_rp_26_three_paused_days_leave_no_run_and_no_cliff() -> None:
    world = World()
    world.add(draft("minute", "* * * * *"))
    world.pause("minute")
    world.clock.advance(3 * DAY)
    world.clock.advance(us("30s"))
    world.resume("minute")
    world.look()
    assert world.rows("SELECT state, reason, count FROM firing_range") == [("skipped", "paused", 4320)]
    assert world.rows("SELECT id FROM occurrence") == []
    world.live("2026-01-04T00:01:00Z")
    assert states(world, "minute") == {"00:01": "admitted foreground"}
    world.audit()


@pytest.mark.rule("CAT-07")
@pytest.mark.parametrize("until", [None, "2026-01-01T12:00:00Z"])
def test_rp_32_a_firing_at_the_instant_of_the_resume_fires_once(until: str | None) -> None:
    world = World(now="2026-01-01T10:10:00Z")
    world.add(draft("q", "*/30 * * * *"))
    world.pause("q", until=until)
    world.live("2026-01-01T11:59:59Z")
    world.clock.advance(us("1s"))
    if until is None:
        world.resume("q")
    world.live("2026-01-01T12:20:00Z")
    paused = dict.fromkeys(("10:30", "11:00", "11:30"), "skipped paused")
    assert states(world, "q") == {**paused, "12:00": "admitted foreground"}
    world.audit()


@pytest.mark.rule("CAT-07")
def test_a_pause_ends_by_itself_at_its_instant_however_late_that_is_seen() -> None:
    world = World(now="2026-01-01T00:30:00Z")
    world.add(draft("s", "0 * * * *", allowed_delay="3h"))
    world.pause("s", until="2026-01-01T02:30:00Z")
    world.live("2026-01-01T01:30:00Z")
    assert states(world, "s") == {"01:00": "skipped paused"}
    world.at("2026-01-01T03:10:00Z")  # nobody looked from 01:30 on
    assert states(world, "s") == {
        "01:00": "skipped paused", "02:00": "skipped paused", "03:00": "admitted window_open",
    }  # fmt: skip
    ((_, said),) = world.events("schedule.resumed")
    assert (said["ended_at"], said["by"]) == (us("2026-01-01T02:30:00Z"), "until")
    assert world.row("SELECT state FROM schedule") == ("active",)
    world.audit()


@pytest.mark.rule("CAT-07", "CAT-02")
@pytest.mark.parametrize("until", [None, "2026-01-01T04:30:00Z"])
def test_under_catch_up_what_a_pause_held_back_is_judged_when_it_ends(until: str | None) -> None:
    world = World(now="2026-01-01T00:30:00Z")
    world.add(draft("s", "0 * * * *", while_paused="catch_up"))
    world.pause("s", until=until)
    world.live("2026-01-01T04:30:00Z" if until is None else "2026-01-01T04:29:00Z")
    assert world.fates("s") == [], "nothing is decided meanwhile"
    if until is None:
        world.resume("s")
        world.look()
    else:
        world.at(until)
    superseded = dict.fromkeys(("01:00", "02:00", "03:00"), "skipped superseded")
    assert states(world, "s") == {**superseded, "04:00": "admitted foreground"}
    assert world.row("SELECT mode FROM occurrence WHERE state = 'admitted'") == ("catch_up",)
    world.audit()


@pytest.mark.rule("CAT-07", "CAL-06")
def test_a_schedule_that_stops_in_its_pause_is_paused_again_once_it_is_activated() -> None:
    world = World(now="2026-01-01T00:30:00Z")
    world.add(draft("s", "0 * * * *"))
    world.pause("s")
    (body,) = world.row("SELECT body FROM revision")
    world.ledger.connection.execute("DROP TRIGGER revision_unchanged")
    world.ledger.connection.execute("UPDATE revision SET body = replace(body, '\"local\"', '\"locaL\"')")
    world.ledger.revisions = type(world.ledger.revisions)()
    world.at("2026-01-01T01:00:00Z")
    assert world.row("SELECT state FROM schedule") == ("stopped",)
    world.ledger.connection.execute("UPDATE revision SET body = ?", (body,))
    world.activate("s")
    assert world.row("SELECT state FROM schedule") == ("paused",)


@pytest.mark.rule("CAT-07")
def test_what_is_said_twice_changes_nothing_and_what_can_not_be_paused_is_refused() -> None:
    world = World()
    world.add(draft("s", "0 * * * *"))
    world.define(draft("later", "0 * * * *"))
    assert world.resume("s").status == "unchanged"
    assert [world.pause("s", "a").status for _ in range(2)] == ["paused", "unchanged"]
    assert world.pause("s", "b", "2026-01-02T00:00:00Z").status == "changed"
    assert [data["why"] for _, data in world.events("schedule.paused")] == ["a", "b"]
    for name, until, code in (("later", None, "not_activated"), ("s", "2026-01-01T00:00:00Z", "until_in_past")):
        with pytest.raises(Refused) as said:
            world.pause(name, until=until)
        assert said.value.code == code
    assert world.resume("s").status == "resumed"
    world.audit()
