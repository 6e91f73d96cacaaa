"""A SIGKILL before each statement of an hour's work: the ledger opens, every invariant holds, what was acknowledged is
there, and in the end no firing is lost or doubled.

A kill cuts no write of SQLite in two; a power cut does, and has a harness of its own. CI takes a sample; all of it:

    SPELLWEAVER_CRASH_EVERY=1 python -m pytest tests/unit/engine/test_crash.py
"""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from spellweaver.clock import VirtualClock
from spellweaver.core import pattern
from spellweaver.core.instant import SECOND
from spellweaver.core.launch import Ended, Identity, NeverStarted, Started
from spellweaver.engine.activate import activate
from spellweaver.engine.define import define
from spellweaver.engine.recover import recover
from spellweaver.engine.settle import settle
from spellweaver.engine.tick import Pass, step
from spellweaver.ledger.decide import Ledger
from spellweaver.ledger.opening import open_ledger
from tests.support.engine import BOOT, World, draft, policy
from tests.support.faults import die_at_statement, in_child, statements

EVERY = int(os.environ.get("SPELLWEAVER_CRASH_EVERY", "13"))

Fates = list[tuple[object, ...]]


def prepared(folder: Path) -> World:
    """One Schedule that runs over its next firing, one with windows, one with a backlog, one worker short."""
    world = World(folder, workers=2)
    world.add(
        draft("fast", "*/10 * * * *"), draft("windowed", "*/20 * * * *", allowed_delay="15m"),
        draft("minutely", "* * * * *"), draft("jittered", "0 * * * *", jitter="9m"),
    )  # fmt: skip
    world.live("2026-01-01T00:20:00Z")
    return world


def whole_pass(ledger: Ledger, said: Callable[[object], None]) -> None:
    """A pass that acknowledges each commit."""
    under_way = Pass(SECOND, chunk=2)
    while under_way.phase != "done":
        with ledger.decide() as tx:
            launches = step(tx, under_way)
        said([launch.attempt for launch in launches])


def work(ledger: Ledger, clock: VirtualClock, said: Callable[[object], None]) -> None:
    """An outage is caught up with, what was claimed starts and ends, a revision is switched, time goes on."""
    clock.advance(50 * 60 * SECOND)
    whole_pass(ledger, said)
    for left in _open(ledger):
        who = Identity(4000 + left, 1, BOOT, 1)
        with ledger.decide() as tx:
            settle(tx, Started(left, who, who))
        said("started")
    with ledger.decide() as tx:
        new = draft("fast", "*/10 * * * *", horizon="2h")
        define(tx, patterns=[pattern.one_station("job", "1")], schedules=[new], owner="operator")
        activate(tx, schedule="fast", revision=None, unbound=False)
    said("activated")
    clock.advance(5 * 60 * SECOND)
    for left in _open(ledger):
        with ledger.decide() as tx:
            settle(tx, Ended(left, "exited", code=0))
        said("ended")
    whole_pass(ledger, said)


def _open(ledger: Ledger) -> list[int]:
    rows = ledger.connection.execute("SELECT id FROM attempt WHERE state IN ('launching', 'running') ORDER BY id")
    return [int(str(row[0])) for row in rows.fetchall()]


def finished(world: World) -> None:
    """The next daemon: adopts, ends what runs, and goes on for an hour."""
    with world.ledger.decide() as tx:
        left = recover(tx)
    for one in left:
        shut = one.state == "launching"
        world.see(NeverStarted(one.attempt, "gate") if shut else Ended(one.attempt, "exited", code=0))
    world.define(draft("fast", "*/10 * * * *", horizon="2h"))
    world.activate("fast")
    world.live("2026-01-01T01:30:00Z")


def copied(source: Path, target: Path) -> str:
    target.mkdir(mode=0o700)
    for name in ("ledger.db", "ledger.db-wal"):
        shutil.copy(source / name, target / name)
        os.chmod(target / name, 0o600)
    return f"{target}/ledger.db"


def firings(world: World) -> Fates:
    """Every firing: the Schedule, first, last and how many. Whose revision each is, the audit says."""
    return world.rows(
        "SELECT s.name, x.first, x.last, x.n FROM ("
        "SELECT schedule, nominal_at AS first, nominal_at AS last, 1 AS n FROM occurrence UNION ALL "
        "SELECT schedule, first_at, last_at, count FROM firing_range) x JOIN schedule s ON s.id = x.schedule "
        "ORDER BY 1, 2"
    )


@pytest.mark.rule("OCC-08", "OCC-15", "RCV-04")
@pytest.mark.timeout(600)
def test_killed_before_any_statement_nothing_is_lost_doubled_or_half_done(quick_path: Path) -> None:
    base = prepared(quick_path / "base")
    began = base.clock.now()
    base.ledger.close()

    whole = World.opened(copied(quick_path / "base", quick_path / "whole"), began)
    count = len(statements(whole.ledger.connection, lambda: work(whole.ledger, whole.clock, lambda _: None)))
    finished(whole)
    whole.audit()
    expected = firings(whole)
    assert count > 150

    for nth in range(1, count + 1, EVERY):
        folder = quick_path / f"at{nth}"
        path, told = copied(quick_path / "base", folder), folder / "told"

        def killed(path: str = path, told: Path = told, nth: int = nth) -> None:
            clock = VirtualClock(began)
            ledger = open_ledger(path, clock, actor="child")
            die_at_statement(ledger.connection, nth)
            with told.open("w") as out:

                work(ledger, clock, lambda fact: print(json.dumps([clock.now(), fact]), file=out, flush=True))

        assert in_child(killed) == signal.SIGKILL, nth
        acknowledged = [json.loads(line) for line in told.read_text().splitlines()]
        after = World.opened(path, max([began, *(at for at, _ in acknowledged)]))
        after.audit()
        for attempt in [attempt for _, launched in acknowledged if isinstance(launched, list) for attempt in launched]:
            assert after.rows("SELECT 1 FROM attempt WHERE id = ? AND state <> 'granted'", attempt), "told and lost"
        started = sum(what == "started" for _, what in acknowledged)
        assert len(after.rows("SELECT 1 FROM attempt WHERE started_at IS NOT NULL AND id > 3")) >= started
        activated = any(what == "activated" for _, what in acknowledged)
        assert len(after.rows("SELECT 1 FROM activation")) >= 4 + activated
        finished(after)
        after.audit()
        found = firings(after)
        assert len({(name, first) for name, first, *_ in found}) == len(found), f"{nth}: a firing twice"
        assert covered(found) == covered(expected), f"{nth}: a firing lost"
        after.ledger.close()
        shutil.rmtree(folder)


def covered(found: Fates) -> dict[object, tuple[int, object, object]]:
    """By Schedule: how many firings, the first and the last."""
    told: dict[object, tuple[int, object, object]] = {}
    for name, first, last, n in found:
        count, begin, _ = told.get(name, (0, first, last))
        told[name] = count + int(str(n)), begin, last
    return told


@pytest.mark.rule("WIN-04", "OCC-08")
def test_killed_between_commit_and_answer_the_decision_is_found_and_not_made_again(quick_path: Path) -> None:
    world = World(quick_path)
    world.add(draft("s", "0 * * * *", allowed_delay="5m"))
    world.ledger.close()
    began = world.clock.now()

    def killed() -> None:
        clock = VirtualClock(began)
        ledger = open_ledger(str(world.path), clock, actor="child")
        clock.advance(3600 * SECOND)
        with ledger.decide() as tx:
            step(tx, Pass(SECOND))
        os.kill(os.getpid(), signal.SIGKILL)

    assert in_child(killed) == signal.SIGKILL
    after = World.opened(str(world.path), began + 3 * 3600 * SECOND)
    assert after.fates("s") == [("2026-01-01T01:00:00Z", "admitted", "window_open")], "though its window is long over"
    assert after.row("SELECT decided_at FROM occurrence") == (began + 3600 * SECOND,)
    with after.ledger.decide() as tx:
        (left,) = recover(tx)
    after.see(NeverStarted(left.attempt, "gate"))
    again = after.look()
    assert [launch.occurrence for launch in again.launches] == [1], "the same Occurrence and Run are offered again"
    assert after.row("SELECT count(*) FROM invocation WHERE occurrence = 1") == (1,)
    after.audit()


@pytest.mark.rule("RCV-01", "OCC-04")
def test_rp_36_a_run_whose_daemon_and_command_died_is_settled_once_and_blocks_no_longer(quick_path: Path) -> None:
    world = World(quick_path)
    world.add(draft("n", "* * * * *"))
    world.at("2026-01-01T00:01:00Z")
    world.start(world.launches[0])
    world.reopen()
    world.clock.advance(150 * SECOND)
    with world.ledger.decide() as tx:
        (left,) = recover(tx)
    world.see(Ended(left.attempt, "signalled", signal=9))
    world.see(Ended(left.attempt, "signalled", signal=9))
    world.look()
    assert world.row('SELECT count(*) FROM "grant" WHERE settled IS NULL') == (1,), "that of the new run"
    assert [f[1:] for f in world.fates("n")] == [
        ("admitted", "foreground"), ("skipped", "superseded"), ("admitted", "foreground"),
    ]  # fmt: skip
    assert len(world.events("invocation.failed")) == 1
    world.audit()


@pytest.mark.rule("CAT-02")
def test_rp_20_restarts_leave_what_is_active_active(quick_path: Path) -> None:
    """Clean stops and kills in turn, the same definitions loaded each time."""
    drafts = [draft(f"s{n}", "0 * * * *") for n in range(10)]
    world = World(quick_path)
    world.add(*drafts)
    world.define(draft("waits", "0 * * * *"))
    before = world.rows("SELECT name, state, active FROM schedule ORDER BY id")
    world.ledger.close()
    began = world.clock.now()
    for turn in range(10):

        def start(turn: int = turn) -> None:
            clock = VirtualClock(began + turn * SECOND)
            ledger = open_ledger(str(world.path), clock, actor="child")
            with ledger.decide() as tx:
                told = define(tx, patterns=[pattern.one_station("job", "1")], schedules=drafts, owner="operator")
                assert {one.status for one in told} == {"unchanged"}
                step(tx, Pass(SECOND))
            if turn % 2:
                os.kill(os.getpid(), signal.SIGKILL)
            ledger.close()

        assert in_child(start) == (signal.SIGKILL if turn % 2 else 0)
    after = World.opened(str(world.path), began + 60 * SECOND)
    assert after.rows("SELECT name, state, active FROM schedule ORDER BY id") == before
    after.apply(policy(workers=3))
    after.audit()
