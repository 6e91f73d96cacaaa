"""Retire and skip on the real engine: what ends, what goes on, and that both are final."""

from __future__ import annotations

import pytest

from spellweaver.core.identity import OccurrenceId
from spellweaver.engine.skip import skip
from spellweaver.errors import NotFound, Refused
from tests.support.engine import World, draft


@pytest.mark.rule("CUT-14")
def test_retiring_is_final_and_ends_what_waits_and_nothing_that_runs() -> None:
    world = World(workers=1)
    world.add(draft("s", "*/10 * * * *", allowed_delay="50m"), draft("busy", "@daily"))
    world.at("2026-01-01T00:10:00Z")
    world.start(world.launches[0])
    world.at("2026-01-01T00:20:00Z")
    world.clock.advance(11 * 60 * 1_000_000)  # 00:30 is not looked at yet
    done = world.retire("s")
    assert (done.status, done.skipped) == ("retired", 1)
    assert world.fates("s") == [
        ("2026-01-01T00:10:00Z", "admitted", "window_open"), ("2026-01-01T00:20:00Z", "skipped", "superseded"),
        ("2026-01-01T00:30:00Z", "skipped", "retired"),
    ]  # fmt: skip
    assert world.rows("SELECT state FROM invocation") == [("running",)]
    world.end(world.launches[0])
    world.live("2026-01-01T02:00:00Z")
    assert len(world.fates("s")) == 3
    assert world.row("SELECT state, next_at FROM schedule WHERE name = 's'") == ("retired", None)
    for act in (lambda: world.define(draft("s", "@daily")), lambda: world.activate("s"), lambda: world.pause("s")):
        with pytest.raises(Refused) as said:
            act()
        assert said.value.code == "schedule_retired"
    assert world.retire("s").status == "unchanged"
    world.audit()


@pytest.mark.rule("CUT-14", "CAT-07")
@pytest.mark.parametrize("held", ["skip", "catch_up"])
def test_a_paused_schedule_can_be_retired_and_all_that_came_has_its_fate(held: str) -> None:
    world = World(now="2026-01-01T00:30:00Z")
    world.add(draft("s", "0 * * * *", while_paused="catch_up" if held == "catch_up" else "skip"))
    world.pause("s")
    world.at("2026-01-01T02:10:00Z")
    world.retire("s")
    reasons = ["superseded", "retired"] if held == "catch_up" else ["paused", "paused"]
    assert [fate[1:] for fate in world.fates("s")] == [("skipped", reason) for reason in reasons]
    world.audit()


@pytest.mark.rule("CUT-14")
def test_a_schedule_is_retired_only_by_its_name() -> None:
    world = World()
    world.define(draft("s", "0 * * * *"))
    from spellweaver.engine.retire import retire

    for confirm in (None, "t"):
        with pytest.raises(Refused) as said, world.ledger.decide() as tx:
            retire(tx, schedule="s", confirm=confirm)
        assert said.value.code == "retire_unconfirmed"
    assert world.retire("s").status == "retired", "never activated"
    world.audit()


@pytest.mark.rule("OCC-12", "OCC-14")
def test_an_operator_skips_what_waits_also_before_it_is_due_and_nothing_else() -> None:
    world = World(workers=1)
    world.add(draft("s", "0 * * * *", jitter="20m", allowed_delay="50m"))
    world.at("2026-01-01T01:00:00Z")
    assert world.fates("s") == [("2026-01-01T01:00:00Z", "pending", "not_yet")]
    assert world.skip("s", "not tonight").before == "not_yet"
    assert world.fates("s") == [("2026-01-01T01:00:00Z", "skipped", "operator")]
    world.live("2026-01-01T01:59:00Z")
    assert world.rows("SELECT id FROM invocation") == []
    assert [data for _, data in world.events("occurrence.skipped")] == [{"reason": "operator", "why": "not tonight"}]
    with pytest.raises(Refused) as said, world.ledger.decide() as tx:
        skip(tx, OccurrenceId(1), why="again")
    assert said.value.code == "already_decided"
    with pytest.raises(NotFound), world.ledger.decide() as tx:
        skip(tx, OccurrenceId(9), why="no such")
    world.audit()
