"""Is an image what it may be? What was acknowledged is there, at most one commit more, and every law holds."""

from __future__ import annotations

import contextlib
import json
import os
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing import get_context
from random import Random

import apsw

from spellweaver.errors import SpellweaverError, Unusable
from spellweaver.ledger import witness
from spellweaver.ledger.audit import laws
from tests.crash.history import NAME, WITNESS, History, connect, continued, state_of, tell_again
from tests.crash.memory import Files, MemoryDisk, MemoryVFS
from tests.crash.power import CHANCE, MODELS, Disk


@dataclass(frozen=True, order=True)
class Cut:
    """The power goes after ``done`` operations; ``model`` and ``turn`` say what is left of them."""

    done: int
    model: str
    turn: int = 0

    def random(self, seed: int) -> Random:
        return Random(f"{seed}:{self.done}:{self.model}:{self.turn}")

    def __str__(self) -> str:
        return f"{self.done}:{self.model}:{self.turn}"

    @classmethod
    def parse(cls, text: str) -> Cut:
        done, model, turn = text.split(":")
        return cls(int(done), model, int(turn))


def cuts(history: History, count: int, seed: int) -> list[Cut]:
    """So many different ones, spread evenly over the history. What is certain to be the same is there once."""
    points = range(1, len(history.operations) + 1)
    syncs = [done for done in points if history.operations[done - 1][0].startswith("sync")]
    certain = [Cut(done, "kept") for done in points] + [Cut(done, "lost") for done in syncs]
    turns = -(-count // (len(points) * len(CHANCE))) + 1
    chance = [Cut(done, model, turn) for turn in range(turns) for model in CHANCE for done in points]
    return sorted(Random(seed).sample(certain + chance, min(count, len(certain) + len(chance))))


def judge(vfs: MemoryVFS, history: History, image: Files, done: int) -> Counter[str]:
    """What is to be said of an image of the disk after so many operations; what is wrong begins with WRONG."""
    vfs.disk = MemoryDisk(image)
    try:
        connection = connect(vfs)
    except (apsw.Error, SpellweaverError) as error:
        return Counter(["judged", f"WRONG: it does not open: {error}"])
    try:
        broken = [f"WRONG: law {found.id}" for found in laws.audit(connection)]
        said = ["judged", presence(history, state_of(connection), done), *broken, *beside(connection, image)]
    except (apsw.Error, UnicodeDecodeError) as error:
        said = ["judged", f"WRONG: it can't be read: {error}"]
    with contextlib.suppress(apsw.Error):
        connection.close()
    return Counter(said)


def presence(history: History, state: bytes, done: int) -> str:
    """P2: every acknowledged commit is in the ledger, and at most one that was not acknowledged yet."""
    told = bisect_right(history.acknowledged, done)
    if state not in history.states:
        return "WRONG: a state between two commits"
    there = history.states.index(state)
    if there < told:
        return "WRONG: acknowledged commits are lost"
    if there > told + 1:
        return "WRONG: commits that were not made"
    return "what was acknowledged" if there == told else "what was acknowledged, and what was under way"


def beside(connection: apsw.Connection, image: Files) -> Iterator[str]:
    """What stands beside it: a whole witness that lags but never leads; and a run that ended left its status first."""
    if WITNESS in image:
        try:
            witness.compare(connection, witness.parse(image[WITNESS]), NAME)
        except (ValueError, Unusable) as error:
            yield f"WRONG: the witness: {getattr(error, 'code', 'torn')}"
    for attempt, code, signal in connection.execute(
        "SELECT id, code, signal FROM attempt WHERE state IN ('exited', 'signalled')"
    ):
        status = image.get(f"attempts/att_{attempt}/status", b"")
        with contextlib.suppress(ValueError):
            left = json.loads(status)
            if (left["code"] if left["signal"] is None else None, left["signal"]) == (code, signal):
                continue
        yield "WRONG: a run ended and its status is not there"


Judge = Callable[[MemoryVFS, History, Files, Cut, int], Counter[str]]


def once(vfs: MemoryVFS, history: History, image: Files, cut: Cut, _seed: int) -> Counter[str]:
    """The image itself."""
    return judge(vfs, history, image, cut.done)


def to_the_end(vfs: MemoryVFS, history: History, image: Files, cut: Cut, _seed: int) -> Counter[str]:
    """RCV-04: whoever opens it and does again what he was doing comes to the same end."""
    outcome = continued(vfs, image, _interrupted(history, cut))
    wrong = [what for what in outcome if outcome[what] != history.outcome[what]]
    return Counter([f"WRONG: {what} ended otherwise" for what in wrong] or ["the same end"])


def twice(vfs: MemoryVFS, history: History, image: Files, cut: Cut, seed: int) -> Counter[str]:
    """The power goes again, at every operation of the recovery and of the first work after it."""
    second = tell_again(vfs, image, _interrupted(history, cut))
    random, said = cut.random(seed), Counter[str]()
    every = [Cut(done, random.choice(MODELS), cut.turn) for done in range(1, len(second.operations) + 1)]
    for again, found in images(second, every, seed):
        said += judge(vfs, second, found, again.done)
    return said


def _interrupted(history: History, cut: Cut) -> int:
    """The step that was being done."""
    return bisect_right(history.begun, cut.done - 1) - 1


@dataclass
class Sweep:
    """What came of many cuts: how often each thing was said, and the first cut that it was said of."""

    said: Counter[str] = field(default_factory=Counter)
    first: dict[str, Cut] = field(default_factory=dict)

    @property
    def images(self) -> int:
        """How many were judged: each is said one good thing of, or some wrong ones."""
        return self.said["judged"]

    @property
    def wrong(self) -> dict[str, tuple[int, str]]:
        """What was wrong, how often, and where first: a cut as SPELLWEAVER_CUT takes it."""
        return {what: (n, str(self.first[what])) for what, n in self.said.items() if what.startswith("WRONG")}

    def add(self, other: Sweep) -> None:
        self.said += other.said
        self.first = {what: min(self.first.get(what, cut), cut) for what, cut in (self.first | other.first).items()}


def sweep(history: History, wanted: list[Cut], seed: int, judge: Judge = once) -> Sweep:
    """Judges the images of all the cuts, on every core. ``wanted`` is in order."""
    share = min(4, len(os.sched_getaffinity(0)))
    whole = Sweep()
    with get_context("fork").Pool(share) as pool:
        for part in pool.starmap(_share, [(history, wanted[n::share], seed, judge) for n in range(share)]):
            whole.add(part)
    return whole


def _share(history: History, wanted: list[Cut], seed: int, judge: Judge) -> Sweep:
    vfs, part = MemoryVFS("judged"), Sweep()
    for cut, image in images(history, wanted, seed):
        said = judge(vfs, history, image, cut, seed)
        part.add(Sweep(said, dict.fromkeys(said, cut)))
    vfs.unregister()
    return part


def images(history: History, wanted: Iterable[Cut], seed: int) -> Iterator[tuple[Cut, Files]]:
    """The images of the cuts, which are in order."""
    disk, at = Disk(history.before), 0
    for cut in wanted:
        for operation in islice(history.operations, at, cut.done):
            disk.step(operation)
        at = max(at, cut.done)
        yield cut, disk.image(cut.model, cut.random(seed))
