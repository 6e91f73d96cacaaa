"""Admission in the ledger: windows, blockers, workers, and what is written in the admitting transaction."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spellweaver.core import lifecycle
from spellweaver.core.instant import SECOND
from spellweaver.core.launch import Contained, Ended
from spellweaver.engine.admit import admit
from spellweaver.engine.cancel import cancel
from spellweaver.engine.materialize import materialize
from spellweaver.ledger.opening import open_ledger
from tests.support.engine import World, content, draft, one_pass, policy, us


class StepsOnReading:
    """A clock that reads what it is told, one value a reading, and then stays."""

    def __init__(self, *readings: int) -> None:
        self.readings = list(readings)

    def now(self) -> int:
        return self.readings.pop(0) if len(self.readings) > 1 else self.readings[0]


def pending(world: World, name: str = "s") -> list[tuple[str, str]]:
    return [fate[1:] for fate in world.fates(name)]


@pytest.mark.rule("OCC-16", "CLS-07")
def test_an_admission_writes_invocation_run_delivery_attempt_and_grant_in_its_transaction() -> None:
    world = World()
    world.add(draft("s", "0 * * * *"))
    world.at("2026-01-01T01:00:00Z")
    at = us("2026-01-01T01:00:00Z")
    invocation = "SELECT occurrence, schedule, exclusive, state, reason, disposition, admitted_at FROM invocation"
    assert world.rows(invocation) == [(1, 1, 1, "queued", "worker", "none", at)]
    assert world.rows("SELECT invocation, pattern, name FROM run") == [(1, 1, "job")]
    assert world.rows("SELECT run, seq, station, state FROM delivery") == [(1, 1, "main", "claimed")]
    assert world.rows("SELECT run, delivery, nth, state, granted_at, launched_at FROM attempt") == [
        (1, 1, 1, "launching", at, at)
    ]
    assert world.rows('SELECT * FROM "grant"') == [(1, "workers", 1, None)]
    assert world.row("SELECT count(DISTINCT txn) FROM event WHERE type LIKE 'occurrence.%'") == (1,)
    (launch,) = world.launches
    assert (launch.schedule, launch.firing, launch.nominal_at, launch.pattern, launch.station, launch.nth) == (
        "local/s", "c1:2026-01-01T01:00", at, "job@1", "main", 1,
    )  # fmt: skip
    world.audit()


@pytest.mark.rule("WIN-01", "WIN-05")
@pytest.mark.parametrize(
    "late_us, fate",
    [
        (0, ("admitted", "window_open")),
        (1800 * SECOND - 1, ("admitted", "window_open")),
        (1800 * SECOND, ("missed", "latest_start")),
        (1800 * SECOND + 1, ("missed", "latest_start")),
    ],
)
def test_equality_at_the_bound_is_late(late_us: int, fate: tuple[str, str]) -> None:
    world = World()
    world.add(draft("s", "0 1 * * *", allowed_delay="30m"))
    world.clock.advance(3600 * SECOND + late_us)
    world.look(allowance="1h")
    assert pending(world) == [fate]
    world.clock.step(-1800 * SECOND)
    world.look()
    assert pending(world) == [fate], "no clock makes a late one early"
    world.audit()


@pytest.mark.rule("WIN-03")
def test_an_admission_sampled_a_microsecond_before_the_bound_stands_however_late_it_shows(tmp_path: Path) -> None:
    """09:04:59.999999 against 09:05; everything after the sample is later than the bound."""
    world = World(tmp_path, now="2026-01-01T08:00:00Z")
    world.add(draft("s", "0 9 * * *", allowed_delay="5m"))
    world.clock.advance(3600 * SECOND)
    inside, later = us("2026-01-01T09:05:00Z") - 1, us("2026-01-01T10:00:00Z")
    world.ledger.clock = StepsOnReading(*[inside] * 4, later)
    world.look(allowance="1h")
    assert pending(world) == [("admitted", "window_open")]
    assert world.row("SELECT decided_at FROM occurrence") == (us("2026-01-01T09:05:00Z") - 1,)
    assert world.row("SELECT launched_at FROM attempt") == (us("2026-01-01T10:00:00Z"),)
    world.reopen()
    world.clock.step(us("2026-01-01T11:00:00Z") - world.clock.now())
    world.look()
    assert pending(world) == [("admitted", "window_open")]
    world.audit()


@pytest.mark.rule("WIN-07")
def test_the_bound_is_met_once_by_admission_and_binds_no_later_claim(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.add(draft("s", "0 1 * * *", allowed_delay="5m"))
    world.clock.advance(3600 * SECOND)
    with world.ledger.decide() as tx:
        materialize(tx, allowance_us=SECOND, limit=9)
        admit(tx, limit=9)
    world.reopen()
    world.clock.advance(7200 * SECOND)
    assert [launch.firing for launch in world.look().launches] == ["c1:2026-01-01T01:00"]
    world.start(world.launches[0])
    assert world.end(world.launches[0]) == "completed"
    world.audit()


@pytest.mark.rule("WIN-08")
def test_a_restart_reckons_from_absolute_bounds(tmp_path: Path) -> None:
    world = World(tmp_path, workers=1)
    world.add(draft("busy", "0 1 1 1 *"), draft("s", "0 1 1 1 *", allowed_delay="30m"))
    world.at("2026-01-01T01:00:00Z")
    assert pending(world) == [("pending", "capacity")]
    assert world.row("SELECT wake_at FROM occurrence WHERE state = 'pending'") == (us("2026-01-01T01:30:00Z"),)
    world.clock = type(world.clock)(us("2026-01-01T01:29:59Z"))  # another boot: its monotonic clock begins again
    world.reopen()
    assert world.look().next_wake == us("2026-01-01T01:30:00Z")
    world.clock = type(world.clock)(us("2026-01-01T01:30:00Z"))
    world.reopen()
    world.look()
    assert pending(world) == [("missed", "capacity")]
    assert not [
        column for (table,) in world.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")
        for (column,) in world.rows(f"SELECT name FROM pragma_table_info('{table}')") if "mono" in str(column)
    ]  # fmt: skip
    world.audit()


OPEN = lifecycle.open_states("invocation")


@pytest.mark.rule("OVL-04", "OVL-01", "OVL-02")
@pytest.mark.parametrize("state", OPEN)
@pytest.mark.parametrize("windowed", [True, False])
def test_every_nonterminal_state_blocks_after_a_restart_too(tmp_path: Path, state: str, windowed: bool) -> None:
    world = World(tmp_path)
    world.add(draft("s", "0 * * * *", allowed_delay="30m" if windowed else None))
    world.at("2026-01-01T01:00:00Z")
    blocker = world.launches[0]
    if state in ("running", "contained", "cancelling"):
        world.start(blocker)
    if state == "contained":
        world.see(Contained(blocker.attempt, "shim_killed", "its process is dead, which proves nothing"))
    if state == "cancelling":
        with world.ledger.decide() as tx:
            cancel(tx, blocker.invocation, why="planted")
    if state == "suspended":
        world.ledger.connection.execute("UPDATE invocation SET state = 'suspended', reason = 'slice'")
    assert world.row("SELECT state FROM invocation") == (state,)
    world.reopen()
    world.at("2026-01-01T02:00:00Z")
    assert pending(world)[1:] == [("pending", "overlap") if windowed else ("skipped", "overlap")]
    assert world.row("SELECT blockers FROM occurrence WHERE id = 2") == ("[1]",), "by their ids"
    assert [n["blockers"] for _, n in world.events("occurrence.pending", "occurrence.skipped")] == [["inv_1"]]
    if state != "suspended":
        world.audit()


@pytest.mark.rule("OVL-04", "CUT-03")
def test_a_run_of_the_revision_before_blocks_that_of_the_next(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.add(draft("s", "0 * * * *"))
    world.at("2026-01-01T01:00:00Z")
    world.define(draft("s", "0 * * * *", horizon="2h"))
    world.activate("s")
    world.reopen()
    world.at("2026-01-01T02:00:00Z")
    assert world.rows("SELECT revision, state, reason FROM occurrence ORDER BY id") == [
        (1, "admitted", "foreground"), (2, "skipped", "overlap"),
    ]  # fmt: skip
    world.audit()


@pytest.mark.rule("OVL-01")
def test_a_windowed_one_goes_when_its_blocker_settles_and_several_go_one_by_one() -> None:
    world = World()
    world.add(draft("s", "*/10 * * * *", allowed_delay="2h"))
    world.at("2026-01-01T00:10:00Z")
    world.at("2026-01-01T00:20:00Z")
    world.at("2026-01-01T00:30:00Z")
    assert pending(world) == [("admitted", "window_open"), ("pending", "overlap"), ("pending", "overlap")]
    world.clock.advance(60 * SECOND)
    world.end(world.launches[0])
    assert world.look().next_wake is not None
    assert pending(world)[1:] == [("admitted", "window_open"), ("pending", "overlap")], "the older first"
    world.end(world.launches[0])
    world.look()
    assert pending(world)[2] == ("admitted", "window_open")
    world.audit()


@pytest.mark.rule("OVL-01", "OCC-18")
def test_a_windowed_one_whose_blocker_outlasts_its_window_is_missed_for_that() -> None:
    world = World()
    world.add(draft("s", "0 * * * *", allowed_delay="30m"))
    world.at("2026-01-01T01:00:00Z")
    world.at("2026-01-01T02:00:00Z")
    world.at("2026-01-01T02:30:00Z")
    assert pending(world)[1:] == [("missed", "overlap")]
    world.at("2026-01-01T03:00:00Z")
    world.clock.advance(1800 * SECOND)
    world.end(world.launches[0])
    world.look()
    assert pending(world)[2:] == [("missed", "overlap")], "the bound is met at the same moment"
    kept = world.rows("SELECT blockers FROM occurrence WHERE state = 'missed'")
    assert [json.loads(str(blockers)) for (blockers,) in kept] == [[1], [1]]
    world.audit()


@pytest.mark.rule("SEL-07", "CLS-07")
def test_what_gets_no_worker_pends_and_holds_nothing() -> None:
    world = World(workers=2)
    world.add(*(draft(f"s{n}", "0 * * * *") for n in range(5)))
    world.at("2026-01-01T01:00:00Z")
    assert sorted(fate for n in range(5) for _, *fate in world.fates(f"s{n}")) == (
        [["admitted", "foreground"]] * 2 + [["pending", "capacity"]] * 3
    )
    assert world.row('SELECT count(*) FROM "grant"') == (2,)
    assert world.events("occurrence.pending")[0][1].items() >= {
        "reason": "capacity", "account": "workers", "free": 0, "demand": 1,
    }.items()  # fmt: skip
    world.end(world.launches[0])
    world.look()
    assert world.row("SELECT count(*) FROM occurrence WHERE state = 'admitted'") == (3,)
    world.audit()


@pytest.mark.rule("SEL-07")
def test_a_free_worker_goes_to_the_next_in_line_when_the_first_meets_another_obstacle() -> None:
    """Both workers are freed at once; two firings of one Schedule stand first in line, then another Schedule's."""
    world = World(workers=2)
    world.add(draft("x", "0 0 1 1 *"), draft("y", "0 0 1 1 *"))
    world.clock.step(-SECOND)
    world.add(draft("x2", "0 0 1 1 *"), draft("y2", "0 0 1 1 *"))
    world.at("2026-01-01T00:00:00Z")
    world.add(draft("a", "*/10 0 1 1 *", allowed_delay="5h"), draft("b", "25 0 1 1 *", allowed_delay="5h"))
    for at in ("00:10", "00:20", "00:25", "00:30"):
        world.at(f"2026-01-01T{at}:00Z")
    assert {f for name in "ab" for f in pending(world, name)} == {("pending", "capacity")}
    for launch in list(world.launches):
        world.end(launch)
    world.look()
    assert pending(world, "a") == [("admitted", "window_open"), ("pending", "overlap"), ("pending", "capacity")]
    assert pending(world, "b") == [("admitted", "window_open")], "no worker stands idle beside one that waits"
    world.audit()


@pytest.mark.rule("OVL-01", "CUT-03")
def test_windowed_ones_of_the_revision_before_are_not_superseded_by_capacity() -> None:
    world = World(now="2025-12-31T23:59:59Z", workers=1)
    world.add(draft("busy", "0 0 1 1 *"))
    world.at("2026-01-01T00:00:00Z")
    world.add(draft("s", "*/10 * * * *", allowed_delay="5h"))
    world.at("2026-01-01T00:10:00Z")
    world.define(draft("s", "*/10 * * * *"))
    world.activate("s")
    world.at("2026-01-01T00:20:00Z")
    world.at("2026-01-01T00:30:00Z")
    assert pending(world) == [("pending", "capacity"), ("skipped", "superseded"), ("pending", "capacity")]
    world.audit()


def test_a_smaller_capacity_stops_nothing_and_admits_nothing_until_it_is_free_again() -> None:
    world = World(workers=3)
    world.add(*(draft(f"s{n}", "0 * * * *", allowed_delay="50m") for n in range(4)))
    world.at("2026-01-01T01:00:00Z")
    world.apply(policy(workers=1))
    for running in (3, 2, 1):
        world.look()
        assert world.row("SELECT count(*) FROM invocation WHERE ended_at IS NULL") == (running,)
        world.end(world.launches[0])
    world.look()
    assert world.row("SELECT count(*) FROM invocation") == (4,)
    world.audit()


@pytest.mark.rule("OCC-18")
def test_without_a_binding_it_is_refused_and_says_so() -> None:
    world = World()
    world.define(draft("s", "0 * * * *"))
    world.activate("s", unbound=True)
    world.at("2026-01-01T01:00:00Z")
    assert pending(world) == [("refused", "unavailable")]
    world.audit()


@pytest.mark.rule("OCC-08")
def test_stored_and_not_admitted_the_same_occurrence_is_offered_again(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.add(draft("s", "0 * * * *"))
    world.clock.advance(3600 * SECOND)
    with world.ledger.decide() as tx:
        materialize(tx, allowance_us=SECOND, limit=9)
    assert pending(world) == [("pending", "not_yet")]
    world.reopen()
    world.look()
    assert world.rows("SELECT id, state FROM occurrence") == [(1, "admitted")]
    assert len(world.launches) == 1
    world.audit()


@pytest.mark.rule("OCC-08", "WIN-04")
def test_admitted_and_not_acknowledged_the_same_run_is_found_again(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.add(draft("s", "0 * * * *"))
    world.at("2026-01-01T01:00:00Z")
    decided = content(world.ledger.connection)
    world.clock.advance(1800 * SECOND)
    world.reopen()
    again = world.look()
    assert (again.schedules, again.decided, again.launches) == (0, 0, [])
    assert content(world.ledger.connection) == decided, "read back, not made again"
    world.audit()


@pytest.mark.rule("OCC-18", "CUT-01")
def test_what_is_decided_later_about_policy_and_definitions_changes_no_row_and_no_event(tmp_path: Path) -> None:
    world = World(tmp_path, workers=1)
    world.add(draft("s", "*/10 * * * *", allowed_delay="5m"), draft("t", "*/15 * * * *"))
    world.live("2026-01-01T02:00:00Z", takes="12m")
    settled = "SELECT * FROM occurrence WHERE state <> 'pending'"
    before = {
        "occurrence": world.rows(settled), "event": world.rows("SELECT * FROM event"),
        "revision": world.rows("SELECT * FROM revision"), "range": world.rows("SELECT * FROM firing_range"),
    }  # fmt: skip
    world.apply(policy(workers=9, horizon="1h"))
    world.define(
        draft("s", "*/10 * * * *", allowed_delay="9m", labels='{"a":"b"}'), draft("t", "*/15 * * * *", jitter="5m")
    )
    world.bind(success=(0, 7))
    world.activate("s")
    world.activate("t")
    world.reopen()
    assert world.rows("SELECT * FROM event")[: len(before["event"])] == before["event"]
    assert world.rows(settled)[: len(before["occurrence"])] == before["occurrence"]
    assert world.rows("SELECT * FROM revision")[:2] == before["revision"]
    world.live("2026-01-01T03:00:00Z", takes="12m")
    kept = {row[0]: row for row in world.rows(settled)}
    assert all(kept[row[0]] == row for row in before["occurrence"])
    world.audit()


def test_the_binding_in_force_at_the_claim_is_the_one_that_counts() -> None:
    world = World()
    world.add(draft("s", "0 * * * *"))
    world.bind(success=(0, 9))
    world.at("2026-01-01T01:00:00Z")
    world.bind(success=(0,))
    world.start(world.launches[0])
    ended = world.see(Ended(world.launches[0].attempt, "exited", code=9))
    assert ended == "completed", "judged by what it was launched with"
    world.audit()


def test_a_ledger_opened_twice_in_one_process_is_two_writers(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.add(draft("s", "0 * * * *"))
    assert world.path is not None
    other = open_ledger(world.path, world.clock, actor="other")
    world.at("2026-01-01T01:00:00Z")
    assert one_pass(other).admitted == 0
    world.audit()
