"""One simulation from begin to end: a ledger in memory, what the files bring to it, the course of the scenario.

The ledger is empty, or a copy of a real one, which is only read. Where a copy is looked at from a later instant on, the
time until then is simulated first, so that what is shown begins as it will be and not with a backlog.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from spellweaver.clock import VirtualClock
from spellweaver.core.binding import Binding
from spellweaver.core.instant import LAST, show
from spellweaver.core.pattern import Pattern
from spellweaver.engine.activate import activate
from spellweaver.engine.bind import bind, unbound
from spellweaver.engine.define import Defined, define
from spellweaver.engine.policy import apply_policy
from spellweaver.errors import Usage
from spellweaver.ledger import simulation
from spellweaver.ledger.decide import Ledger
from spellweaver.ledger.observe import View
from spellweaver.ledger.opening import memory_ledger
from spellweaver.manifest.read import Manifest
from spellweaver.simulate.driver import Course, Driver
from spellweaver.simulate.scenario import Scenario
from spellweaver.simulate.script import Runtime, Runtimes, Script

ACTOR = "simulate"


@dataclass(frozen=True, slots=True)
class Introduced:
    """What the files changed: ``scripted`` are the stations (pattern@revision station) that nothing is bound to and the
    script stands in for, ``policy`` the keys of the host's policy that differ.
    """

    defined: tuple[Defined, ...] = ()
    scripted: tuple[str, ...] = ()
    policy: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """``copy_of``: path of the ledger to begin with, None for an empty one. ``starts_at``: where the copy begins to be
    driven, at or before ``scenario.from_at``; the files come in at ``from_at``. ``script`` None: what ``runtimes`` say.
    """

    scenario: Scenario
    copy_of: str | None = None
    starts_at: int | None = None
    manifest: Manifest = field(default_factory=Manifest)
    runtimes: tuple[Runtime, ...] = ()
    script: Script | None = None


@dataclass(frozen=True, slots=True)
class Simulated:
    """The ledger afterwards, and from which mark on it is the simulation's. ``ends_at``: the wall clock at the end;
    ``head``: (id, seq) of the ledger that was copied; ``peak``: most runs at once; ``found``: open ones at the begin.
    """

    ledger: Ledger
    mark: simulation.Mark
    introduced: Introduced
    ends_at: int
    head: tuple[str, int] | None
    peak: int
    found: int


def simulate(plan: Plan, *, on_moment: Callable[[int], None] = lambda _: None) -> Simulated:
    """Runs the plan. ``on_moment`` is told the true time of each moment that is looked at.

    Raises Usage: an instant before the last one on record, a runtime for a station that is not there; and what the
    verbs refuse of the files.
    """
    scenario = plan.scenario
    starts_at = scenario.from_at if plan.starts_at is None else plan.starts_at
    clock = VirtualClock(starts_at)
    ledger = memory_ledger(clock, actor=ACTOR, copy_of=plan.copy_of)
    head = _head(ledger, starts_at) if plan.copy_of is not None else None
    driver = Driver(ledger, clock, plan.script or Runtimes(plan.runtimes))
    found = driver.recover()
    if starts_at < scenario.from_at:
        Course(driver, Scenario(starts_at, scenario.from_at), on_moment=on_moment).run()
    driver.handler.peak = driver.handler.running
    introduced = introduce(ledger, plan.manifest)
    with simulation.reading(ledger) as view:
        _check_stations(view, plan.runtimes)
        mark = simulation.mark(view)
    Course(driver, scenario, on_moment=on_moment).run()
    return Simulated(ledger, mark, introduced, clock.now(), head, driver.handler.peak, found)


def _head(ledger: Ledger, starts_at: int) -> tuple[str, int]:
    with simulation.reading(ledger) as view:
        last_at, head = simulation.mark(view).last_at, view.head()
    if starts_at < last_at:
        raise Usage(
            "before_the_record",
            f"{show(starts_at)} is before {show(last_at)}, the last instant on record; what is decided stays decided",
            hint="begin later, or name the FILE to simulate it alone",
        )
    return head


def introduce(ledger: Ledger, manifest: Manifest) -> Introduced:
    """What ``policy apply``, ``define``, ``bind`` and ``activate`` would do; the script stands in where nothing is
    bound (ruling 19). The policy comes first, in a transaction of its own, since definitions pin from it.
    """
    policy: tuple[str, ...] = ()
    if manifest.policy is not None:
        with ledger.decide() as tx:
            policy = apply_policy(tx, manifest.policy).changes
    with ledger.decide() as tx:
        defined = define(tx, patterns=manifest.patterns, schedules=manifest.schedules, owner=ACTOR)
        bind(tx, bindings=manifest.bindings)
        missing = [(pattern, station) for pattern in manifest.patterns for station in unbound(tx, pattern)]
        bind(tx, bindings=[_scripted(pattern, station) for pattern, station in missing])
        for draft in manifest.schedules:
            activate(tx, schedule=draft.full_name, revision=None, unbound=False)
    return Introduced(tuple(defined), tuple(f"{pattern.version} {station}" for pattern, station in missing), policy)


def _scripted(pattern: Pattern, station: str) -> Binding:
    """A stand-in without a timeout."""
    return Binding(pattern.key, pattern.revision, station, ("simulated",), timeout_us=LAST)


def _check_stations(view: View, runtimes: tuple[Runtime, ...]) -> None:
    names = ["*"]
    for pattern in simulation.patterns(view):
        for station in pattern.executable_stations:
            names += [station.key, f"{pattern.version}.{station.key}"]
    for each in runtimes:
        if each.station not in names:
            raise Usage(
                "no_such_station",
                f"--runtime {each.station}: no workflow here has such a station",
                hint=f"name one of {', '.join(dict.fromkeys(names))}",
            )
