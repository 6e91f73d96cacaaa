"""Completion for zsh: one function for each command, from ``_arguments``; the ledger's own names are asked of the
program.
"""

from __future__ import annotations

from spellweaver.cli.generate.walk import Argument, Node, Option, shared

_HEAD = r"""#compdef spellweaver
# made by python -m spellweaver.cli.generate

_spellweaver_names() { # $1: what to ask the program for
    local -a found
    (( ${+opt_args[--ledger]} )) && ledger=(--ledger ${(Q)opt_args[--ledger]})
    found=(${(f)"$(_call_program names $service __names $1 ${(q)PREFIX} ${(q)ledger} 2>/dev/null)"})
    compadd -a found
}

"""


def script(top: Node) -> str:
    return _HEAD + "\n".join(_function(node) for node in top.flat()) + '\n_spellweaver "$@"\n'


def _function(node: Node) -> str:
    return (_noun if node.below else _verb)(node)


def _verb(node: Node) -> str:
    specs = [*_options(node), *(_argument(argument) for argument in node.arguments)]
    return f"{_name(node)}() {{\n    _arguments -s \\\n        " + " \\\n        ".join(specs) + "\n}\n"


def _noun(node: Node) -> str:
    verbs = "".join(f"            {_quoted(child.path[-1] + ':' + child.brief)}\n" for child in node.below)
    branches = "".join(f"        {child.path[-1]}) {_name(child)} ;;\n" for child in node.below)
    ledger = "" if node.path else "    local -a ledger  # what --ledger said at any word\n"
    specs = " \\\n        ".join([*_options(node), "'1: :->word'", "'*:: :->rest'"])
    return f"""{_name(node)}() {{
    local curcontext=$curcontext state line
    typeset -A opt_args
{ledger}    _arguments -C -s -A "-*" \\
        {specs}
    (( ${{+opt_args[--ledger]}} )) && ledger=(--ledger ${{(Q)opt_args[--ledger]}})
    case $state in
    word)
        local -a words_here=(
{verbs}        )
        _describe -t commands command words_here
        ;;
    rest)
        curcontext=${{curcontext%:*}}-$line[1]:
        case $line[1] in
{branches}        esac
        ;;
    esac
}}
"""


def _name(node: Node) -> str:
    return "_".join(("_spellweaver", *node.path)).replace("-", "_")


def _options(node: Node) -> list[str]:
    return [_option(option) for option in (*node.options, *shared())] + ["'(- *)'{-h,--help}'[Show the help]'"]


def _option(option: Option) -> str:
    names = (
        "'(" + " ".join(option.names) + ")'{" + ",".join(option.names) + "}"
        if len(option.names) > 1
        else option.names[0]
    )
    value = f":{option.value.replace(':', '')}:{_action(option.offers)}" if option.value else ""
    return f"{names}{_quoted(f'[{_bracketed(option.help)}]{value}')}"


def _argument(argument: Argument) -> str:
    word = argument.shown.strip("[].").replace(":", "")
    return _quoted(f"{'*' if argument.many else ''}:{word}:{_action(argument.offers)}")


def _action(offers: tuple[str, ...]) -> str:
    if not offers:
        return " "
    if offers[0] in ("@files", "@folders"):
        return "_files" if offers[0] == "@files" else "_files -/"
    return f" _spellweaver_names {offers[0][1:]}" if offers[0].startswith("@") else f"({' '.join(offers)})"


def _bracketed(text: str) -> str:
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace("\n", " ").rstrip(".")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
