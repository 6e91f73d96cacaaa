"""Manual pages in man(7): one of the whole program, one for each word at the top. The date is a constant, never
today's.
"""

from __future__ import annotations

import textwrap

from spellweaver import __version__
from spellweaver.cli.generate.walk import Node, Option, shared

DATE = "2026-11-30"  # of the words below and of the commands; changed by hand with them

WIDTH = 72

EXIT_STATUS = (
    ("0", "Done, or the answer is yes."),
    ("1", "The answer is no, or the work failed."),
    ("2", "The command line is wrong."),
    ("3", "Refused by law; nothing was changed."),
    ("4", "A reference names nothing, or several things."),
    ("65", "A file is wrong; its problems are named with line and column."),
    ("66", "A named file is missing."),
    ("69", "A daemon is needed and can't be reached."),
    ("70", "A fault in spellweaver itself; the traceback is in a file."),
    ("74", "The disk refused."),
    ("75", "Try again: the ledger is busy, another daemon runs, or the clock has not settled."),
    ("77", "Not authorised."),
    ("78", "The policy or the ledger can't be used as it is."),
    ("124", "A wait ran out."),
    ("130, 143", "Ended by INT or TERM; a run that stopped in order is 0."),
)
ENVIRONMENT = (
    ("SPELLWEAVER_LEDGER", "The ledger, where --ledger is not given."),
    ("STATE_DIRECTORY", "The state directory, as systemd sets it; the first one of a list."),
    (
        "RUNTIME_DIRECTORY",
        "Where the daemon's socket is made, else in the state directory; and, below jobs, where commands that run as "
        "other users find their input, else in /run/spellweaver.jobs.",
    ),
    ("CREDENTIALS_DIRECTORY", "Where the daemon finds what a binding calls credential:NAME, as systemd hands it over."),
    ("XDG_STATE_HOME", "The ledger of a user is spellweaver/ledger.db below it, else below ~/.local/state."),
    ("SPELLWEAVER_ZONES", "A directory of compiled zone rules, in place of those that come with the tzdata package."),
    ("NO_COLOR, CLICOLOR_FORCE, TERM", "No colour; colour behind a pipe too; dumb has no colour."),
    ("LC_ALL, LC_CTYPE, LANG", "Marks are plain ASCII where the locale does not write UTF-8."),
    ("COLUMNS", "The width of the terminal, in place of what it says itself."),
)
FILES = (
    ("/var/lib/spellweaver/ledger.db", "The ledger of root."),
    ("~/.local/state/spellweaver/ledger.db", "The ledger of a user."),
    ("ledger.db.lock", "Held by the daemon; says which process it is and where it listens."),
    ("attempts/", "Output and exit status of what was run."),
)


def pages(top: Node) -> dict[str, str]:
    """The text of each page by its file name."""
    made = {"spellweaver.1": _overview(top)}
    for node in top.below:
        made[f"{_page_name(node)}.1"] = _page(node)
    return made


def _overview(top: Node) -> str:
    return "".join((
        _title("spellweaver"),
        _name("spellweaver", top.brief),
        ".SH SYNOPSIS\n.B spellweaver\n.RI [ options ]\n.I command\n.RI [ arguments ]\n",
        _description(top.help),
        _section("COMMANDS", "".join(_item(f"{_bold(_page_name(node))}(1)", node.brief + ".") for node in top.below)),
        _section("OPTIONS OF EVERY COMMAND", "".join(_option(option) for option in shared())),
        _section("EXIT STATUS", "".join(_item(_bold(status), said) for status, said in EXIT_STATUS)),
        _section("ENVIRONMENT", "".join(_item(_bold(name), said) for name, said in ENVIRONMENT)),
        _section("FILES", "".join(_item(f"\\fI{_text(name)}\\fR", said) for name, said in FILES)),
        _examples(top.examples),
        _see_also([_page_name(node) for node in top.below]),
    ))  # fmt: skip


def _page(node: Node) -> str:
    name = _page_name(node)
    verbs = node.below or (node,)
    details = [_verb(verb) for verb in node.below] if node.below else [_section("OPTIONS", _parameters(node))]
    return "".join((
        _title(name),
        _name(name, node.brief),
        ".SH SYNOPSIS\n" + ".br\n".join(_usage(verb) for verb in verbs),
        _description(node.help),
        ".SH VERBS\n" if node.below else "",
        *details,
        ".SH EXIT STATUS\nSee\n.BR spellweaver (1),\nwhich also has the options of every command.\n",
        _examples(tuple(example for verb in verbs for example in verb.examples)),
        _see_also(["spellweaver"]),
    ))  # fmt: skip


def _page_name(node: Node) -> str:
    return f"spellweaver-{node.path[0]}"


def _verb(verb: Node) -> str:
    return f".SS {_text(verb.path[-1])}\n{_paragraphs(verb.help)}{_parameters(verb)}"


def _parameters(verb: Node) -> str:
    rows = [_item(_bold(argument.shown), argument.help) for argument in verb.arguments]
    return "".join([*rows, *(_option(option) for option in verb.options)])


def _title(name: str) -> str:
    return f'.TH "{_text(name.upper())}" "1" "{DATE}" "spellweaver {__version__}" "User Commands"\n'


def _name(name: str, brief: str) -> str:
    return f".SH NAME\n{_text(name)} \\- {_text(brief[:1].lower() + brief[1:])}\n"


def _usage(verb: Node) -> str:
    words = [_bold(" ".join(("spellweaver", *verb.path))), "[\\fIoptions\\fR]"]
    return " ".join([*words, *(f"\\fI{_text(argument.shown)}\\fR" for argument in verb.arguments)]) + "\n"


def _description(help_: str) -> str:
    return ".SH DESCRIPTION\n" + _paragraphs(help_)


def _paragraphs(text: str) -> str:
    return ".PP\n".join(_prose(paragraph) for paragraph in text.split("\n\n"))


def _prose(text: str) -> str:
    """Lines that no reader of the source has to scroll."""
    lines = textwrap.wrap(text.replace("\n", " "), WIDTH, break_long_words=False, break_on_hyphens=False)
    return "".join(f"{_text(line)}\n" for line in lines)


def _section(title: str, body: str) -> str:
    return f".SH {title}\n{body}" if body else ""


def _option(option: Option) -> str:
    value = f" \\fI{_text(option.value)}\\fR" if option.value else ""
    needed = " Required." if option.required else ""
    return _item(", ".join(_bold(name) for name in option.names) + value, option.help + needed)


def _item(head: str, said: str) -> str:
    return f".TP\n{head}\n{_prose(said)}"


def _examples(lines: tuple[str, ...]) -> str:
    return ".SH EXAMPLES\n.nf\n" + "".join(f"{_text(line)}\n" for line in lines) + ".fi\n"


def _see_also(names: list[str]) -> str:
    last = len(names) - 1
    return ".SH SEE ALSO\n" + "".join(
        f".BR {_dashed(name)} (1){',' if at < last else ''}\n" for at, name in enumerate(names)
    )


def _bold(text: str) -> str:
    return f"\\fB{_text(text)}\\fR"


def _dashed(text: str) -> str:
    return text.replace("-", "\\-")


def _text(text: str) -> str:
    """Plain text for roff: no escape, no request at the start of a line, real hyphens."""
    escaped = _dashed(text.replace("\\", "\\e"))
    return f"\\&{escaped}" if escaped[:1] in (".", "'") else escaped
