"""What the law says of simple calendars in UTC, told a second time: in plain numbers, without the program and without a
ledger.

``Model`` knows which firings there are, and which fate each has (CAT-01, 02, 08, OVL ``forbid``, WIN-01, 05, 11,
CUT-03, SEL-01, 07). Instants are microseconds, firings are seconds. It is told what happens, never what the program
made of it.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field

SECOND = 1_000_000


@dataclass(frozen=True)
class Terms:
    """What one revision says: how long after its nominal instant a firing may start (None: for ever), and how old a
    missed one may be.
    """

    delay: int | None
    horizon: int


@dataclass
class Pending:
    """One that waits. ``why``: the obstacles that it may name. While it was not ``looked_at`` when it was due, it is
    judged as one that is found when somebody looks.
    """

    terms: Terms
    why: set[str] = field(default_factory=lambda: {"not_yet"})
    looked_at: bool = False


@dataclass
class Plan:
    """One Schedule: firings at ``offsets`` of every ``period`` seconds. ``fates``: (state, reason) of what is over."""

    period: int
    offsets: tuple[int, ...]
    mark: int
    revisions: list[tuple[int, Terms]]
    fates: dict[int, tuple[str, str]] = field(default_factory=dict)
    pending: dict[int, Pending] = field(default_factory=dict)
    open: set[int] = field(default_factory=set)

    def firings(self, after: int, until: int) -> Iterator[int]:
        """Those with ``after < firing <= until``."""
        for begin in range(after - after % self.period, until + 1, self.period):
            yield from (begin + offset for offset in self.offsets if after < begin + offset <= until)

    def owner(self, firing: int) -> Terms:
        """The last switch that was decided before it."""
        return next(terms for decided, terms in reversed(self.revisions) if decided < firing * SECOND)

    def closed(self, firing: int, terms: Terms, now: int) -> bool:
        return terms.delay is not None and now >= firing * SECOND + terms.delay

    def over(self, firing: int, state: str, reason: str) -> None:
        assert firing not in self.fates, "a fate is told twice"
        self.pending.pop(firing, None)
        self.fates[firing] = (state, reason)


class Model:
    """``workers`` are there; each Invocation that is not over holds one."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.plans: dict[str, Plan] = {}
        self._settles_from = 0

    def copy(self) -> Model:
        return copy.deepcopy(self)

    # what an operator does

    def add(self, name: str, period: int, offsets: tuple[int, ...], terms: Terms, now: int) -> None:
        self.plans[name] = Plan(period, offsets, now // SECOND, [(now, terms)])

    def revise(self, name: str, terms: Terms, now: int) -> bool:
        """Whether it changes anything."""
        revisions = self.plans[name].revisions
        if revisions[-1][1] == terms:
            return False
        revisions.append((now, terms))
        return True

    def finished(self, name: str, firing: int) -> None:
        self.plans[name].open.remove(firing)

    # what the clock does

    def stepped(self, now: int) -> None:
        """It was set by much: what waited for something else waits for it to settle."""
        self._settles_from = now
        for plan in self.plans.values():
            for firing, one in plan.pending.items():
                due = firing * SECOND <= now and one.terms.delay is not None
                if due and one.why & {"overlap", "capacity"} and not plan.closed(firing, one.terms, now):
                    one.why = {"clock_settling"}

    def settled(self, now: int) -> None:
        """It is believed again; what closed meanwhile closed for its sake."""
        for plan in self.plans.values():
            for firing, one in plan.pending.items():
                passed = plan.closed(firing, one.terms, now) and not plan.closed(firing, one.terms, self._settles_from)
                if "not_yet" in one.why and passed:
                    one.why, one.looked_at = {"clock_settling"}, True

    # a look

    def bounds(self, now: int, kind: str) -> Iterator[int]:
        """Instants at which an answer changes, of what waits and of the next firing of each Schedule: it is ``due``,
        ``late``, ``closed`` or too ``old``.
        """
        for plan in self.plans.values():
            after = max(plan.mark, now // SECOND)
            following = next(plan.firings(after, after + 2 * plan.period))
            for firing, terms in [(following, plan.owner(following)), *((f, p.terms) for f, p in plan.pending.items())]:
                after_it = {"due": 0, "late": SECOND, "closed": terms.delay or 0, "old": terms.horizon}
                yield firing * SECOND + after_it[kind]

    def look(self, now: int, allowance: int) -> None:
        for name in self.plans:
            self.judge(name, now, allowance)
        self.admit(now)

    def judge(self, name: str, now: int, allowance: int) -> None:
        """Every firing up to now is found; what is found late was missed, and at most one of it is caught up."""
        plan = self.plans[name]
        found = {firing: plan.owner(firing) for firing in plan.firings(plan.mark, now // SECOND)}
        plan.mark = max(plan.mark, now // SECOND)
        waited = {f: p.terms for f, p in plan.pending.items()}
        late = {f for f, p in plan.pending.items() if not p.looked_at} | found.keys()
        late = {f for f in late if now - f * SECOND > allowance}
        ordinary = False
        for firing, terms in sorted({**waited, **found}.items()):
            if firing in late and now - firing * SECOND > terms.horizon:
                plan.over(firing, "skipped", "horizon")
            elif (firing in late or firing in found) and plan.closed(firing, terms, now):
                plan.over(firing, "missed", "latest_start")
            elif firing in found and firing not in late:
                plan.pending[firing] = Pending(terms)
                ordinary = True
        if late:
            self._catch_up(plan, now, {**waited, **found}, found.keys() - late if ordinary else set(), late)

    def _catch_up(self, plan: Plan, now: int, known: dict[int, Terms], ordinary: set[int], late: set[int]) -> None:
        """The newest that is young enough stands for all that are older; an ordinary one for all that were missed."""
        choice = [
            f for f, terms in sorted(known.items())
            if f not in plan.fates and f not in ordinary and f * SECOND <= now and not plan.closed(f, terms, now)
        ]  # fmt: skip
        young = [f for f in choice if now - f * SECOND <= known[f].horizon]
        offered = None if ordinary else max(young, default=None)
        for firing in choice:
            if ordinary or (offered is not None and firing < offered):
                plan.over(firing, "skipped", "superseded")
        if offered is not None and offered in late:
            plan.pending[offered] = Pending(known[offered], looked_at=True)

    def admit(self, now: int, most: int | None = None) -> int:
        """What waits is asked in order, ``most`` of it; returns how many there were to ask."""
        line = [
            (one.terms.delay is not None, firing, name) for name, plan in self.plans.items()
            for firing, one in plan.pending.items()
        ]  # fmt: skip
        for _, firing, name in sorted(line)[:most]:
            if firing in self.plans[name].pending:
                self._ask(self.plans[name], firing, now)
        return len(line)

    def _ask(self, plan: Plan, firing: int, now: int) -> None:
        one = plan.pending[firing]
        windowed, free = one.terms.delay is not None, self.free() > 0
        if now < firing * SECOND:  # the clock was set back to before it
            one.why |= {"not_yet"}
            return
        one.looked_at = True
        if plan.closed(firing, one.terms, now):
            why = {"latest_start" if reason == "not_yet" else reason for reason in one.why}
            plan.over(firing, "missed", "|".join(sorted(why)))
        elif plan.open and not windowed:
            plan.over(firing, "skipped", "overlap")
        elif plan.open:
            one.why = {"overlap"} if free else {"overlap", "capacity"}
        elif not free:
            one.why = {"capacity"}
            for older in [f for f, p in plan.pending.items() if f < firing and p.terms.delay is None and not windowed]:
                plan.over(older, "skipped", "superseded")
        else:
            plan.over(firing, "admitted", "window_open" if windowed else "foreground")
            plan.open.add(firing)

    def free(self) -> int:
        return self.workers - sum(len(plan.open) for plan in self.plans.values())
