"""Many Schedules: a pass works on what is due, not on what exists. Times are measured in tests/bench, by hand."""

from __future__ import annotations

import random

from spellweaver.core import instant
from spellweaver.engine.activate import activate
from spellweaver.ledger.queries import load
from spellweaver.manifest import zones
from tests.support.engine import World, draft, us

DAILY, MINUTELY = 5000, 200


def test_rp_70_a_pass_looks_at_what_is_due_among_five_thousand() -> None:
    rng = random.Random(70)
    names = sorted(rng.sample(sorted(name for name in zones.names() if "/" in name), 40))
    world = World(now="2026-01-01T11:30:30Z", workers=1000)
    daily = [draft(f"d{n}", f"{n % 60} {n % 24} * * *", zone=names[n % 40]) for n in range(DAILY)]
    minutely = [draft(f"m{n}", "* * * * *", zone="UTC") for n in range(MINUTELY)]
    world.define(*daily, *minutely)
    world.bind()
    with world.ledger.decide() as tx:
        for one in (*daily, *minutely):
            activate(tx, schedule=one.full_name, revision=None, unbound=False)

    (due_now,) = world.row("SELECT count(*) FROM schedule WHERE next_at <= ?", us("2026-01-01T11:30:30Z"))
    assert (due_now, world.look().schedules) == (0, 0)
    for minute in range(31, 41):
        at = f"2026-01-01T11:{minute}:00Z"
        (due,) = world.row("SELECT count(*) FROM schedule WHERE next_at <= ?", us(at))
        done = world.at(at)
        assert done.schedules == due < MINUTELY + DAILY // 10
        for launch in list(world.launches):
            world.end(launch)
    fired = world.rows(
        "SELECT s.name, count(*) FROM occurrence o JOIN schedule s ON s.id = o.schedule "
        "WHERE s.name LIKE 'm%' GROUP BY s.id"
    )
    assert len(fired) == MINUTELY and {count for _, count in fired} == {10}
    assert world.row("SELECT count(*) FROM occurrence WHERE state <> 'admitted'") == (0,)


def test_the_due_query_walks_an_index_and_never_the_table() -> None:
    world = World()
    values = {"now": instant.LAST, "late": 0, "limit": 100}
    plan = "\n".join(
        str(row[3])
        for row in world.ledger.connection.execute("EXPLAIN QUERY PLAN " + load("materialize")["due"], values)
    )
    assert "schedule_due" in plan and "SCAN schedule" not in plan and "SCAN o" not in plan, plan
