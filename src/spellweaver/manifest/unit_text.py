"""The text of systemd's unit files: lines to settings, values to words, time spans to microseconds (systemd.syntax(7),
systemd.service(5), systemd.time(7)).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from spellweaver.core import instant

_SPANS = {
    "us": 1, "usec": 1, "ms": 1000, "msec": 1000,
    **dict.fromkeys(("", "s", "sec", "second", "seconds"), instant.SECOND),
    **dict.fromkeys(("m", "min", "minute", "minutes"), instant.MINUTE),
    **dict.fromkeys(("h", "hr", "hour", "hours"), instant.HOUR),
    **dict.fromkeys(("d", "day", "days"), instant.DAY), **dict.fromkeys(("w", "week", "weeks"), 7 * instant.DAY),
}  # fmt: skip
_ESCAPES = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "s": " ", "\\": "\\", '"': '"',
    "'": "'",
}  # fmt: skip
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|([0-7]{3})|(.))", re.DOTALL)
_PIECE = re.compile(r"""\s+|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|((?:[^\s"'\\]|\\.)+)""", re.DOTALL)
_WHOLE = re.compile(r"\$[A-Za-z_][A-Za-z0-9_]*")
_INSIDE = re.compile(r"(\$\{[A-Za-z_][A-Za-z0-9_]*\})")


class NotKept(ValueError):
    """Why a value has no place here, as a sentence."""


@dataclass(frozen=True, slots=True)
class Setting:
    """``key = value`` of a section; ``lines`` are those it stands on, more than one where it was continued."""

    section: str
    key: str
    value: str
    lines: range


@dataclass(frozen=True, slots=True)
class Unit:
    """A file. ``others`` says of each line that is part of no setting what it is: blank, comment, or None where it
    can't be read.
    """

    path: str
    name: str
    texts: tuple[str, ...]
    settings: tuple[Setting, ...]
    others: dict[int, str | None]

    def last(self, section: str, key: str, default: str) -> str:
        """The value that holds: the last that is given."""
        found = [each.value for each in self.settings if (each.section, each.key) == (section, key)]
        return found[-1] if found else default


def read_unit(path: str, text: str) -> Unit:
    """Every line is part of one setting, or among ``others``. Raises nothing."""
    texts = tuple(line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")) if text else ()
    settings: list[Setting] = []
    others: dict[int, str | None] = {}
    section, at = "", 0
    while at < len(texts):
        begin, body = at + 1, texts[at].strip()
        at += 1
        if not body or body[0] in "#;":
            others[begin] = "comment" if body else "blank"
        elif body[0] == "[" and body[-1] == "]":
            section = body[1:-1]
            others[begin] = "comment"
        else:
            while body.endswith("\\") and at < len(texts):
                body = f"{body[:-1]} {texts[at].strip()}"
                at += 1
            key, equals, value = body.partition("=")
            if equals and section and re.fullmatch(r"[A-Za-z0-9-]+", key.strip()):
                settings.append(Setting(section, key.strip(), value.strip(), range(begin, at + 1)))
            else:
                others.update(dict.fromkeys(range(begin, at + 1)))
    return Unit(path, path.rpartition("/")[2], texts, tuple(settings), others)


def words(value: str) -> list[str]:
    """The words of a value, quotes and escapes taken off. Raises NotKept."""
    found: list[str] = []
    at, joins = 0, False
    while at < len(value):
        piece = _PIECE.match(value, at)
        if not piece:
            raise NotKept("a quote in it has no end")
        at, blank = piece.end(), piece[0].isspace()
        if not blank:
            text = _ESCAPE.sub(_unescaped, next(group for group in piece.groups() if group is not None))
            found[-1:] = [found[-1] + text] if joins else [*found[-1:], text]
        joins = not blank
    return found


def _unescaped(found: re.Match[str]) -> str:
    if code := found[1] or found[2]:
        number = int(code, 16 if found[1] else 8)
        if not 0 < number < 128:
            raise NotKept(f"{found[0]} in it is a single byte; only ASCII ones are taken")
        return chr(number)
    if found[3] not in _ESCAPES:
        raise NotKept(f"{found[0]} in it is no escape that is taken")
    return _ESCAPES[found[3]]


def specified(value: str, name: str) -> str:
    """``value`` with its specifiers resolved, as far as the unit's name says them. Raises NotKept."""
    stem = name.rpartition(".")[0]
    known = {"%": "%", "n": name, "N": stem, "p": stem.partition("@")[0]}

    def resolved(found: re.Match[str]) -> str:
        if found[1] not in known:
            raise NotKept(f"only systemd knows what {found[0]} stands for; write it out")
        return known[found[1]]

    return re.sub(r"%(.?)", resolved, value)


def as_shell(command: list[str]) -> str:
    """Words as a shell reads them: ``${A}`` stands for its value, ``$A`` alone for its words, ``$$`` for ``$``."""
    return " ".join(_shell_word(word) for word in command)


def names_variables(command: list[str]) -> bool:
    return any(_WHOLE.fullmatch(word) or _INSIDE.search(word) for word in command)


def plain(command: list[str]) -> list[str]:
    """Words that name no variable."""
    return [word.replace("$$", "$") for word in command]


def _shell_word(word: str) -> str:
    if _WHOLE.fullmatch(word):
        return word
    pieces = _INSIDE.split(word)
    if len(pieces) == 1:
        return shlex.quote(word.replace("$$", "$"))
    literals = (re.sub(r'([\\"$`])', r"\\\1", piece.replace("$$", "$")) for piece in pieces[::2])
    variables = iter([*pieces[1::2], ""])
    return '"' + "".join(f"{literal}{next(variables)}" for literal in literals) + '"'


def span(value: str) -> int | None:
    """Microseconds of a time span, None for ``infinity``. Raises NotKept."""
    if value == "infinity":
        return None
    if not re.fullmatch(r"(?:\s*[0-9]{1,9}\s*[a-z]*)+\s*", value):
        raise NotKept("it is no time span of whole numbers, as in 1h 30min")
    return sum(_parts(value))


def _parts(value: str) -> Iterator[int]:
    for number, unit in re.findall(r"([0-9]+)\s*([a-z]*)", value):
        if unit not in _SPANS:
            raise NotKept(f"{unit!r} in it is no unit of time that is taken")
        yield int(number) * _SPANS[unit]


def truth(value: str) -> bool:
    """A boolean. Raises NotKept."""
    if value.lower() in ("1", "yes", "true", "on", "y", "t"):
        return True
    if value.lower() in ("0", "no", "false", "off", "n", "f"):
        return False
    raise NotKept("it is neither yes nor no")
