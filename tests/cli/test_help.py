"""The command tree: what is there, what help says, and that shared options are heard wherever they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from spellweaver.cli import app, later, options
from spellweaver.cli.generate.walk import Node, walk
from tests.support.program import call

DELIVERED = {
    "init", "demo", "check", "define", "new", "bind", "activate", "run", "tick", "trigger", "status", "next", "explain",
    "simulate", "logs",
    "events", "cancel", "resolve", "pause", "resume", "retire", "occurrence skip", "schedule list",
    "schedule show", "schedule history", "schedule diff", "occurrence list", "occurrence show",
    "invocation list",
    "invocation show", "pattern list", "pattern show", "pattern digest", "policy show", "policy check",
    "policy apply", "zones list", "zones drift", "timeline", "backup", "ledger check", "ledger adopt",
    "paths", "schema", "completions", "version", "doctor", "import crontab",
    "import systemd", "cutover plan", "cutover check", "cutover show",
}  # fmt: skip
WRITING = {
    "init", "define", "bind", "activate", "cancel", "resolve", "pause", "resume", "retire", "occurrence skip",
    "policy apply",
    "backup", "ledger adopt",
}  # fmt: skip
TREE = walk()
VERBS = [node for node in TREE.flat() if not node.below]
DESIGNED = (
    "effect ctl backfill approve deny return approval authority budget "
    "gate capability heartbeat prove report metrics"
)
LATER = [(*path, word) for path, words in later.LATER.items() for word in sorted(words)]


def said(node: Node) -> str:
    return " ".join(node.path)


@pytest.mark.rule("RCP-03")
def test_what_is_delivered_is_there_and_nothing_else() -> None:
    assert {said(node) for node in VERBS} == DELIVERED
    listed = {word for words in app.SECTIONS.values() for word in words}
    assert listed == {node.path[0] for node in TREE.below}, "each word has its section of the help"


def test_every_word_of_the_design_is_either_here_or_known_as_a_later_one() -> None:
    assert later.LATER[()] == set(DESIGNED.split())
    assert not later.LATER[()] & {node.path[0] for node in TREE.below}


@pytest.mark.rule("RCP-03")
@pytest.mark.parametrize("path", LATER, ids=" ".join)
def test_what_is_not_delivered_is_absent_and_says_so(path: tuple[str, ...]) -> None:
    done = call(*path)
    assert (done.status, done.out) == (2, "")
    assert f"{' '.join(path)} is not in this version of spellweaver" in done.err
    assert call(*path, "--json").error["code"] == "not_in_this_version"
    assert path not in {node.path for node in TREE.flat()}
    offered = call(*path[:-1], "--help").out.split("Options of every command")[0]
    assert not any(line.split()[:1] == [path[-1]] for line in offered.splitlines()), "not in the help"


@pytest.mark.parametrize("node", TREE.flat(), ids=lambda node: said(node) or "spellweaver")
def test_help_is_plain_fits_and_ends_with_two_examples(node: Node) -> None:
    done = call(*node.path, "--help")
    assert (done.status, done.err) == (0, "")
    assert done.out == call(*node.path, "-h").out
    *_, head, first, second = done.out.splitlines()
    assert head == "Examples:"
    for line in (first, second):
        assert line.startswith("  spellweaver ")
        assert node.below or line.split()[: 1 + len(node.path)] == ["spellweaver", *node.path]
    wide = [line for line in done.out.splitlines() if len(line) > 80 and line not in (first, second)]
    assert all(line.startswith("  --") and "|" in line for line in wide), (
        "only a closed list of words may not be broken"
    )
    assert "\x1b" not in done.out and "│" not in done.out


@pytest.mark.parametrize("node", TREE.flat(), ids=lambda node: said(node) or "spellweaver")
def test_examples_of_help_are_lines_that_the_program_reads(node: Node) -> None:
    import shlex

    from spellweaver.cli.app import tree

    for example in node.examples:
        words = shlex.split(example.split(" > ")[0].split(" | ")[0])[1:]
        command, ctx = tree(), None
        while hasattr(command, "commands"):
            command = command.get_command(None, words.pop(0))
            assert command is not None, example
        ctx = command.make_context("x", words)
        assert ctx.params, example


@pytest.mark.parametrize("node", VERBS, ids=said)
def test_every_writing_command_can_be_tried_first(node: Node) -> None:
    names = {name for option in node.options for name in option.names}
    assert ("--dry-run" in names) is (said(node) in WRITING)


@pytest.mark.parametrize("node", VERBS, ids=said)
def test_every_option_and_argument_is_explained(node: Node) -> None:
    for option in node.options:
        assert option.help.endswith("."), option
    for argument in node.arguments:
        assert argument.help.endswith("."), argument
    assert node.help.strip()


def test_shared_options_are_heard_before_and_after_the_verb(tmp_path: Path) -> None:
    one, other = str(tmp_path / "one.db"), str(tmp_path / "other.db")
    line = ("--ledger", one)
    first = [call(*line, "paths").out, call("paths", *line).out]
    assert first[0] == first[1] and one in first[0]
    assert other in call(*line, "paths", "--ledger", other).out, "the nearer to the verb wins"
    assert call("--json", "policy", "show", *line).error["code"] == "no_ledger"
    assert call("policy", "--json", "show", *line).error["code"] == "no_ledger"
    assert call("policy", "show", *line, "--json").error["code"] == "no_ledger"


def test_shared_options_do_not_reach_behind_the_command_that_is_to_be_run() -> None:
    done = call("new", "a", "--at", "2027-01-01T00:00:00Z", "--", "ls", "--json", "--", "-l")
    assert done.status == 0
    assert '"ls",\n    "--json",\n    "--",\n    "-l",' in done.out


def test_no_parameter_asks_or_reads_the_environment() -> None:
    for declared in vars(options).values():
        for parameter in getattr(declared, "__metadata__", ()):
            assert not parameter.envvar and not getattr(parameter, "prompt", False) and not parameter.callback


def test_a_command_typed_by_a_shell_that_completes_with_typer_does_nothing(tmp_path: Path) -> None:
    done = call("paths", env={"_SPELLWEAVER_COMPLETE": "bash_complete"})
    assert done.status == 0 and done.out.startswith("ledger\t")


def test_version_is_an_option_too() -> None:
    assert call("--version").out == call("-V").out == call("version").out
