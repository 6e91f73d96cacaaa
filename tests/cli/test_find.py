"""References that name nothing, or several things: status 4, saying what is near."""

from __future__ import annotations

from pathlib import Path

import pytest

from spellweaver.cli import references
from spellweaver.cli.screens import find
from spellweaver.core.policy import Fold, Gap
from spellweaver.ledger.observe import observe
from tests.support.calendars import calendar
from tests.support.engine import World, draft, us
from tests.support.program import Done, call


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path, now="2026-01-01T00:30:00Z")
    made.add(
        draft("nightly-backup", "0 2 * * *"), draft("probe", every="15m"), draft("probe", every="30m", authority="ops")
    )
    made.live("2026-01-01T04:00:00Z")
    return made


def explain(world: World, ref: str) -> Done:
    return call("explain", ref, ledger=world.path, clock=world.clock)


@pytest.mark.parametrize(
    ("ref", "said"),
    [
        ("nightly-bakup@latest", "there is no Schedule nightly-bakup; near it: local/nightly-backup"),
        ("probe@latest", "probe is a Schedule of several authorities: local/probe, ops/probe"),
        ("nightly-backup@2", "local/nightly-backup@2 is a revision, not a firing"),
        ("nightly-backup@2026-01-01T02:01", "had no firing at 2026-01-01T02:01:00; near it: 2026-01-01T02:00 (occ_"),
        (
            "nightly-backup@2025-12-31",
            "local/nightly-backup had no firing on 2025-12-31; near it: 2026-01-01T02:00 (occ_",
        ),
        ("nightly-backup@2026-01-02", "local/nightly-backup@2026-01-02 lies ahead; nothing is decided of it yet"),
        ("nightly-backup@2026-01-02T02:00", "lies ahead"),
        ("local/probe@2026-01-01", "local/probe@2026-01-01 names 14 firings: 2026-01-01T00:45:00Z (occ_"),
        ("occ_99", "there is no occ_99 in this ledger"),
        ("inv_99", "there is no inv_99 in this ledger"),
        ("evt_1", "there is no evt_1 in this ledger, or no firing that it comes of"),
        ("nightly-backup", "names a Schedule, not one of its firings"),
    ],
)
def test_what_names_nothing_or_several_things_is_4(world: World, ref: str, said: str) -> None:
    done = explain(world, ref)
    assert done.status == 4 and done.out == ""
    assert said in done.err


def test_an_unknown_name_says_which_command_lists_what_is_there(world: World) -> None:
    assert f"next: spellweaver schedule list --ledger {world.path}" in explain(world, "nothing@latest").err
    assert f"next: spellweaver occurrence list --ledger {world.path}" in explain(world, "occ_99").err


def test_a_firing_of_an_interval_goes_by_its_instant(world: World) -> None:
    for ref in (
        "local/probe@2026-01-01T01:15:00Z",
        "local/probe@2026-01-01T01:15",
        "local/probe@c1:2026-01-01T01:15:00Z",
    ):
        assert "c1:2026-01-01T01:15:00Z" in explain(world, ref).out.splitlines()[0]


def test_a_schedule_that_was_never_active_says_so(world: World) -> None:
    world.define(draft("idle", "0 2 * * *"))
    done = explain(world, "idle@2026-01-01")
    assert done.status == 4 and "local/idle has never been active" in done.err
    assert "local/idle has had no firing yet" in explain(world, "idle@latest").err


def test_without_a_ledger_each_reading_command_says_how_to_make_one(tmp_path: Path) -> None:
    for words in (
        ("status",),
        ("schedule", "list"),
        ("occurrence", "list"),
        ("events",),
        ("explain", "occ_1"),
        ("logs", "inv_1"),
        ("next",),
    ):
        done = call(*words, ledger=tmp_path / "none.db")
        assert done.status == 4 and "there is no ledger at" in done.err and "init" in done.err


@pytest.mark.parametrize(("fold", "gap"), [("both", "skip"), ("later", "fail"), ("earlier", "advance")])
@pytest.mark.rule("OCC-13")
def test_every_candidate_up_to_now_is_answered_by_one_row_or_range(tmp_path: Path, fold: Fold, gap: Gap) -> None:
    """Through a gap, a fold, an outage of a month and live stretches around them."""
    world = World(tmp_path, now="2026-03-28T20:00:00Z")
    world.add(draft("job", "*/30 1-4 * * *", zone="Europe/Rome", fold=fold, gap=gap))
    world.live("2026-03-29T06:00:00Z")
    world.at("2026-05-01T00:10:00Z")
    world.at("2026-10-24T20:00:00Z")
    world.live("2026-10-25T06:00:00Z")
    made = calendar("*/30 1-4 * * *", "Europe/Rome", fold=fold, gap=gap)
    begun, (settled_to,) = us("2026-03-28T20:00:00Z") // 1_000_000, world.row("SELECT settled_to FROM schedule")
    asked = 0
    with observe(str(world.path)) as view:
        for candidate in made.walk(begun, int(str(settled_to))):
            key = made.key(candidate, 1)
            found = find.firing(view, references.parse(f"job@{key}"))
            assert (found.civil, found.fold) == (candidate.civil_s, candidate.fold), key
            asked += 1
    rows, grouped = world.row("SELECT (SELECT count(*) FROM occurrence), (SELECT sum(count) FROM firing_range)")
    assert asked == int(str(rows)) + int(str(grouped)) > 1500
