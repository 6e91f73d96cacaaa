"""Cutover: what becomes of the firings around a switch between two readings of a calendar (CUT-04 … CUT-06, CUT-12,
CUT-13).

    settled       activation        span_end
    ───┤ unresolved old │               │
       └────── old ─────┼───────────────┤ (nothing of the old reading)
                        └───── new ─────┼──── the new reading alone ────

A partition names every candidate between the marks exactly once. ``judge`` holds it against what the two readings
yield and what is on record, and gives either everything that is wrong with it or the line of firings that it makes.
Candidates are ordered by their instants alone: civil times of two zones form no line (CUT-06).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal, NamedTuple

from spellweaver.core.instant import SECOND, show
from spellweaver.core.line import Candidate
from spellweaver.core.schedule import canonical_json

Fate = Literal["same", "distinct", "skip"]
Owner = Literal["old", "new", "?"]
OPEN: Literal["?"] = "?"
NONE = "none"


@dataclass(frozen=True, slots=True)
class Entry:
    """One ``[[fate]]``. ``same`` has two keys, the old one first. ``origin`` is where it stands, for messages alone."""

    fate: Fate
    keys: tuple[str, ...]
    owner: Owner
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Partition:
    """A cutover file. ``old`` and ``new`` are revision numbers, ``at`` the instant that it was planned for (µs);
    ``old_last`` and ``new_first`` are keys, or ``none``.
    """

    schedule: str
    old: int
    new: int
    at: int
    span_end: int
    old_last: str
    new_first: str
    entries: tuple[Entry, ...]

    def digest(self) -> str:
        """Of what it decides, not of when it was planned. Lowercase hex SHA-256."""
        fates = sorted([e.fate, *e.keys, e.owner] for e in self.entries)
        said = [self.schedule, self.old, self.new, self.span_end, self.old_last, self.new_first, fates]
        return sha256(canonical_json(said).encode()).hexdigest()


class Named(NamedTuple):
    """A candidate with its key. ``owner`` is the row number of the revision whose firing it is as things stand."""

    key: str
    generation: int
    owner: int
    found: Candidate

    @property
    def at(self) -> int:
        return self.found.instant_s * SECOND


@dataclass(frozen=True, slots=True)
class Around:
    """What there is around a switch, by key.

    ``old``: unresolved up to the span's end. ``new``: of the new reading, after the activation and up to the span's
    end. ``fixed``: firings on record that the partition names, or that are an alias's. ``past``: named candidates of
    the new reading that are no firing any more. ``aliases``: a candidate of the new reading, and the firing on record
    that it is by an earlier partition; those after the span stand in ``late``. ``straddling``: keys beyond the span in
    a cycle that began inside it. ``after``: the first key of the new reading beyond the span.
    """

    begins_at: int
    span_end: int
    old: Mapping[str, Named]
    new: Mapping[str, Named]
    fixed: Mapping[str, Named]
    past: Mapping[str, Named]
    aliases: Mapping[str, str]
    late: tuple[str, ...] = ()
    straddling: tuple[str, ...] = ()
    after: str = NONE


class Firing(NamedTuple):
    """One firing of the line that a partition makes: under its owner it comes, or is skipped. Neighbours of one reading
    and one fate, with no hole between them, share a ``group``.
    """

    generation: int
    found: Candidate
    owner: int
    skipped: bool
    group: int


class Offence(NamedTuple):
    """What is wrong with one candidate, or with the whole partition (``key`` empty)."""

    key: str
    sentence: str
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """What a partition comes to: firings in the order of their instants, and for each candidate that is another's
    firing the key of that one. ``counts`` has the number of entries of each fate.
    """

    firings: tuple[Firing, ...]
    aliases: Mapping[str, str]
    counts: Mapping[Fate, int]


def judge(partition: Partition, around: Around, *, new: int) -> tuple[list[Offence], Line]:
    """Everything that is wrong, and the line; the line counts only where nothing is wrong. ``new`` is the row number
    of the new revision.
    """
    reading = _Reading(partition, around, new)
    for entry in partition.entries:
        reading.take(entry)
    wrong = [*_of_span(around), *reading.wrong, *_named_twice(partition), *_left_out(partition, around)]
    if not wrong:
        wrong += _boundaries(partition, reading)
    return wrong, reading.line()


def boundaries(partition: Partition, around: Around, *, new: int) -> tuple[str, str]:
    """(``old_last``, ``new_first``) as the entries make them, whatever else is open (CUT-06)."""
    reading = _Reading(partition, around, new)
    for entry in partition.entries:
        reading.take(entry)
    return reading.ends()


class _Reading:
    """The entries read so far: which firings come of them, which keys are aliases, what was wrong."""

    def __init__(self, partition: Partition, around: Around, new: int) -> None:
        self.around = around
        self.new = new
        self.wrong: list[Offence] = []
        self.firings: list[tuple[Named, Owner, bool]] = []
        self.aliases: dict[str, str] = {}
        self.fixed: list[Named] = []
        self.counts: Counter[Fate] = Counter()

    def take(self, entry: Entry) -> None:
        self.counts[entry.fate] += 1
        where, keys = self.around, entry.keys
        if entry.owner == OPEN or OPEN in keys:
            left = "owner" if entry.owner == OPEN else "pair"
            said = f"its {left} is left open; say same with its pair, distinct or skip, and who owns it"
            self.wrong += [Offence(key, said, entry.origin) for key in keys if key != OPEN]
            return
        sides = (where.old, where.new, where.fixed, where.past)
        unknown = [key for key in keys if not any(key in side for side in sides)]
        if unknown:
            self.wrong += [Offence(key, "neither reading yields it", entry.origin) for key in unknown]
        elif fault := (self._same(entry) if entry.fate == "same" else self._alone(entry)):
            self.wrong.append(Offence(fault[0], fault[1], entry.origin))

    def _alone(self, entry: Entry) -> tuple[str, str] | None:
        """A candidate that is ``distinct`` or ``skip``: (key, what is wrong)."""
        where, (key,) = self.around, entry.keys
        skipped = entry.fate == "skip"
        if key in where.fixed:
            if skipped or entry.owner == "new":
                return key, "it is on record already; this would assign it again"
            self.fixed.append(where.fixed[key])
            return None
        if key in where.past:
            return key, (
                f"it lies at or before this activation ({show(where.begins_at)}), so it is no firing of the new "
                "reading: leave it out, or pair it with an old one that owns it"
            )
        if key in where.old and key in where.new and not skipped:
            return key, f'both readings yield it: write same = ["{key}", "{key}"]'
        side: Owner = entry.owner if key in where.old and key in where.new else "old" if key in where.old else "new"
        if entry.owner != side:
            return key, f"it is of the {side} reading; only a pair can be the other's"
        if side == "new" and key in where.aliases:
            taker = where.aliases[key]
            return key, f'it is {taker} already, which is on record: same = ["{taker}", "{key}"]'
        self.firings.append((self._owned(key, side), side, skipped))
        return None

    def _same(self, entry: Entry) -> tuple[str, str] | None:
        """A pair: (key, what is wrong)."""
        where, (old, new) = self.around, entry.keys
        if old not in where.old and old not in where.fixed:
            return old, "it is not of the old reading; a pair names the old one first"
        if new not in where.new and new not in where.past:
            return new, "it is on record by itself" if new in where.fixed else "it is not of the new reading"
        known = where.aliases.get(new)
        if known is not None and (known != old or entry.owner != "old"):
            return new, f"it is {known} already, which is on record; this would assign it again"
        if entry.owner == "old":
            if old in where.fixed:
                self.fixed.append(where.fixed[old])
            else:
                self.firings.append((where.old[old], "old", False))
        elif old in where.fixed:
            return old, "it is on record already, so it owns the pair; this would assign it again"
        elif new in where.past:
            return new, f"it lies at or before this activation ({show(where.begins_at)}): the old one owns the pair"
        else:
            self.firings.append((self._owned(new, "new"), "new", False))
        if old != new:
            taken, taker = (new, old) if entry.owner == "old" else (old, new)
            self.aliases[taken] = taker
        return None

    def _owned(self, key: str, side: Owner) -> Named:
        return self.around.old[key] if side == "old" else self.around.new[key]._replace(owner=self.new)

    def line(self) -> Line:
        aliases = {key: self.around.old.get(key) or self.around.new.get(key) for key in self.aliases}
        holes = [named for named in aliases.values() if named is not None]
        firings = [(named, skipped) for named, _, skipped in self.firings]
        return Line(tuple(_grouped(firings, holes)), self.aliases, self.counts)

    def ends(self) -> tuple[str, str]:
        """(the old reading's last, the new one's first) that may run."""
        old = [*self.fixed, *(named for named, side, skipped in self.firings if side == "old" and not skipped)]
        new = [named for named, side, skipped in self.firings if side == "new" and not skipped]
        return (
            max(old, key=_order).key if old else NONE,
            min(new, key=_order).key if new else self.around.after,
        )


def _order(named: Named) -> tuple[int, int, int]:
    return named.found.instant_s, named.generation, named.found.civil_s


def _grouped(firings: Sequence[tuple[Named, bool]], holes: Sequence[Named]) -> Iterator[Firing]:
    """In order, numbered so that a group is a stretch of one reading without a hole (OCC-13)."""
    marked = [(named, skipped, False) for named, skipped in firings] + [(named, False, True) for named in holes]
    last: tuple[int, int, bool] | None = None
    group = 0
    for named, skipped, hole in sorted(marked, key=lambda each: _order(each[0])):
        if hole:
            last = None if last and last[0] == named.generation else last
            continue
        this = named.generation, named.owner, skipped
        group += this != last
        last = this
        yield Firing(named.generation, named.found, named.owner, skipped, group)


def _of_span(around: Around) -> Iterator[Offence]:
    if around.span_end <= around.begins_at:
        said = f"span_end ({show(around.span_end)}) is not after the activation ({show(around.begins_at)}); plan again"
        yield Offence("", said)
    for key in around.straddling:
        yield Offence(key, "its cycle begins before span_end and goes on after it; move span_end out of the cycle")
    for key in around.late:
        yield Offence(key, "it is a firing on record, by an earlier cutover; move span_end past it")


def _named_twice(partition: Partition) -> Iterator[Offence]:
    times = Counter(key for entry in partition.entries for key in dict.fromkeys(entry.keys) if key != OPEN)
    first: set[str] = set()
    for entry in partition.entries:
        for key in dict.fromkeys(entry.keys):
            if times[key] > 1 and key in first:
                yield Offence(key, "it is named twice", entry.origin)
            first.add(key)


def _left_out(partition: Partition, around: Around) -> Iterator[Offence]:
    named = {key for entry in partition.entries for key in entry.keys}
    for side, which in ((around.old, "unresolved old"), (around.new, "new")):
        for key, candidate in side.items():
            if key not in named and (side is around.old or key not in around.old):
                yield Offence(key, f"this {which} candidate ({show(candidate.at)}) is left out")


def _boundaries(partition: Partition, reading: _Reading) -> Iterator[Offence]:
    """Each reading's own end and begin (CUT-06), as the fates make them."""
    says = (("old_last", partition.old_last), ("new_first", partition.new_first))
    for (word, said), is_ in zip(says, reading.ends(), strict=True):
        if said != is_:
            yield Offence("" if said == NONE else said, f'{word} must be "{is_}", as the fates below it say')


def straddling(
    inside: Sequence[Sequence[tuple[str, str]]], beyond: Sequence[Callable[[], Iterator[tuple[str, str]]]]
) -> Iterator[str]:
    """Keys beyond the span whose cycle has firings inside it (CUT-04). Each side gives (label, key) pairs, ascending;
    ``inside`` as lists, ``beyond`` as walks, which are followed no further than the labels inside go.
    """
    labels = {label for side in inside for label, _ in side}
    last = max(labels, default="")
    for walk in beyond:
        for label, key in walk():
            if label > last:
                break
            if label in labels:
                yield key
