"""A history with a bit of everything, told in steps that may be told again: the real engine and schema on a virtual
clock.

After a crash somebody does again what he was doing, and a daemon starts again: ``restart``, then the step that was
interrupted and all that follow. So a step finds what it is about by Schedule and nominal instant, and one that was
done already changes nothing. A look begins and ends each, as a daemon looks whenever time has come or something was
committed.

To add a step is to add a line to ``STEPS``: when it is, and what is done.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from spellweaver.clock import VirtualClock
from spellweaver.core.cutover import Entry, Partition
from spellweaver.core.identity import AttemptId, InvocationId
from spellweaver.core.launch import Contained, Ended, Identity, Lost, NeverStarted, Sighting, Started
from spellweaver.engine.cancel import cancel
from spellweaver.engine.recover import recover
from spellweaver.engine.resolve import resolve
from spellweaver.engine.settle import settle
from spellweaver.engine.trigger import trigger
from spellweaver.errors import Refused
from spellweaver.ledger.decide import Ledger
from tests.support.engine import BOOT, World, draft, policy, us

CHUNK = 3  # so that a pass needs several transactions


@dataclass(frozen=True)
class Step:
    """``at``: the clock shows this when it begins, whatever it showed before."""

    at: str
    name: str
    act: Callable[[Story], object]


class Story(World):
    """``left_status`` keeps what a shim leaves of an attempt; it stands before anything is reported."""

    def __init__(self, ledger: Ledger, clock: VirtualClock) -> None:
        self.clock = clock
        self.ledger = ledger
        self.path = None
        self.launches = []

    def left_status(self, attempt: AttemptId, status: dict[str, object]) -> None:
        """Nothing is kept, unless there is a disk."""

    def do(self, step: Step) -> None:
        ahead = us(step.at) - self.clock.now()
        (self.clock.advance if ahead >= 0 else self.clock.step)(ahead)
        self.look(chunk=CHUNK)
        step.act(self)
        self.look(chunk=CHUNK)

    def restart(self) -> None:
        """What a daemon does first: what it had claimed without starting it never started; what runs goes on."""
        with self.ledger.decide() as tx:
            left_open = recover(tx)
        for left in left_open:
            if left.state == "launching":
                self.see(NeverStarted(left.attempt, "gate"))
        self.look(chunk=CHUNK)

    # what is done to a run, named by its Schedule and nominal instant

    def run(self, name: str, nominal: str) -> tuple[InvocationId, AttemptId, str]:
        """(Invocation, its last attempt, the attempt's state)."""
        invocation, attempt, state = self.row(
            "SELECT i.id, a.id, a.state FROM schedule s JOIN occurrence o ON o.schedule = s.id "
            "JOIN invocation i ON i.occurrence = o.id JOIN run r ON r.invocation = i.id JOIN attempt a ON a.run = r.id "
            "WHERE s.name = ? AND o.nominal_at = ? ORDER BY a.id DESC LIMIT 1", name, us(nominal)
        )  # fmt: skip
        return InvocationId(int(str(invocation))), AttemptId(int(str(attempt))), str(state)

    def begin(self, name: str, nominal: str) -> None:
        """Only what this daemon claimed has a process that waits at its gate."""
        _, attempt, state = self.run(name, nominal)
        if state == "launching" and self.claimed(attempt):
            self.see(Started(attempt, _who(attempt, 0), _who(attempt, 1)))

    def finish(self, name: str, nominal: str, code: int = 0, *, signal: int | None = None) -> None:
        self.begin(name, nominal)
        _, attempt, state = self.run(name, nominal)
        if state in ("running", "contained"):
            self.see(self._ended(attempt, code, signal))

    def together(self, *runs: tuple[str, str]) -> None:
        """Several commands end, and one commit tells of all of them, as the writer thread makes it."""
        ends = []
        for name, nominal in runs:
            self.begin(name, nominal)
            _, attempt, state = self.run(name, nominal)
            ends += [self._ended(attempt, 0, None)] if state == "running" else []
        with self.ledger.decide() as tx:
            for end in ends:
                with tx.savepoint():
                    settle(tx, end)

    def claimed(self, attempt: AttemptId) -> bool:
        return any(launch.attempt == attempt for launch in self.launches)

    def never_started(self, name: str, nominal: str) -> None:
        _, attempt, state = self.run(name, nominal)
        if state == "launching":
            self.see(NeverStarted(attempt, "gate"))

    def contain(self, name: str, nominal: str) -> None:
        self.begin(name, nominal)
        self.see(Contained(self.run(name, nominal)[1], "shim_killed", "Its shim is gone, and left no status."))

    def lose(self, name: str, nominal: str) -> None:
        self.begin(name, nominal)
        self.see(Lost(self.run(name, nominal)[1], "other_boot"))

    def ask_to_cancel(self, name: str, nominal: str) -> None:
        with contextlib.suppress(Refused), self.ledger.decide() as tx:  # refused if it was done already
            cancel(tx, self.run(name, nominal)[0], why="it is not wanted")

    def trigger(self, name: str, event_id: str) -> None:
        with self.ledger.decide() as tx:
            trigger(tx, schedule=name, source="shop", event_id=event_id, content=b'{"n": 9}', principal="test")

    def resolve(self, name: str, nominal: str) -> None:
        with contextlib.suppress(Refused), self.ledger.decide() as tx:
            resolve(tx, self.run(name, nominal)[0], outcome="failed", why="looked: nothing of it is left")

    def drop(self, name: str) -> None:
        with contextlib.suppress(ValueError):  # none waits if it was done already
            self.skip(name)

    def _ended(self, attempt: AttemptId, code: int, signal: int | None) -> Sighting:
        state = "exited" if signal is None else "signalled"
        self.left_status(attempt, {"state": state, "code": code, "signal": signal})
        if signal is not None:
            return Ended(attempt, "signalled", signal=signal, asked=True)
        return Ended(attempt, "exited", code=code, output_bytes=12)

    def outcome(self) -> dict[str, list[tuple[object, ...]]]:
        """What the history came to, without row numbers: firings, ranges, runs and marks."""
        return {
            "firings": self.rows(
                "SELECT s.name, o.generation, o.civil, o.fold, r.number, o.due_at, o.mode, o.state, o.reason, "
                "o.decided_at, i.state, i.reason, i.admitted_at, i.ended_at FROM occurrence o JOIN schedule s "
                "ON s.id = o.schedule JOIN revision r ON r.id = o.revision LEFT JOIN invocation i "
                "ON i.occurrence = o.id ORDER BY 1, 2, 3, 4"),
            "ranges": self.rows(
                "SELECT s.name, r.state, r.reason, r.first_civil, r.last_civil, r.count, r.decided_at "
                "FROM firing_range r JOIN schedule s ON s.id = r.schedule ORDER BY s.name, r.first_at"),
            "marks": self.rows(
                "SELECT s.name, s.state, r.number, s.settled_to, s.next_at FROM schedule s LEFT JOIN revision r "
                "ON r.id = s.active ORDER BY s.name"),
            "held": self.rows('SELECT account, sum(amount) FROM "grant" WHERE settled IS NULL GROUP BY 1'),
        }  # fmt: skip


def _who(attempt: AttemptId, which: int) -> Identity:
    return Identity(4000 + 2 * attempt + which, 100, BOOT, 7 + 2 * attempt + which)


def _define(story: Story) -> None:
    story.define(
        draft("minutely", "* * * * *", horizon="6h"),
        draft("nightly", "30 2 * * *", zone="Europe/Rome", gap="advance", allowed_delay="3h", jitter="10m"),
        draft("hourly", "0 * * * *", zone="Europe/Rome", allowed_delay="30m"),
        draft("quarterly", every="15m", allowed_delay="1h"),
        draft("strict", "15,45 2 * * *", zone="Europe/Rome", gap="fail", version="other@1"),
        draft("unbound", "10 0 * * *", version="unbound@1"),
    )


def _activate(*names: str) -> Callable[[Story], None]:
    def act(story: Story) -> None:
        for name in names:
            story.activate(name, unbound=name == "unbound")

    return act


def _revise(story: Story) -> None:
    """The same calendar, another window: the generation stays (CUT-03)."""
    story.define(draft("quarterly", every="15m", allowed_delay="2h"))
    story.activate("quarterly")


def _cut(story: Story) -> None:
    """Another calendar: one candidate of it is skipped, and one takes the old one's firing of the next night."""
    story.define(draft("unbound", "10,40 1 * * *", version="unbound@1"))
    night, end = "c1:2026-03-29T00:10", us("2026-03-29T00:30:00Z")
    entries = (
        Entry("skip", ("c2:2026-03-28T01:10",), "new"),
        Entry("same", (night, "c2:2026-03-28T01:40"), "new"),
    )
    whole = Partition("local/unbound", 1, 2, us("2026-03-28T01:03:00Z"), end, "none", "c2:2026-03-28T01:40", entries)
    story.activate("unbound", unbound=True, partition=whole)


def _steps() -> Iterator[Step]:
    day = "2026-03-28"
    yield Step(f"{day}T00:00:00Z", "two workers", lambda s: s.apply(policy(workers=2)))
    yield Step(f"{day}T00:00:01Z", "define", _define)
    yield Step(f"{day}T00:00:02Z", "bind", lambda s: (s.bind(), s.bind("other@1")))
    yield Step(f"{day}T00:00:03Z", "activate", _activate("quarterly", "hourly", "nightly", "strict", "unbound"))
    yield Step(f"{day}T00:10:00Z", "refused for want of a binding", lambda s: None)
    yield Step(f"{day}T00:15:01Z", "begin", lambda s: s.begin("quarterly", f"{day}T00:15:00Z"))
    yield Step(f"{day}T00:30:00Z", "kept out by overlap", lambda s: None)
    yield Step(f"{day}T00:31:00Z", "end", lambda s: s.finish("quarterly", f"{day}T00:15:00Z"))
    yield Step(f"{day}T00:31:01Z", "the gate closed", lambda s: s.never_started("quarterly", f"{day}T00:30:00Z"))
    yield Step(f"{day}T00:31:02Z", "begun again", lambda s: s.begin("quarterly", f"{day}T00:30:00Z"))
    yield Step(f"{day}T00:30:59Z", "the clock goes back", lambda s: None)
    yield Step(f"{day}T00:32:00Z", "failed", lambda s: s.finish("quarterly", f"{day}T00:30:00Z", 3))
    yield Step(f"{day}T00:32:05Z", "events from outside", lambda s: (
        s.trigger("quarterly", "order-9"), s.trigger("unbound", "order-9")))  # fmt: skip
    yield Step(f"{day}T00:32:06Z", "one comes again while it runs", lambda s: (
        s.begin("quarterly", f"{day}T00:32:05Z"), s.trigger("quarterly", "order-9")))  # fmt: skip
    yield Step(f"{day}T00:32:07Z", "another has to wait", lambda s: s.trigger("quarterly", "order-10"))
    yield Step(f"{day}T00:32:08Z", "it ends, and comes again", lambda s: (
        s.finish("quarterly", f"{day}T00:32:05Z"), s.trigger("quarterly", "order-9")))  # fmt: skip
    yield Step(f"{day}T00:32:09Z", "what waited, too", lambda s: s.finish("quarterly", f"{day}T00:32:07Z"))
    yield Step(f"{day}T00:40:00Z", "one more Schedule", _activate("minutely"))
    yield Step(f"{day}T00:41:00Z", "it begins", lambda s: s.begin("minutely", f"{day}T00:41:00Z"))
    yield Step(f"{day}T00:42:00Z", "skipped by overlap", lambda s: None)
    yield Step(f"{day}T00:42:30Z", "it ends", lambda s: s.finish("minutely", f"{day}T00:41:00Z"))
    yield Step(f"{day}T01:00:00Z", "an outage: a range, and no worker left", lambda s: None)
    yield Step(f"{day}T01:00:01Z", "cancelled at its gate, which stays shut", lambda s: (
        s.ask_to_cancel("minutely", f"{day}T01:00:00Z"), s.never_started("minutely", f"{day}T01:00:00Z")))  # fmt: skip
    yield Step(f"{day}T01:00:03Z", "a worker for the next", lambda s: s.begin("hourly", f"{day}T01:00:00Z"))
    yield Step(f"{day}T01:00:04Z", "cancelled while it runs", lambda s: s.ask_to_cancel("hourly", f"{day}T01:00:00Z"))
    yield Step(f"{day}T01:00:06Z", "it obeys", lambda s: s.finish("hourly", f"{day}T01:00:00Z", signal=15))
    yield Step(f"{day}T01:03:00Z", "another window, and another calendar", lambda s: (_revise(s), _cut(s)))
    yield Step(f"{day}T01:03:30Z", "two begin", lambda s: (
        s.begin("quarterly", f"{day}T01:00:00Z"), s.begin("minutely", f"{day}T01:03:00Z")))  # fmt: skip
    yield Step(f"{day}T01:05:00Z", "two end in one commit", lambda s: s.together(
        ("quarterly", f"{day}T01:00:00Z"), ("minutely", f"{day}T01:03:00Z")))  # fmt: skip
    yield Step(f"{day}T01:16:00Z", "room for one more", lambda s: s.finish("strict", f"{day}T01:15:00Z"))
    yield Step(f"{day}T01:16:05Z", "its shim is killed", lambda s: s.contain("quarterly", f"{day}T01:15:00Z"))
    yield Step(f"{day}T01:16:10Z", "beside it", lambda s: s.finish("minutely", f"{day}T01:16:00Z"))
    yield Step(f"{day}T01:45:00Z", "a reboot", lambda s: s.lose("minutely", f"{day}T01:45:00Z"))
    yield Step(f"{day}T01:45:05Z", "the next in line", lambda s: s.finish("strict", f"{day}T01:45:00Z"))
    yield Step(f"{day}T01:45:10Z", "and the next", lambda s: s.finish("nightly", f"{day}T01:30:00Z"))
    yield Step(f"{day}T02:40:00Z", "somebody looked", lambda s: s.resolve("quarterly", f"{day}T01:15:00Z"))
    yield Step(f"{day}T02:41:00Z", "what waited", lambda s: s.finish("quarterly", f"{day}T02:30:00Z"))
    night = "2026-03-29"
    yield Step(f"{night}T01:20:00Z", "an outage over a missing hour", lambda s: None)
    yield Step(f"{night}T01:21:00Z", "what ran through it ends", lambda s: s.together(
        ("minutely", f"{day}T02:40:00Z"), ("hourly", f"{night}T01:00:00Z")))  # fmt: skip
    yield Step(f"{night}T01:21:30Z", "nightly, after the gap", lambda s: s.finish("nightly", f"{night}T01:00:00Z"))
    yield Step(f"{night}T01:22:00Z", "the last one", lambda s: s.finish("quarterly", f"{night}T01:15:00Z", 1))
    yield Step(f"{night}T01:22:30Z", "paused while it runs", lambda s: s.pause("minutely", "a look at the disk"))
    yield Step(f"{night}T01:23:00Z", "what runs goes on, what comes is skipped", lambda s: s.finish(
        "minutely", f"{night}T01:22:00Z"))  # fmt: skip
    yield Step(f"{night}T01:23:30Z", "resumed", lambda s: s.resume("minutely"))
    yield Step(f"{night}T01:24:10Z", "it goes on", lambda s: s.begin("minutely", f"{night}T01:24:00Z"))
    yield Step(f"{night}T01:31:00Z", "what waits is not wanted", lambda s: s.drop("quarterly"))
    yield Step(f"{night}T01:32:00Z", "no longer", lambda s: s.retire("strict"))


STEPS = tuple(_steps())
