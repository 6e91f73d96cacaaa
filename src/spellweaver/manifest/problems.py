"""A problem of an operator file: what, where, why and what to do, as one line that editors jump to, the line, and a
caret.

Text of a file may hold anything, escape sequences for a terminal too: it is shown only through ``visible``.
"""

from __future__ import annotations

import difflib
import unicodedata
from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

SHOWN_WIDTH = 100
_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """``line`` and ``col`` count from 1; both are 0 where there is no place (a file that isn't there).

    ``key`` is the way to the value as an operator would say it, empty where the whole file is meant. ``hint`` says what
    to do next, if the message alone doesn't. ``text`` is the source line.
    """

    path: str
    line: int
    col: int
    key: str
    message: str
    hint: str | None = None
    text: str = ""


def render(problem: Problem) -> list[str]:
    """``path:line:col: key: message; hint``, and below it the source line and a caret where there are any."""
    place = f"{problem.path}:{problem.line}:{problem.col}" if problem.line else problem.path
    said = ": ".join(part for part in (place, problem.key, problem.message) if part)
    first = visible(f"{said}; {problem.hint}" if problem.hint else said)
    if not problem.line or not problem.text.strip():
        return [first]
    start = max(0, problem.col - 1 - SHOWN_WIDTH * 2 // 3)
    before = visible(problem.text[start : problem.col - 1])
    after = visible(problem.text[problem.col - 1 : start + SHOWN_WIDTH])
    cut = ("…" if start else "", "…" if len(problem.text) > start + SHOWN_WIDTH else "")
    return [first, f"    {cut[0]}{before}{after}{cut[1]}", " " * (4 + _width(cut[0] + before)) + "^"]


def visible(text: str) -> str:
    """``text`` with each control, formatting and bidirectional character as an escape; a tab becomes a blank."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(c) if unicodedata.category(c) in _HIDDEN else c for c in text)


def _escaped(character: str) -> str:
    if character == "\t":
        return " "
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _width(text: str) -> int:
    """Columns on a terminal: wide characters take two, combining ones none."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) != 0 for c in text)


def shown(value: object) -> str:
    """A short reading of a value of a file for a message."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "an array"
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def nearest(key: str, known: Iterable[str]) -> str | None:
    """The known key that ``key`` is most like, if any is like it. It is named to the operator, never used (CFG-3)."""
    near = difflib.get_close_matches(key, list(known), n=1, cutoff=0.6)
    return near[0] if near else None
