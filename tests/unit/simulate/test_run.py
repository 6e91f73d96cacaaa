"""A simulation on a copy of a ledger, and what files bring to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from spellweaver.core.binding import Binding
from spellweaver.errors import Refused, Usage
from spellweaver.manifest.read import Manifest
from spellweaver.simulate.run import Plan, simulate
from spellweaver.simulate.script import Runtime
from tests.support.audit import audit
from tests.support.engine import World, draft, policy, us
from tests.support.simulated import Seen, manifest, scenario, simulation

BEGIN = "2026-03-01T00:00:00Z"


def copied(world: World, begin: str, length: str, *, starts: str | None = None, files: Manifest | None = None,
           runtimes: tuple[Runtime, ...] = (), until_quiet: bool = False) -> Seen:  # fmt: skip
    plan = Plan(
        scenario(begin, length, until_quiet=until_quiet), world.path, us(starts) if starts else None,
        files or Manifest(), runtimes,
    )  # fmt: skip
    done = simulate(plan)
    assert audit(done.ledger.connection) == []
    return Seen(done, simulation.items(done))


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "state", now=BEGIN)


def test_it_goes_on_from_what_is_on_record(world: World) -> None:
    world.add(draft("s", "*/10 * * * *"))
    world.live("2026-03-01T00:25:00Z")
    seen = copied(world, "2026-03-01T00:25:00Z", "30m")
    assert seen.due("s") == [f"2026-03-01T00:{minute}:00Z" for minute in (30, 40, 50)]
    assert [item["id"] for item in seen.of("s")] == ["occ_3", "occ_4", "occ_5"]
    head = world.row("SELECT l.id, max(e.seq) FROM ledger l, event e")
    assert seen.done.head == head


@pytest.mark.rule("SIM-01")
def test_a_copy_is_a_simulated_ledger_of_its_own(world: World) -> None:
    world.add(draft("s", "*/10 * * * *"))
    before = world.rows("SELECT count(*) FROM event")
    seen = copied(world, BEGIN, "1h")
    assert seen.done.ledger.connection.execute("SELECT kind FROM ledger").fetchall() == [("simulated",)]
    assert world.rows("SELECT kind FROM ledger") == [("real",)]
    assert world.rows("SELECT count(*) FROM event") == before
    assert world.rows("SELECT count(*) FROM occurrence") == [(0,)]


def test_a_backlog_is_judged_as_it_would_be_if_run_began_now(world: World) -> None:
    world.add(draft("s", "*/10 * * * *"))
    seen = copied(world, "2026-03-01T01:05:00Z", "10m")
    assert seen.fates("s") == [
        *((f"2026-03-01T00:{minute}:00Z", "skipped", "superseded") for minute in (10, 20, 30, 40, 50)),
        ("2026-03-01T01:00:00Z", "admitted", "foreground"), ("2026-03-01T01:10:00Z", "admitted", "foreground"),
    ]  # fmt: skip
    assert [item["mode"] for item in seen.of("s")][-2:] == ["catch_up", "live"]


def test_the_time_until_a_later_begin_is_simulated_and_not_shown(world: World) -> None:
    world.add(draft("s", "*/10 * * * *"))
    seen = copied(world, "2026-03-02T00:00:00Z", "20m", starts=BEGIN)
    assert seen.fates("s") == [
        (f"2026-03-02T00:{minute}:00Z", "admitted", "foreground") for minute in (10, 20)
    ]  # fmt: skip
    assert [item["id"] for item in seen.of("s")] == ["occ_145", "occ_146"]


def test_what_waited_before_a_later_begin_is_shown_with_its_end(world: World) -> None:
    world.add(draft("w", "0,10 * * * *", allowed_delay="2h"))
    seen = copied(world, "2026-03-01T01:15:00Z", "1h", starts=BEGIN, runtimes=(Runtime("*", us("25m")),))
    assert seen.fates("w") == [
        ("2026-03-01T01:10:00Z", "admitted", "window_open"), ("2026-03-01T02:00:00Z", "admitted", "window_open"),
        ("2026-03-01T02:10:00Z", "pending", "overlap"),
    ]  # fmt: skip


def test_open_runs_go_on_as_scripted_and_block(world: World) -> None:
    world.add(draft("s", "*/10 * * * *"))
    world.at("2026-03-01T00:10:00Z")
    world.start(world.launches[0])
    seen = copied(world, "2026-03-01T00:15:00Z", "30m", runtimes=(Runtime("main", us("12m")),))
    assert (seen.done.found, seen.done.peak) == (1, 1)
    assert seen.fates("s") == [
        ("2026-03-01T00:20:00Z", "skipped", "overlap"), ("2026-03-01T00:30:00Z", "admitted", "foreground"),
        ("2026-03-01T00:40:00Z", "skipped", "overlap"),
    ]  # fmt: skip
    ran = seen.done.ledger.connection.execute("SELECT state, ended_at FROM invocation WHERE id = 1").fetchall()
    assert ran == [("completed", us("2026-03-01T00:22:00Z"))]


def test_a_launch_whose_gate_never_opened_is_offered_again(world: World) -> None:
    world.add(draft("s", "*/10 * * * *"))
    world.at("2026-03-01T00:10:00Z")
    seen = copied(world, "2026-03-01T00:15:00Z", "4m")
    attempts = seen.done.ledger.connection.execute("SELECT nth, state FROM attempt ORDER BY nth").fetchall()
    assert attempts == [(1, "never_started"), (2, "exited")]


def test_nothing_begins_before_the_last_instant_on_record(world: World) -> None:
    world.add(draft("s", "*/10 * * * *"))
    world.live("2026-03-01T00:25:00Z")
    with pytest.raises(Usage, match="last instant on record") as refused:
        copied(world, "2026-03-01T00:19:00Z", "1h")
    assert refused.value.code == "before_the_record"


def test_files_come_to_a_copy_where_the_span_begins(world: World) -> None:
    world.add(draft("s", "*/10 * * * *"))
    edited = manifest(draft("s", "*/10 * * * *", horizon="1h"), draft("new", "5 * * * *"))
    seen = copied(world, "2026-03-01T02:01:00Z", "1h", starts=BEGIN, files=edited)
    assert {(item["schedule"], item["revision"]) for item in seen.items} == {("local/s", 2), ("local/new", 1)}
    assert seen.due("new") == ["2026-03-01T02:05:00Z"]
    changed = {d.name: (d.status, d.changes) for d in seen.done.introduced.defined}
    assert changed["local/s"] == ("revision", ("recovery.misfire_horizon_us",))


def test_a_calendar_read_differently_is_refused_as_the_engine_refuses_it(world: World) -> None:
    world.add(draft("s", "*/10 * * * *"))
    with pytest.raises(Refused) as refused:
        copied(world, BEGIN, "1h", files=manifest(draft("s", "*/20 * * * *")))
    assert refused.value.code == "needs_cutover"


def test_policy_and_bindings_of_the_files_are_in_force_and_the_rest_is_scripted() -> None:
    files = manifest(draft("a", "0 * * * *"), draft("b", "0 * * * *", version="other@2"), policy=policy(workers=1))
    bound = Binding("job", "1", "main", ("/bin/true",), timeout_us=us("5m"))
    files = Manifest(files.patterns, (bound,), files.schedules, files.policy)
    done = simulate(Plan(scenario(BEGIN, "1h", until_quiet=True), manifest=files, runtimes=(Runtime("*", us("10m")),)))
    seen = Seen(done, simulation.items(done))
    assert (done.introduced.scripted, done.introduced.policy) == (("other@2 main",), ("workers: 4 → 1",))
    assert [str(item["outcome"]) for item in seen.items] == ["timed_out", "completed"]
    assert done.peak == 1
    assert seen.late_s("b") == [300]


def test_without_files_what_is_unbound_is_refused_as_it_would_be(world: World) -> None:
    world.define(draft("s", "0 * * * *"))
    world.activate("s", unbound=True)
    seen = copied(world, BEGIN, "1h")
    assert seen.fates("s") == [("2026-03-01T01:00:00Z", "refused", "unavailable")]


@pytest.mark.parametrize(
    ("name", "known"),
    [("man", False), ("main", True), ("job@1.main", True), ("job@2.main", False), ("end", False)],
)
def test_a_runtime_names_a_station_that_is_there(name: str, known: bool) -> None:
    plan = Plan(scenario(BEGIN, "1h"), manifest=manifest(draft("s", "0 * * * *")), runtimes=(Runtime(name, us("1m")),))
    if known:
        simulate(plan)
        return
    with pytest.raises(Usage) as refused:
        simulate(plan)
    assert refused.value.code == "no_such_station"
    assert refused.value.hint == "name one of *, main, job@1.main"


def test_the_one_who_waits_hears_of_each_moment() -> None:
    heard: list[int] = []
    simulate(Plan(scenario(BEGIN, "2h"), manifest=manifest(draft("s", "0 * * * *"))), on_moment=heard.append)
    moments = ["T00:00:00", "T01:00:00", "T01:00:01", "T02:00:00"]
    assert heard == [us(f"2026-03-01{moment}Z") for moment in moments]
