"""What no argument may be, whatever the command: empty, with a control character in it, a number beyond 64 bits.

A file's name is taken as it is, for Linux allows nearly anything there; the words of a command may hold line ends but
must be UTF-8, since they go into TOML. All else is a name, a reference, a time or a sentence of one line.
"""

from __future__ import annotations

from spellweaver.errors import Usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LAST = (1 << 63) - 1
PATHS = ("FILE", "PATH", "DIR")
OBEYED = frozenset("\u2028\u2029\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def refuse_impossible(ctx: Any) -> None:
    """Raises Usage for the first value of a command line that no command could use."""
    for param in ctx.command.params:
        said = ctx.params.get(param.name)
        for value in said if isinstance(said, list | tuple) else (said,):
            fault = _of_text(value, _metavar(param)) if isinstance(value, str) else _of_number(value)
            if fault:
                raise Usage("impossible_argument", f"{_name(param)} {fault}", hint=f"{ctx.command_path} --help")


def _of_text(value: str, metavar: str) -> str | None:
    if "\0" in value:
        return "may not hold a NUL"
    if metavar == "COMMAND":
        return None if _encodes(value) else "is not UTF-8"
    if not value:
        return "is empty"
    if metavar in PATHS:
        return None if _encodes(value, "surrogateescape") else "is not UTF-8"
    if value.isprintable():
        return None
    if not _encodes(value):
        return "is not UTF-8"
    control = next((c for c in value if not c.isprintable() and (ord(c) < 0xA0 or c in OBEYED)), "")
    return f"may not hold a control character ({control!a})" if control else None


def _of_number(value: object) -> str | None:
    if isinstance(value, int) and not 0 <= value <= LAST:
        return f"must be from 0 to {LAST}"
    return None


def _encodes(text: str, errors: str = "strict") -> bool:
    try:
        text.encode("utf-8", errors)
    except UnicodeEncodeError:
        return False
    return True


def _metavar(param: Any) -> str:
    return (param.metavar or "").strip("[].")


def _name(param: Any) -> str:
    """``--count``, or ``SCHEDULE``."""
    return _metavar(param) if param.param_type_name == "argument" else max(param.opts, key=len)
