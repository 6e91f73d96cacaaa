"""The command tree as plain values: the only part of the generator that looks into typer.

``list_commands(None)`` and ``get_command(None, name)`` are asked, since words are loaded when they are asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from spellweaver.cli import app

# what a shell offers for an argument or option whose placeholder begins with this word; @ is asked of the program
OFFERS = {
    "SCHEDULE": "@schedules", "OCCURRENCE": "@occurrences", "INVOCATION": "@invocations", "PATTERN": "@patterns",
    "REF": "@references", "KIND": "@kinds", "FILE": "@files", "PATH": "@files", "DIR": "@folders",
}  # fmt: skip


@dataclass(frozen=True)
class Option:
    """``names`` as typed, long ones first. ``value`` is its placeholder, None for a flag. ``offers`` as in OFFERS, or
    words.
    """

    names: tuple[str, ...]
    help: str
    value: str | None
    offers: tuple[str, ...]
    required: bool


@dataclass(frozen=True)
class Argument:
    """``shown`` is its placeholder in the usage line. ``many``: it takes all that is left."""

    shown: str
    help: str
    offers: tuple[str, ...]
    many: bool


@dataclass(frozen=True)
class Node:
    """A word of the program: the program itself, a noun, or a verb. ``path`` are the words before and with it."""

    path: tuple[str, ...]
    help: str
    arguments: tuple[Argument, ...]
    options: tuple[Option, ...]
    examples: tuple[str, ...]
    below: tuple[Node, ...]

    @property
    def brief(self) -> str:
        """The first sentence of the help, without its full stop."""
        return self.help.split("\n\n")[0].replace("\n", " ").split(". ")[0].rstrip(".")

    def flat(self) -> list[Node]:
        """This one and all below it."""
        return [self, *(node for child in self.below for node in child.flat())]


def walk() -> Node:
    """The whole program."""
    return _node(app.tree(), ())


def shared() -> tuple[Option, ...]:
    """What every command takes."""
    return tuple(_option(option) for option in app.SHARED)


def _node(command: Any, path: tuple[str, ...]) -> Node:
    own = [param for param in command.params if param not in app.SHARED]
    words: list[str] = command.list_commands(None) if hasattr(command, "list_commands") else []
    return Node(
        path,
        (command.help or "").strip(),
        tuple(_argument(param) for param in own if param.param_type_name == "argument"),
        tuple(_option(param) for param in own if param.param_type_name == "option"),
        tuple(command.examples),
        tuple(_node(command.get_command(None, word), (*path, word)) for word in words),
    )


def _option(param: Any) -> Option:
    names = tuple(sorted((*param.opts, *param.secondary_opts), key=lambda name: (not name.startswith("--"), name)))
    value = None if param.is_flag else _placeholder(param)
    return Option(names, (param.help or "").strip(), value, _offers(param, value), bool(param.required))


def _argument(param: Any) -> Argument:
    shown = _placeholder(param)
    return Argument(shown, (param.help or "").strip(), _offers(param, shown), param.nargs == -1)


def _placeholder(param: Any) -> str:
    if choices := _choices(param):
        return "|".join(choices)
    return str(param.metavar or str(param.name).upper())


def _offers(param: Any, shown: str | None) -> tuple[str, ...]:
    if choices := _choices(param):
        return choices
    word = "".join(c if c.isalpha() else " " for c in shown or "").split()
    offered = OFFERS.get(word[0]) if word else None
    return (offered,) if offered else ()


def _choices(param: Any) -> tuple[str, ...]:
    return tuple(getattr(param.type, "choices", None) or ())
