"""Random histories of an engine that dies between and inside its commits, under a clock that is set both ways, beside a
small model of the law that shares nothing with it: after each step both say the same of every firing.

    SPELLWEAVER_EXAMPLES=2000 python -m pytest tests/property/test_against_model.py     so many histories, other ones
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from spellweaver.core.identity import AttemptId, InvocationId
from spellweaver.core.instant import SECOND
from spellweaver.core.launch import Contained, Ended, Identity, NeverStarted, Sighting, Started
from spellweaver.engine import clock as clock_verbs
from spellweaver.engine.cancel import cancel
from spellweaver.engine.recover import recover
from spellweaver.engine.resolve import resolve
from spellweaver.engine.settle import settle
from spellweaver.engine.tick import Pass, step
from tests.property.model import Model, Terms
from tests.support.engine import BOOT, World, draft, policy, us

EXAMPLES = os.environ.get("SPELLWEAVER_EXAMPLES")
NOW = "2026-01-01T00:00:00Z"
SETTLE, TICK = 15 * SECOND, SECOND
# no two of them ever fire in one second, so that the order of selection is the law's alone
CALENDARS: dict[str, tuple[str, int, tuple[int, ...]]] = {
    "tens": ("3 */10 * * * *", 600, (3,)),
    "list": ("5 0,7,30,31,58 * * * *", 3600, (5, 425, 1805, 1865, 3485)),
    "sevens": ("7m", 420, (0,)),
    "minutely": ("11 * * * * *", 60, (11,)),
}
TERMS = st.builds(
    lambda delay, horizon: Terms(None if delay is None else us(delay), us(horizon)),
    st.sampled_from((None, None, "2s", "5m", "25m", "3h")), st.sampled_from(("0s", "20m", "2h", "6h")),
)  # fmt: skip
NAMES = st.sampled_from(tuple(CALENDARS))
WHICH = st.integers(0, 7)
SOON = st.sampled_from((0, 1, 20, 59, 300, 600))
LONG = st.sampled_from((1200, 1200, 2220, 2220, 10_800, 30_000))
COMES = (
    "missed latest_start", "missed overlap", "missed capacity", "skipped superseded", "skipped horizon",
    "skipped overlap", "admitted foreground", "admitted window_open", "contained", "recovered after a crash",
    "clock stepped back", "late",
)  # fmt: skip
seen: Counter[str] = Counter()

Run = tuple[int, int, str, str, str, int]  # Invocation, attempt, state of this and of that, Schedule, nominal second


class Died(Exception):
    """The process is gone; nobody closes anything."""


class Histories(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None))
        self.lives = 0
        self.agreed = False

    @initialize(workers=st.sampled_from((1, 1, 2, 3)), terms=st.tuples(TERMS, TERMS, TERMS, TERMS))
    def begin(self, workers: int, terms: tuple[Terms, ...]) -> None:
        self.world = World(self.root / "0", now=NOW, workers=workers)
        self.model = Model(workers)
        for (name, (_, period, offsets)), one in zip(CALENDARS.items(), terms, strict=True):
            self.world.add(_draft(name, one))
            self.model.add(name, period, offsets, one, self.now)
        self.agree()

    @property
    def now(self) -> int:
        return self.world.clock.now()

    # what happens

    @rule(after=SOON)
    def look(self, after: int) -> None:
        self.world.clock.advance(after * SECOND)
        self.world.look()
        self.model.look(self.now, TICK)
        self.agree()

    @rule(each=st.lists(st.integers(1, 90), min_size=2, max_size=6), ends=st.booleans())
    def live(self, each: list[int], ends: bool) -> None:
        """It looks every minute or so, and what it starts goes well, or goes on."""
        for after in each:
            self.look(after)
            for run in self.runs():
                if run[2] == "launching":
                    self.starts_run(run)
                elif ends and run[2] == "running" and run[3] == "running":
                    self.see(run, Ended(AttemptId(run[1]), "exited", code=0))

    @rule(after=SOON)
    def look_when_busy(self, after: int) -> None:
        """A pass that comes late because the engine was busy: ordinary lateness, up to a quarter of an hour."""
        self.world.clock.advance(after * SECOND)
        self.world.look(allowance="15m", chunk=2)
        before = {n: set(p.fates) for n, p in self.model.plans.items()}
        self.model.look(self.now, us("15m"))
        seen["late"] += sum(
            state == "admitted" and TICK < self.now - f * SECOND <= us("15m")
            for n, p in self.model.plans.items() for f, (state, _) in p.fates.items() if f not in before[n]
        )  # fmt: skip
        self.agree()

    @rule(after=LONG)
    def outage(self, after: int) -> None:
        self.look(after)

    @rule(
        kind=st.sampled_from(("due", "late", "closed", "old", "old")), which=WHICH, off=st.sampled_from((-1, 0, 0, 1))
    )
    def look_at_a_bound(self, kind: str, which: int, off: int) -> None:
        """At the very microsecond that a window closes, a horizon ends, a lateness begins; or one beside it."""
        bounds = sorted(bound for bound in self.model.bounds(self.now, kind) if bound + off > self.now)
        if bounds:
            self.world.clock.advance(bounds[which % len(bounds)] + off - self.now)
        self.world.look()
        self.model.look(self.now, TICK)
        self.agree()

    @rule(by=st.sampled_from((-290, -70, -3, 4, 65, 280)))
    def set_the_clock_a_little(self, by: int) -> None:
        self.world.clock.step(by * SECOND)
        seen["clock stepped back"] += by < 0

    @rule(by=st.sampled_from((-10_000, -1900, -400, 400, 1900, 30_000)), dies=st.booleans())
    def set_the_clock_much(self, by: int, dies: bool) -> None:
        """Nothing is decided until it has settled, by whichever process."""
        before = self.now
        self.world.clock.step(by * SECOND)
        with self.world.ledger.decide() as tx:
            clock_verbs.stepped(tx, before_at=before, after_at=self.now)
        self.model.stepped(self.now)
        seen["clock stepped back"] += by < 0
        if dies:
            self.restart()
        else:
            self.wait_until_settled()
        self.world.look()
        self.model.look(self.now, TICK)
        self.agree()

    def wait_until_settled(self) -> None:
        self.world.clock.advance(SETTLE)
        with self.world.ledger.decide() as tx:
            clock_verbs.settled(tx)
        self.model.settled(self.now)

    @rule(after=st.one_of(SOON, LONG), commits=st.integers(0, 6), torn=st.booleans(), down=st.one_of(SOON, LONG))
    def die_in_a_pass(self, after: int, commits: int, torn: bool, down: int) -> None:
        """After so many commits, or inside the next one. What is there is what the law decides, or a part of it that
        was whole.
        """
        self.world.clock.advance(after * SECOND)
        with contextlib.suppress(Died):
            self.pass_until(commits, torn)
        self.model = self.as_far_as_it_came()
        self.world.clock.advance(down * SECOND)
        self.restart()
        self.agree()

    def pass_until(self, commits: int, torn: bool) -> None:
        under_way = Pass(TICK, chunk=1)
        for _ in range(commits):
            if under_way.phase == "done":
                return
            with self.world.ledger.decide() as tx:
                step(tx, under_way)
        if torn and under_way.phase != "done":
            with self.world.ledger.decide() as tx:
                step(tx, under_way)
                self.take_over()  # its bytes as they are while it writes
                raise Died

    def as_far_as_it_came(self) -> Model:
        """The Schedules are judged each by itself, in some order; when all are, what waits is asked in the law's."""
        there = self.ledger_says()
        judged = self.model.copy()
        for name in judged.plans:
            judged.judge(name, self.now, TICK)
        for asked in range(judged.copy().admit(self.now) + 1):
            came = judged.copy()
            came.admit(self.now, asked)
            if not differences(came, there):
                return came
        came = self.model.copy()
        for name, plan in judged.plans.items():
            if not differs(judged, name, there):
                came.plans[name] = plan
        return came

    @rule(down=st.one_of(SOON, LONG), by=st.sampled_from((0, 0, -200, 500)))
    def die(self, down: int, by: int) -> None:
        """Between two passes; the clock may be set while nobody looks."""
        self.world.clock.advance(down * SECOND)
        self.world.clock.step(by * SECOND)
        self.restart()
        self.agree()

    def restart(self) -> None:
        """The next process has what is in the files, finds what was left open, and sees what the clock did."""
        self.take_over()
        with self.world.ledger.decide() as tx:
            left_open, unsettled = recover(tx), clock_verbs.must_settle(tx)
        opened_now = "SELECT 1 FROM clock_event WHERE closed_at IS NULL AND opened_at = ?"
        if unsettled and self.world.rows(opened_now, self.now):
            self.model.stepped(self.now)
        for left in left_open:
            seen["recovered after a crash"] += 1
            if left.state == "launching":
                self.see(self.run_of(left.attempt), NeverStarted(left.attempt, "gate"))
        if unsettled:
            self.wait_until_settled()

    def take_over(self) -> None:
        """A new process on a copy of the bytes; the old one is heard of no more."""
        old, self.lives = self.world, self.lives + 1
        assert old.path is not None
        shutil.copytree(Path(old.path).parent, self.root / str(self.lives), ignore=shutil.ignore_patterns("*-shm"))
        self.world = World.opened(f"{self.root}/{self.lives}/ledger.db", old.clock.now())
        if old.ledger.connection.get_autocommit():  # else it is in a transaction, which ends with it
            old.ledger.connection.close(True)

    # operators

    @rule(name=NAMES, terms=TERMS)
    def revise(self, name: str, terms: Terms) -> None:
        """The calendar stays; an equal revision is told as such (CUT-01)."""
        self.world.define(_draft(name, terms))
        (number,) = self.world.row(
            "SELECT r.number FROM revision r JOIN schedule s ON s.id = r.schedule WHERE s.name = ? AND "
            "ifnull(r.body ->> 'allowed_delay_us', -1) = ? AND r.body ->> '$.recovery.misfire_horizon_us' = ?",
            name, -1 if terms.delay is None else terms.delay, terms.horizon)  # fmt: skip
        done = self.world.activate(name, int(str(number)))
        assert (done.status == "activated") == self.model.revise(name, terms, self.now)

    @rule(workers=st.sampled_from((1, 1, 2, 3)))
    def change_the_workers(self, workers: int) -> None:
        self.world.apply(policy(workers=workers))
        self.model.workers = workers

    # what becomes of runs

    def runs(self) -> list[Run]:
        return self.world.rows(
            "SELECT i.id, a.id, a.state, i.state, s.name, o.nominal_at / 1000000 FROM attempt a "
            "JOIN run r ON r.id = a.run JOIN invocation i ON i.id = r.invocation "
            "JOIN occurrence o ON o.id = i.occurrence JOIN schedule s ON s.id = i.schedule "
            "WHERE a.ended_at IS NULL AND i.ended_at IS NULL ORDER BY a.id")  # fmt: skip

    def run_of(self, attempt: int) -> Run:
        return next(run for run in self.runs() if run[1] == attempt)

    def chosen(self, which: int, *states: str) -> Run | None:
        runs = [run for run in self.runs() if run[2] in states]
        return runs[which % len(runs)] if runs else None

    def see(self, run: Run, sighting: Sighting) -> None:
        with self.world.ledger.decide() as tx:
            settle(tx, sighting)
        gate = isinstance(sighting, NeverStarted) and run[3] == "queued"  # it is offered again
        if not gate and not isinstance(sighting, (Started, Contained)):
            self.model.finished(run[4], run[5])

    @rule(which=WHICH, code=st.integers(0, 1), dies=st.booleans())
    def ends(self, which: int, code: int, dies: bool) -> None:
        """If the process dies before it is told, nothing is settled, and whoever comes next is told of it later."""
        if (run := self.chosen(which, "running", "contained")) is not None:
            if dies:
                self.restart()
            self.see(self.run_of(run[1]), Ended(AttemptId(run[1]), "exited", code=code))
            self.agree()

    @rule(which=WHICH)
    def starts(self, which: int) -> None:
        if (run := self.chosen(which, "launching")) is not None:
            self.starts_run(run)
            self.agree()

    def starts_run(self, run: Run) -> None:
        who = Identity(4000 + 2 * run[1], 100, BOOT, 7 + 2 * run[1])
        self.see(run, Started(AttemptId(run[1]), who, Identity(who.pid + 1, 101, BOOT, who.pidfd_inode + 1)))

    @rule(which=WHICH)
    def gate_closes(self, which: int) -> None:
        if (run := self.chosen(which, "launching")) is not None:
            self.see(run, NeverStarted(AttemptId(run[1]), "gate"))
            self.agree()

    @rule(which=WHICH)
    def is_contained(self, which: int) -> None:
        if (run := self.chosen(which, "running")) is not None:
            self.see(run, Contained(AttemptId(run[1]), "shim_killed", "planted"))
            seen["contained"] += 1
            self.agree()

    @rule(which=WHICH)
    def is_resolved(self, which: int) -> None:
        if (run := self.chosen(which, "contained")) is not None:
            with self.world.ledger.decide() as tx:
                resolve(tx, InvocationId(run[0]), outcome="failed", why="planted")
            self.model.finished(run[4], run[5])
            self.agree()

    @rule(which=WHICH)
    def is_cancelled(self, which: int) -> None:
        """What is granted only ends at once; what was launched goes on until its process is gone."""
        run = self.chosen(which, "granted", "launching", "running")
        if run is not None and run[3] != "cancelling":
            with self.world.ledger.decide() as tx:
                cancel(tx, InvocationId(run[0]), why="planted")
            if run[2] == "granted":
                self.model.finished(run[4], run[5])
            self.agree()

    # what both say

    def ledger_says(self) -> dict[str, dict[int, tuple[str, str]]]:
        """Each firing's state and reason, by Schedule; one that is in a range is found by the model's calendar."""
        said: dict[str, dict[int, tuple[str, str]]] = {name: {} for name in CALENDARS}
        for name, firing, state, reason in self.world.rows(
            "SELECT s.name, o.nominal_at / 1000000, o.state, o.reason FROM occurrence o "
            "JOIN schedule s ON s.id = o.schedule"
        ):
            assert firing not in said[str(name)], "a firing has two rows"
            said[str(name)][int(str(firing))] = str(state), str(reason)
        for name, first, last, count, state, reason in self.world.rows(
            "SELECT s.name, r.first_at / 1000000, r.last_at / 1000000, r.count, r.state, r.reason FROM firing_range r "
            "JOIN schedule s ON s.id = r.schedule"
        ):
            inside = list(self.model.plans[str(name)].firings(int(str(first)) - 1, int(str(last))))
            assert len(inside) == count and not said[str(name)].keys() & set(inside), "a range has other firings' fates"
            said[str(name)] |= dict.fromkeys(inside, (str(state), str(reason)))
        return said

    def agree(self) -> None:
        found = differences(self.model, self.ledger_says())
        self.agreed = not found
        assert self.agreed, "\n".join(found[:8])
        held = {(name, firing) for _, _, _, _, name, firing in self.runs()}
        assert held == {(name, firing) for name, plan in self.model.plans.items() for firing in plan.open}

    def teardown(self) -> None:
        if self.agreed:
            self.world.look()
            self.model.look(self.now, TICK)
            self.agree()
            self.world.audit()
            for plan in self.model.plans.values():
                named = set(plan.firings(us(NOW) // SECOND, self.now // SECOND))
                assert named <= plan.fates.keys() | plan.pending.keys() and not plan.fates.keys() & plan.pending.keys()
                seen.update(f"{state} {reason}" for state, reason in plan.fates.values())
            self.world.ledger.connection.close()
        shutil.rmtree(self.root)


def differences(model: Model, said: dict[str, dict[int, tuple[str, str]]]) -> list[str]:
    return [line for name in CALENDARS for line in differs(model, name, said)]


def differs(model: Model, name: str, said: dict[str, dict[int, tuple[str, str]]]) -> list[str]:
    """Where model and ledger say different things of a Schedule's firings."""
    plan, there = model.plans[name], said[name]
    law = {f: (state, set(reason.split("|"))) for f, (state, reason) in plan.fates.items()}
    law |= {f: ("pending", one.why) for f, one in plan.pending.items()}
    return [
        f"{name} {firing}: the law says {law.get(firing)}, the ledger {there.get(firing)}"
        for firing in sorted(law.keys() | there.keys())
        if firing not in law or firing not in there
        or there[firing][0] != law[firing][0] or there[firing][1] not in law[firing][1]
    ]  # fmt: skip


def _draft(name: str, terms: Terms) -> object:
    cadence = CALENDARS[name][0]
    how = {"every": cadence} if name == "sevens" else {"cron": cadence}
    delay = None if terms.delay is None else f"{terms.delay // SECOND}s"
    return draft(name, **how, allowed_delay=delay, horizon=f"{terms.horizon // SECOND}s")


@pytest.mark.rule("CAT-02", "CAT-05", "OCC-08")
@pytest.mark.timeout(300 + int(EXAMPLES or 0))
def test_the_ledger_says_what_the_law_says() -> None:
    seen.clear()
    run_state_machine_as_test(
        Histories,
        settings=settings(
            max_examples=int(EXAMPLES or 60), stateful_step_count=25, deadline=None, derandomize=EXAMPLES is None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
        ),
    )  # fmt: skip
    for what in COMES:
        came = sum(count for said, count in seen.items() if set(what.split()) <= set(said.replace("|", " ").split()))
        assert came or int(EXAMPLES or 60) < 40, f"{what} never came; {seen}"
