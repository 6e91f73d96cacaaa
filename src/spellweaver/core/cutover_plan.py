"""The proposal of a partition (CUT-07): what can be decided by a declared cycle, and ``"?"`` for the rest.

Two candidates are paired only where both revisions declare one cycle and it has exactly one firing on each side. Equal
dates or equal instants alone pair nothing. A pair is the old revision's where its old candidate has come or is on
record, else the new one's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from spellweaver.core.cutover import OPEN, Entry, Named, Owner
from spellweaver.core.instant import DAY_S, SECOND

Label = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sides:
    """What there is to be decided, each side in order. ``fixed``: firings of the old side on record, and ``past``:
    candidates of the new reading that came before ``at`` (µs); both reach back no further than a cycle. ``skipped``:
    what an earlier cutover skips. ``aliases`` as in ``Around``. ``label``: the cycle, None where the two revisions
    declare none in common.
    """

    at: int
    old: Sequence[Named]
    new: Sequence[Named]
    fixed: Sequence[Named]
    past: Sequence[Named]
    skipped: frozenset[str]
    aliases: Mapping[str, str]
    label: Callable[[Named], str] | None


def propose(sides: Sides) -> list[Entry]:
    """An entry for every unresolved candidate, in the order of their instants."""
    made: list[tuple[int, Entry]] = []
    own = {named.key for named in sides.old} & {named.key for named in sides.new}
    for named in sides.new:
        if named.key in own:
            made.append((named.at, Entry("same", (named.key, named.key), "new")))
        elif named.key in sides.aliases:
            made.append((named.at, Entry("same", (sides.aliases[named.key], named.key), "old")))
    for named in sides.old:
        if named.key in sides.skipped and named.key not in own:
            made.append((named.at, Entry("skip", (named.key,), "old")))
    taken = own | sides.aliases.keys() | sides.skipped
    old = [named for named in sides.old if named.key not in taken]
    new = [named for named in sides.new if named.key not in taken]
    made += _alone(old, new, sides.at) if sides.label is None else _paired(sides, sides.label, old, new)
    return [entry for _, entry in sorted(made, key=lambda each: each[0])]


def _alone(old: Sequence[Named], new: Sequence[Named], at: int) -> Iterator[tuple[int, Entry]]:
    """Without a cycle nothing can be paired: what has come is the old revision's, the rest is open."""
    for named in old:
        yield named.at, Entry("distinct", (named.key,), "old" if named.at <= at else OPEN)
    for named in new:
        yield named.at, Entry("distinct", (named.key,), OPEN)


def _paired(
    sides: Sides, label: Callable[[Named], str], old: Sequence[Named], new: Sequence[Named]
) -> Iterator[tuple[int, Entry]]:
    cycles: dict[str, tuple[list[Named], list[Named]]] = defaultdict(lambda: ([], []))
    for named in (*sides.fixed, *old):
        cycles[label(named)][0].append(named)
    for named in (*sides.past, *new):
        cycles[label(named)][1].append(named)
    fixed, past = {named.key for named in sides.fixed}, {named.key for named in sides.past}
    for before, after in cycles.values():
        if len(before) == len(after) == 1:
            one, other = before[0], after[0]
            if one.key in fixed and other.key in past:
                continue  # both lie behind, and one of them has run: nothing is left to be said
            owner: Owner = "old" if one.key in fixed or one.at <= sides.at or other.key in past else "new"
            yield min(one.at, other.at), Entry("same", (one.key, other.key), owner)
            continue
        several = bool(before and after)
        for named in before:
            if named.key not in fixed:
                yield named.at, Entry("distinct", (named.key,), OPEN if several and named.at > sides.at else "old")
        for named in after:
            if named.key not in past:
                yield named.at, Entry("distinct", (named.key,), OPEN if several else "new")


class Coming(NamedTuple):
    """A candidate for the choice of a span: its instant, its side, and the label of its cycle."""

    at_s: int
    side: int
    label: Label


def span_end(coming: Sequence[Coming], at_s: int) -> int:
    """The second at which a span ends: after two whole cycles of either side, where no cycle goes on, and at midnight
    UTC if that comes before the next candidate. ``coming`` is in order, reaches back a cycle from ``at_s``, and on to
    where three have passed.
    """
    begun = {each.label for each in coming if each.at_s <= at_s}
    wanted: set[Label] = set()
    for side in (0, 1):
        labels = (each.label for each in coming if each.side == side and each.label not in begun)
        wanted |= set(list(dict.fromkeys(labels))[:2])
    last = {each.label: place for place, each in enumerate(coming)}
    place = max((last[label] for label in wanted), default=-1)
    reach, i = place, 0
    while i <= reach:  # what began inside takes its whole cycle in
        reach, i = max(reach, last[coming[i].label]), i + 1
    while reach + 1 < len(coming) and coming[reach + 1].at_s == coming[reach].at_s:
        reach += 1
    end_s = max(coming[reach].at_s if reach >= 0 else at_s, at_s + 1)
    midnight = -(-end_s // DAY_S) * DAY_S
    following = coming[reach + 1].at_s if reach + 1 < len(coming) else midnight + 1
    return midnight if midnight < following else end_s


def back_s(cycle: str | None) -> int:
    """How far back a cycle that is not over may have begun, in whatever zone."""
    return {None: 0, "time": 2, "date": 2, "week": 9, "month": 33}[cycle] * DAY_S


def rounded(at: int) -> int:
    """An instant as a whole second, not before it."""
    return -(-at // SECOND)
