"""The program as typer sees it. typer declares, reads and explains; nothing else of the program knows typer.

A command is a plain function in ``commands/``. Its annotations stay strings until this module needs them, and a
module is imported when its word is asked for. So a table generated from this tree can read well-formed lines later
without touching a command. No ``callback=``, ``envvar=`` or ``prompt=`` on a parameter: ``Frame`` reads the
environment, and nothing ever asks.
"""

from __future__ import annotations

import os
from importlib import import_module
from inspect import get_annotations
from keyword import iskeyword
from typing import Annotated, Any, Literal, Optional

import typer
from typer.core import TyperCommand, TyperGroup

from spellweaver.cli import commands, options
from spellweaver.cli.arguments import refuse_impossible
from spellweaver.cli.frame import Frame
from spellweaver.cli.later import is_later
from spellweaver.errors import Usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

WORDS = {**vars(options), "typer": typer, "Annotated": Annotated, "Literal": Literal, "Optional": Optional}
PLAIN: dict[str, Any] = {"add_completion": False, "rich_markup_mode": None, "pretty_exceptions_enable": False}
SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "terminal_width": 80, "max_content_width": 80}
SECTIONS = {
    "First steps": ("init", "demo", "check", "define", "new", "import", "bind", "activate"),
    "Every day": (
        "run", "tick", "trigger", "status", "next", "explain", "simulate", "timeline", "logs", "events", "cancel",
        "resolve", "pause", "resume", "retire",
    ),
    "Objects": ("schedule", "cutover", "occurrence", "invocation", "pattern", "policy", "zones"),
    "The rest": ("doctor", "ledger", "backup", "paths", "schema", "completions", "version"),
}  # fmt: skip
EVERYWHERE = "Options of every command"


def _shared_options() -> list[Any]:
    app = typer.Typer(**PLAIN)
    function = options.shared
    function.__annotations__ = get_annotations(function, locals=WORDS, eval_str=True)
    app.command()(function)
    return list(typer.main.get_command(app).params)


SHARED = _shared_options()


class Hearing:
    """Takes the shared options wherever they stand, and ends with the exit status that a command returned."""

    get_params: Callable[[Any], list[Any]]  # of typer's class that stands behind this one
    examples: tuple[str, ...] = ()

    def __init__(self, *args: Any, params: list[Any] | None = None, **rest: Any) -> None:
        super().__init__(*args, **{**rest, "params": [*(params or ()), *SHARED]})

    def invoke(self, ctx: Any) -> Any:
        refuse_impossible(ctx)
        ctx.obj.hear({option.name: ctx.params.pop(option.name) for option in SHARED})
        ctx.exit(super().invoke(ctx) or 0)  # type: ignore[misc]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """The command's own arguments and options first, then words below it, those of every command last."""
        own = [option for option in self.get_params(ctx) if option not in SHARED]
        for title, kind in (("Arguments", "argument"), ("Options", "option")):
            _section(ctx, formatter, title, [option for option in own if option.param_type_name == kind])
        self.format_commands(ctx, formatter)
        _section(ctx, formatter, EVERYWHERE, SHARED)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """A verb has none."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Examples"):
            formatter.write("".join(f"  {line}\n" for line in self.examples))


def _section(ctx: Any, formatter: Any, title: str, options: list[Any]) -> None:
    if rows := [record for option in options if (record := option.get_help_record(ctx))]:
        with formatter.section(title):
            formatter.write_dl(rows)


class Command(Hearing, TyperCommand):
    """A verb."""


class Noun(Hearing, TyperGroup):
    """A word with verbs below it."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        TyperGroup.format_commands(self, ctx, formatter)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        found = self.get_command(ctx, args[0])
        if found is not None:
            return args[0], found, args[1:]
        path = tuple(ctx.command_path.removeprefix(ctx.find_root().command_path).split())
        said, hint = " ".join((*path, args[0])), f"{ctx.command_path} --help"
        if is_later(path, args[0]):
            raise Usage("not_in_this_version", f"{said} is not in this version of spellweaver", hint=hint)
        import difflib  # only for a line that is wrong: every command loads this module

        near = difflib.get_close_matches(args[0], self.list_commands(ctx), n=1)
        meant = f"; did you mean {near[0]!r}?" if near else ""
        raise Usage("no_such_command", f"there is no command {said!r}{meant}", hint=hint)


class Root(Noun):
    """The top. It makes a word when it is asked for."""

    examples = ("spellweaver demo", "spellweaver explain nightly-backup@latest")

    def list_commands(self, ctx: Any) -> list[str]:
        there = names()
        ordered = [word for section in SECTIONS.values() for word in section if word in there]
        return ordered + sorted(there - set(ordered))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in self.commands and cmd_name in names():
            self.commands[cmd_name] = made(cmd_name)
        return self.commands.get(cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        there = self.list_commands(ctx)
        limit = formatter.width - 6 - max(map(len, there))
        for title, words in SECTIONS.items():
            found = [(word, self.get_command(ctx, word)) for word in words if word in there]
            if found:
                with formatter.section(title):
                    formatter.write_dl([(word, command.get_short_help_str(limit)) for word, command in found])


def names() -> set[str]:
    """The words at the top: the modules of ``commands``."""
    files = os.listdir(os.path.dirname(str(commands.__file__)))
    return {name.removesuffix(".py").rstrip("_") for name in files if name.endswith(".py") and name != "__init__.py"}


def tree() -> Any:
    """The whole program, its words not yet loaded. Walk it by ``list_commands(None)`` and ``get_command(None,
    name)``.
    """
    app = typer.Typer(help=_ABOUT, no_args_is_help=True, context_settings=SETTINGS, cls=Root, **PLAIN)
    app.callback()(lambda: None)
    return typer.main.get_command(app)


def made(word: str) -> Any:
    """The verb or noun that ``commands/<word>.py`` holds."""
    module = import_module(f"{commands.__name__}.{word}{'_' if iskeyword(word) else ''}")
    marked = {name.rstrip("_"): thing for name, thing in vars(module).items() if hasattr(thing, "examples")}
    app = typer.Typer(help=module.__doc__, no_args_is_help=True, context_settings=SETTINGS, cls=Noun, **PLAIN)
    for name, function in marked.items():
        function.__annotations__ = get_annotations(function, locals=WORDS, eval_str=True)
        app.command(name, cls=Command, context_settings=SETTINGS)(function)
    if word not in marked:
        app.callback()(lambda: None)
    found: Any = typer.main.get_command(app)
    found.name = word
    if word in marked:
        found.examples = marked[word].examples
        return found
    for name, verb in found.commands.items():
        verb.examples = marked[name].examples
    found.examples = tuple(verb.examples[0] for verb in list(found.commands.values())[:2])
    return found


def run(argv: list[str], frame: Frame) -> int:
    """Reads the line, calls the command and returns its exit status. Raises Usage for a line that is wrong."""
    root = tree()
    try:
        with root.make_context(frame.program, list(argv), obj=frame) as ctx:
            root.invoke(ctx)
    except typer.Exit as done:
        return done.exit_code
    except typer.TyperException as error:
        raise _usage(error) from None
    return 0


def _usage(error: typer.TyperException) -> Usage:
    ctx = getattr(error, "ctx", None)
    said = error.format_message()
    if type(error).__name__ == "NoArgsIsHelpError":
        return Usage("no_command", said)
    hint = f"{ctx.command_path} --help" if ctx else None
    return Usage("usage", f"{said[:1].lower()}{said[1:].rstrip('.')}", hint=hint)


_ABOUT = """Runs Schedules on this host, and accounts for every firing.

Every firing gets exactly one recorded outcome with a reason, also when nothing ran: `explain` shows it.
"""
