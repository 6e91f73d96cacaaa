"""The real engine over a real ledger on a clock that moves only when told.

    world = World(now="2026-01-01T00:00:00Z")
    world.add(draft("nightly", "0 2 * * *", zone="Europe/Rome", allowed_delay="3h"))
    world.at("2026-01-01T01:00:00Z")          # the clock goes there and one whole pass is made
    world.end(world.launches[-1])
    world.fates("nightly")                    # [("c1:2026-01-01T02:00", "admitted", "window_open")]

With a folder the ledger is a file, and ``reopen`` stops and starts again from it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import apsw

from spellweaver.clock import VirtualClock
from spellweaver.core import instant, pattern
from spellweaver.core.binding import Binding
from spellweaver.core.cadence import Cadence
from spellweaver.core.cutover import Partition
from spellweaver.core.grammar import At, Every, parse_cron
from spellweaver.core.identity import OccurrenceId
from spellweaver.core.launch import Ended, Identity, Launch, Sighting, Started
from spellweaver.core.policy import CatchUp, ClockPolicy, Cycle, Fold, Gap, HostPolicy, WhilePaused
from spellweaver.core.schedule import CalendarDraft, Jitter, ScheduleDraft, date_ranges
from spellweaver.engine.activate import Activated, activate
from spellweaver.engine.bind import bind
from spellweaver.engine.define import Defined, define
from spellweaver.engine.pause import Paused, pause
from spellweaver.engine.plan_cutover import Planned, plan
from spellweaver.engine.policy import apply_policy
from spellweaver.engine.resume import Resumed, resume
from spellweaver.engine.retire import Retired, retire
from spellweaver.engine.settle import settle
from spellweaver.engine.skip import Skipped, skip
from spellweaver.engine.tick import Pass, step
from spellweaver.host.machine import machine
from spellweaver.ledger.decide import Ledger
from spellweaver.ledger.opening import create_ledger, memory_ledger, open_ledger
from spellweaver.manifest import zones
from tests.support.audit import audit

BOOT = "b0071d00-0000-4000-8000-000000000000"
TICK = instant.SECOND


def us(text: str) -> int:
    """An instant (``…Z``) or a duration (``90s``) in microseconds."""
    return instant.parse(text) if text.endswith("Z") else instant.parse_duration(text)


def draft(
    name: str,
    cron: str | None = None,
    *,
    civil: Cadence | None = None,
    every: str | None = None,
    at: Iterable[str] = (),
    zone: str | None = "UTC",
    fold: Fold = "earlier",
    gap: Gap = "skip",
    jitter: str | None = None,
    allowed_delay: str | None = None,
    horizon: str | None = None,
    from_at: str | None = None,
    authority: str = "local",
    version: str = "job@1",
    zone_rules: str = "keep",
    host_rules: bytes | None = None,
    labels: str = "{}",
    while_paused: WhilePaused = "skip",
    catch_up: CatchUp = "newest",
    without: Iterable[str] = (),
    cycle: Cycle | None = None,
) -> ScheduleDraft:
    """A Schedule as files give it: a civil cadence in a zone, or ``every`` anchored at midnight, or instants."""
    cadence: Cadence
    if cron is not None or civil is not None:
        cadence = civil or parse_cron(str(cron))
    else:
        zone = None
        cadence = Every(us(every) // TICK, 0) if every else At(tuple(us(a) // TICK for a in at))
    rules = host_rules if host_rules is not None or zone is None else zones.rules(zone)
    key, _, revision = version.rpartition("@")
    return ScheduleDraft(
        authority=authority,
        name=name,
        pattern_key=key,
        pattern_revision=revision,
        service_class="deadline_windowed" if allowed_delay else "foreground",
        allowed_delay_us=us(allowed_delay) if allowed_delay else None,
        labels=labels,
        from_at=us(from_at) if from_at else None,
        calendar=CalendarDraft(
            cadence, zone, fold, gap, Jitter("deterministic", us(jitter)) if jitter else Jitter(), zone_rules, rules,
            date_ranges(without),
            cycle,
        ),
        misfire_horizon_us=us(horizon) if horizon else None,
        while_paused=while_paused,
        catch_up=catch_up,
        origin=f"{name}.toml:1",
    )


def policy(*, workers: int = 4, horizon: str = "1d") -> HostPolicy:
    return HostPolicy(workers, us(horizon), ClockPolicy())


def one_pass(ledger: Ledger, *, allowance_us: int = TICK, chunk: int = 100) -> Pass:
    """A whole pass, a transaction for each step, as a driver makes it."""
    under_way = Pass(allowance_us, chunk=chunk)
    while under_way.phase != "done":
        with ledger.decide() as tx:
            step(tx, under_way)
    return under_way


class World:
    """``launches`` are those claimed and not ended yet, oldest first; ``path`` is None for a ledger in memory."""

    def __init__(self, folder: Path | None = None, *, now: str = "2026-01-01T00:00:00Z", workers: int = 4) -> None:
        self.clock = VirtualClock(us(now))
        self.path: str | None = None
        self.launches: list[Launch] = []
        if folder is None:
            self.ledger = memory_ledger(self.clock, actor="test")
        else:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            os.chmod(folder, 0o700)
            self.path = f"{folder}/ledger.db"
            self.ledger = create_ledger(self.path, self.clock, actor="test", machine=machine()[0])
        self.ledger.drives = True  # it is driven from here
        if workers != 4:
            self.apply(policy(workers=workers))

    @classmethod
    def opened(cls, path: str, at: int) -> World:
        """The next program on a ledger that is there already; ``at`` is what its clock says."""
        world = cls.__new__(cls)
        world.path, world.clock, world.launches = path, VirtualClock(at), []
        world.ledger = open_ledger(path, world.clock, actor="test")
        world.ledger.drives = True
        return world

    # what an operator does

    def define(self, *drafts: ScheduleDraft) -> list[Defined]:
        """Defines the drafts and the one-station workflows that they name."""
        versions = dict.fromkeys((d.pattern_key, d.pattern_revision) for d in drafts)
        with self.ledger.decide() as tx:
            return define(
                tx, patterns=[pattern.one_station(k, r) for k, r in versions], schedules=drafts, owner="operator"
            )

    def bind(self, version: str = "job@1", *, success: tuple[int, ...] = (0,), timeout: str = "30m") -> None:
        key, _, revision = version.rpartition("@")
        with self.ledger.decide() as tx:
            bind(
                tx, bindings=[Binding(key, revision, "main", ("/bin/true",), success=success, timeout_us=us(timeout))]
            )

    def activate(
        self, name: str, revision: int | None = None, *, unbound: bool = False, partition: Partition | None = None
    ) -> Activated:
        with self.ledger.decide() as tx:
            return activate(tx, schedule=name, revision=revision, unbound=unbound, partition=partition)

    def plan(
        self, name: str, revision: int | None = None, *, at: str | None = None, span: str | None = None
    ) -> Planned:
        with self.ledger.decide(dry_run=True) as tx:
            when, length = (None if text is None else us(text) for text in (at, span))
            return plan(tx, schedule=name, revision=revision, at=when, span_us=length)

    def add(self, *drafts: ScheduleDraft) -> None:
        """Defines, binds and activates."""
        self.define(*drafts)
        for version in dict.fromkeys(f"{d.pattern_key}@{d.pattern_revision}" for d in drafts):
            self.bind(version)
        for one in drafts:
            self.activate(one.full_name)

    def pause(self, name: str, why: str = "looked into", until: str | None = None) -> Paused:
        with self.ledger.decide() as tx:
            return pause(tx, schedule=name, why=why, until_at=us(until) if until else None)

    def resume(self, name: str) -> Resumed:
        with self.ledger.decide() as tx:
            return resume(tx, schedule=name)

    def retire(self, name: str) -> Retired:
        with self.ledger.decide() as tx:
            return retire(tx, schedule=name, confirm=name)

    def skip(self, name: str, why: str = "not wanted") -> Skipped:
        """The oldest firing of the Schedule that waits."""
        (id_,) = self.row(
            "SELECT min(o.id) FROM occurrence o JOIN schedule s ON s.id = o.schedule "
            "WHERE s.name = ? AND o.state = 'pending'", name
        )  # fmt: skip
        with self.ledger.decide() as tx:
            return skip(tx, OccurrenceId(int(str(id_))), why=why)

    def apply(self, new: HostPolicy) -> None:
        with self.ledger.decide() as tx:
            apply_policy(tx, new)

    # what time does

    def look(self, *, allowance: str = "1s", chunk: int = 100) -> Pass:
        """One whole pass at the present time."""
        done = one_pass(self.ledger, allowance_us=us(allowance), chunk=chunk)
        self.launches += done.launches
        return done

    def at(self, when: str, *, allowance: str = "1s") -> Pass:
        """Time passes until then, unlooked at, and one pass is made."""
        self.clock.advance(us(when) - self.clock.now())
        return self.look(allowance=allowance)

    def live(self, until: str, *, takes: str | None = "0s") -> None:
        """Time passes with a pass at each wake; every command takes so long (None: it never ends by itself)."""
        end = us(until)
        ends: list[tuple[int, Launch]] = []
        while True:
            done = self.look()
            for launch in done.launches:
                self.start(launch)
                if takes is not None:
                    ends.append((self.clock.now() + us(takes), launch))
            ends.sort(key=lambda e: (e[0], e[1].attempt))
            moments = [m for m in (done.next_wake, ends[0][0] if ends else None) if m is not None]
            if not moments or min(moments) > end:
                break
            self.clock.advance(max(0, min(moments) - self.clock.now()))
            while ends and ends[0][0] <= self.clock.now():
                self.end(ends.pop(0)[1])
        self.clock.advance(max(0, end - self.clock.now()))

    # what a handler sees

    def see(self, seen: Sighting) -> str:
        with self.ledger.decide() as tx:
            return settle(tx, seen)

    def start(self, launch: Launch) -> str:
        who = Identity(4000 + launch.attempt, 100, BOOT, 7)
        return self.see(Started(launch.attempt, who, Identity(who.pid + 1, 101, BOOT, 8)))

    def end(self, launch: Launch, code: int = 0) -> str:
        """The command ended; started first where it was not."""
        (state,) = self.row('SELECT state FROM attempt WHERE id = ?', launch.attempt)
        if state == "launching":
            self.start(launch)
        self.launches = [other for other in self.launches if other.attempt != launch.attempt]
        return self.see(Ended(launch.attempt, "exited", code=code))

    # what is on record

    def rows(self, sql: str, *values: object) -> list[tuple[apsw.SQLiteValue, ...]]:
        return self.ledger.connection.execute(sql, values).fetchall()

    def row(self, sql: str, *values: object) -> tuple[apsw.SQLiteValue, ...]:
        (found,) = self.rows(sql, *values)
        return found

    def fates(self, name: str, *, ranges: bool = True) -> list[tuple[str, str, str]]:
        """(UTC instant, state, reason) of each Occurrence of a Schedule in firing order; a range is
        ``first..last*count``.
        """
        found = [
            (int(str(at)), int(str(fold)), instant.show(int(str(at))), str(state), str(reason))
            for at, fold, state, reason in self.rows(
                "SELECT o.nominal_at, o.fold, o.state, o.reason FROM occurrence o JOIN schedule s ON s.id = o.schedule "
                "WHERE s.name = ? ORDER BY o.nominal_at, o.civil", name)
        ]  # fmt: skip
        for first, last, count, state, reason in self.rows(
            "SELECT r.first_at, r.last_at, r.count, r.state, r.reason FROM firing_range r "
            "JOIN schedule s ON s.id = r.schedule WHERE s.name = ?", name
        ) if ranges else ():
            text = f"{instant.show(int(str(first)))}..{instant.show(int(str(last)))}*{count}"
            found.append((int(str(first)), -1, text, str(state), str(reason)))
        return [(text, state, reason) for _, _, text, state, reason in sorted(found, key=lambda f: f[0])]

    def events(self, *types: str) -> list[tuple[str, dict[str, object]]]:
        """(type, numbers) of the journal, all or those of some types."""
        from spellweaver.ledger.journal import parse

        return [
            (str(t), parse(str(data)))
            for t, data in self.rows("SELECT type, data FROM event ORDER BY seq")
            if not types or t in types
        ]

    def reopen(self) -> None:
        """The program stops and starts again from the file."""
        assert self.path is not None
        self.ledger.close()
        self.ledger = open_ledger(self.path, self.clock, actor="test")
        self.ledger.drives = True

    def audit(self) -> None:
        """Every invariant holds."""
        found = audit(self.ledger.connection)
        assert not found, "\n".join(found)


def content(connection: apsw.Connection) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table, for comparing ledgers."""
    tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").fetchall()
    return {str(table): connection.execute(f'SELECT * FROM "{table}"').fetchall() for (table,) in tables}
