"""Completion for fish: a line for each option and word, offered where the command line stands at its command."""

from __future__ import annotations

from spellweaver.cli.generate.walk import Node, Option, shared

_HEAD = r"""# fish completion for spellweaver; made by python -m spellweaver.cli.generate

function __spellweaver_words --description 'The words of the command so far: no options, no values of options'
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
        else if contains -- $word @valued@
            set skip 1
        else if not string match -q -- '-*' $word
            echo -- $word
        end
    end
end

function __spellweaver_at --description 'Whether the line stands at exactly this command, or in it with -in'
    set -l words (__spellweaver_words)
    set -l wanted $argv
    test "$argv[1]" = -in; and set -e wanted[1]
    test (count $words) -ge (count $wanted); or return 1
    for at in (seq (count $wanted))
        test "$words[$at]" = "$wanted[$at]"; or return 1
    end
    test "$argv[1]" = -in; or test (count $words) -eq (count $wanted)
end

function __spellweaver_names --description 'Names out of the ledger'
    set -l words (commandline -opc)
    set -l ledger
    for at in (seq (count $words))
        test "$words[$at]" = --ledger; and set ledger --ledger $words[(math $at + 1)]
    end
    $words[1] __names $argv[1] (commandline -ct) $ledger 2>/dev/null
end

complete -c spellweaver -f
"""


def script(top: Node) -> str:
    every = (*shared(), *(option for node in top.flat() for option in node.options))
    valued = " ".join(dict.fromkeys(name for option in every if option.value for name in option.names))
    lines = [_option("", option) for option in shared()] + [line for node in top.flat() for line in _node(node)]
    return _HEAD.replace("@valued@", valued) + "".join(f"complete -c spellweaver{line}\n" for line in lines)


def _node(node: Node) -> list[str]:
    at = " ".join(node.path)
    here = f" -n {_quoted(f'__spellweaver_at {at}'.strip())}"
    inside = f" -n {_quoted(f'__spellweaver_at -in {at}')}"
    lines = [f"{here} -a {child.path[-1]} -d {_quoted(child.brief)}" for child in node.below]
    lines += [_option(inside, option) for option in node.options]
    for argument in node.arguments[:1]:
        lines += (
            [f"{inside}{' -F' if argument.offers[0] in ('@files', '@folders') else _values(argument.offers)}"]
            if argument.offers
            else []
        )
    return lines


def _option(condition: str, option: Option) -> str:
    names = "".join(f" -{'l' if name.startswith('--') else 's'} {name.lstrip('-')}" for name in option.names)
    takes = "" if option.value is None else " -r -F" if option.offers[:1] in (("@files",), ("@folders",)) else " -x"
    return f"{condition}{names}{takes}{_values(option.offers)} -d {_quoted(option.help.rstrip('.'))}"


def _values(offers: tuple[str, ...]) -> str:
    if not offers or offers[0] in ("@files", "@folders"):
        return ""
    return (
        f" -a '(__spellweaver_names {offers[0][1:]})'"
        if offers[0].startswith("@")
        else f" -a {_quoted(' '.join(offers))}"
    )


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
