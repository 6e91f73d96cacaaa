"""Zone rules as kept (CAL-04): TZif bytes and their POSIX footer become one table of changes, 1902 to 2201.

TZif is RFC 9636, versions 2 to 4; the footer is POSIX TZ with RFC 9636's wider hours. Today's files are slim: nearly
all of the years to come stand in the footer. Host rules never enter here, nor does the host's own time zone.

         segment i-1            | T |        segment i
    …  01:58  01:59  [gap: 02:00 to 02:59]  03:00 …          a reading that is missing
    …  02:58  02:59 | 02:00 again … 02:59 again  03:00 …     a reading that is shown twice

Light read commands load this module, so it imports neither dataclasses nor datetime nor re.
"""

from __future__ import annotations

from bisect import bisect_right
from hashlib import sha256
from struct import Struct, error, unpack_from

from spellweaver.core.instant import DAY_S, civil_from_days, civil_text, days_from_civil

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NoReturn

BEGINNING = -(1 << 62)  # where the first segment starts
REACH_S = 26 * 3600  # no reading is further than this from UTC (RFC 9636, 3.2)
FIRST_YEAR, LAST_YEAR = 1902, 2201
FIRST_S = days_from_civil(FIRST_YEAR, 1, 1) * DAY_S


class BadZone(ValueError):
    """The bytes are no zone rules that can be used: what is wrong with them, as a sentence."""


class Zone:
    """The rules of one zone, immutable. Segment ``i`` begins at ``starts[i]`` (UTC second) with that offset and name.

    ``cuts`` and ``cut_offsets`` are the segments with those joined that differ in name alone: a mere change of name or
    daylight flag moves no clock. ``digest`` is the SHA-256 of the bytes.
    """

    __slots__ = ("cut_offsets", "cuts", "digest", "names", "offsets", "starts")

    digest: bytes
    starts: tuple[int, ...]
    offsets: tuple[int, ...]
    names: tuple[str, ...]
    cuts: tuple[int, ...]
    cut_offsets: tuple[int, ...]

    def __init__(self, digest: bytes, changes: list[tuple[int, int, str]]) -> None:
        """``changes``: (start, offset, name), ascending, the first from the beginning. Raises BadZone."""
        seen = [new for at, new in enumerate(changes) if at == 0 or new[1:] != changes[at - 1][1:]]
        moved = [new for at, new in enumerate(seen) if at == 0 or new[1] != seen[at - 1][1]]
        _refuse_threefold(moved)
        values = {
            "digest": digest,
            "starts": tuple(new[0] for new in seen),
            "offsets": tuple(new[1] for new in seen),
            "names": tuple(new[2] for new in seen),
            "cuts": tuple(new[0] for new in moved),
            "cut_offsets": tuple(new[1] for new in moved),
        }
        for slot, value in values.items():
            object.__setattr__(self, slot, value)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a Zone never changes")

    def segment(self, utc_s: int) -> int:
        """The index of the segment that holds this instant."""
        return bisect_right(self.starts, utc_s) - 1

    def offset(self, utc_s: int) -> int:
        """Seconds that the clock is ahead of UTC."""
        return self.offsets[self.segment(utc_s)]

    def name(self, utc_s: int) -> str:
        """What the zone calls its time then, such as ``CEST``."""
        return self.names[self.segment(utc_s)]

    def readings(self, civil_s: int) -> tuple[int, ...]:
        """The UTC seconds at which the clock shows this: none in a gap, two where it is repeated, else one."""
        cuts, offsets = self.cuts, self.cut_offsets
        found = []
        for at in self._near(civil_s):
            utc_s = civil_s - offsets[at]
            if utc_s >= cuts[at] and (at + 1 == len(cuts) or utc_s < cuts[at + 1]):
                found.append(utc_s)
        return tuple(found)

    def is_gap(self, civil_s: int) -> bool:
        return not self.readings(civil_s)

    def after_gap(self, civil_s: int) -> int:
        """The first instant after the gap that swallows this reading. Raises ValueError when there is none."""
        for at in self._near(civil_s):
            if at and self.cut_offsets[at - 1] <= civil_s - self.cuts[at] < self.cut_offsets[at]:
                return self.cuts[at]
        raise ValueError(f"{civil_text(civil_s)} is not in a gap of this zone")

    def _near(self, civil_s: int) -> range:
        first = bisect_right(self.cuts, civil_s - REACH_S) - 1
        return range(first, bisect_right(self.cuts, civil_s + REACH_S))


def first_difference(one: Zone, other: Zone, from_s: int) -> int | None:
    """The first UTC second from there on at which two zones' clocks show different times; None when they never do."""
    turns = sorted({from_s, *(cut for cut in (*one.cuts, *other.cuts) if cut > from_s)})
    return next((turn for turn in turns if one.offset(turn) != other.offset(turn)), None)


def _refuse_threefold(moved: list[tuple[int, int, str]]) -> None:
    """A firing's name tells two showings apart: a clock that is set again before it has caught up is refused.

    Inside each segment the clock must pass all that it was set back by, at the segment's start and at its end. No zone
    since 1902 does otherwise.
    """
    jumps = [0] + [new[1] - old[1] for old, new in zip(moved, moved[1:], strict=False)] + [0]
    for at in range(1, len(moved) - 1):
        if moved[at + 1][0] - moved[at][0] < max(0, -jumps[at]) + max(0, -jumps[at + 1]):
            when = civil_text(moved[at + 1][0])
            raise BadZone(f"its clock is set again at {when}Z before it has caught up: a reading would be ambiguous")


_parsed: dict[bytes, Zone] = {}
_HEADER = Struct(">4s c 15x 6L")


def parse(data: bytes) -> Zone:
    """The zone that TZif bytes hold; equal bytes give the very same object. Raises BadZone, never guesses (CAL-06)."""
    digest = sha256(data).digest()
    zone = _parsed.get(digest)
    if zone is None:
        try:
            changes = _changes(data)
        except (error, IndexError, UnicodeDecodeError):
            raise BadZone("its bytes are cut short or damaged") from None
        zone = _parsed[digest] = Zone(digest, changes)
    return zone


def _changes(data: bytes) -> list[tuple[int, int, str]]:
    magic, version, utc, std, leap, times, types, chars = _HEADER.unpack_from(data, 0)
    if magic != b"TZif" or not b"2" <= version <= b"9":
        raise BadZone("its bytes are not TZif of version 2 or later")
    at = _HEADER.size + times * 5 + types * 6 + chars + leap * 8 + std + utc  # past the 32-bit block, which knows less
    magic, _, utc, std, leap, times, types, chars = _HEADER.unpack_from(data, at)
    if magic != b"TZif" or not types:
        raise BadZone("its bytes are cut short or damaged")
    if leap:
        raise BadZone("it counts leap seconds; use the rules of the same name outside right/")
    at += _HEADER.size
    instants = unpack_from(f">{times}q", data, at)
    kinds = unpack_from(f"{times}B", data, at + times * 8)
    at += times * 9
    names = data[at + types * 6 : at + types * 6 + chars]
    of_kind = [_kind(unpack_from(">lBB", data, at + 6 * number), names) for number in range(types)]
    if any(later <= earlier for earlier, later in zip(instants, instants[1:], strict=False)):
        raise BadZone("its changes are not in order")
    changes = [(BEGINNING, *of_kind[0])] + [(when, *of_kind[kind]) for when, kind in zip(instants, kinds, strict=True)]
    footer = data[at + types * 6 + chars + std + utc :]
    if len(footer) < 2 or footer[:1] != b"\n" or footer.find(b"\n", 1) != len(footer) - 1:
        raise BadZone("its footer is cut short or damaged")
    return _since_first(_extended(changes, footer[1:-1].decode("ascii")))


def _kind(record: tuple[int, int, int], names: bytes) -> tuple[int, str]:
    offset, _, name_at = record
    if not -REACH_S < offset < REACH_S:
        raise BadZone(f"its clock is {offset} seconds from UTC")
    end = names.find(b"\0", name_at)
    if end < 0:
        raise IndexError
    return offset, names[name_at:end].decode("ascii")


def _since_first(changes: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Without what was over before any reading of FIRST_YEAR; the segment in force then begins the table."""
    first = max(at for at, change in enumerate(changes) if change[0] <= FIRST_S - REACH_S)
    return [(BEGINNING, *changes[first][1:]), *changes[first + 1 :]]


def _extended(changes: list[tuple[int, int, str]], footer: str) -> list[tuple[int, int, str]]:
    """The table with the footer's changes after it. An empty footer says nothing: the last offset stays."""
    if not footer:
        return changes
    last, offset, _ = changes[-1]
    rule = _Footer(footer)
    if rule.summer is None:
        if offset != rule.standard[0]:
            raise BadZone(f"its footer {footer!r} contradicts its table")
        return changes
    year = FIRST_YEAR - 1 if last < FIRST_S else civil_from_days(last // DAY_S)[0]
    return changes + [change for change in rule.changes(year) if change[0] > last]


class _Footer:
    """A POSIX TZ text, such as ``CET-1CEST,M3.5.0,M10.5.0/3`` or ``<+03>-3``. Raises BadZone."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0
        name = self._name()
        self.standard = -self._clock(24), name
        self.summer: tuple[int, str] | None = None
        if self._at < len(text):
            name = self._name()
            offset = self.standard[0] + 3600 if self._peek() == "," else -self._clock(24)
            self.summer = offset, name
            self._begins, self._ends = self._rule(), self._rule()
        if self._at < len(text):
            raise self._bad()

    def changes(self, first_year: int) -> Iterator[tuple[int, int, str]]:
        """Both changes of each year to LAST_YEAR, ascending. Where summer ends as it begins anew, it goes on."""
        assert self.summer is not None
        found = []
        for year in range(first_year, LAST_YEAR + 1):
            found.append((_local(self._begins, year) - self.standard[0], 1, self.summer))
            found.append((_local(self._ends, year) - self.summer[0], 0, self.standard))
        found.sort()
        for at, (when, _, kind) in enumerate(found):
            if at + 1 == len(found) or found[at + 1][0] != when:
                yield when, *kind

    def _bad(self) -> BadZone:
        return BadZone(f"its footer {self._text!r} is not understood at character {self._at + 1}")

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _skip(self, expected: str) -> None:
        if self._peek() != expected:
            raise self._bad()
        self._at += 1

    def _name(self) -> str:
        quoted = self._peek() == "<"
        begin = self._at = self._at + quoted
        while (letter := self._peek()) and (letter.isalnum() or letter in "+-" if quoted else letter.isalpha()):
            self._at += 1
        name = self._text[begin : self._at]
        if len(name) < 3:
            raise self._bad()
        if quoted:
            self._skip(">")
        return name

    def _number(self, low: int, high: int) -> int:
        begin = self._at
        while self._peek().isdigit():
            self._at += 1
        digits = self._text[begin : self._at]
        if not 1 <= len(digits) <= 3 or not low <= int(digits) <= high:
            raise self._bad()
        return int(digits)

    def _clock(self, most_hours: int) -> int:
        """``[+-]hh[:mm[:ss]]`` in seconds."""
        sign = -1 if self._peek() == "-" else 1
        self._at += self._peek() in ("+", "-")
        seconds = self._number(0, most_hours) * 3600
        for unit in (60, 1):
            if self._peek() != ":":
                break
            self._at += 1
            seconds += self._number(0, 59) * unit
        return sign * seconds

    def _rule(self) -> tuple[str, tuple[int, ...], int]:
        """``,date[/time]``: the form of the date (``M``, ``J`` or none), its numbers, and the second of that day."""
        self._skip(",")
        form = self._peek() if self._peek() in ("M", "J") else ""
        self._at += len(form)
        if form == "M":
            numbers = [self._number(1, 12)]
            for low, high in ((1, 5), (0, 6)):
                self._skip(".")
                numbers.append(self._number(low, high))
        else:
            numbers = [self._number(1 if form else 0, 365)]
        if self._peek() != "/":
            return form, tuple(numbers), 7200
        self._at += 1
        return form, tuple(numbers), self._clock(167)


def _local(rule: tuple[str, tuple[int, ...], int], year: int) -> int:
    """The civil second at which a rule changes the clock in that year."""
    form, numbers, second = rule
    if form == "M":
        month, week, weekday = numbers
        first = days_from_civil(year, month, 1)
        day = first + (weekday - first - 4) % 7 + 7 * (week - 1)
        if day >= days_from_civil(year + month // 12, month % 12 + 1, 1):
            day -= 7  # week 5 is the last one
    else:
        day = days_from_civil(year, 1, 1) + numbers[0]
        if form == "J":  # never counts 29 February
            day += -1 if numbers[0] < 60 else days_from_civil(year, 3, 1) - days_from_civil(year, 1, 1) - 60
    return day * DAY_S + second
