"""From a cadence to instants: what a calendar says will fire, and which civil times a clock change takes or repeats.

``line`` lays a cadence on the axis of UTC; here is what is asked of it. Questions are about instants
``after < instant <= until`` in UTC seconds, from the year 1902 to 2200.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spellweaver.core import instant
from spellweaver.core.cadence import CIVIL, Cadence
from spellweaver.core.grammar import LAST_S, At, Every
from spellweaver.core.instant import DAY_S
from spellweaver.core.line import Absolute, Candidate, CivilLine, Line, Listed, Run
from spellweaver.core.policy import Fold, Gap
from spellweaver.core.search import Excluded, left_out
from spellweaver.core.zone import FIRST_S, Zone


@dataclass(frozen=True, slots=True)
class Interpretation:
    """CUT-03: what names a firing; revisions with an equal one share a generation. The zone's fields may be None."""

    zone_name: str | None
    zone_digest: bytes | None
    cadence: Cadence
    fold: Fold = "earlier"
    gap: Gap = "skip"


class Calendar:
    """What one interpretation says. A civil cadence needs its zone; ``every`` and ``at`` use one for dates (CAL-01)."""

    __slots__ = ("_line", "excluded", "interpretation", "zone")

    def __init__(self, interpretation: Interpretation, zone: Zone | None, excluded: Excluded = ()) -> None:
        """``excluded``: civil dates whose firings are none, as days since 1970-01-01 (CAL-10)."""
        self.interpretation = interpretation
        self.zone = zone
        self.excluded = excluded
        self._line: Line
        match interpretation.cadence:
            case Every(every_s, anchor_s):
                self._line = Absolute(range(anchor_s, LAST_S + 1, every_s), zone, excluded)
            case At(instants_s):
                self._line = Absolute(instants_s, zone, excluded)
            case civil:
                assert zone is not None, "a civil cadence is read in a zone"
                self._line = CivilLine(civil, zone, interpretation.fold, interpretation.gap, excluded)

    def whole(self) -> Calendar:
        """The same with its excluded dates."""
        return Calendar(self.interpretation, self.zone) if self.excluded else self

    def excludes(self, candidate: Candidate) -> bool:
        """Whether a candidate of the whole calendar is left out: its nominal civil date is excluded."""
        civil_s = candidate.civil_s
        if not isinstance(self.interpretation.cadence, CIVIL) and self.zone is not None:
            civil_s += self.zone.offset(candidate.instant_s)
        return left_out(self.excluded, civil_s // DAY_S)

    def listed(self, candidates: Sequence[Candidate]) -> Calendar:
        """The same reading, of which nothing but these candidates is left; they are ascending."""
        made = object.__new__(Calendar)
        made.interpretation, made.zone, made.excluded = self.interpretation, self.zone, ()
        made._line = Listed(self._line, candidates)
        return made

    def walk(self, after_s: int, until_s: int) -> Iterator[Candidate]:
        """Every candidate, ascending; missing times of one gap in civil order, before what fires at the gap's end."""
        return self._line.walk(*_within(after_s, until_s))

    def first(self, after_s: int) -> Candidate | None:
        """The next candidate; None when there is none until 2200. Bounded (CAL-11)."""
        found = self._line.first(max(after_s, FIRST_S - 1))
        return found if found is not None and found.instant_s <= LAST_S else None

    def last(self, until_s: int, after_s: int) -> Candidate | None:
        """The latest candidate."""
        lowest, highest = _within(after_s, until_s)
        return self._line.last(highest, lowest)

    def count(self, after_s: int, until_s: int) -> int:
        """How many candidates, counted by months."""
        return sum(piece.count for piece in self._line.pieces(*_within(after_s, until_s)))

    def runs(self, after_s: int, until_s: int) -> Iterator[Run]:
        """The candidates as the longest runs of one fate, ascending, counted by months and not enumerated.

        A run may end at the instant at which the next one begins: the end of a gap.
        """
        whole: Run | None = None
        for piece in self._line.pieces(*_within(after_s, until_s)):
            if whole is not None and whole.fate == piece.fate:
                whole = Run(whole.fate, whole.first, piece.last, whole.count + piece.count)
                continue
            if whole is not None:
                yield whole
            whole = piece
        if whole is not None:
            yield whole

    def instants(self, after_s: int, n: int) -> list[int]:
        """The next ``n`` firing instants, or as many as there are: the fast way."""
        return self._line.instants(_within(after_s, LAST_S)[0], n)

    def find(self, civil_s: int) -> tuple[Candidate, ...]:
        """The candidates that a civil time stands for: none, one, or both showings; a missing time that another firing
        took in finds its taker (CAL-03)."""
        return self._line.find(civil_s)

    def on_date(self, days_since_epoch: int) -> tuple[Candidate, ...]:
        """The candidates whose nominal civil date in the zone (in UTC without one) is that day, ascending."""
        return tuple(self._line.on_date(days_since_epoch))

    def key(self, candidate: Candidate, generation: int) -> str:
        """OCC-02: ``c1:2026-10-25T02:30``, seconds only where the cadence has them, ``+1`` for a second showing;
        ``c1:2026-12-01T02:00:00Z`` for ``every`` and ``at``."""
        return firing_key(self.interpretation.cadence, candidate, generation)


def firing_key(cadence: Cadence, candidate: Candidate, generation: int) -> str:
    """``Calendar.key``, which needs no zone rules."""
    if not isinstance(cadence, CIVIL):
        return f"c{generation}:{instant.show(candidate.instant_s * instant.SECOND)}"
    civil = instant.civil_text(candidate.civil_s, seconds=cadence.has_seconds)
    return f"c{generation}:{civil}{'+1' if candidate.fold == 1 else ''}"


def _within(after_s: int, until_s: int) -> tuple[int, int]:
    return max(after_s, FIRST_S - 1), min(until_s, LAST_S)


def parse_key(text: str) -> tuple[int, int, bool, bool]:
    """(generation, civil second, is the second showing, is an instant) of a key as ``Calendar.key`` writes it.

    Raises ValueError with a sentence.
    """
    head, _, body = text.partition(":")
    number = head[1:]
    if head[:1] != "c" or not (number.isascii() and number.isdigit()) or number[0] == "0" or len(number) > 9:
        raise ValueError(f"{text!r} is not the key of a calendar firing, such as c1:2026-10-25T02:30")
    if body.endswith("Z"):
        return int(number), _civil_of(text, body[:-1]), False, True
    return int(number), _civil_of(text, body.removesuffix("+1")), body.endswith("+1"), False


def _civil_of(text: str, civil: str) -> int:
    if "T" not in civil:
        raise ValueError(f"{text!r} lacks the time of day: c1:2026-10-25T02:30")
    return instant.parse_civil(civil)
