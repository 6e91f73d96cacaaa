"""A cadence laid on the axis of UTC: its candidates as a calendar's questions want them, in order and bounded.

The axis is cut into *spans*, in each of which the clock runs evenly and the fold policy says one thing (CAL-02). A span
knows its offset, which showing of a repeated time it is, and how much of the clock was passed over at its begin. Walked
in order, spans give folds, gaps and the order of firings without a special case:

    … plain | first showing | second showing | plain … | (gap) plain …

Fold ``earlier`` leaves out the second showings, ``later`` the first ones.

A missing time surfaces at the end of its gap (CAL-03). Inner walks yield integers; a Candidate is made only for what is
asked.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from typing import Literal, NamedTuple, Protocol

from spellweaver.core.cadence import Civil
from spellweaver.core.grammar import LAST_S
from spellweaver.core.instant import DAY_S
from spellweaver.core.policy import Fold, Gap
from spellweaver.core.search import Excluded, search
from spellweaver.core.zone import FIRST_S, REACH_S, Zone

Fate = Literal["fires", "gap_skip", "gap_fail"]


class Candidate(NamedTuple):
    """One thing that a calendar names.

    ``instant_s``: UTC second at which it is known, for a missing time the gap's end. ``civil_s``: its nominal civil
    second, the instant itself for ``every`` and ``at``. ``fold``: 0 first showing, 1 second, -1 shown once or never.
    """

    instant_s: int
    civil_s: int
    fold: int
    fate: Fate


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbouring candidates of one fate."""

    fate: Fate
    first: Candidate
    last: Candidate
    count: int


class Line(Protocol):
    """A cadence laid on the axis of UTC. Bounds are within the ledger's years."""

    def walk(self, after_s: int, until_s: int) -> Iterator[Candidate]: ...
    def first(self, after_s: int) -> Candidate | None: ...
    def last(self, until_s: int, after_s: int) -> Candidate | None: ...
    def pieces(self, after_s: int, until_s: int) -> Iterator[Run]: ...
    def instants(self, after_s: int, limit: int) -> list[int]: ...
    def find(self, civil_s: int) -> tuple[Candidate, ...]: ...
    def on_date(self, day: int) -> Iterator[Candidate]: ...


class Absolute:
    """``every`` and ``at``: instants in a sequence, found by their place in it."""

    __slots__ = ("_gaps", "_instants", "_zone")

    def __init__(self, instants: Sequence[int], zone: Zone | None, excluded: Excluded) -> None:
        self._instants = instants
        self._zone = zone
        self._gaps = _on_dates(zone, excluded)

    def _parts(self, after_s: int, until_s: int) -> Iterator[Sequence[int]]:
        """What is not excluded, as stretches of the sequence, ascending; none is empty."""
        for begin, end in self._gaps[bisect_right(self._gaps, after_s, key=_end_of) :]:
            if begin > until_s:
                break
            if part := self._cut(after_s, begin - 1):
                yield part
            after_s = max(after_s, end - 1)
        if part := self._cut(after_s, until_s):
            yield part

    def _cut(self, after_s: int, until_s: int) -> Sequence[int]:
        return self._instants[bisect_right(self._instants, after_s) : bisect_right(self._instants, until_s)]

    def walk(self, after_s: int, until_s: int) -> Iterator[Candidate]:
        return map(_absolute, chain.from_iterable(self._parts(after_s, until_s)))

    def first(self, after_s: int) -> Candidate | None:
        return next(self.walk(after_s, LAST_S), None)

    def last(self, until_s: int, after_s: int) -> Candidate | None:
        *_, found = [(), *self._parts(after_s, until_s)]
        return _absolute(found[-1]) if found else None

    def pieces(self, after_s: int, until_s: int) -> Iterator[Run]:
        for found in self._parts(after_s, until_s):
            yield Run("fires", _absolute(found[0]), _absolute(found[-1]), len(found))

    def instants(self, after_s: int, limit: int) -> list[int]:
        found: list[int] = []
        for part in self._parts(after_s, LAST_S):
            found += part[: limit - len(found)]
            if len(found) >= limit:
                break
        return found

    def find(self, civil_s: int) -> tuple[Candidate, ...]:
        return tuple(self.walk(civil_s - 1, civil_s))

    def on_date(self, day: int) -> Iterator[Candidate]:
        begin = day * DAY_S
        for at_s in chain.from_iterable(self._parts(begin - REACH_S, begin + DAY_S + REACH_S)):
            offset = self._zone.offset(at_s) if self._zone else 0
            if (at_s + offset) // DAY_S == day:
                yield _absolute(at_s)


def _on_dates(zone: Zone | None, excluded: Excluded) -> list[tuple[int, int]]:
    """The UTC seconds ``begin <= t < end`` whose civil date in the zone (in UTC without one) is excluded, ascending."""
    cuts, offsets = (zone.cuts, zone.cut_offsets) if zone else ((FIRST_S,), (0,))
    found = []
    for first, last in excluded:
        for at in range(len(cuts)):
            end_s = cuts[at + 1] if at + 1 < len(cuts) else LAST_S + 1
            begin, end = max(cuts[at], first * DAY_S - offsets[at]), min(end_s, (last + 1) * DAY_S - offsets[at])
            if begin < end:
                found.append((begin, end))
    return sorted(found)


def _end_of(stretch: tuple[int, int]) -> int:
    return stretch[1] - 1


class Listed:
    """Of another line, the candidates that somebody named one by one (CUT-04); they are ascending."""

    __slots__ = ("_candidates", "_instants", "_whole")

    def __init__(self, whole: Line, candidates: Sequence[Candidate]) -> None:
        self._whole = whole
        self._candidates = candidates
        self._instants = [candidate.instant_s for candidate in candidates]

    def walk(self, after_s: int, until_s: int) -> Iterator[Candidate]:
        low, high = bisect_right(self._instants, after_s), bisect_right(self._instants, until_s)
        return iter(self._candidates[low:high])

    def first(self, after_s: int) -> Candidate | None:
        return next(self.walk(after_s, LAST_S), None)

    def last(self, until_s: int, after_s: int) -> Candidate | None:
        *_, found = [None, *self.walk(after_s, until_s)]
        return found

    def pieces(self, after_s: int, until_s: int) -> Iterator[Run]:
        for found in self.walk(after_s, until_s):
            yield Run(found.fate, found, found, 1)

    def instants(self, after_s: int, limit: int) -> list[int]:
        found = (each.instant_s for each in self.walk(after_s, LAST_S) if each.fate == "fires")
        return list(islice(found, limit))

    def find(self, civil_s: int) -> tuple[Candidate, ...]:
        return tuple(found for found in self._whole.find(civil_s) if found in self._candidates)

    def on_date(self, day: int) -> Iterator[Candidate]:
        return (found for found in self._whole.on_date(day) if found in self._candidates)


def _absolute(at_s: int) -> Candidate:
    return Candidate(at_s, at_s, -1, "fires")


class _Span(NamedTuple):
    """UTC seconds ``begin <= t < end``, one offset, one showing; ``missing`` seconds were passed over at ``begin``."""

    begin: int
    end: int
    offset: int
    fold: int
    missing: int


@lru_cache(maxsize=2048)
def _spans(zone: Zone, fold: Fold) -> tuple[list[int], list[_Span]]:
    """The spans in which this fold policy fires, after their begins. An empty one stays where a gap comes before it."""
    spans = []
    cuts, offsets = zone.cuts, zone.cut_offsets
    for at, (begin, offset) in enumerate(zip(cuts, offsets, strict=True)):
        end = cuts[at + 1] if at + 1 < len(cuts) else LAST_S + 1
        jump = offset - offsets[at - 1] if at else 0
        ahead = offsets[at + 1] - offset if at + 1 < len(cuts) else 0
        repeats_until, repeated_from = begin - min(0, jump), end + min(0, ahead)
        if begin < repeats_until and fold != "earlier":
            spans.append(_Span(begin, repeats_until, offset, 1, 0))
        if repeats_until < repeated_from or jump > 0:
            spans.append(_Span(repeats_until, repeated_from, offset, -1, max(0, jump)))
        if repeated_from < end and fold != "later":
            spans.append(_Span(repeated_from, end, offset, 0, 0))
    return [span.begin for span in spans], spans


class CivilLine:
    """A civil cadence in a zone."""

    __slots__ = ("_begins", "_fold", "_gap", "_search", "_spans", "_zone")

    def __init__(self, cadence: Civil, zone: Zone, fold: Fold, gap: Gap, excluded: Excluded) -> None:
        self._search = search(cadence, excluded)
        self._zone = zone
        self._fold = fold
        self._gap = gap
        self._begins, self._spans = _spans(zone, fold)

    def _ahead(self, after_s: int, until_s: int) -> Iterator[tuple[_Span, int, int]]:
        """The spans with something in ``(after, until]``, and the civil seconds ``[low, high)`` of that part."""
        for at in range(max(0, bisect_right(self._begins, after_s) - 1), bisect_right(self._begins, until_s)):
            span = self._spans[at]
            yield span, max(span.begin, after_s + 1) + span.offset, min(span.end, until_s + 1) + span.offset

    def walk(self, after_s: int, until_s: int) -> Iterator[Candidate]:
        for span, low, high in self._ahead(after_s, until_s):
            if span.missing and span.begin > after_s:
                yield from self._of_gap(span)
            offset, fold = span.offset, span.fold
            for civil_s in self._search.seconds(low, high):
                yield Candidate(civil_s - offset, civil_s, fold, "fires")

    def first(self, after_s: int) -> Candidate | None:
        begin = after_s + 1
        for at in range(max(0, bisect_right(self._begins, after_s) - 1), len(self._spans)):
            span_begin, end, offset, fold, missing = self._spans[at]
            if missing and span_begin >= begin and (missed := next(self._of_gap(self._spans[at]), None)):
                return missed
            civil_s = self._search.first(max(span_begin, begin) + offset, end + offset)
            if civil_s is not None:
                return Candidate(civil_s - offset, civil_s, fold, "fires")
        return None

    def last(self, until_s: int, after_s: int) -> Candidate | None:
        begin = max(0, bisect_right(self._begins, after_s) - 1)
        for at in range(bisect_right(self._begins, until_s) - 1, begin - 1, -1):
            span = self._spans[at]
            low, high = max(span.begin, after_s + 1) + span.offset, min(span.end, until_s + 1) + span.offset
            civil_s = self._search.last(low, high)
            if civil_s is not None:
                return Candidate(civil_s - span.offset, civil_s, span.fold, "fires")
            if span.begin > after_s and (missed := self._gap_piece(span)):
                return missed.last
        return None

    def pieces(self, after_s: int, until_s: int) -> Iterator[Run]:
        for span, low, high in self._ahead(after_s, until_s):
            if span.begin > after_s and (missed := self._gap_piece(span)):
                yield missed
            if count := self._search.count(low, high):
                first, last = next(self._search.seconds(low, high)), self._search.last(low, high)
                assert last is not None
                ends = [Candidate(civil_s - span.offset, civil_s, span.fold, "fires") for civil_s in (first, last)]
                yield Run("fires", ends[0], ends[1], count)

    def instants(self, after_s: int, limit: int) -> list[int]:
        found: list[int] = []
        for span, low, high in self._ahead(after_s, LAST_S):
            if len(found) >= limit:
                break
            if span.missing and self._gap == "advance" and span.begin > after_s:
                found += [candidate.instant_s for candidate in self._of_gap(span)]
            found += self._search.take(low, high, limit - len(found), -span.offset)
        return found

    def find(self, civil_s: int) -> tuple[Candidate, ...]:
        if not self._search.matches(civil_s):
            return ()
        shown = self._zone.readings(civil_s)
        if shown:
            folds = (0, 1) if len(shown) == 2 else (-1,)
            found = [Candidate(at_s, civil_s, fold, "fires") for at_s, fold in zip(shown, folds, strict=True)]
            kept = {"earlier": found[:1], "later": found[-1:], "both": found}[self._fold]
            return tuple(candidate for candidate in kept if FIRST_S <= candidate.instant_s <= LAST_S)
        end_s = self._zone.after_gap(civil_s)
        if self._gap != "advance":
            return (self._missing(end_s, civil_s),)
        return tuple(self.walk(end_s - 1, end_s))

    def on_date(self, day: int) -> Iterator[Candidate]:
        begin, end = day * DAY_S, (day + 1) * DAY_S
        near = range(self._zone.segment(begin - REACH_S), self._zone.segment(end + REACH_S) + 1)
        offsets = [self._zone.offsets[at] for at in near]
        for candidate in self.walk(max(FIRST_S, begin - max(offsets)) - 1, min(LAST_S, end - min(offsets))):
            if begin <= candidate.civil_s < end:
                yield candidate

    def _missing(self, end_s: int, civil_s: int) -> Candidate:
        return Candidate(end_s, civil_s, -1, "gap_fail" if self._gap == "fail" else "gap_skip")

    def _of_gap(self, span: _Span) -> Iterator[Candidate]:
        """What surfaces at the end of a gap. ``advance``: one firing, named by the first missing time, unless a nominal
        firing at that very instant takes all of them in (CAL-03)."""
        shown = span.begin + span.offset
        missing = self._search.seconds(shown - span.missing, shown)
        if self._gap != "advance":
            for civil_s in missing:
                yield self._missing(span.begin, civil_s)
        elif not self._search.matches(shown) and (first := next(missing, None)) is not None:
            yield Candidate(span.begin, first, -1, "fires")

    def _gap_piece(self, span: _Span) -> Run | None:
        if not span.missing:
            return None
        first = next(self._of_gap(span), None)
        if first is None:
            return None
        if first.fate == "fires":
            return Run("fires", first, first, 1)
        shown = span.begin + span.offset
        civil_s = self._search.last(shown - span.missing, shown)
        assert civil_s is not None
        count = self._search.count(shown - span.missing, shown)
        return Run(first.fate, first, self._missing(span.begin, civil_s), count)
