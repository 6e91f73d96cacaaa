"""Completion for bash: one case for each command, and the ledger's own names asked of the program.

The words are taken from the line itself: COMP_WORDS breaks them at ``@``, ``:`` and ``=``, which references contain.
"""

from __future__ import annotations

from spellweaver.cli.generate.walk import Node, Option, shared

_HEAD = r"""# bash completion for spellweaver; made by python -m spellweaver.cli.generate

_spellweaver_at() { # $1: the words of a command. Sets below, options, takes, places.
    below='' options='' takes='' places=''
    case $1 in
"""

_TAIL = r"""    esac
}

_spellweaver_offer() { # $1: words, or @ and what to ask for; $2: what stands there already
    case $1 in
    -) ;;
    @files) mapfile -t COMPREPLY < <(compgen -f -- "$2") && compopt -o filenames 2>/dev/null ;;
    @folders) mapfile -t COMPREPLY < <(compgen -d -- "$2") && compopt -o filenames 2>/dev/null ;;
    @*) mapfile -t COMPREPLY < <("$program" __names "${1#@}" "$2" "${ledger[@]}" 2>/dev/null) ;;
    *) mapfile -t COMPREPLY < <(compgen -W "${1//,/ }" -- "$2") ;;
    esac
}

_spellweaver_value() { # what option $1 of this command takes; fails for a flag
    local each
    for each in $takes; do
        [[ ${each%%=*} == "$1" ]] && { value=${each#*=}; return 0; }
    done
    return 1
}

_spellweaver() {
    local below options takes places value='' path='' word current seen=0 after='' place program=$1
    local -a words ledger=()
    COMPREPLY=()
    read -ra words <<<"${COMP_LINE:0:COMP_POINT}"
    current=''
    if [[ ${COMP_LINE:COMP_POINT-1:1} != [[:space:]] ]]; then
        current=${words[-1]}
        unset 'words[-1]'
    fi
    _spellweaver_at ''
    for word in "${words[@]:1}"; do
        if [[ $after ]]; then
            [[ $after == --ledger ]] && ledger=(--ledger "$word")
            after=''
        elif [[ $word == --ledger=* ]]; then
            ledger=(--ledger "${word#*=}")
        elif [[ $word == -- ]]; then
            return 0
        elif [[ $word == -* ]]; then
            _spellweaver_value "$word" && after=$word
        elif [[ " $below " == *" $word "* ]]; then
            path="$path $word"
            _spellweaver_at "${path# }"
        else
            seen=$((seen + 1))
        fi
    done
    if [[ $after ]]; then
        _spellweaver_value "$after" && _spellweaver_offer "$value" "$current"
    elif [[ $current == --*=* ]]; then
        _spellweaver_value "${current%%=*}" && _spellweaver_offer "$value" "${current#*=}"
    elif [[ $current == -* ]]; then
        _spellweaver_offer "$options" "$current"
    elif [[ $below ]]; then
        _spellweaver_offer "$below" "$current"
    else
        for place in $places; do
            [[ $seen -eq 0 || $place == *+ ]] && { _spellweaver_offer "${place%+}" "$current"; break; }
            seen=$((seen - 1))
        done
    fi
    _spellweaver_trim "$current"
}

_spellweaver_trim() { # bash replaces only what stands after the last break of a word
    local breaks=${COMP_WORDBREAKS//[^@:=]/} at
    [[ $breaks && $1 == *[$breaks]* ]] || return 0
    local kept=${1%"${1##*[$breaks]}"}
    [[ $1 == --*=* ]] && kept=${kept#*=}
    for at in "${!COMPREPLY[@]}"; do
        COMPREPLY[at]=${COMPREPLY[at]#"$kept"}
    done
}

complete -F _spellweaver spellweaver
"""


def script(top: Node) -> str:
    return _HEAD + "".join(_case(node) for node in top.flat()) + _TAIL


def _case(node: Node) -> str:
    options = (*node.options, *shared())
    lines = {
        "below": " ".join(child.path[-1] for child in node.below),
        "options": " ".join([*(name for option in options for name in option.names), "--help"]),
        "takes": " ".join(f"{name}={_offers(option)}" for option in options if option.value for name in option.names),
        "places": " ".join((_joined(argument.offers) or "-") + "+" * argument.many for argument in node.arguments),
    }
    body = "".join(f"        {name}='{text}'\n" for name, text in lines.items() if text)
    return f"    '{' '.join(node.path)}')\n{body}        ;;\n"


def _offers(option: Option) -> str:
    return _joined(option.offers)


def _joined(offers: tuple[str, ...]) -> str:
    return ",".join(offers)
