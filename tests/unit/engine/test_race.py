"""Two processes on one ledger: each firing is one, has one revision, is admitted once and launched once."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from spellweaver.clock import VirtualClock
from spellweaver.core import pattern
from spellweaver.core.cutover import Entry
from spellweaver.core.identity import AttemptId
from spellweaver.core.instant import SECOND
from spellweaver.core.launch import Ended, Identity, Started
from spellweaver.engine.activate import activate
from spellweaver.engine.define import define
from spellweaver.engine.settle import settle
from spellweaver.ledger import decide
from spellweaver.ledger.decide import Ledger
from spellweaver.ledger.observe import observe
from spellweaver.ledger.opening import open_ledger
from tests.support.engine import BOOT, World, draft, one_pass, us
from tests.support.faults import race


def driven(path: str, clock: VirtualClock, actor: str) -> Ledger:
    """As a daemon opens it: the clocks of racers are far apart, and none waits for another's to settle."""
    ledger = open_ledger(path, clock, actor=actor)
    ledger.drives = True
    ledger.drives = True
    return ledger


def ended(ledger: Ledger, attempt: AttemptId) -> None:
    who = Identity(4000 + attempt, 1, BOOT, 1)
    with ledger.decide() as tx:
        settle(tx, Started(attempt, who, who))
    with ledger.decide() as tx:
        settle(tx, Ended(attempt, "exited", code=0))


@pytest.mark.rule("OCC-01", "OCC-04", "OCC-16")
def test_rp_38_two_loops_on_one_ledger_make_each_firing_once(tmp_path: Path) -> None:
    world = World(tmp_path, workers=64)
    world.add(*(draft(f"s{n}", "* * * * *") for n in range(10)))
    assert world.path is not None
    path, start = world.path, world.clock.now()
    world.ledger.close()

    first, second = os.pipe(), os.pipe()

    def loop(mine: Path, here: int, there: int) -> None:
        clock = VirtualClock(start)
        ledger = driven(path, clock, mine.name)
        launched = []
        for _ in range(10):
            clock.advance(60 * SECOND)
            os.write(there, b".")  # both begin each minute together
            os.read(here, 1)
            for launch in one_pass(ledger, chunk=3).launches:
                launched.append([launch.schedule, launch.firing])
                ended(ledger, launch.attempt)
        mine.write_text(json.dumps(launched))

    race(lambda: loop(tmp_path / "one", first[0], second[1]), lambda: loop(tmp_path / "two", second[0], first[1]))
    launched = [tuple(x) for name in ("one", "two") for x in json.loads((tmp_path / name).read_text())]
    world.ledger = open_ledger(path, world.clock, actor="test")
    world.ledger.drives = True
    assert len(launched) == len(set(launched)), "none is launched by both"
    counted = world.row("SELECT count(*), count(DISTINCT schedule || ' ' || nominal_at) FROM occurrence")
    assert counted == (100, 100)
    (admitted,) = world.row("SELECT count(*) FROM occurrence WHERE state = 'admitted'")
    assert admitted == len(launched)
    world.audit()


@pytest.mark.rule("OCC-04", "CUT-03")
def test_a_firing_at_the_switch_is_assigned_to_one_revision_whoever_is_quicker(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.add(draft("s", "* * * * *"))
    assert world.path is not None
    path, start = world.path, world.clock.now()
    world.ledger.close()

    def fire() -> None:
        clock = VirtualClock(start)
        ledger = driven(path, clock, "fires")
        for _ in range(40):
            clock.advance(60 * SECOND)
            for launch in one_pass(ledger).launches:
                ended(ledger, launch.attempt)

    def switch() -> None:
        clock = VirtualClock(start)
        ledger = driven(path, clock, "switches")
        for minutes in range(2, 42):
            clock.advance(60 * SECOND)
            with ledger.decide() as tx:
                new = draft("s", "* * * * *", horizon=f"{minutes}m")
                define(tx, patterns=[pattern.one_station("job", "1")], schedules=[new], owner="operator")
                activate(tx, schedule="s", revision=None, unbound=False)

    race(fire, switch)
    world.ledger = open_ledger(path, world.clock, actor="test")
    world.ledger.drives = True
    assert world.row("SELECT count(*) FROM activation") == (41,)
    assert world.row("SELECT count(*), count(DISTINCT nominal_at) FROM occurrence") == (40, 40)
    world.audit()  # which revision owns each is told there, by the order of the journal


@pytest.mark.rule("OVL-06", "OVL-01", "OCC-16")
def test_of_two_that_admit_at_once_one_admits(tmp_path: Path) -> None:
    world = World(tmp_path, workers=1)
    world.add(*(draft(f"s{n}", "*/10 * * * *", allowed_delay="9h") for n in range(3)))
    assert world.path is not None
    path, start = world.path, world.clock.now()
    world.ledger.close()

    def admit(who: str) -> None:
        clock = VirtualClock(start)
        ledger = driven(path, clock, who)
        for _ in range(30):
            clock.advance(60 * SECOND)
            done = one_pass(ledger, chunk=1)
            with observe(path) as view:
                row = view.row("SELECT count(*) FROM invocation WHERE ended_at IS NULL")
                assert row is not None and int(str(row[0])) <= 1, "one worker"
            for launch in done.launches:
                ended(ledger, launch.attempt)

    race(lambda: admit("one"), lambda: admit("two"))
    world.ledger = open_ledger(path, world.clock, actor="test")
    world.ledger.drives = True
    assert world.row("SELECT count(*) FROM occurrence") == (9,)
    world.audit()


@pytest.mark.rule("WIN-02", "WIN-05")
@pytest.mark.parametrize("late, fate", [(-1, ("admitted", "window_open")), (0, ("missed", "latest_start"))])
def test_the_sample_is_taken_when_the_lock_is_held_and_not_when_it_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, late: int, fate: tuple[str, str]
) -> None:
    """Another process holds the write lock while the window closes, or until just before."""
    world = World(tmp_path)
    world.add(draft("s", "0 1 * * *", allowed_delay="5m"))
    world.clock.advance(3600 * SECOND)
    assert world.path is not None
    path, bound = world.path, us("2026-01-01T01:05:00Z")
    (locked, tell_locked), (release, tell_release), (freed, tell_freed) = os.pipe(), os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        other = apsw.Connection(path)
        other.execute("BEGIN IMMEDIATE")
        os.write(tell_locked, b".")
        os.read(release, 1)
        other.execute("COMMIT")
        os.write(tell_freed, b".")
        os._exit(0)
    os.read(locked, 1)
    waited = []

    def pause(_us: int) -> None:
        if not waited:
            waited.append(world.clock.now())
            world.clock.step(bound + late - world.clock.now())
            os.write(tell_release, b".")
            os.read(freed, 1)

    monkeypatch.setattr(decide, "pause", pause)
    world.look(allowance="1h")
    assert os.waitpid(pid, 0)[1] == 0
    assert waited == [us("2026-01-01T01:00:00Z")], "it asked for the lock inside the window"
    assert [f[1:] for f in world.fates("s")] == [fate]
    assert world.row("SELECT decided_at FROM occurrence") == (bound + late,)
    world.audit()


def test_rp_60_readers_and_writers_beside_the_loop_meet_no_lock_error(tmp_path: Path) -> None:
    world = World(tmp_path, workers=16)
    world.add(*(draft(f"s{n}", "* * * * *") for n in range(10)))
    assert world.path is not None
    path, start = world.path, world.clock.now()
    world.ledger.close()

    def loop() -> None:
        clock = VirtualClock(start)
        ledger = driven(path, clock, "loop")
        for _ in range(40):
            clock.advance(60 * SECOND)
            for launch in one_pass(ledger).launches:
                ended(ledger, launch.attempt)

    def write(name: str) -> None:
        ledger = driven(path, VirtualClock(start), name)
        for n in range(1, 60):
            with ledger.decide() as tx:
                new = draft(name, "@yearly", horizon=f"{n}h")
                define(tx, patterns=[pattern.one_station("job", "1")], schedules=[new], owner="operator")

    def read() -> None:
        last = 0
        for _ in range(150):
            with observe(path) as view:
                _, head = view.head()
                row = view.row("SELECT count(*) FROM event")
                assert row == (head,), "one snapshot"
                assert head >= last
                last = head

    race(loop, lambda: write("w1"), lambda: write("w2"), read, read)
    world.ledger = open_ledger(path, world.clock, actor="test")
    world.ledger.drives = True
    assert world.row("SELECT count(*) FROM revision WHERE id > 10") == (118,)
    assert world.row("SELECT count(*) FROM occurrence") == (400,)
    world.audit()


@pytest.mark.rule("CUT-08", "OCC-04")
@pytest.mark.parametrize("round_", range(4))
def test_a_cutover_and_a_relay_at_one_moment_give_each_firing_one_owner(tmp_path: Path, round_: int) -> None:
    """The firing of the hour is found while its reading is replaced. Whoever is quicker, it is the old revision's; the
    new one's candidate of that hour is no other firing."""
    world = World(tmp_path, now="2026-01-01T00:30:00Z")
    world.add(draft("s", "0 * * * *", cycle="time"))
    world.define(draft("s", "1 * * * *", cycle="time"))
    world.clock.advance(1800 * SECOND)
    planned = world.plan("s", span="2h").partition
    entries = tuple(
        Entry("same", (f"c1:2026-01-01T0{hour}:00", f"c2:2026-01-01T0{hour}:01"), "old" if hour == 1 else "new")
        for hour in (1, 2)
    )
    last = Entry("distinct", ("c1:2026-01-01T03:00",), "old")
    whole = replace(
        planned, entries=(*entries, last), old_last="c1:2026-01-01T03:00", new_first="c2:2026-01-01T02:01"
    )
    assert world.path is not None
    path, start = world.path, world.clock.now()
    world.ledger.close()

    def fire() -> None:
        ledger = driven(path, VirtualClock(start), "fires")
        for launch in one_pass(ledger).launches:
            ended(ledger, launch.attempt)

    def switch() -> None:
        ledger = driven(path, VirtualClock(start), "switches")
        with ledger.decide() as tx:
            activate(tx, schedule="s", revision=2, unbound=False, partition=whole)

    race(*((fire, switch) if round_ % 2 else (switch, fire)), fire)
    world.ledger = open_ledger(path, world.clock, actor="test")
    world.ledger.drives = True
    world.live("2026-01-01T03:30:00Z")
    assert world.rows("SELECT revision, generation, nominal_at FROM occurrence ORDER BY nominal_at") == [
        (1, 1, us("2026-01-01T01:00:00Z")), (2, 2, us("2026-01-01T02:01:00Z")), (1, 1, us("2026-01-01T03:00:00Z")),
        (2, 2, us("2026-01-01T03:01:00Z")),
    ]  # fmt: skip
    world.audit()
