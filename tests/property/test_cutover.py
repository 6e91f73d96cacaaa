"""Random pairs of readings, activation instants and partitions, valid and broken: every candidate of both readings has
exactly one fate, the one that the partition states, and a refusal changes nothing.

The model below is written from the law alone: candidates come from walking both calendars, and partitions are made
without the planner. ``SPELLWEAVER_CUTOVERS`` says how many cases are tried.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from spellweaver.core.calendar import Calendar
from spellweaver.core.cutover import Entry, Partition
from spellweaver.core.instant import SECOND
from spellweaver.core.line import Candidate
from spellweaver.core.schedule import ScheduleDraft
from spellweaver.engine.activate import activate
from spellweaver.errors import Refused
from tests.support.engine import World, content, draft

CASES = int(os.environ.get("SPELLWEAVER_CUTOVERS", "120"))
NAME = "local/s"
READINGS: list[dict[str, object]] = [
    {"cron": "*/20 * * * *", "zone": "UTC"},
    {"cron": "0 * * * *", "zone": "Europe/Bratislava", "gap": "fail"},
    {"cron": "10,40 * * * *", "zone": "Europe/Bratislava", "fold": "both"},
    {"cron": "*/30 * * * *", "zone": "America/New_York", "gap": "advance"},
    {"cron": "15 1-4 * * *", "zone": "Europe/Bratislava", "fold": "later"},
    {"every": "25m"},
    {"every": "1h"},
]
STARTS = ("2026-03-28T22:00:00Z", "2026-10-24T22:00:00Z", "2026-06-01T00:00:00Z")
Fate = tuple[int, bool]  # revision, skipped


def other(reading: dict[str, object], chance: random.Random, **more: object) -> ScheduleDraft:
    given = {**reading, **more}
    if chance.random() < 0.4:
        given["jitter"] = "3m"
    return draft("s", given.pop("cron", None), horizon=chance.choice(("10m", "2h", "1d")), **given)


@dataclass
class Model:
    """What must become of each key, and when it is known (seconds)."""

    fates: dict[str, Fate] = field(default_factory=dict)
    known_s: dict[str, int] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)

    def copy(self) -> Model:
        return Model(dict(self.fates), dict(self.known_s), dict(self.aliases))

    def put(self, key: str, at_s: int, fate: Fate) -> None:
        self.fates[key], self.known_s[key] = fate, at_s
        self.aliases.pop(key, None)

    def taker(self, key: str, settled_to: int) -> str | None:
        """The firing on record that a key is by a cutover before."""
        while key in self.aliases:
            key = self.aliases[key]
            if key not in self.aliases:
                return key if self.known_s[key] <= settled_to and key in self.fates else None
        return None

    def drop(self, key: str) -> None:
        self.fates.pop(key, None)

    def up_to(self, now_s: int) -> dict[str, Fate]:
        return {key: fate for key, fate in self.fates.items() if self.known_s[key] <= now_s}


def reading(world: World, revision: int) -> tuple[Calendar, int]:
    with world.ledger.decide(dry_run=True) as tx:
        made = tx.revisions.get(tx.connection, revision)
    return made.calendar, made.generation


def walk(world: World, revision: int, after_s: int, until_s: int) -> dict[str, Candidate]:
    calendar, generation = reading(world, revision)
    return {calendar.key(found, generation): found for found in calendar.walk(after_s, until_s)}


def on_record(world: World) -> dict[str, Fate]:
    """(revision, skipped by a cutover) of every firing with a row or inside a range, by key."""
    found: dict[str, Fate] = {}
    for revision, civil, fold, reason in world.rows("SELECT revision, civil, fold, reason FROM occurrence"):
        calendar, generation = reading(world, int(str(revision)))
        at = next(c for c in calendar.find(int(str(civil))) if (c.civil_s, c.fold) == (civil, fold))
        found[calendar.key(at, generation)] = int(str(revision)), reason == "cutover"
    for revision, first, last, count, reason in world.rows(
        "SELECT revision, first_at, last_at, count, reason FROM firing_range"
    ):
        inside = walk(world, int(str(revision)), int(str(first)) // SECOND - 1, int(str(last)) // SECOND)
        keys = [k for k, c in inside.items() if reason == "cutover" or (c.fate != "fires") == (reason == "gap")]
        assert len(keys) == count and not found.keys() & set(keys)
        found |= {key: (int(str(revision)), reason == "cutover") for key in keys}
    return found


def settled(world: World) -> int:
    (mark,) = world.row("SELECT settled_to FROM schedule")
    return int(str(mark))


def partition(
    world: World, chance: random.Random, model: Model, *, old: int, new: int, span_s: int
) -> tuple[Partition, Model]:
    """A random one that holds, and what it makes of the model. The ledger stays as it is until it is activated."""
    now_s = world.clock.now() // SECOND
    settled_to = settled(world)
    begin_s = max(now_s, settled_to)
    end_s = begin_s + span_s
    while any(model.taker(key, settled_to) for key in walk(world, new, end_s, end_s + 10 * 86_400)):
        end_s += 3600
    made = model.copy()
    before = [k for k in made.fates if settled_to < made.known_s[k] <= end_s]
    for key in [k for k in made.fates if made.known_s[k] > settled_to]:
        if key not in before:
            made.drop(key)
    after = walk(world, new, begin_s, end_s)
    taken = {key: taker for key in after if key not in before and (taker := model.taker(key, settled_to))}
    lone = [key for key in after if key not in before and key not in taken]
    chance.shuffle(lone)
    entries = [Entry("same", (taker, key), "old") for key, taker in taken.items()]
    runs: dict[str, list[tuple[int, str]]] = {
        "old": [(model.known_s[taker], taker) for taker in taken.values()], "new": [],
    }  # fmt: skip
    for key in before:
        owner, at_s = made.fates[key][0], made.known_s[key]
        if key in after:
            whose = chance.choice(("old", "new"))
            entries.append(Entry("same", (key, key), whose))
            made.put(key, at_s, (owner if whose == "old" else new, False))
            runs[whose].append((at_s, key))
            continue
        match chance.choice(("same_old", "same_new", "distinct", "skip")):
            case "same_old" | "same_new" as how if lone:
                twin, whose = lone.pop(), how[5:]
                entries.append(Entry("same", (key, twin), whose))
                if whose == "old":
                    made.put(key, at_s, (owner, False))
                    made.aliases[twin] = key
                    runs["old"].append((at_s, key))
                else:
                    made.drop(key)
                    made.put(twin, after[twin].instant_s, (new, False))
                    made.aliases[key] = twin
                    runs["new"].append((after[twin].instant_s, twin))
            case "skip":
                entries.append(Entry("skip", (key,), "old"))
                made.put(key, at_s, (owner, True))
            case _:
                entries.append(Entry("distinct", (key,), "old"))
                made.put(key, at_s, (owner, False))
                runs["old"].append((at_s, key))
    for key in lone:
        skipped = chance.random() < 0.3
        entries.append(Entry("skip" if skipped else "distinct", (key,), "new"))
        made.put(key, after[key].instant_s, (new, skipped))
        runs["new"] += [] if skipped else [(after[key].instant_s, key)]
    later = walk(world, new, end_s, end_s + 40 * 86_400)
    for key, found in later.items():
        if key not in made.fates:
            made.put(key, found.instant_s, (new, False))
    return _said(world, old, new, end_s, entries, runs, next(iter(later))), made


def _said(
    world: World, old: int, new: int, end_s: int, entries: list[Entry], runs: dict[str, list[tuple[int, str]]],
    after: str,
) -> Partition:
    last = max(runs["old"])[1] if runs["old"] else "none"
    first = min(runs["new"])[1] if runs["new"] else after
    return Partition(NAME, old, new, world.clock.now(), end_s * SECOND, last, first, tuple(entries))


def broken(chance: random.Random, whole: Partition) -> Partition:
    """The same with one thing wrong."""
    entries, at = list(whole.entries), chance.randrange(len(whole.entries))
    entry = entries[at]
    ways: list[Callable[[], Partition]] = [
        lambda: replace(whole, entries=tuple(entries[:at] + entries[at + 1 :])),
        lambda: replace(whole, entries=(*entries, entry)),
        lambda: replace(whole, entries=(*entries[:at], replace(entry, owner="?"), *entries[at + 1 :])),
        lambda: replace(whole, entries=(*entries, Entry("distinct", ("c1:1999-01-01T00:00",), "old"))),
        lambda: replace(whole, entries=(*entries, Entry("skip", ("c9:2026-01-01T00:00",), "new"))),
        lambda: replace(whole, old_last="c1:1999-01-01T00:00"),
        lambda: replace(whole, new_first="none"),
        lambda: replace(whole, old=whole.old + 5),
        lambda: replace(whole, span_end=whole.at),
    ]
    if entry.fate != "same":
        turned = replace(entry, owner="new" if entry.owner == "old" else "old")
        ways.append(lambda: replace(whole, entries=(*entries[:at], turned, *entries[at + 1 :])))
    return chance.choice(ways)()


def refuse(world: World, number: int, wrong: Partition | None) -> None:
    before = content(world.ledger.connection)
    with pytest.raises(Refused):
        world.activate("s", number, partition=wrong)
    assert content(world.ledger.connection) == before, "a refusal leaves no trace"


def switch(world: World, chance: random.Random, model: Model, old: int, new: int) -> Model:
    """A cutover from one revision to another, after broken ones were refused and the whole was rolled back once."""
    whole, made = partition(world, chance, model, old=old, new=new, span_s=chance.choice((1, 1800, 5400, 14_400)))
    if whole.entries:
        for _ in range(3):
            refuse(world, new, broken(chance, whole))
    refuse(world, new, None)
    with world.ledger.decide(dry_run=True) as tx:  # a crash before the commit
        assert activate(tx, schedule="s", revision=new, unbound=False, partition=whole).status == "activated"
    assert world.activate("s", new, partition=whole).status == "activated"
    before = content(world.ledger.connection)
    assert world.activate("s", new, partition=whole).status == "unchanged", "the second run of a script"
    assert content(world.ledger.connection) == before
    return made


def agree(world: World, model: Model) -> None:
    assert on_record(world) == model.up_to(settled(world))


def wait(world: World, chance: random.Random) -> None:
    """Some time passes, and a clock may go back; perhaps somebody looks, once or more often."""
    for _ in range(chance.randrange(3)):
        world.clock.advance(chance.randrange(1, 5400) * SECOND)
        if chance.random() < 0.1:
            world.clock.step(-chance.randrange(1, 7200) * SECOND)
        if chance.random() < 0.7:
            world.look(chunk=chance.choice((1, 100)))
            while world.launches:
                world.end(world.launches[0])


@pytest.mark.rule("CUT-04", "CUT-05", "CUT-10")
@pytest.mark.parametrize("seed", range(CASES))
def test_every_candidate_has_the_one_fate_that_its_partition_states(seed: int) -> None:
    chance = random.Random(seed)
    one, two = chance.sample(READINGS, 2)
    world, model = World(now=chance.choice(STARTS)), Model()
    world.add(other(one, chance))
    begin_s = world.clock.now() // SECOND
    for key, found in walk(world, 1, begin_s, begin_s + 40 * 86_400).items():
        model.put(key, found.instant_s, (1, False))
    wait(world, chance)
    world.define(other(two, chance, allowed_delay="30m"))
    model = switch(world, chance, model, 1, 2)
    agree(world, model)
    wait(world, chance)
    agree(world, model)
    active = 2
    if chance.random() < 0.4:  # the same reading again, while the span is open or not
        active, now_s = 3, max(world.clock.now() // SECOND, settled(world))
        world.define(other(two, chance, allowed_delay="45m"))
        world.activate("s", 3)
        for key, (owner, skipped) in list(model.fates.items()):
            if owner == 2 and model.known_s[key] > now_s:
                model.fates[key] = 3, skipped
        wait(world, chance)
        agree(world, model)
    for there in (1, active)[: chance.choice((0, 1, 2, 2))]:  # back to the first reading, and on to the second again
        model = switch(world, chance, model, active if there == 1 else 1, there)
        agree(world, model)
        wait(world, chance)
    world.clock.advance(chance.randrange(86_400) * SECOND)
    world.look()
    agree(world, model)
    world.audit()
