"""Where each key and value of a TOML (or JSON) text stands. tomllib gives values without places; this gives places
alone.

The scanner walks the text once and knows keys, headers, strings and brackets. It reads no value, so a fault in it can
only point wrongly, never read wrongly. It takes a little more than TOML allows (line breaks inside inline tables) and
stops where it is lost: the parser that follows refuses that text at the same place. What would cost the parser too
much (long dotted keys, deep brackets, masses of tables, endless numbers) is refused here, before it runs.

A path is the way to a value in the parsed document: ``("schedule", 0, "calendar", "cron")``.
"""

from __future__ import annotations

import json
import re
import tomllib
from bisect import bisect_right
from contextlib import suppress
from dataclasses import dataclass, field

KEY_PARTS = 8
DEPTH = 16
HEADERS = 10_000
BARE_LENGTH = 100

Path = tuple[str | int, ...]

_BLANK = re.compile(r"[ \t]*")
_FILLER = re.compile(r"(?:[ \t\n]+|#[^\n]*)*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_LITERAL = re.compile(r"'[^'\n]*'")
# up to two more quotes may stand before the closing three and belong to the string
_LONG_STRING = re.compile(r'"""(?:[^"\\]|\\.|"(?!""))*"{3,5}', re.DOTALL)
_LONG_LITERAL = re.compile(r"'''(?:[^']|'(?!''))*'{3,5}", re.DOTALL)
_TOKEN = re.compile(r"\d{4}-\d\d-\d\d \d\d[^\s,\]}#]*|[^\s,\]}#]+")


@dataclass(frozen=True, slots=True)
class Place:
    """Offsets into the text: of the key, and of the value from its first character to behind its last one.

    An item of an array has its value's place as key. A table made by headers has its first header as value.
    """

    key: int
    start: int
    end: int


class TooMuch(ValueError):
    """A limit is passed at ``offset``."""

    def __init__(self, offset: int, sentence: str) -> None:
        super().__init__(sentence)
        self.offset = offset


@dataclass(slots=True)
class Positions:
    """The places of one text. ``repeated`` are the paths of JSON keys that stand twice in one object."""

    text: str
    places: dict[Path, Place] = field(default_factory=dict)
    repeated: list[tuple[Path, int]] = field(default_factory=list)
    _starts: list[int] = field(default_factory=list)
    _line: tuple[int, str] = (0, "")

    def line_col(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1; a column is one character."""
        starts = self._line_starts()
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a line, without its end."""
        if self._line[0] != number:  # thousands of problems may stand on one long line; it is cut out once
            starts = self._line_starts()
            end = starts[number] - 1 if number < len(starts) else len(self.text)
            self._line = (number, self.text[starts[number - 1] : end])
        return self._line[1]

    def offset(self, line: int, col: int) -> int:
        """The inverse of ``line_col``, never behind the end of the text."""
        starts = self._line_starts()
        return min(starts[min(line, len(starts)) - 1] + col - 1, len(self.text))

    def _line_starts(self) -> list[int]:
        if not self._starts:
            self._starts = [0, *(match.end() for match in re.finditer("\n", self.text))]
        return self._starts

    def nearest(self, path: Path) -> Place:
        """The place of ``path``, else of the closest table around it; the document stands at its first character."""
        while path not in self.places and path:
            path = path[:-1]
        return self.places.get(path, Place(0, 0, 0))


class _Lost(Exception):
    """The text is no TOML here; the parser will say so."""


def scan(text: str) -> Positions:
    """The places of a TOML text whose lines end in a bare newline. Raises TooMuch where a limit is passed."""
    scanner = _Scanner(text)
    with suppress(_Lost):
        scanner.document()
    return scanner.found


def scan_json(text: str) -> Positions:
    """The same for a JSON text."""
    scanner = _Scanner(text, separator=":")
    with suppress(_Lost):
        scanner.at = scanner.after(_FILLER)
        scanner.value((), 0)
    return scanner.found


class _Scanner:
    def __init__(self, text: str, *, separator: str = "=") -> None:
        self.text = text
        self.separator = separator
        self.at = 0
        self.headers = 0
        self.found = Positions(text)
        self.tables: dict[Path, int] = {}  # arrays of tables: how many items each has so far

    def after(self, pattern: re.Pattern[str]) -> int:
        match = pattern.match(self.text, self.at)
        return match.end() if match else self.at

    def peek(self, text: str) -> bool:
        return self.text.startswith(text, self.at)

    def take(self, text: str) -> None:
        if not self.peek(text):
            raise _Lost
        self.at += len(text)

    def put(self, path: Path, key: int, start: int, end: int) -> None:
        if path in self.found.places:
            self.found.repeated.append((path, key))
        self.found.places.setdefault(path, Place(key, start, end))

    def document(self) -> None:
        table: Path = ()
        while True:
            self.at = self.after(_FILLER)
            if self.at >= len(self.text):
                return
            if self.peek("["):
                table = self.header()
            else:
                self.pair(table, 0)
            self.at = self.after(_BLANK)
            if self.at < len(self.text) and self.text[self.at] not in "#\n":
                raise _Lost

    def header(self) -> Path:
        """``[a.b]`` or ``[[a.b]]``: the table that the pairs below belong to."""
        start = self.at
        self.headers += 1
        if self.headers > HEADERS:
            raise TooMuch(start, f"there are more than {HEADERS} tables in this file")
        opening, closing = ("[[", "]]") if self.peek("[[") else ("[", "]")
        self.take(opening)
        parts = self.key()
        self.take(closing)
        table: Path = ()
        for name, key in parts[:-1]:
            table = self.last_item((*table, name), key, start)
        name, key = parts[-1]
        table = (*table, name)
        if opening == "[":
            return self.last_item(table, key, start)
        self.found.places.setdefault(table, Place(key, start, self.at))
        index = self.tables.get(table, 0)
        self.tables[table] = index + 1
        self.put((*table, index), key, start, self.at)
        return (*table, index)

    def last_item(self, table: Path, key: int, start: int) -> Path:
        """The table that a header part means: in an array of tables, its last item."""
        self.found.places.setdefault(table, Place(key, start, self.at))
        return (*table, self.tables[table] - 1) if table in self.tables else table

    def pair(self, table: Path, depth: int) -> None:
        """``a.b = value``, below a header or inside an inline table."""
        parts = self.key()
        self.take(self.separator)
        self.at = self.after(_FILLER if self.separator == ":" else _BLANK)
        path = (*table, *(name for name, _ in parts))
        self.value(path, depth, key=parts[-1][1])
        for size, (_, key) in enumerate(parts[:-1], len(table) + 1):
            self.found.places.setdefault(path[:size], Place(key, key, self.at))

    def key(self) -> list[tuple[str, int]]:
        """The parts of a dotted key, each with its offset; blanks around it are passed over."""
        parts: list[tuple[str, int]] = []
        while True:
            self.at = self.after(_BLANK)
            parts.append((self.key_part(), self.at))
            if len(parts) > KEY_PARTS:
                raise TooMuch(parts[-1][1], f"a key may have {KEY_PARTS} parts; this one has more")
            self.at = self.key_end
            self.at = self.after(_BLANK)
            if self.separator == ":" or not self.peek("."):
                return parts
            self.at += 1

    def key_part(self) -> str:
        bare = _BARE_KEY.match(self.text, self.at)
        if bare:
            self.key_end = bare.end()
            return bare[0]
        quoted = (_STRING if self.peek('"') else _LITERAL).match(self.text, self.at)
        if not quoted:
            raise _Lost
        self.key_end = quoted.end()
        try:
            return (
                str(json.loads(quoted[0])) if self.separator == ":" else next(iter(tomllib.loads(f"{quoted[0]} = 0")))
            )
        except ValueError:
            raise _Lost from None

    def value(self, path: Path, depth: int, *, key: int | None = None) -> None:
        start = self.at
        if depth >= DEPTH and self.text[start : start + 1] in ("[", "{"):
            raise TooMuch(start, f"this is nested too deeply; {DEPTH} brackets in one another are the limit")
        if self.peek("["):
            self.array(path, depth)
        elif self.peek("{"):
            self.inline_table(path, depth)
        else:
            self.scalar()
        self.put(path, start if key is None else key, start, self.at)

    def array(self, path: Path, depth: int) -> None:
        self.at += 1
        index = 0
        while True:
            self.at = self.after(_FILLER)
            if self.peek("]"):
                self.at += 1
                return
            self.value((*path, index), depth + 1)
            index += 1
            self.next_item("]")

    def inline_table(self, path: Path, depth: int) -> None:
        self.at += 1
        while True:
            self.at = self.after(_FILLER)
            if self.peek("}"):
                self.at += 1
                return
            self.pair(path, depth + 1)
            self.next_item("}")

    def next_item(self, closing: str) -> None:
        self.at = self.after(_FILLER)
        if self.peek(","):
            self.at += 1
        elif not self.peek(closing):
            raise _Lost

    def scalar(self) -> None:
        pattern = self.form()
        match = pattern.match(self.text, self.at)
        if not match:
            raise _Lost
        if pattern is _TOKEN and len(match[0]) > BARE_LENGTH:
            raise TooMuch(self.at, "this number has too many digits")
        self.at = match.end()

    def form(self) -> re.Pattern[str]:
        """What the value that begins here looks like."""
        if self.separator == "=":
            for quote, pattern in (('"""', _LONG_STRING), ("'''", _LONG_LITERAL)):
                if self.peek(quote):
                    return pattern
        return _STRING if self.peek('"') else _LITERAL if self.peek("'") else _TOKEN
