"""Simulations in a few words.

    seen = simulated(draft("nightly", "0 2 * * *", zone="Europe/Rome"), begin="2026-10-24T00:00:00Z", length="3d")
    seen.due("nightly")                     # ["2026-10-24T00:00:00Z", …]
    seen.fates("nightly")                   # [("2026-10-24T00:00:00Z", "admitted", "foreground"), …]
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from spellweaver.cli.screens import simulation
from spellweaver.cli.values import At
from spellweaver.clock import VirtualClock
from spellweaver.core import pattern
from spellweaver.core.instant import SECOND, show
from spellweaver.core.policy import HostPolicy
from spellweaver.core.schedule import ScheduleDraft
from spellweaver.ledger.opening import memory_ledger
from spellweaver.manifest.read import Manifest
from spellweaver.simulate.driver import Driver
from spellweaver.simulate.run import Plan, Simulated, introduce, simulate
from spellweaver.simulate.scenario import ClockStep, Outage, Scenario
from spellweaver.simulate.script import Runtime, Runtimes, Script
from tests.support.audit import audit
from tests.support.engine import us

Item = dict[str, object]


def manifest(*drafts: ScheduleDraft, policy: HostPolicy | None = None) -> Manifest:
    """Schedules with the one-station workflows that they name, unbound."""
    versions = dict.fromkeys((d.pattern_key, d.pattern_revision) for d in drafts)
    return Manifest(tuple(pattern.one_station(k, r) for k, r in versions), (), drafts, policy)


def scenario(
    begin: str, length: str, *, outages: Iterable[tuple[str, str]] = (), steps: Iterable[tuple[str, str]] = (),
    until_quiet: bool = False,
) -> Scenario:  # fmt: skip
    """Steps are written ``("2026-10-25T01:00:00Z", "+2h")``."""
    return Scenario(
        us(begin), us(begin) + us(length), tuple(Outage(us(a), us(b)) for a, b in outages),
        tuple(ClockStep(us(at), us(by[1:]) * (1 if by[0] == "+" else -1)) for at, by in steps), until_quiet,
    )  # fmt: skip


def simulated(
    *drafts: ScheduleDraft, begin: str, length: str, runtimes: dict[str, str] | None = None,
    script: Script | None = None, policy: HostPolicy | None = None, outages: Iterable[tuple[str, str]] = (),
    steps: Iterable[tuple[str, str]] = (), until_quiet: bool = False,
) -> Seen:  # fmt: skip
    """``runtimes``: ``{"job@1.main": "90s", "*": "fail"}``. The ledger is audited afterwards."""
    said = tuple(
        Runtime(name, fails=True) if takes == "fail" else Runtime(name, us(takes))
        for name, takes in (runtimes or {}).items()
    )
    course = scenario(begin, length, outages=outages, steps=steps, until_quiet=until_quiet)
    done = simulate(Plan(course, manifest=manifest(*drafts, policy=policy), runtimes=said, script=script))
    assert audit(done.ledger.connection) == []
    return Seen(done, simulation.items(done))


def by_hand(*drafts: ScheduleDraft, begin: str, takes: str | Script = "1s", policy: HostPolicy | None = None) -> Driver:
    """A driver whose clock the test moves itself."""
    clock = VirtualClock(us(begin))
    script = Runtimes((Runtime("*", us(takes)),)) if isinstance(takes, str) else takes
    driver = Driver(memory_ledger(clock, actor="test"), clock, script)
    introduce(driver.ledger, manifest(*drafts, policy=policy))
    return driver


@dataclass(frozen=True)
class Seen:
    """What a simulation showed. Schedules are named without their authority, instants in UTC."""

    done: Simulated
    items: list[Item]

    def of(self, name: str) -> list[Item]:
        return [item for item in self.items if item["schedule"] == f"local/{name}"]

    def due(self, name: str) -> list[str]:
        """The nominal instants of what ran or runs."""
        return [text(item["nominal_at"]) for item in self.of(name) if item["state"] == "admitted"]

    def fates(self, name: str) -> list[tuple[str, str, str]]:
        """(nominal instant, state, reason); a range is ``first..last*count``."""
        return [(_firing(item), str(item["state"]), str(item["reason"])) for item in self.of(name)]

    def counts(self, name: str) -> dict[tuple[str, str], int]:
        """How many firings for each (state, reason), ranges counted whole."""
        found: dict[tuple[str, str], int] = {}
        for item in self.of(name):
            fate, many = (str(item["state"]), str(item["reason"])), item["count"]
            found[fate] = found.get(fate, 0) + (many if isinstance(many, int) else 1)
        return found

    def runs(self, name: str) -> list[tuple[int, int | None]]:
        """(begin, end) of each run in µs, in their order."""
        ran = [item for item in self.of(name) if item["started_at"] is not None]
        return sorted((instant(item["started_at"]), _maybe(item["ended_at"])) for item in ran)

    def late_s(self, name: str) -> list[float]:
        """Seconds from due to admission."""
        ran = [item for item in self.of(name) if item["state"] == "admitted"]
        return [(instant(item["decided_at"]) - instant(item["due_at"])) / SECOND for item in ran]


def most_at_once(runs: Iterable[tuple[int, int | None]]) -> int:
    """How many of the runs went on at one moment; an end comes before a begin of the same moment."""
    changes = sorted((at, by) for begin, end in runs for at, by in ((begin, 1), (end, -1)) if at is not None)
    most = now = 0
    for _, by in changes:
        now += by
        most = max(most, now)
    return most


def instant(value: object) -> int:
    assert isinstance(value, At)
    return value.us


def text(value: object) -> str:
    return show(instant(value))


def _maybe(value: object) -> int | None:
    return value.us if isinstance(value, At) else None


def _firing(item: Item) -> str:
    first = text(item["nominal_at"])
    return first if item["count"] is None else f"{first}..{text(item['last_at'])}*{item['count']}"
