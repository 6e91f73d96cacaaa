"""WIN-11: a large step of the clock settles before anything is decided, and then the clock is believed."""

from __future__ import annotations

import pytest

from spellweaver.core.clock_step import Change, Reading, between, must_settle
from spellweaver.core.instant import MINUTE, SECOND
from spellweaver.engine import clock as clock_verbs
from spellweaver.errors import TryAgain
from tests.support.engine import World, draft, us


def test_a_step_and_a_sleep_are_told_apart() -> None:
    start = Reading(1_000 * SECOND, 10 * SECOND, 50 * SECOND)
    assert between(start, Reading(1_007 * SECOND, 17 * SECOND, 57 * SECOND)) == Change(0, 0)
    assert between(start, Reading(1_907 * SECOND, 17 * SECOND, 957 * SECOND)) == Change(0, 900 * SECOND)
    assert between(start, Reading(1_607 * SECOND, 17 * SECOND, 57 * SECOND)) == Change(600 * SECOND, 0)
    assert between(start, Reading(407 * SECOND, 17 * SECOND, 57 * SECOND)) == Change(-600 * SECOND, 0)
    assert between(start, Reading(1_007 * SECOND + 900, 17 * SECOND, 57 * SECOND)) == Change(0, 0), "noise"


@pytest.mark.parametrize("size", [5 * MINUTE + 1, -5 * MINUTE - 1])
def test_the_bound_itself_is_ordinary(size: int) -> None:
    assert must_settle(size, bound_us=5 * MINUTE)
    assert not must_settle(size // abs(size) * 5 * MINUTE, bound_us=5 * MINUTE)


def stepped(world: World, to: str) -> None:
    before_at = world.clock.now()
    world.clock.step(us(to) - before_at)
    with world.ledger.decide() as tx:
        clock_verbs.stepped(tx, before_at=before_at, after_at=us(to))


def settled(world: World) -> None:
    with world.ledger.decide() as tx:
        clock_verbs.settled(tx)


@pytest.mark.rule("WIN-11")
def test_other_writers_are_told_to_try_again_and_cancel_is_not() -> None:
    world = World()
    world.add(draft("s", "* * * * *"))
    stepped(world, "2026-01-01T02:00:00Z")
    world.ledger.drives = False
    with pytest.raises(TryAgain) as told, world.ledger.decide():
        pass
    assert told.value.code == "clock_settling" and told.value.hint == "spellweaver tick"
    assert "+7200.000 s" in told.value.message
    with world.ledger.decide(unsettled=True) as tx:
        assert tx.policy_generation == 1
    world.ledger.drives = True
    settled(world)
    world.ledger.drives = False
    with world.ledger.decide() as tx:
        assert tx.policy_generation == 1


@pytest.mark.rule("WIN-11")
def test_without_a_daemon_a_clock_far_behind_the_record_is_not_believed_by_a_writer() -> None:
    world = World()
    world.add(draft("s", "* * * * *"))
    world.ledger.drives = False
    world.clock.step(-us("4m"))
    with world.ledger.decide() as tx:
        tx.decided_at()
    world.clock.step(-us("6m"))
    with pytest.raises(TryAgain), world.ledger.decide():
        pass
    world.ledger.drives = True
    with world.ledger.decide() as tx:
        assert clock_verbs.must_settle(tx)
        assert clock_verbs.must_settle(tx), "it stays open until it is closed"
    settled(world)
    world.ledger.drives = False
    with world.ledger.decide() as tx:
        assert tx.decided_at() == world.clock.now(), "then the clock is believed, though it went back"


@pytest.mark.rule("WIN-11")
@pytest.mark.parametrize("year", ["1969-12-31T23:59:59", "2201-01-01T00:00:00"])
def test_a_clock_outside_the_ledgers_years_decides_nothing(year: str) -> None:
    world = World()
    world.clock.step(
        (us("1970-01-01T00:00:00Z") - SECOND if year < "1970" else us("2200-12-31T23:59:59Z") + SECOND)
        - world.clock.now()
    )
    with pytest.raises(TryAgain) as told, world.ledger.decide() as tx:
        tx.decided_at()
    assert told.value.code in ("clock_untrusted", "clock_settling")
    assert world.row("SELECT count(*) FROM event") == (1,)


@pytest.mark.rule("WIN-11")
def test_a_bound_that_passes_while_the_clock_settles_is_missed_for_that() -> None:
    world = World()
    world.add(draft("w", "0 * * * *", allowed_delay="30m"))
    world.at("2026-01-01T01:00:00Z")
    world.at("2026-01-01T02:00:00Z")
    assert world.fates("w")[1][1:] == ("pending", "overlap")
    stepped(world, "2026-01-01T02:29:50Z")
    assert world.fates("w")[1][1:] == ("pending", "clock_settling")
    world.clock.advance(15 * SECOND)
    settled(world)
    world.look()
    assert world.fates("w")[1] == ("2026-01-01T02:00:00Z", "missed", "clock_settling")
    world.audit()


@pytest.mark.rule("WIN-11")
def test_what_was_held_goes_back_to_its_own_obstacle() -> None:
    world = World()
    world.add(draft("w", "0 * * * *", allowed_delay="50m"))
    world.at("2026-01-01T01:00:00Z")
    world.at("2026-01-01T02:00:00Z")
    stepped(world, "2026-01-01T02:20:00Z")
    world.clock.advance(15 * SECOND)
    settled(world)
    world.look()
    assert world.fates("w")[1][1:] == ("pending", "overlap")
    world.end(world.launches[0])
    world.look()
    assert world.fates("w")[1][1:] == ("admitted", "window_open")


@pytest.mark.rule("WIN-09", "WIN-11")
def test_nothing_that_was_decided_reopens_when_the_clock_goes_back() -> None:
    world = World()
    world.add(draft("s", "0 * * * *"))
    world.at("2026-01-01T03:00:00Z")
    world.end(world.launches[0])
    before = world.fates("s")
    stepped(world, "2026-01-01T01:30:00Z")
    settled(world)
    world.live("2026-01-01T03:30:00Z")
    assert world.fates("s") == before
    world.live("2026-01-01T04:30:00Z")
    assert world.fates("s") == [*before, ("2026-01-01T04:00:00Z", "admitted", "foreground")]


@pytest.mark.rule("WIN-09")
def test_what_a_blocker_kept_out_starts_also_when_the_clock_goes_back_before_anybody_looks() -> None:
    """By less than what has to settle: no bound has come, so the next look is the one that counts."""
    world = World()
    world.add(draft("s", "*/10 * * * *", allowed_delay="2h"))
    world.at("2026-01-01T00:10:00Z")
    world.at("2026-01-01T00:20:00Z")
    assert world.fates("s")[-1][1:] == ("pending", "overlap")
    world.clock.advance(us("4m"))
    world.end(world.launches[0])
    world.clock.step(-us("3m"))
    done = world.look()
    assert world.fates("s")[-1][1:] == ("admitted", "window_open")
    assert done.next_wake == us("2026-01-01T00:30:00Z")


@pytest.mark.rule("WIN-11")
def test_what_waited_for_the_clock_starts_also_when_it_goes_back_a_little_before_anybody_looks() -> None:
    world = World()
    world.add(draft("s", "*/10 * * * *", allowed_delay="5h"))
    world.at("2026-01-01T00:10:00Z")
    world.at("2026-01-01T00:20:00Z")
    stepped(world, "2026-01-01T00:28:00Z")
    world.end(world.launches[0])
    assert world.fates("s")[-1][1:] == ("pending", "clock_settling")
    settled(world)
    world.clock.step(-us("3m"))
    world.look()
    assert world.fates("s")[-1][1:] == ("admitted", "window_open")


@pytest.mark.rule("CAT-01", "WIN-09")
def test_what_waited_in_time_is_not_missed_because_the_clock_went_back_to_before_it() -> None:
    """The horizon is for what is found late. This one was found in time, and a worker was all that it wanted."""
    world = World(workers=1)
    world.add(draft("a", "* * * * *"), draft("s", "30 0 * * *", horizon="20m"))
    world.at("2026-01-01T00:01:00Z")
    world.at("2026-01-01T00:30:00Z")
    assert world.fates("s")[-1][1:] == ("pending", "capacity")
    world.end(world.launches[0])
    world.clock.step(-us("70s"))
    world.look(chunk=1)
    assert world.fates("s")[-1][1:] == ("pending", "not_yet")
    world.at("2026-01-01T03:30:00Z")
    assert world.fates("s")[-1][1:] == ("admitted", "foreground")
