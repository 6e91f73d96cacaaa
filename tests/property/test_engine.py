"""Whatever happens to an engine, its laws hold after each step; and one that is stopped and started at every turn ends
with the very ledger of one that never was.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spellweaver.core.identity import InvocationId
from spellweaver.core.instant import SECOND
from spellweaver.core.launch import Contained, NeverStarted
from spellweaver.core.schedule import ScheduleDraft
from spellweaver.engine.cancel import cancel
from spellweaver.engine.resolve import resolve
from spellweaver.errors import Refused
from tests.support.calendars import calendar
from tests.support.engine import World, content, draft, policy

EXAMPLES = int(os.environ.get("SPELLWEAVER_EXAMPLES", "60"))
# the change of clocks of 2026-03-29 in Bratislava is at 01:00Z
NOW = "2026-03-28T23:30:00Z"
CRONS = ("*/10 * * * *", "*/7 1-3 * * *", "30 2 * * *", "0 * * * *")

DRAFTS = st.builds(
    lambda cron, fold, gap, delay, jitter, horizon: draft(
        "s", cron, zone="Europe/Bratislava", fold=fold, gap=gap, allowed_delay=delay,
        jitter=jitter if delay is None or delay != "5m" else None, horizon=horizon,
    ),
    st.sampled_from(CRONS), st.sampled_from(("earlier", "later", "both")), st.sampled_from(("skip", "advance", "fail")),
    st.sampled_from((None, None, "5m", "25m", "2h")), st.sampled_from((None, None, "9m")),
    st.sampled_from(("0s", "20m", "1d")),
)  # fmt: skip

ACTS = st.lists(
    st.one_of(
        st.tuples(st.just("advance"), st.sampled_from((1, 59, 300, 600, 1800, 7200, 90_000))),
        st.tuples(st.just("step"), st.sampled_from((-7200, -61, -1, 61, 7200))),
        st.tuples(st.just("look"), st.sampled_from((1, 60, 900))),
        st.tuples(st.sampled_from(("start", "end", "gate", "contain", "cancel", "resolve")), st.integers(0, 3)),
        st.tuples(st.just("revise"), st.integers(0, 3)),
        st.tuples(st.just("workers"), st.integers(1, 3)),
    ),
    min_size=5, max_size=25,
)  # fmt: skip


def act(world: World, drafts: list[ScheduleDraft], what: str, how: int) -> None:
    """One thing that happens; what is refused changes nothing."""
    launch = world.launches[how % len(world.launches)] if world.launches else None
    match what:
        case "advance":
            world.clock.advance(how * SECOND)
            world.look()
        case "step":
            world.clock.step(how * SECOND)
        case "look":
            world.look(allowance=f"{how}s", chunk=3)
        case "revise":
            one = drafts[how % len(drafts)]
            again = draft(
                one.name, one.calendar.cadence.canonical()["cron"], zone="Europe/Bratislava",
                fold=one.calendar.fold, gap=one.calendar.gap, horizon=f"{world.clock.now() % 7}h",
            )  # fmt: skip
            world.define(again)
            world.activate(again.name)
        case "workers":
            world.apply(policy(workers=how))
        case _ if launch is not None:
            (state,) = world.row("SELECT state FROM attempt WHERE id = ?", launch.attempt)
            with contextlib.suppress(Refused):
                handle(world, launch.attempt, launch.invocation, what, str(state))
            over = "SELECT 1 FROM attempt WHERE id = ? AND ended_at IS NOT NULL"
            world.launches = [x for x in world.launches if not world.rows(over, x.attempt)]


def handle(world: World, attempt: object, invocation: InvocationId, what: str, state: str) -> None:
    launch = next(x for x in world.launches if x.attempt == attempt)
    match what:
        case "start":
            world.start(launch)
        case "end" if state != "contained":
            world.end(launch, code=int(launch.attempt) % 2)
        case "gate" if state == "launching":
            world.see(NeverStarted(launch.attempt, "gate"))
        case "contain" if state == "running":
            world.see(Contained(launch.attempt, "escaped", "planted"))
        case "cancel":
            with world.ledger.decide() as tx:
                cancel(tx, invocation, why="planted")
        case "resolve":
            with world.ledger.decide() as tx:
                resolve(tx, invocation, outcome="failed", why="planted")


@pytest.mark.rule("OCC-12", "WIN-09", "OCC-03")
@given(st.lists(DRAFTS, min_size=1, max_size=3), ACTS)
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_laws_hold_after_each_step_and_no_outcome_ever_changes(
    plain: list[ScheduleDraft], acts: list[tuple[str, int]]
) -> None:
    drafts = [named(one, f"s{n}") for n, one in enumerate(plain)]
    world = World(now=NOW, workers=2)
    world.add(*drafts)
    settled: dict[str, dict[object, object]] = {"occurrence": {}, "invocation": {}, "firing_range": {}}
    for what, how in acts:
        act(world, drafts, what, how)
        world.audit()
        for table, over in (
            ("occurrence", "state <> 'pending'"), ("invocation", "ended_at IS NOT NULL"), ("firing_range", "TRUE"),
        ):  # fmt: skip
            now = {row[0]: row for row in world.rows(f"SELECT * FROM {table} WHERE {over}")}
            assert all(now.get(key) == row for key, row in settled[table].items()), f"{what}: an outcome changed"
            settled[table] = dict(now)
    world.look()
    for n, one in enumerate(drafts):
        each_candidate_has_one_fate(world, f"s{n}", one)


def named(plain: ScheduleDraft, name: str) -> ScheduleDraft:
    return dataclasses.replace(plain, name=name)


def each_candidate_has_one_fate(world: World, name: str, one: ScheduleDraft) -> None:
    """OCC-15: up to the mark, what the calendar names and what is on record are the same firings, each once."""
    assert one.calendar is not None
    text = str(one.calendar.cadence.canonical()["cron"])
    read = calendar(text, "Europe/Bratislava", fold=one.calendar.fold, gap=one.calendar.gap)
    id_, mark = world.row("SELECT id, settled_to FROM schedule WHERE name = ?", name)
    (begin,) = world.row("SELECT begins_at FROM activation WHERE schedule = ? ORDER BY id LIMIT 1", id_)
    told = [tuple(row) for row in world.rows("SELECT civil, fold FROM occurrence WHERE schedule = ?", id_)]
    for first, last, reason, count in world.rows(
        "SELECT first_at, last_at, reason, count FROM firing_range WHERE schedule = ?", id_
    ):
        inside = [
            (c.civil_s, c.fold) for c in read.walk(int(str(first)) // SECOND - 1, int(str(last)) // SECOND)
            if (c.fate != "fires") == (reason == "gap")
        ]  # fmt: skip
        assert len(inside) == count
        told += inside
    named_ = [(c.civil_s, c.fold) for c in read.walk(int(str(begin)) // SECOND, int(str(mark)))]
    assert sorted(told) == sorted(named_)


@pytest.mark.rule("CAL-07", "WIN-08", "OCC-13")
@given(st.lists(DRAFTS, min_size=1, max_size=2), ACTS)
@settings(max_examples=max(5, EXAMPLES // 6), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_restarting_at_every_turn_ends_with_the_same_ledger(
    plain: list[ScheduleDraft], acts: list[tuple[str, int]]
) -> None:
    drafts = [named(one, f"s{n}") for n, one in enumerate(plain)]
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        worlds = [World(now=NOW, workers=2), World(Path(folder) / "state", now=NOW, workers=2)]
        for world in worlds:
            world.add(*drafts)
        for what, how in acts:
            for world in worlds:
                act(world, drafts, what, how)
            worlds[1].reopen()
        left, right = (content(world.ledger.connection) for world in worlds)
        # The first event tells the ledger's own id, on which every later hash hangs. Where a commit had no event, how
        # far the clock has gone back since is known to who made it, and to nobody after a restart.
        for rows in (left, right):
            del rows["ledger"]
            rows["event"] = [row[2:9] for row in rows["event"][1:] if row[3] != "clock_stepped_back"]
        assert left == right
        worlds[1].ledger.close()
