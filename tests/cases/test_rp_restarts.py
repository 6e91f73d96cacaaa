"""Cases about restarts, redeployments and two programs on one ledger, by the engine on a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from spellweaver.core.instant import SECOND
from tests.support.engine import World, content, draft


@pytest.mark.rule("CAL-07", "CAT-05")
def test_rp_06_a_process_that_restarts_every_night_makes_the_same_ledger(tmp_path: Path) -> None:
    """Mondays 08:00 in Amsterdam over the change of 2026-10-25."""
    alive, restarted = (World(tmp_path / name, now="2026-10-19T00:00:00Z") for name in ("alive", "restarted"))
    for world in (alive, restarted):
        world.add(draft("monday", "0 8 * * MON", zone="Europe/Amsterdam"))
    alive.live("2026-11-03T00:00:00Z")
    for day in [*range(20, 32), 1, 2, 3]:
        month = "10" if day > 3 else "11"
        restarted.live(f"2026-{month}-{day:02}T00:00:00Z")
        restarted.reopen()
    fired = [("2026-10-19T06:00:00Z"), "2026-10-26T07:00:00Z", "2026-11-02T07:00:00Z"]
    assert alive.fates("monday") == restarted.fates("monday") == [(at, "admitted", "foreground") for at in fired]
    left, right = content(alive.ledger.connection), content(restarted.ledger.connection)
    assert {t: left[t] for t in left if t not in ("event", "ledger")} == {
        t: right[t] for t in right if t not in ("event", "ledger")
    }
    alive.audit()
    restarted.audit()


@pytest.mark.rule("OCC-03", "CUT-03")
def test_rp_15_what_waits_keeps_its_command_when_another_is_deployed(tmp_path: Path) -> None:
    """One worker, held. Three occurrences of ``load`` wait, with windows open for hours; then another workflow."""
    world = World(tmp_path, now="2025-12-31T23:59:59Z", workers=1)
    world.add(draft("holds", "0 0 1 1 *"))
    world.at("2026-01-01T00:00:00Z")
    world.add(draft("load", "*/10 * * * *", allowed_delay="3h"))
    for minute in (10, 20, 30):
        world.at(f"2026-01-01T00:{minute}:00Z")
    world.define(draft("load", "*/10 * * * *", allowed_delay="3h", version="other@1"))
    world.bind("other@1")
    world.activate("load")
    world.reopen()
    assert [fate[1:] for fate in world.fates("load")] == [("pending", "capacity")] * 3, "right after activation"
    ran = []
    world.at("2026-01-01T00:40:00Z")
    for _ in range(4):
        world.end(world.launches[0])
        world.look()
        ran.append((world.launches[0].firing[-5:], world.launches[0].pattern))
    assert ran == [("00:10", "job@1"), ("00:20", "job@1"), ("00:30", "job@1"), ("00:40", "other@1")]
    world.audit()


@pytest.mark.rule("OCC-03", "CAT-02")
def test_rp_30_loading_the_same_definitions_again_runs_nothing_again(tmp_path: Path) -> None:
    world = World(tmp_path, now="2026-01-01T11:00:00Z")
    done = [draft("one", "1 11 * * *", horizon="1h"), draft("two", "2 11 * * *", horizon="1h")]
    world.add(*done)
    world.live("2026-01-01T11:30:00Z")
    world.add(draft("three", "0 12 * * *", horizon="1h"))
    world.live("2026-01-01T11:40:00Z")
    world.reopen()
    assert {told.status for told in world.define(*done)} == {"unchanged"}
    world.look()
    assert [len(world.fates(name)) for name in ("one", "two", "three")] == [1, 1, 0]
    world.live("2026-01-01T12:00:00Z")
    assert [len(world.fates(name)) for name in ("one", "two", "three")] == [1, 1, 1]
    world.audit()


@pytest.mark.rule("CAT-01", "CAT-02")
@pytest.mark.parametrize("restart", [False, True])
def test_rp_26_three_days_down_end_the_same_by_restart_or_by_sleep(tmp_path: Path, restart: bool) -> None:
    world = World(tmp_path)
    world.add(draft("minute", "* * * * *"))
    world.live("2026-01-01T00:10:00Z")
    world.clock.advance(3 * 86_400 * SECOND + 30 * SECOND)
    if restart:
        world.reopen()
    world.look()
    assert world.fates("minute")[10:] == [
        ("2026-01-01T00:11:00Z..2026-01-03T00:10:00Z*2880", "skipped", "horizon"),
        ("2026-01-03T00:11:00Z..2026-01-04T00:09:00Z*1439", "skipped", "superseded"),
        ("2026-01-04T00:10:00Z", "admitted", "foreground"),
    ]
    world.end(world.launches[-1])
    world.live("2026-01-04T00:12:00Z")
    assert [fate[1] for fate in world.fates("minute")[13:]] == ["admitted", "admitted"], "the next minutes as ever"
    world.audit()


@pytest.mark.rule("CAL-08", "CAL-07")
def test_rp_54_a_reload_rolls_no_dice(tmp_path: Path) -> None:
    """Daily at 00:00 with up to 22 hours of jitter: the drawn instant of a day outlives every kind of reload."""
    world = World(tmp_path, now="2026-02-18T12:00:00Z")
    daily = draft("daily", "0 0 * * *", jitter="22h", allowed_delay="23h")
    world.add(daily)
    world.at("2026-02-19T00:00:00Z")
    (due,) = world.row("SELECT due_at FROM occurrence")
    for hour in (3, 8):
        world.clock.advance(0)
        world.reopen()
        world.define(daily)
        world.add(draft(f"unrelated{hour}", "0 5 * * *"))
        world.live(f"2026-02-19T{hour:02}:00:00Z")
        assert world.row("SELECT due_at FROM occurrence WHERE schedule = 1") == (due,)
    world.live("2026-02-19T23:59:59Z")
    assert world.rows("SELECT nominal_at, decided_at, state FROM occurrence WHERE schedule = 1") == [
        (1_771_459_200 * SECOND, due, "admitted")
    ], "once, at that very instant"
    world.audit()
