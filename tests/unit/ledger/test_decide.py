"""The write door: who may date a decision, what a rollback leaves, and what a failing disk makes of a commit."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import apsw
import pytest

from spellweaver.clock import VirtualClock
from spellweaver.core.instant import SECOND
from spellweaver.core.pattern import one_station
from spellweaver.engine.activate import activate
from spellweaver.engine.define import define
from spellweaver.engine.tick import Pass, step
from spellweaver.errors import DiskTrouble, Refused, SpellweaverError, TryAgain, Unusable
from spellweaver.ledger import decide, observe
from spellweaver.ledger.decide import Ledger
from spellweaver.ledger.opening import create_ledger, memory_ledger, open_ledger
from tests.support.audit import audit
from tests.support.engine import World, content, draft, one_pass, us
from tests.support.faults import Undone, failing_disk, refuse_statement


class CountingClock(VirtualClock):
    """Notes whether the write lock was held at each reading."""

    def __init__(self, now: int) -> None:
        super().__init__(now)
        self.ledger: Ledger | None = None
        self.locked: list[bool] = []

    def now(self) -> int:
        if self.ledger is not None:
            self.locked.append(self.ledger.connection.txn_state("main") == apsw.SQLITE_TXN_WRITE)
        return super().now()


@pytest.mark.rule("WIN-02")
def test_every_sample_of_a_pass_is_taken_while_the_write_lock_is_held(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.add(draft("a", "* * * * *"), draft("b", "* * * * *", allowed_delay="1h"))
    clock = CountingClock(us("2026-01-01T00:10:00Z"))
    world.ledger.clock = clock
    clock.ledger = world.ledger
    one_pass(world.ledger)
    assert len(clock.locked) >= 4, "one for the look, one for each Schedule and each item"
    assert all(clock.locked)


@pytest.mark.rule("WIN-02")
def test_a_rollback_decides_nothing(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.add(draft("a", "* * * * *"))
    before = content(world.ledger.connection)
    world.clock.advance(60 * SECOND)
    with pytest.raises(KeyboardInterrupt), world.ledger.decide() as tx:
        tx.record("planted", tx.decided_at(), {})
        tx.connection.execute("UPDATE schedule SET next_at = 0")
        raise KeyboardInterrupt
    assert content(world.ledger.connection) == before
    assert world.look().admitted == 1


def test_a_dry_run_gives_the_verdict_and_leaves_the_ledger_as_it_was(tmp_path: Path) -> None:
    world = World(tmp_path)
    before = content(world.ledger.connection)
    files = {name: (tmp_path / name).read_bytes() for name in ("ledger.db", "ledger.db-wal")}
    with world.ledger.decide(dry_run=True) as tx:
        told = define(tx, patterns=[one_station("job", "1")], schedules=[draft("a", "* * * * *")], owner="operator")
    assert [(t.name, t.status) for t in told] == [("job@1", "new"), ("local/a", "new")]
    assert content(world.ledger.connection) == before
    assert {name: (tmp_path / name).read_bytes() for name in files} == files


@pytest.mark.rule("CUT-01")
def test_what_was_read_in_a_dry_run_is_not_taken_for_what_is_defined_after_it() -> None:
    """Row numbers that a rollback gives back come to mean another revision."""
    world = World()
    with world.ledger.decide(dry_run=True) as tx:
        define(tx, patterns=[one_station("job", "1")], schedules=[draft("a", "@yearly")], owner="operator")
        activate(tx, schedule="a", revision=None, unbound=True)
    world.add(draft("a", "*/20 * * * *"))
    world.live("2026-01-01T01:00:00Z")
    assert [at for at, *_ in world.fates("a")] == [
        "2026-01-01T00:20:00Z", "2026-01-01T00:40:00Z", "2026-01-01T01:00:00Z",
    ]  # fmt: skip


def test_a_savepoint_undoes_rows_events_and_sample_together() -> None:
    world = World()
    before = content(world.ledger.connection)
    with world.ledger.decide() as tx:
        first = tx.decided_at()
        world.clock.step(-SECOND)
        with pytest.raises(Refused), tx.savepoint():
            assert tx.decided_at() == first - SECOND
            tx.record("planted", first, {})
            tx.connection.execute("INSERT INTO authority VALUES ('x', 1, 'x')")
            raise Refused("planted", "planted")
        assert len(tx.events) == 0
        world.clock.step(SECOND)
        assert tx.decided_at() == first
    assert content(world.ledger.connection) == before, "the step that was undone with its sample is no event"


def test_savepoints_stand_in_each_other() -> None:
    world = World()
    with world.ledger.decide() as tx, tx.savepoint():
        tx.record("outer", tx.decided_at(), {})
        with pytest.raises(Refused), tx.savepoint():
            tx.record("inner", tx.decided_at(), {})
            raise Refused("planted", "planted")
    assert [t for t, _ in world.events()] == ["ledger.made", "outer"]


@pytest.mark.rule("CAT-05")
@pytest.mark.parametrize("size", [1, 3600 * SECOND])
def test_a_sample_before_the_last_committed_one_is_told_in_the_same_transaction(tmp_path: Path, size: int) -> None:
    world = World(tmp_path)
    world.add(draft("a", "* * * * *"))
    world.at("2026-01-01T00:01:00Z")
    before = world.clock.now()
    world.clock.step(-size)
    world.look()
    assert world.events("clock_stepped_back") == [
        ("clock_stepped_back", {"before_at": before, "after_at": before - size, "size_us": size})
    ]
    world.reopen()
    world.look()
    assert len(world.events("clock_stepped_back")) == 1, "said once"
    world.audit()


@pytest.mark.rule("CAT-05")
def test_a_sample_that_was_committed_without_an_event_counts_too() -> None:
    """That a command started is on its rows alone; an end before that start has to be explained."""
    world = World()
    world.add(draft("a", "* * * * *"))
    world.at("2026-01-01T00:01:00Z")
    world.clock.advance(5 * SECOND)
    world.start(world.launches[0])
    world.clock.step(-2 * SECOND)
    world.end(world.launches[0])
    assert [n["size_us"] for _, n in world.events("clock_stepped_back")] == [2 * SECOND]


def test_a_locked_ledger_is_waited_for_and_then_said_to_be_busy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path)
    other = apsw.Connection(f"{tmp_path}/ledger.db")
    other.execute("BEGIN IMMEDIATE")
    monkeypatch.setattr(decide, "LOCK_PATIENCE_US", 9_000)
    with pytest.raises(TryAgain, match="locked by another writer") as said, world.ledger.decide():
        pass
    assert said.value.exit_status == 75

    waited = []

    def pause(us_: int) -> None:
        waited.append(us_)
        if len(waited) == 3:
            other.execute("COMMIT")

    monkeypatch.setattr(decide, "pause", pause)
    monkeypatch.setattr(decide, "LOCK_PATIENCE_US", 10_000_000)
    with world.ledger.decide() as tx:
        tx.record("planted", tx.decided_at(), {})
    assert waited == [decide.LOCK_STEP_US] * 3, "short even steps"


def recovered(folder: Path, to: Path) -> World:
    """What the next program finds after a power cut: the files without the shared memory."""
    to.mkdir(mode=0o700)
    for name in ("ledger.db", "ledger.db-wal"):
        shutil.copy(folder / name, to / name)
        os.chmod(to / name, 0o600)
    return World.opened(f"{to}/ledger.db", us("2026-01-01T00:01:00Z"))


@pytest.mark.rule("WIN-04", "OCC-08")
@pytest.mark.parametrize("method", ["xSync", "xWrite"])
def test_a_commit_that_failed_is_settled_by_a_fence_and_then_stays_as_was_said(tmp_path: Path, method: str) -> None:
    with failing_disk() as disk:
        world = World(tmp_path / "one")
        world.add(draft("a", "* * * * *"))
        world.clock.advance(60 * SECOND)
        disk.failing[method] = 1
        with pytest.raises(DiskTrouble) as said:
            world.look()
        assert (said.value.code, said.value.exit_status) == ("disk_error", 74)
        after = recovered(tmp_path / "one", tmp_path / "two")
        assert after.fates("a") == [], "it was said not to be made, and no recovery finds it made"
        assert world.look().admitted == 1
    world.reopen()
    assert world.fates("a") == [("2026-01-01T00:01:00Z", "admitted", "foreground")]
    assert world.row("SELECT fences FROM ledger") == (1,)
    world.audit()


@pytest.mark.rule("WIN-04")
def test_the_fence_is_what_keeps_a_failed_commit_from_coming_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without it the next program would find what this one said was not made: that is why the error is no rollback."""
    monkeypatch.setattr(Ledger, "_fenced", lambda _ledger: True)
    with failing_disk() as disk:
        world = World(tmp_path / "one")
        world.add(draft("a", "* * * * *"))
        world.clock.advance(60 * SECOND)
        disk.failing["xSync"] = 1
        with pytest.raises(DiskTrouble):
            world.look()
        assert recovered(tmp_path / "one", tmp_path / "two").fates("a") != []


@pytest.mark.rule("WIN-04")
def test_a_commit_that_is_on_record_after_all_is_a_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The acknowledgement alone was lost: the decision is read back by seq and hash, and is not made again."""
    world = World(tmp_path)
    world.add(draft("a", "* * * * *"))
    world.clock.advance(60 * SECOND)
    class Lossy:
        """A connection whose COMMIT is done and then reported as failed."""

        def __init__(self, real: apsw.Connection) -> None:
            self.real = real
            self.lose = 1

        def execute(self, sql: str, *values: object) -> object:
            done = self.real.execute(sql, *values)
            if sql == "COMMIT" and self.lose:
                self.lose -= 1
                raise apsw.IOError("planted: the answer was lost")
            return done

        def __getattr__(self, name: str) -> object:
            return getattr(self.real, name)

    monkeypatch.setattr(world.ledger, "connection", Lossy(world.ledger.connection))
    assert world.look().admitted == 1
    world.reopen()
    assert world.look().admitted == 0
    assert world.fates("a") == [("2026-01-01T00:01:00Z", "admitted", "foreground")]
    assert world.row("SELECT fences FROM ledger") == (1,)
    world.audit()


@pytest.mark.rule("WIN-04")
def test_a_disk_that_goes_on_failing_leaves_the_outcome_unknown_and_says_so(tmp_path: Path) -> None:
    with failing_disk() as disk:
        world = World(tmp_path)
        world.add(draft("a", "* * * * *"))
        world.clock.advance(60 * SECOND)
        disk.failing["xSync"] = 1000
        with pytest.raises(DiskTrouble, match="Not known is whether it is on record: evt_6 .occ") as said:
            world.look()
        assert (said.value.code, said.value.exit_status) == ("commit_unknown", 74)
        disk.failing.clear()
    world.reopen()
    world.look()
    assert world.fates("a") == [("2026-01-01T00:01:00Z", "admitted", "foreground")], "once, whichever it was"
    world.audit()


def full(world: World) -> None:
    """The ledger may not grow by a single page."""
    (pages,) = world.row("PRAGMA page_count")
    world.ledger.connection.execute(f"PRAGMA max_page_count = {pages}")


def test_a_full_disk_makes_no_decision_and_is_named(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.add(*(draft(f"s{n}", "* * * * *") for n in range(40)))
    before = content(world.ledger.connection)
    full(world)
    world.clock.advance(3600 * SECOND)
    with pytest.raises(DiskTrouble, match="the disk is full. Nothing was written") as said:
        world.look()
    assert said.value.exit_status == 74
    assert content(world.ledger.connection) == before
    world.ledger.connection.execute("PRAGMA max_page_count = 100000")
    assert world.look().admitted == 4
    world.audit()


@pytest.mark.rule("WIN-02", "OCC-16")
def test_where_the_disk_undoes_the_whole_transaction_nothing_more_is_done_in_it(tmp_path: Path) -> None:
    world = World(tmp_path)
    before = content(world.ledger.connection)
    full(world)
    with pytest.raises(DiskTrouble), world.ledger.decide() as tx:
        with tx.savepoint():
            tx.record("first", tx.decided_at(), {})
            tx.connection.execute("INSERT INTO authority VALUES ('first', 1, 'x')")
        with pytest.raises(DiskTrouble, match="the disk is full"), tx.savepoint():
            tx.connection.execute("INSERT INTO zone_rules VALUES (zeroblob(32), zeroblob(100000))")
        assert world.ledger.connection.get_autocommit(), "else this test shows nothing"
        with pytest.raises(DiskTrouble, match="Nothing was written"), tx.savepoint():
            tx.connection.execute("INSERT INTO authority VALUES ('third', 1, 'x')")
    assert content(world.ledger.connection) == before, "a further closure of the group did not stand alone"


@pytest.mark.rule("OCC-16", "OCC-08")
def test_a_rollback_at_each_statement_of_a_pass_leaves_the_ledger_as_it_was(tmp_path: Path) -> None:
    world = World(tmp_path, workers=2)
    world.add(draft("a", "* * * * *"), draft("b", "*/2 * * * *", allowed_delay="5m"), draft("c", "@hourly"))
    world.at("2026-01-01T00:01:00Z")
    world.clock.advance(90 * 60 * SECOND)
    before = content(world.ledger.connection)
    nth, refused = 1, 0
    while True:
        refuse_statement(world.ledger.connection, nth)
        try:
            with world.ledger.decide() as tx:
                step(tx, Pass(SECOND))
            break
        except Undone:
            refused += 1
        finally:
            world.ledger.connection.exec_trace = None
        assert content(world.ledger.connection) == before, f"statement {nth}"
        nth += 1
    assert refused > 40, "statements were refused one by one until none was left"
    world.audit()


def test_a_new_ledger_is_whole_or_not_there(tmp_path: Path) -> None:
    path = f"{tmp_path}/state/ledger.db"
    create_ledger(path, VirtualClock(1), actor="test", machine="here").close()
    assert sorted(os.listdir(f"{tmp_path}/state")) == [
        "ledger.db", "ledger.db-shm", "ledger.db-wal", "ledger.witness",
    ]  # fmt: skip
    assert os.stat(path).st_mode & 0o777 == 0o600 and os.stat(f"{tmp_path}/state").st_mode & 0o777 == 0o700
    with pytest.raises(Refused, match="there is a ledger at") as said:
        create_ledger(path, VirtualClock(1), actor="test", machine="here")
    assert said.value.exit_status == 3
    assert not [name for name in os.listdir(f"{tmp_path}/state") if name.endswith(".new")]


@pytest.mark.parametrize("mode, code", [(0o722, "state_writable"), (0o702, "state_writable")])
def test_a_place_that_others_may_write_is_refused(tmp_path: Path, mode: int, code: str) -> None:
    world = World(tmp_path / "state")
    world.ledger.close()
    assert world.path is not None
    os.chmod(tmp_path / "state", mode)
    with pytest.raises(Unusable) as said:
        open_ledger(world.path, world.clock, actor="test")
    assert (said.value.code, said.value.exit_status) == (code, 78)


@pytest.mark.rule("SIM-01")
def test_a_copy_in_memory_is_another_ledger_and_the_real_one_is_only_read(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.add(draft("a", "* * * * *"))
    world.at("2026-01-01T00:01:00Z")
    before = content(world.ledger.connection)
    assert world.path is not None
    copy = memory_ledger(world.clock, actor="test", copy_of=world.path)
    kept = content(copy.connection)
    assert kept.pop("ledger") != before["ledger"] and kept == {k: v for k, v in before.items() if k != "ledger"}
    assert copy.connection.execute("SELECT kind FROM ledger").fetchall() == [("simulated",)]
    world.clock.advance(3600 * SECOND)
    one_pass(copy)
    assert audit(copy.connection) == []
    assert content(world.ledger.connection) == before


def test_the_log_is_grown_beforehand_and_outlives_the_last_connection(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.add(draft("a", "* * * * *"))
    log = tmp_path / "ledger.db-wal"
    world.ledger.grow_log()
    assert log.stat().st_size == observe.WAL_LIMIT
    world.ledger.grow_log()
    assert log.stat().st_size == observe.WAL_LIMIT, "once is enough"
    world.at("2026-01-01T00:01:00Z")
    assert recovered(tmp_path, tmp_path / "two").fates("a") == world.fates("a"), "zeros end no recovery too early"
    world.ledger.checkpoint()
    world.ledger.close()
    assert log.stat().st_size == observe.WAL_LIMIT
    world.ledger = open_ledger(f"{tmp_path}/ledger.db", world.clock, actor="test")
    world.at("2026-01-01T00:02:00Z")
    assert log.stat().st_size == observe.WAL_LIMIT, "a commit does not extend it"
    world.audit()


def test_an_idle_look_sees_that_another_connection_committed(tmp_path: Path) -> None:
    world = World(tmp_path)
    assert world.path is not None
    before = world.ledger.data_version()
    assert world.ledger.data_version() == before
    with open_ledger(world.path, world.clock, actor="other").decide() as tx:
        tx.record("planted", tx.decided_at(), {})
    assert world.ledger.data_version() != before


def test_a_broken_constraint_is_a_bug_and_stays_what_it_is(tmp_path: Path) -> None:
    world = World(tmp_path)
    with pytest.raises(apsw.ConstraintError), world.ledger.decide() as tx, tx.savepoint():
        tx.connection.execute("INSERT INTO account VALUES ('workers', 1)")


def test_a_guarded_write_that_changes_no_row_stops(tmp_path: Path) -> None:
    world = World(tmp_path)
    with pytest.raises(AssertionError, match="0 rows changed where 1 had to"), world.ledger.decide() as tx:
        tx.change("UPDATE account SET capacity = 1 WHERE name = 'nobody'", ())
    with pytest.raises(AssertionError, match="1 rows changed where 2 had to"), world.ledger.decide() as tx:
        tx.change_many("UPDATE account SET capacity = 1 WHERE name = ?", [("workers",), ("nobody",)])
    assert world.row("SELECT capacity FROM account") == (4,)


def test_every_error_of_the_disk_has_a_next_step(tmp_path: Path) -> None:
    path = f"{tmp_path}/ledger.db"
    disk = (apsw.BusyError, apsw.FullError, apsw.ReadOnlyError, apsw.CantOpenError, apsw.NotADBError, apsw.IOError)
    for kind in disk:
        told = observe.trouble(kind("planted: said"), path)
        assert isinstance(told, SpellweaverError)
        assert told.hint and path in told.message and told.exit_status in (74, 75, 78), kind
    with pytest.raises(apsw.SQLError):
        observe.trouble(apsw.SQLError("a bug"), path)
