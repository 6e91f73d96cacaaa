"""One operator file, from bytes to plain data whose every value has a place. All that no kind of object may hold is
refused here.

The order is the safety of it: size, then encoding, then the limits of the scanner, then the parser, then the values.
So no file makes the parser slow or deep, and what later code sees is finite numbers, whole texts and instants with an
offset. A file named ``*.json`` is read as JSON into the same model (C1).
"""

from __future__ import annotations

import datetime
import json
import math
import re
import tomllib
from dataclasses import dataclass, field

from spellweaver.core import instant
from spellweaver.manifest import positions
from spellweaver.manifest.positions import Path, Positions
from spellweaver.manifest.problems import Problem

LIMIT = 256 * 1024
EXAMPLE = "as in 2026-12-01T02:00:00Z"

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_AT_LINE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


class _Twice(ValueError):
    """A key stands twice in one JSON object."""


@dataclass(slots=True)
class Source:
    """A file and what is wrong with it so far. ``data`` is empty where it could not be read (``readable`` false)."""

    path: str
    positions: Positions
    data: dict[str, object] = field(default_factory=dict)
    readable: bool = False
    problems: list[Problem] = field(default_factory=list)
    told: set[Path] = field(default_factory=set)

    def tell(
        self, path: Path, message: str, *, hint: str | None = None, at_key: bool = False, key: str | None = None
    ) -> None:
        """Adds a problem at the value of ``path``, at its key, or at what encloses it where it isn't there.

        A path is told of once: what was refused as a value is not refused again for its shape.
        """
        if path in self.told:
            return
        self.told.add(path)
        place = self.positions.nearest(path)
        here = at_key or path not in self.positions.places
        self.tell_at(
            place.key if here else place.start, message, hint=hint, key=self.name(path) if key is None else key
        )

    def faulty(self, path: Path) -> bool:
        """Whether anything at or below ``path`` was told of."""
        return any(told[: len(path)] == path for told in self.told)

    def tell_at(self, offset: int, message: str, *, hint: str | None = None, key: str = "") -> None:
        """Adds a problem at an offset of the text."""
        self.problems.append(self.problem_at(offset, message, hint=hint, key=key))

    def problem_at(self, offset: int, message: str, *, hint: str | None = None, key: str = "") -> Problem:
        line, col = self.positions.line_col(offset)
        return Problem(self.path, line, col, key, message, hint, self.positions.line(line))

    def place(self, path: Path) -> str:
        """``path:line`` of where an object stands, for messages about another one."""
        return f"{self.path}:{self.positions.line_col(self.positions.nearest(path).key)[0]}"

    def name(self, path: Path) -> str:
        """A path as an operator says it: Schedules by name, patterns by key@revision, other items by number from 1."""
        parts: list[str] = []
        for size, part in enumerate(path, 1):
            called = self._called(path[:size]) if size == 2 and isinstance(part, int) else None
            parts.append(called or (str(part + 1) if isinstance(part, int) else part))
        return ".".join(parts)

    def _called(self, path: Path) -> str | None:
        kind, index = path
        items = self.data.get(str(kind))
        item = items[index] if isinstance(items, list) and isinstance(index, int) else None
        if not isinstance(item, dict):
            return None
        if kind == "pattern" and isinstance(item.get("key"), str) and isinstance(item.get("revision"), str):
            return f"{item['key']}@{item['revision']}"
        return item["name"] if kind == "schedule" and isinstance(item.get("name"), str) and item["name"] else None


def load(data: bytes, path: str) -> Source:
    """The source of a file's bytes. Never raises for what a file holds: its problems are in the source."""
    text, fault = _decoded(data)
    source = Source(path, Positions(text))
    if fault:
        source.tell_at(len(text), fault)
        return source
    try:
        source.positions = (positions.scan_json if path.endswith(".json") else positions.scan)(text)
    except positions.TooMuch as error:
        source.tell_at(error.offset, str(error))
        return source
    parsed = _json(source) if path.endswith(".json") else _toml(source)
    if parsed is not None:
        source.data, source.readable = parsed, True
        _refuse_values(source, parsed, ())
    return source


def _decoded(data: bytes) -> tuple[str, str | None]:
    """The text and, if it can't be taken, why; the text then ends where the fault is."""
    if len(data) > LIMIT:
        return "", f"the file has {-(-len(data) // 1024)} KiB; the limit is {LIMIT // 1024} KiB"
    if data.startswith(b"\xef\xbb\xbf"):
        return "", "the file begins with a byte order mark; save it as UTF-8 without one"
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return data[: error.start].decode(), f"the file is not UTF-8 here (byte 0x{data[error.start]:02x})"
    nul = text.find("\0")
    if nul >= 0:
        return text[:nul], "there is a NUL character here"
    return text.replace("\r\n", "\n"), None


def _toml(source: Source) -> dict[str, object] | None:
    text = source.positions.text
    try:
        return tomllib.loads(text)
    except RecursionError:
        source.tell_at(0, "this is nested too deeply")
    except ValueError as error:
        said = str(error)
        found = _AT_LINE.search(said)
        offset = source.positions.offset(int(found[1]), int(found[2])) if found and found[1] else len(text.rstrip("\n"))
        source.tell_at(offset, said[: found.start()] if found else said)
    return None


def _json(source: Source) -> dict[str, object] | None:
    for path, offset in source.positions.repeated:
        source.tell_at(offset, "this key stands twice in one object", key=source.name(path))
    try:
        parsed = json.loads(source.positions.text, object_pairs_hook=_pairs)
    except _Twice as error:
        if not source.problems:
            source.tell_at(0, str(error))
        return None
    except json.JSONDecodeError as error:
        source.tell_at(error.pos, error.msg)
        return None
    if not isinstance(parsed, dict):
        source.tell_at(0, "the file must hold one JSON object")
        return None
    return parsed


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise _Twice("a key stands twice in one object")
    return made


def _refuse_values(source: Source, value: object, path: Path) -> None:
    """Every value that no kind of object may hold. The scanner's limits bound the depth."""
    if isinstance(value, dict):
        for key, item in value.items():
            if _untextual(key):
                source.tell((*path, key), "a key may not hold a NUL or half of a surrogate pair", at_key=True)
            _refuse_values(source, item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _refuse_values(source, item, (*path, index))
    elif fault := _value_fault(value):
        source.tell(path, fault)


def _value_fault(value: object) -> str | None:
    match value:
        case None:
            return "null is no value here; leave the key out"
        case str():
            return "may not hold a NUL or half of a surrogate pair" if _untextual(value) else None
        case float():
            return None if math.isfinite(value) else "must be a finite number"
        case int():
            return None if -(2**63) < value < 2**63 else "is outside the whole numbers from -2^63+1 to 2^63-1"
        case datetime.datetime():
            return _instant_fault(value)
        case datetime.date() | datetime.time():
            return f"is no instant; write date, time and an offset or Z, {EXAMPLE}"
    return None


def _untextual(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text) or "\0" in text


def _instant_fault(value: datetime.datetime) -> str | None:
    if value.tzinfo is None:
        return f"is a time without a zone; give an offset or Z, {EXAMPLE}"
    if not instant.FIRST <= microseconds(value) <= instant.LAST:
        return "is outside the years 1970 to 2200"
    return None


def microseconds(value: datetime.datetime) -> int:
    """The instant of a date-time that has an offset."""
    return (value - _EPOCH) // datetime.timedelta(microseconds=1)
