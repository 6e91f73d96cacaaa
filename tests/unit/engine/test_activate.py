"""Activation: the first, one that keeps the calendar with its implied partition, and what is refused until cutover."""

from __future__ import annotations

from pathlib import Path

import pytest

from spellweaver.core.instant import SECOND
from spellweaver.core.policy import Gap
from spellweaver.core.schedule import ScheduleDraft
from spellweaver.errors import NotFound, Refused
from spellweaver.ledger.journal import parse
from tests.support.engine import World, content, draft, us


def refused(world: World, name: str, revision: int | None = None) -> Refused:
    """The refusal of an activation, and that it changed nothing."""
    before = content(world.ledger.connection)
    with pytest.raises(Refused) as said:
        world.activate(name, revision)
    assert content(world.ledger.connection) == before
    assert said.value.exit_status == 3 and said.value.hint
    return said.value


@pytest.mark.rule("CUT-02")
def test_the_first_firing_is_the_first_after_the_decision_time() -> None:
    world = World(now="2026-01-01T10:00:00Z")
    world.define(draft("s", "0 10 * * *"), draft("t", "0 * * * *"))
    world.bind()
    done = world.activate("s")
    assert (done.status, done.revision, done.generation, done.replaced) == ("activated", 1, 1, None)
    assert (done.decided_at, done.begins_at) == (us("2026-01-01T10:00:00Z"),) * 2
    assert done.next_at == us("2026-01-02T10:00:00Z"), "the one at this very instant is not after it"
    world.clock.step(-1)
    assert world.activate("t").next_at == us("2026-01-01T10:00:00Z")
    assert world.row("SELECT partition FROM activation WHERE id = 1") == ('{"kind":"first"}',)
    world.audit()


@pytest.mark.rule("CUT-02")
def test_rp_33_nothing_before_the_activation_is_a_missed_firing() -> None:
    world = World(now="2026-01-01T10:00:00Z")
    world.add(draft("new", "0 9 * * *"))
    world.live("2026-01-02T08:59:59Z")
    assert world.fates("new") == []
    world.live("2026-01-02T09:00:00Z")
    assert world.fates("new") == [("2026-01-02T09:00:00Z", "admitted", "foreground")]


@pytest.mark.rule("CUT-02")
def test_a_later_from_is_the_first_instant_that_may_fire_and_an_earlier_one_is_refused() -> None:
    world = World(now="2026-01-01T10:00:00Z")
    world.define(
        draft("s", "0 * * * *", from_at="2026-01-01T12:00:00Z"),
        draft("t", "0 * * * *", from_at="2026-01-01T09:59:59Z"),
        draft("u", "0 * * * *", from_at="2026-01-01T10:00:00Z"),
    )
    world.bind()
    assert world.activate("s").next_at == us("2026-01-01T12:00:00Z")
    assert refused(world, "t").code == "from_in_past"
    assert world.activate("u").next_at == us("2026-01-01T11:00:00Z")
    world.live("2026-01-01T13:00:00Z")
    assert [at for at, *_ in world.fates("s")] == ["2026-01-01T12:00:00Z", "2026-01-01T13:00:00Z"]
    world.audit()


@pytest.mark.rule("CUT-01")
def test_a_repeated_activation_changes_nothing_and_says_so() -> None:
    world = World()
    world.add(draft("s", "0 * * * *"))
    before = content(world.ledger.connection)
    again = world.activate("s")
    assert (again.status, again.revision, again.next_at) == ("unchanged", 1, us("2026-01-01T01:00:00Z"))
    assert content(world.ledger.connection) == before


CALENDAR_KEPT: list[tuple[str, dict[str, object]]] = [
    ("horizon", {"horizon": "1h"}),
    ("jitter", {"jitter": "5m"}),
    ("window", {"allowed_delay": "9m"}),
    ("labels", {"labels": '{"team":"x"}'}),
    ("cycle", {"cycle": "date"}),
]


@pytest.mark.rule("CUT-03")
@pytest.mark.parametrize("what, change", CALENDAR_KEPT, ids=[what for what, _ in CALENDAR_KEPT])
def test_what_is_no_part_of_the_calendar_keeps_the_generation_and_needs_no_file(
    tmp_path: Path, what: str, change: dict[str, object]
) -> None:
    world = World(tmp_path)
    world.add(draft("s", "0 * * * *"))
    world.live("2026-01-01T02:00:00Z")
    world.define(draft("s", "0 * * * *", **change))
    world.clock.advance(1800 * SECOND)
    done = world.activate("s")
    assert (done.status, done.generation, done.replaced) == ("activated", 1, 1), what
    assert parse(str(world.row("SELECT partition FROM activation WHERE id = 2")[0])) == {
        "kind": "implied", "old": 1, "new": 2, "old_until": done.decided_at, "new_after": done.decided_at,
    }  # fmt: skip
    world.reopen()
    world.live("2026-01-01T05:00:00Z")
    assert world.rows("SELECT DISTINCT generation FROM occurrence") == [(1,)]
    assert world.rows("SELECT revision, count(*) FROM occurrence GROUP BY 1") == [(1, 2), (2, 3)]
    world.audit()


@pytest.mark.rule("CUT-03")
def test_nominal_instants_up_to_the_decision_are_the_old_revisions_later_ones_the_new_ones(tmp_path: Path) -> None:
    """The decision falls on a nominal instant, and is looked at only hours later."""
    world = World(tmp_path)
    world.add(draft("s", "0 * * * *", horizon="30h"))
    world.clock.advance(2 * 3600 * SECOND)
    world.define(draft("s", "0 * * * *", allowed_delay="10m"))
    world.activate("s")
    world.reopen()
    world.at("2026-01-01T04:00:00Z")
    found = world.rows("SELECT nominal_at, revision, class, state, reason FROM occurrence ORDER BY nominal_at")
    assert found == [
        (us("2026-01-01T01:00:00Z"), 1, "foreground", "skipped", "superseded"),
        (us("2026-01-01T02:00:00Z"), 1, "foreground", "skipped", "superseded"),
        (us("2026-01-01T03:00:00Z"), 2, "deadline_windowed", "missed", "latest_start"),
        (us("2026-01-01T04:00:00Z"), 2, "deadline_windowed", "admitted", "window_open"),
    ]
    world.audit()


@pytest.mark.rule("CUT-03", "CUT-12")
def test_unresolved_firings_of_the_old_revision_keep_its_terms() -> None:
    """Sixty minutes unlooked at under revision 1, then revision 2 with another horizon and window: two stretches."""
    world = World()
    world.add(draft("s", "* * * * *", horizon="10m"))
    world.clock.advance(3600 * SECOND)
    world.define(draft("s", "* * * * *", horizon="1d", allowed_delay="3m", jitter="1m"))
    world.activate("s")
    world.clock.advance(1800 * SECOND)
    world.look()
    by_revision = world.rows(
        "SELECT revision, state, reason, sum(n), min(first), max(last) FROM ("
        "SELECT revision, state, reason, 1 AS n, nominal_at AS first, nominal_at AS last FROM occurrence "
        "UNION ALL SELECT revision, state, reason, count, first_at, last_at FROM firing_range) "
        "GROUP BY 1, 2, 3 ORDER BY min(first)"
    )
    assert [(r, state, reason, n) for r, state, reason, n, *_ in by_revision] == [
        (1, "skipped", "horizon", 60), (2, "missed", "latest_start", 27), (2, "skipped", "superseded", 2),
        (2, "pending", "not_yet", 1),
    ]  # fmt: skip
    assert by_revision[0][5] == us("2026-01-01T01:00:00Z"), "the last of revision 1 is the one at the decision"
    world.audit()


@pytest.mark.rule("CUT-03", "CUT-12")
def test_what_pends_at_the_switch_keeps_revision_bounds_and_workflow(tmp_path: Path) -> None:
    world = World(tmp_path, now="2025-12-31T23:59:59Z", workers=1)
    world.add(draft("busy", "0 0 1 1 *"), draft("s", "0 1 * * *", allowed_delay="2h"))
    world.at("2026-01-01T00:00:00Z")
    world.at("2026-01-01T01:00:00Z")
    before = world.row("SELECT * FROM occurrence WHERE state = 'pending'")
    world.define(draft("s", "0 1 * * *", allowed_delay="5h", version="other@1"))
    world.bind("other@1")
    world.activate("s")
    world.reopen()
    assert world.row("SELECT * FROM occurrence WHERE state = 'pending'") == before
    world.clock.advance(1800 * SECOND)
    world.end(world.launches[0])
    world.look()
    assert world.launches[0].pattern == "job@1"
    assert world.row("SELECT revision, latest_start_at FROM occurrence WHERE state = 'admitted' AND id = 2") == (
        2, us("2026-01-01T03:00:00Z"),
    )  # fmt: skip
    world.audit()


@pytest.mark.rule("CUT-03", "CAT-05")
def test_switches_over_a_clock_that_went_back_give_each_firing_one_revision(tmp_path: Path) -> None:
    """Revision 2 is activated at 01:30 by a clock that runs ahead, revision 3 at 00:40; nobody looks in between."""
    world = World(tmp_path)
    world.add(draft("s", "*/10 * * * *"))
    world.clock.advance(5400 * SECOND)
    world.define(draft("s", "*/10 * * * *", horizon="2h"))
    world.activate("s")
    world.clock.step(-3000 * SECOND)
    world.define(draft("s", "*/10 * * * *", horizon="3h"))
    world.activate("s")
    world.at("2026-01-01T02:00:00Z")
    found = world.rows("SELECT nominal_at, revision FROM occurrence ORDER BY nominal_at")
    assert [r for _, r in found] == [1] * 4 + [3] * 8
    assert len({at for at, _ in found}) == 12
    world.audit()


@pytest.mark.rule("CAT-05", "CUT-03")
def test_after_a_switch_by_a_clock_that_ran_ahead_firing_goes_on_by_the_new_time() -> None:
    world = World()
    world.add(draft("s", "*/10 * * * *"))
    world.clock.advance(5400 * SECOND)
    world.define(draft("s", "*/10 * * * *", horizon="2h"))
    world.activate("s")
    world.clock.step(-5100 * SECOND)
    world.live("2026-01-01T02:00:00Z")
    assert [fate[1:] for fate in world.fates("s")] == [("admitted", "foreground")] * 12, "each when it was due"
    assert [r for (r,) in world.rows("SELECT revision FROM occurrence ORDER BY nominal_at")] == [1] * 9 + [2] * 3
    world.audit()


@pytest.mark.rule("CUT-03")
def test_a_later_from_of_the_next_revision_leaves_a_pause_between_them() -> None:
    world = World()
    world.add(draft("s", "0 * * * *"))
    world.clock.advance(5400 * SECOND)
    world.define(draft("s", "0 * * * *", from_at="2026-01-01T04:00:00Z"))
    done = world.activate("s")
    assert (done.begins_at, done.next_at) == (us("2026-01-01T04:00:00Z") - 1, us("2026-01-01T01:00:00Z"))
    world.look()
    assert world.row("SELECT next_at FROM schedule") == (us("2026-01-01T04:00:00Z"),)
    world.live("2026-01-01T05:00:00Z")
    assert [at for at, *_ in world.fates("s")] == [f"2026-01-01T0{h}:00:00Z" for h in (1, 4, 5)]
    world.audit()


READ_OTHERWISE: list[tuple[str, ScheduleDraft]] = [
    ("cadence", draft("s", "1 * * * *", zone="Europe/Rome")),
    ("zone, zone rules", draft("s", "0 * * * *", zone="Europe/Paris")),
    ("fold", draft("s", "0 * * * *", zone="Europe/Rome", fold="both")),
    ("gap", draft("s", "0 * * * *", zone="Europe/Rome", gap="fail")),
]


@pytest.mark.rule("CUT-03")
@pytest.mark.parametrize("what, other", READ_OTHERWISE, ids=[what for what, _ in READ_OTHERWISE])
def test_a_revision_that_reads_the_calendar_otherwise_is_refused_with_what_differs(
    what: str, other: ScheduleDraft
) -> None:
    world = World()
    world.add(draft("s", "0 * * * *", zone="Europe/Rome"))
    world.define(other)
    said = refused(world, "s")
    assert said.code == "needs_cutover" and f"({what})" in said.message
    assert world.activate("s", 1).status == "unchanged", "the old one is in force"


@pytest.mark.rule("CUT-01")
def test_an_older_revision_that_reads_the_same_is_taken_up_again() -> None:
    world = World()
    world.add(draft("s", "0 * * * *"))
    world.define(draft("s", "0 * * * *", horizon="1h"))
    assert world.activate("s").revision == 2
    world.clock.advance(1)
    done = world.activate("s", 1)
    assert (done.revision, done.replaced, done.status) == (1, 2, "activated")
    assert world.row("SELECT count(*) FROM activation") == (3,), "history is kept"


def test_a_workflow_without_a_binding_is_refused_unless_said() -> None:
    world = World()
    world.define(draft("s", "0 * * * *"))
    said = refused(world, "s")
    assert said.code == "unbound" and "main of job@1" in said.message
    assert world.activate("s", unbound=True).status == "activated"


def test_what_is_not_there_is_not_found_with_what_is_near() -> None:
    world = World()
    world.add(draft("nightly", "0 2 * * *"))
    with pytest.raises(NotFound, match="near it: local/nightly") as said:
        world.activate("nihgtly")
    assert said.value.exit_status == 4
    with pytest.raises(NotFound, match="has no revision 7; it has 1"):
        world.activate("nightly", 7)


def test_a_bare_name_of_two_authorities_has_to_be_named_whole() -> None:
    world = World()
    world.define(draft("s", "0 2 * * *"), draft("s", "0 3 * * *", authority="ops"))
    world.bind()
    with pytest.raises(NotFound, match="local/s, ops/s"):
        world.activate("s")
    assert world.activate("ops/s").schedule == "ops/s"


@pytest.mark.rule("OCC-01", "CUT-03")
@pytest.mark.parametrize("gap", ["skip", "advance", "fail"])
def test_a_switch_on_the_day_of_a_clock_change_makes_no_second_firing(gap: Gap) -> None:
    world = World(now="2026-03-28T12:00:00Z")
    world.add(draft("s", "*/30 * * * *", zone="Europe/Bratislava", gap=gap))
    for hour in range(20):
        world.clock.advance(3600 * SECOND)
        world.define(draft("s", "*/30 * * * *", zone="Europe/Bratislava", gap=gap, horizon=f"{hour}h"))
        world.activate("s")
        if hour % 3 == 0:
            world.look()
    world.look()
    world.audit()
    (told,) = world.row("SELECT (SELECT count(*) FROM occurrence) + (SELECT ifnull(sum(count), 0) FROM firing_range)")
    assert told == 40 + (2 if gap != "advance" else 0), "twenty hours of UTC, and the two times that a gap took"


@pytest.mark.rule("CAT-05", "OCC-15")
def test_a_switch_under_a_clock_that_went_back_reopens_nothing_that_is_settled() -> None:
    world = World()
    world.add(draft("s", "*/10 * * * *", horizon="1h"))
    world.live("2026-01-01T00:30:00Z")
    before = world.fates("s")
    world.clock.step(-us("2h"))
    world.define(draft("s", "*/10 * * * *", horizon="2h"))
    done = world.activate("s")
    assert done.begins_at == us("2026-01-01T00:30:00Z"), "what is settled stays the old one's"
    world.live("2026-01-01T00:40:00Z")
    assert world.fates("s") == [*before, ("2026-01-01T00:40:00Z", "admitted", "foreground")]
    world.audit()
