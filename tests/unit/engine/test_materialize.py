"""Every firing up to now gets an Occurrence or a range, and the settled-to mark moves with it."""

from __future__ import annotations

import os
import signal
import threading
from hashlib import sha256
from pathlib import Path

import pytest

from spellweaver.core import instant
from spellweaver.core.instant import SECOND
from spellweaver.core.policy import Gap
from spellweaver.engine.activate import activate
from spellweaver.manifest import zones
from tests.support.calendars import calendar
from tests.support.engine import World, draft, us
from tests.support.faults import statements

DAY_2 = "2026-01-02T00:00:00Z"


@pytest.mark.rule("OCC-14", "OCC-15")
def test_nothing_is_recorded_before_its_nominal_and_the_mark_moves_with_the_record() -> None:
    world = World()
    world.add(draft("s", "0 * * * *"))
    for at, fates, settled in (
        ("2026-01-01T00:59:59Z", 0, "2026-01-01T00:00:00Z"),
        ("2026-01-01T01:00:00Z", 1, "2026-01-01T01:00:00Z"),
        ("2026-01-01T01:30:00Z", 1, "2026-01-01T01:00:00Z"),
        ("2026-01-01T02:00:00Z", 2, "2026-01-01T02:00:00Z"),
    ):
        world.at(at)
        (mark,) = world.row("SELECT settled_to FROM schedule")
        assert (len(world.fates("s")), mark) == (fates, us(settled) // SECOND), at
    world.clock.advance(SECOND - 1)
    world.look()
    assert len(world.fates("s")) == 2


@pytest.mark.rule("OCC-14")
def test_an_early_reading_of_a_microsecond_is_too_early() -> None:
    world = World()
    world.add(draft("s", "0 * * * *"))
    world.clock.advance(3600 * SECOND - 1)
    world.look()
    assert world.fates("s") == []
    world.clock.advance(1)
    world.look()
    assert world.fates("s") == [("2026-01-01T01:00:00Z", "admitted", "foreground")]


@pytest.mark.rule("OCC-02")
def test_a_firing_is_named_by_generation_civil_time_and_the_showing_where_it_repeats() -> None:
    """2026-10-25 in Bratislava: 02:30 is shown at 00:30Z and at 01:30Z."""
    world = World(now="2026-10-24T12:00:00Z")
    world.add(draft("both", "30 2 * * *", zone="Europe/Bratislava", fold="both"), draft("every", every="90m"))
    world.live("2026-10-26T12:00:00Z")
    key = (
        "SELECT generation, civil, fold, nominal_at FROM occurrence o JOIN schedule s ON s.id = o.schedule "
        "WHERE name = ?"
    )
    named = [
        (generation, instant.civil_text(int(str(civil))), fold, instant.show(int(str(at))))
        for generation, civil, fold, at in world.rows(f"{key} ORDER BY nominal_at", "both")
    ]
    assert named == [
        (1, "2026-10-25T02:30:00", 0, "2026-10-25T00:30:00Z"),
        (1, "2026-10-25T02:30:00", 1, "2026-10-25T01:30:00Z"),
        (1, "2026-10-26T02:30:00", -1, "2026-10-26T01:30:00Z"),
    ]
    for _, civil, fold, at in world.rows(key, "every"):
        assert (civil, fold) == (int(str(at)) // SECOND, -1), "absolute: the instant is the name"
    world.audit()


@pytest.mark.rule("OCC-11")
def test_an_occurrence_binds_what_was_so_when_it_was_stored(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.add(draft("s", "0 * * * *", zone="Europe/Rome", allowed_delay="30m", jitter="10m"))
    world.at("2026-01-01T01:00:00Z")
    found = world.rows(
        "SELECT o.schedule, s.authority, r.number, r.digest, o.generation, o.civil, o.fold, o.nominal_at, o.due_at, "
        "o.not_before, o.latest_start_at, o.finish_by, o.class, o.mode, o.policy, o.authority, o.created_at, o.state, "
        "o.reason, p.key, p.revision, p.digest, hex(r.zone_rules), "
        "r.body ->> '$.overlap', r.body ->> '$.input', r.body ->> '$.labels' "
        "FROM occurrence o JOIN schedule s ON s.id = o.schedule JOIN revision r ON r.id = o.revision "
        "JOIN pattern_version p ON p.id = r.pattern"
    )  # fmt: skip
    ((*row,),) = found
    nominal = us("2026-01-01T01:00:00Z")
    due = row[8]
    assert nominal < int(str(due)) < nominal + 600 * SECOND
    assert row[:3] == [1, "local", 1]
    assert row[4:8] == [1, nominal // SECOND + 3600, -1, nominal]
    assert row[8:12] == [due, due, nominal + 1800 * SECOND, None], "jitter sets not_before and no other bound"
    assert row[12:19] == ["deadline_windowed", "live", 1, 1, nominal, "pending", "not_yet"]
    assert row[19:21] == ["job", "1"]
    assert str(row[22]).lower() == sha256(zones.rules("Europe/Rome")).hexdigest()
    assert row[23:] == ["forbid", "{}", "{}"]
    world.audit()


@pytest.mark.rule("CLS-05", "OCC-11")
def test_without_a_window_its_fields_are_null() -> None:
    world = World()
    world.add(draft("s", "0 * * * *", jitter="10m"))
    world.at("2026-01-01T01:00:00Z")
    assert world.row("SELECT not_before, latest_start_at, finish_by FROM occurrence") == (None, None, None)


@pytest.mark.rule("CAL-03")
@pytest.mark.parametrize(
    "gap, fate",
    [("skip", ("skipped", "gap")), ("advance", ("admitted", "foreground")), ("fail", ("refused", "gap"))],
)
def test_a_missing_time_is_settled_at_the_end_of_its_gap(gap: Gap, fate: tuple[str, str], tmp_path: Path) -> None:
    """2026-03-29 in Bratislava: 02:30 does not exist; the gap ends at 01:00Z."""
    world = World(tmp_path, now="2026-03-28T12:00:00Z")
    world.add(draft("s", "30 2 * * *", zone="Europe/Bratislava", gap=gap))
    assert world.row("SELECT next_at FROM schedule") == (us("2026-03-29T01:00:00Z"),)
    world.at("2026-03-29T00:59:59Z")
    assert world.fates("s") == []
    world.reopen()
    world.at("2026-03-29T01:00:00Z")
    assert world.fates("s") == [("2026-03-29T01:00:00Z", *fate)]
    (civil, fold) = world.row("SELECT civil, fold FROM occurrence")
    assert (instant.civil_text(int(str(civil))), fold) == ("2026-03-29T02:30:00", -1), "named by the missing time"
    for launch in world.launches:
        world.end(launch)
    world.live("2026-03-30T12:00:00Z")
    assert world.fates("s")[1:] == [("2026-03-30T00:30:00Z", "admitted", "foreground")], "the Schedule goes on"
    world.audit()


@pytest.mark.rule("CAL-03")
def test_a_nominal_firing_at_the_end_of_the_gap_takes_the_missing_ones_in() -> None:
    world = World(now="2026-03-28T12:00:00Z")
    world.add(draft("s", "0,30 2-3 * * *", zone="Europe/Bratislava", gap="advance"))
    world.live("2026-03-29T12:00:00Z")
    assert [at for at, *_ in world.fates("s")] == ["2026-03-29T01:00:00Z", "2026-03-29T01:30:00Z"]
    read = calendar("0,30 2-3 * * *", "Europe/Bratislava", gap="advance")
    (taker,) = read.find(instant.parse_civil("2026-03-29T02:30"))
    assert taker.civil_s == instant.parse_civil("2026-03-29T03:00"), "found by the time that it took in"


@pytest.mark.rule("CAL-07", "CAL-08")
def test_stored_reckoning_is_the_same_after_a_restart(tmp_path: Path) -> None:
    world = World(tmp_path, now="2026-10-24T12:00:00Z")
    world.add(draft("s", "*/20 * * * *", zone="Europe/Bratislava", fold="both", jitter="15m", allowed_delay="16m"))
    world.live("2026-10-25T01:30:00Z")
    stored = (
        "SELECT civil, fold, nominal_at, due_at, not_before, latest_start_at, revision, generation "
        "FROM occurrence ORDER BY id"
    )
    before = world.rows(stored)
    assert len(before) > 20 and {fold for _, fold, *_ in before} == {-1, 0, 1}
    for _ in range(2):
        world.reopen()
        world.look()
        assert world.rows(stored) == before
    world.live("2026-10-25T03:00:00Z")
    assert world.rows(stored)[: len(before)] == before
    world.audit()


@pytest.mark.rule("CAL-08", "OCC-03")
def test_jitter_moves_the_due_instant_and_no_other_thing() -> None:
    plain, moved = World(), World()
    plain.add(draft("s", "0 * * * *", allowed_delay="50m"))
    moved.add(draft("s", "0 * * * *", allowed_delay="50m", jitter="40m"))
    for world in (plain, moved):
        world.live("2026-01-02T00:00:00Z")
    same = "SELECT generation, civil, fold, nominal_at, latest_start_at FROM occurrence ORDER BY nominal_at"
    assert plain.rows(same) == moved.rows(same)
    late = [int(str(d)) - int(str(n)) for n, d in moved.rows("SELECT nominal_at, due_at FROM occurrence")]
    assert all(0 <= j < 2400 * SECOND for j in late) and len(set(late)) > 20
    decided = moved.rows("SELECT due_at, decided_at FROM occurrence WHERE state = 'admitted'")
    assert len(decided) > 20 and all(due == at for due, at in decided), "admitted at its due instant"
    moved.audit()


@pytest.mark.rule("OCC-13")
@pytest.mark.parametrize("missed, ranges", [(16, 0), (17, 1)])
def test_more_than_sixteen_neighbours_of_one_fate_are_a_range(missed: int, ranges: int) -> None:
    world = World()
    world.add(draft("s", "0 * * * *", horizon="0s"))
    world.clock.advance((missed * 3600 + 30) * SECOND)
    world.look()
    assert world.row("SELECT count(*) FROM firing_range") == (ranges,)
    assert world.row("SELECT count(*) FROM occurrence") == (0 if ranges else missed,)
    world.audit()


@pytest.mark.rule("OCC-13")
def test_each_firing_in_a_range_is_answered_by_it_after_a_restart_too(tmp_path: Path) -> None:
    """The range over a clock change stands for the very firings that the calendar names between its ends."""
    world = World(tmp_path, now="2026-03-01T00:00:00Z")
    world.add(draft("s", "*/30 * * * *", zone="Europe/Bratislava"))
    world.at("2026-04-10T00:10:00Z")
    world.reopen()
    named = calendar("*/30 * * * *", "Europe/Bratislava")
    begin, end = us("2026-03-01T00:00:00Z") // SECOND, us("2026-04-10T00:10:00Z") // SECOND
    answers: dict[tuple[int, int], list[str]] = {}
    for civil, fold, state, reason in world.rows("SELECT civil, fold, state, reason FROM occurrence"):
        answers.setdefault((int(str(civil)), int(str(fold))), []).append(f"{state} {reason}")
    for first, last, count, state, reason in world.rows(
        "SELECT first_at, last_at, count, state, reason FROM firing_range"
    ):
        fate = "gap_skip" if reason == "gap" else "fires"
        inside = [c for c in named.walk(int(str(first)) // SECOND - 1, int(str(last)) // SECOND) if c.fate == fate]
        assert len(inside) == count, "exact"
        for found in inside:
            answers.setdefault((found.civil_s, found.fold), []).append(f"{state} {reason}")
    expected = {(c.civil_s, c.fold) for c in named.walk(begin, end)}
    assert answers.keys() == expected, "no firing is lost"
    assert all(len(said) == 1 for said in answers.values()), "and none has two fates"
    world.audit()


@pytest.mark.rule("OCC-15")
def test_a_year_of_minutes_costs_a_few_rows_and_statements() -> None:
    world = World()
    world.add(draft("s", "* * * * *", zone="Europe/Bratislava"))
    world.clock.advance(365 * 86_400 * SECOND + 30 * SECOND)
    spent = statements(world.ledger.connection, world.look)
    assert len(spent) < 60
    (rows,) = world.row("SELECT (SELECT count(*) FROM occurrence) + (SELECT count(*) FROM firing_range)")
    assert int(str(rows)) < 10
    told = world.row("SELECT (SELECT count(*) FROM occurrence) + (SELECT sum(count) FROM firing_range)")
    assert told == (365 * 1440,)
    world.audit()


def steps(world: World) -> int:
    """How much SQLite works in a pass, in hundreds of its instructions: a measure that no other process disturbs."""
    counted = [0]

    def count() -> bool:
        counted[0] += 1
        return False

    world.ledger.connection.set_progress_handler(count, 100)
    world.look()
    world.ledger.connection.set_progress_handler(None)
    return counted[0]


@pytest.mark.rule("CLS-06")
def test_a_look_costs_what_is_due_and_neither_what_is_to_come_nor_what_waits() -> None:
    spent = []
    for size in (50, 1000):
        world = World(now="2025-12-31T23:59:59Z", workers=1)
        world.add(draft("busy", "0 0 1 1 *"))
        world.add(*(draft(f"waits{n}", "0 1 1 1 *") for n in range(size)))
        world.add(*(draft(f"s{n}", "0 0 1 6 *") for n in range(size)))
        world.at("2026-01-01T00:00:00Z")
        world.at("2026-01-01T01:00:00Z")
        assert world.row("SELECT count(*) FROM occurrence WHERE reason = 'capacity'") == (size,)
        world.add(draft("one", "0 2 1 1 *"))
        world.clock.advance(3600 * SECOND)
        one_due = steps(world)
        world.end(world.launches[0])
        spent.append((steps(world), one_due, steps(world)))
        assert world.row("SELECT count(*) FROM occurrence WHERE state = 'admitted'") == (2,), "the worker was given on"
    small, large = spent
    assert all(b <= a + 2 for a, b in zip(small, large, strict=True)), spent


@pytest.mark.rule("CLS-06")
def test_work_of_the_future_is_rows_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """``SPELLWEAVER_FUTURE=100000`` for the number that the rule names."""
    count = int(os.environ.get("SPELLWEAVER_FUTURE", "3000"))

    def begun(*_: object) -> None:
        raise AssertionError("held for work that is not due")

    files, threads = len(os.listdir("/proc/self/fd")), os.listdir("/proc/self/task")
    with monkeypatch.context() as watched:
        for owner, name in ((threading.Thread, "start"), (signal, "setitimer"), (signal, "alarm"), (os, "fork")):
            watched.setattr(owner, name, begun)
        world = World()
        many = [draft(f"s{n}", "0 0 1 6 *") for n in range(count)]
        world.define(*many)
        world.bind()
        with world.ledger.decide() as tx:
            for one in many:
                activate(tx, schedule=one.full_name, revision=None, unbound=False)
        done = world.look()
    assert (done.schedules, done.next_wake) == (0, us("2026-06-01T00:00:00Z")), "one moment for all of them"
    assert world.row("SELECT count(*) FROM schedule WHERE next_at = ?", done.next_wake) == (count,)
    assert world.row("SELECT count(*) FROM occurrence") == (0,)
    assert os.listdir("/proc/self/task") == threads
    assert len(os.listdir("/proc/self/fd")) <= files


def test_what_is_due_beyond_one_chunk_is_found_all_the_same() -> None:
    world = World(workers=500)
    world.add(*(draft(f"s{n}", "0 * * * *") for n in range(25)))
    world.clock.advance(3600 * SECOND)
    done = world.look(chunk=10)
    assert (done.schedules, done.admitted, len(done.launches)) == (25, 25, 25)
    world.audit()


@pytest.mark.rule("CAT-01", "CAT-10")
def test_a_hundred_that_were_stored_early_and_found_after_their_window_do_not_hold_the_pass() -> None:
    """They are missed at once: a pass that found them again and again would never end."""
    world = World()
    world.add(*(draft(f"s{n}", "0 0 2 1 *", allowed_delay="2h", jitter="1h") for n in range(12)))
    world.at(DAY_2)
    assert {fate[1:] for n in range(12) for fate in world.fates(f"s{n}")} == {("pending", "not_yet")}
    world.clock.advance(5 * 3600 * SECOND)
    assert world.look(chunk=5).phase == "done"
    assert {fate[1:] for n in range(12) for fate in world.fates(f"s{n}")} == {("missed", "latest_start")}
    world.audit()


@pytest.mark.rule("CAT-08", "OCC-18")
def test_the_numbers_that_were_compared_are_on_record() -> None:
    world = World()
    world.add(draft("s", "0 * * * *", allowed_delay="30m", horizon="90m"), draft("t", "0 0 2 1 *", jitter="1h"))
    world.at("2026-01-01T03:10:00Z", allowance="2s")
    (skipped,), (missed,), admitted = (
        [n for t, n in world.events(f"occurrence.{state}")] for state in ("skipped", "missed", "admitted")
    )
    late = 130 * 60 * SECOND
    assert skipped == {"reason": "horizon", "late_us": late, "allowance_us": 2 * SECOND, "horizon_us": 5400 * SECOND}
    assert missed == {
        "reason": "latest_start", "late_us": late - 3600 * SECOND, "allowance_us": 2 * SECOND,
        "allowed_delay_us": 1800 * SECOND,
    }  # fmt: skip
    assert admitted[0].items() >= {
        "reason": "window_open", "late_us": 600 * SECOND, "allowance_us": 2 * SECOND, "mode": "catch_up",
        "due_at": us("2026-01-01T03:00:00Z"), "free": 4, "waited_us": 600 * SECOND,
    }.items()  # fmt: skip
    world.at(DAY_2)
    world.at("2026-01-02T03:00:00Z")
    caught_up = [n for _, n in world.events("occurrence.admitted") if n.get("mode") == "catch_up"]
    (kept,) = [n for n in caught_up if n["reason"] == "foreground"]
    assert int(str(kept["late_us"])) > 3600 * SECOND and kept["allowance_us"] == SECOND
    world.audit()


@pytest.mark.rule("CAT-05")
def test_a_backward_step_fires_nothing_again_and_firing_goes_on_by_the_new_time(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.add(draft("s", "* * * * *"))
    world.live("2026-01-01T00:10:00Z")
    before = world.fates("s")
    world.clock.step(-300 * SECOND)
    world.reopen()
    world.look()
    assert world.fates("s") == before
    world.live("2026-01-01T00:10:30Z")
    assert world.fates("s") == before, "what is on record has its outcome"
    world.live("2026-01-01T00:12:00Z")
    assert world.fates("s")[len(before) :] == [
        ("2026-01-01T00:11:00Z", "admitted", "foreground"), ("2026-01-01T00:12:00Z", "admitted", "foreground"),
    ]  # fmt: skip
    assert len(world.events("clock_stepped_back")) == 1
    world.audit()


@pytest.mark.rule("WIN-09", "CAT-05")
def test_a_clock_correction_judges_what_is_open_by_stored_bounds_and_reopens_nothing() -> None:
    world = World(workers=1)
    world.add(draft("busy", "0 0 1 1 *"), draft("s", "0 1 * * *", allowed_delay="30m"))
    world.clock.step(-3600 * SECOND)
    world.add(draft("first", "30 23 31 12 *"))
    world.at("2025-12-31T23:30:00Z")  # takes the worker and keeps it
    world.at("2026-01-01T01:00:00Z")
    assert world.fates("s") == [("2026-01-01T01:00:00Z", "pending", "capacity")]
    bound = world.row("SELECT latest_start_at FROM occurrence o JOIN schedule s ON s.id = o.schedule WHERE name = 's'")
    world.clock.step(2 * 3600 * SECOND)
    world.look()
    assert world.fates("s") == [("2026-01-01T01:00:00Z", "missed", "capacity")]
    world.clock.step(-2 * 3600 * SECOND)
    world.end(world.launches[0])
    world.look()
    assert world.fates("s") == [("2026-01-01T01:00:00Z", "missed", "capacity")], "a miss is a miss"
    assert bound == (us("2026-01-01T01:30:00Z"),)
    world.audit()

