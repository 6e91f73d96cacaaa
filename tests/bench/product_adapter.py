"""The product as one more contender of a benchmark: plain functions with the arguments that such a harness hands in.

Everything is the real engine over a real ledger file, durable on return (WAL, FULL); only the clock is moved by hand,
and only no-op jobs run without a process. It imports nothing but the product: it is copied beside a harness.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from spellweaver.clock import VirtualClock
from spellweaver.core import pattern, zone
from spellweaver.core.binding import Binding
from spellweaver.core.calendar import Calendar, Interpretation
from spellweaver.core.grammar import parse_cron
from spellweaver.core.instant import HOUR, SECOND
from spellweaver.core.launch import Ended, Identity, Launch, Started
from spellweaver.core.policy import HostPolicy
from spellweaver.core.schedule import CalendarDraft, ScheduleDraft
from spellweaver.engine import tick as passes
from spellweaver.engine.activate import activate
from spellweaver.engine.admit import admit
from spellweaver.engine.bind import bind
from spellweaver.engine.define import define
from spellweaver.engine.materialize import materialize
from spellweaver.engine.policy import apply_policy
from spellweaver.engine.settle import settle
from spellweaver.ledger.decide import Ledger, Transaction
from spellweaver.ledger.opening import create_ledger, open_ledger
from spellweaver.ledger.writer import Writer
from spellweaver.manifest import zones
from spellweaver.manifest.read import Manifest
from spellweaver.simulate.run import Plan
from spellweaver.simulate.run import simulate as simulated
from spellweaver.simulate.scenario import Scenario

BEFORE = 1_799_999_000  # up to here added Schedules have settled everything; harnesses tick at 1,800,000,000
FIRES = "0 8 * * *"  # 1,800,000,000 is 08:00 UTC
TICK_US = SECOND
WORKERS = 1_000_000  # nothing waits for capacity

_open: dict[str, tuple[Ledger, VirtualClock]] = {}


def firings(expr: str, tz: str, start_epoch: int, n: int) -> list[int]:
    """The first ``n`` nominal instants (UTC seconds) from ``start_epoch`` on, earlier fold, a gap skipped."""
    return calendar(expr, tz).instants(start_epoch - 1, n)


@lru_cache(maxsize=256)
def calendar(expr: str, tz: str) -> Calendar:
    """As the ledger keeps it for a revision: read once."""
    rules = zone.parse(zones.rules(tz))
    return Calendar(Interpretation(tz, rules.digest, parse_cron(expr)), rules)


def simulate(n_schedules: int, expr: str, tz: str, start_epoch: int, days: int) -> int:
    """The exact mode: every firing decided and stored by the engine, in memory. Returns firings with an outcome."""
    plan = Plan(
        Scenario(start_epoch * SECOND, (start_epoch + days * 86_400) * SECOND),
        manifest=Manifest(
            patterns=(pattern.one_station("job", "1"),),
            schedules=tuple(draft(f"s{n}", expr, tz) for n in range(n_schedules)),
            policy=HostPolicy(workers=WORKERS),
        ),
    )
    done = simulated(plan)
    row = done.ledger.connection.execute(
        "SELECT (SELECT count(*) FROM occurrence) + (SELECT ifnull(sum(count), 0) FROM firing_range)"
    ).fetchone()
    assert row is not None
    return int(str(row[0]))


def add_schedules(path: str, n: int) -> None:
    """A new ledger with ``n`` Schedules defined and activated, and one workflow bound."""
    clock = VirtualClock(BEFORE * SECOND)
    ledger = create_ledger(path, clock, actor="bench", machine="bench")
    ledger.drives = True
    furnish(ledger, [draft(f"s{i}", FIRES) for i in range(n)])
    _open[path] = ledger, clock


def tick(path: str, now_epoch: int) -> int:
    """Materializes all that is due; returns how many Schedules were judged."""
    return materialized(at(path, now_epoch)[0])


def materialized(ledger: Ledger) -> int:
    """The first phase of a pass, in transactions of a chunk."""
    done, more = 0, True
    while more:
        with ledger.decide() as tx:
            step = materialize(tx, allowance_us=TICK_US, limit=passes.CHUNK)
        done, more = done + step.schedules, step.more
    return done


def admit_all(path: str, limit: int) -> int:
    """Decides what pends and is due, ``limit`` at most; returns how many decisions were made."""
    ledger, _ = at(path, None)
    done, more = 0, True
    while more and done < limit:
        with ledger.decide() as tx:
            step = admit(tx, limit=min(passes.CHUNK, limit - done))
        done, more = done + step.decided, step.more
    return done


def run_noops(path: str, n: int) -> None:
    """``n`` firings from storing to their end: admitted, claimed, started and ended, each state durable before the
    next. A hundred Schedules fire every second; the real writer groups what is reported together.
    """
    add_schedules(path, 0)
    made, clock = _open.pop(path)
    furnish(made, [draft(f"s{i}", "* * * * * *") for i in range(min(n, 100))])
    made.close()
    writer = Writer(lambda: _driven(path, clock))
    writer.start()
    try:
        done = 0
        while done < n:
            clock.advance(SECOND)
            done += _noop_pass(writer)
    finally:
        writer.close()


def _noop_pass(writer: Writer) -> int:
    """One pass; what it launches ends as soon as it began."""
    under_way, launched = passes.Pass(TICK_US), 0
    while under_way.phase != "done":
        launches = writer.call(lambda tx: passes.step(tx, under_way))
        for batch in (started(launches), ended(launches)):
            for ticket in [writer.submit(_settling(seen)) for seen in batch]:
                ticket.result()
        launched += len(launches)
    return launched


def started(launches: list[Launch]) -> list[Started]:
    """What a handler sees when processes stand at their gates."""
    return [Started(each.attempt, _SHIM, _COMMAND) for each in launches]


def ended(launches: list[Launch]) -> list[Ended]:
    """What a handler sees when all went well."""
    return [Ended(each.attempt, "exited", code=0) for each in launches]


_SHIM = Identity(4000, 100, "b0071d00-0000-4000-8000-000000000000", 7)
_COMMAND = Identity(4001, 101, "b0071d00-0000-4000-8000-000000000000", 8)


def _settling(seen: Started | Ended) -> Callable[[Transaction], str]:
    return lambda tx: settle(tx, seen)


def at(path: str, now_epoch: int | None) -> tuple[Ledger, VirtualClock]:
    """The ledger at ``path``, its clock moved there. An idle second makes no difference to what a tick costs."""
    if path not in _open:
        clock = VirtualClock(BEFORE * SECOND)
        _open[path] = _driven(path, clock), clock
    ledger, clock = _open[path]
    if now_epoch is not None:
        clock.advance(max(0, now_epoch * SECOND - clock.now()))
    return ledger, clock


def forget(path: str) -> None:
    """Closes a ledger that ``at`` opened."""
    _open.pop(path)[0].close()


def _driven(path: str, clock: VirtualClock) -> Ledger:
    ledger = open_ledger(path, clock, actor="bench")
    ledger.drives = True
    return ledger


def draft(name: str, cron: str, tz: str = "UTC") -> ScheduleDraft:
    """A Schedule with a window of three hours: a firing waits rather than being skipped."""
    return ScheduleDraft(
        authority="local", name=name, pattern_key="job", pattern_revision="1",
        service_class="deadline_windowed", allowed_delay_us=3 * HOUR,
        calendar=CalendarDraft(parse_cron(cron), tz, host_rules=zones.rules(tz)), origin="bench",
    )  # fmt: skip


def furnish(ledger: Ledger, drafts: list[ScheduleDraft]) -> None:
    """What ``define --bind --activate`` does, in transactions of a thousand."""
    with ledger.decide() as tx:
        apply_policy(tx, HostPolicy(workers=WORKERS))
        define(tx, patterns=[pattern.one_station("job", "1")], schedules=[], owner="bench")
        bind(tx, bindings=[Binding("job", "1", "main", ("/bin/true",))])
    for begin in range(0, len(drafts), 1000):
        with ledger.decide() as tx:
            define(tx, patterns=[], schedules=drafts[begin : begin + 1000], owner="bench")
            for one in drafts[begin : begin + 1000]:
                activate(tx, schedule=one.full_name, revision=None, unbound=False)
