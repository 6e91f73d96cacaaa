"""Man pages, completions and schemas: equal to what the command tree makes, right in their languages, and driven."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
from pathlib import Path

import jsonschema
import pytest

from spellweaver.cli.generate import everything, man, schemas
from spellweaver.cli.generate.walk import walk
from tests.support.program import SRC, call

ROOT = SRC.parent
MADE = everything.files()
BASH, ZSH, FISH = (ROOT / "completions" / name for name in ("spellweaver.bash", "_spellweaver", "spellweaver.fish"))


@pytest.mark.parametrize("path", MADE)
def test_the_committed_file_is_what_the_tree_makes(path: str) -> None:
    assert (ROOT / path).exists(), f"python -m spellweaver.cli.generate makes {path}"
    assert (ROOT / path).read_text(encoding="utf-8") == MADE[path], "python -m spellweaver.cli.generate rewrites it"


def test_nothing_else_lies_in_their_folders() -> None:
    assert everything.present(str(ROOT)) == sorted(MADE)


@pytest.mark.parametrize("kind", schemas.schemas())
def test_a_schema_is_a_schema_and_is_printed(kind: str) -> None:
    schema = json.loads(schemas.schemas()[kind])
    jsonschema.Draft202012Validator.check_schema(schema)
    assert call("schema", kind).out == schemas.schemas()[kind]


def test_every_kind_that_a_command_puts_out_is_declared_and_no_other() -> None:
    written = set()
    for path in (SRC / "spellweaver" / "cli").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
                first = node.args[0]
                if node.func.attr in ("show", "describe", "document") and isinstance(first, ast.Constant):
                    written.add(first.value)
    assert written == set(schemas.declared())


def test_the_kinds_are_listed_and_a_wrong_one_is_4() -> None:
    assert call("schema").out.splitlines() == list(schemas.schemas())
    done = call("schema", "occurence_list")
    assert done.status == 4 and "did you mean 'occurrence_list'?" in done.err


@pytest.mark.parametrize(("shell", "file"), [("bash", BASH), ("zsh", ZSH), ("fish", FISH)])
def test_completions_prints_the_same_text(shell: str, file: Path) -> None:
    assert call("completions", shell).out == file.read_text(encoding="utf-8")


def needs(tool: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(tool) is None, reason=f"needs {tool}")


@needs("mandoc")
def test_man_pages_are_clean_for_mandoc() -> None:
    done = subprocess.run(
        ["mandoc", "-Tlint", "-Wwarning", *sorted(map(str, (ROOT / "man").iterdir()))], capture_output=True, text=True
    )
    assert done.stdout + done.stderr == ""


def test_man_pages_name_every_option_and_status() -> None:
    pages = man.pages(walk())
    for node in walk().flat()[1:]:
        page = pages[f"spellweaver-{node.path[0]}.1"].replace("\\-", "-")
        for option in node.options:
            assert all(name in page for name in option.names)
        assert all(example.replace("\\", "\\e") in page for example in node.examples)
    for status, _ in man.EXIT_STATUS:
        assert f"\\fB{status}\\fR" in pages["spellweaver.1"]


SCRIPTS = [pytest.param(tool, file, marks=needs(tool)) for tool, file in (("bash", BASH), ("zsh", ZSH), ("fish", FISH))]


@pytest.mark.parametrize(("tool", "file"), SCRIPTS)
def test_a_script_is_read_by_its_shell(tool: str, file: Path) -> None:
    done = subprocess.run([tool, "-n", str(file)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


_ASKED = """#!/bin/sh
kind=$2 prefix=$3; shift 3
printf '%s\\n' nightly-backup nightly@latest occ_12 "$kind${2:+ of }$2" | tr ' ' - | grep -F -e "$prefix"
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with a program ``spellweaver`` that answers ``__names`` with what it was asked."""
    folder = tmp_path_factory.mktemp("bin")
    path = folder / "spellweaver"
    path.write_text(_ASKED)
    path.chmod(0o755)
    return str(folder)


LINES = [
    ("spellweaver sche", {"schedule", "schema"}),
    ("spellweaver --json schedule ", {"list", "show", "history", "diff"}),
    ("spellweaver --ledger /x/y schedule ", {"list", "show", "history", "diff"}),
    ("spellweaver schedule list --col", {"--color"}),
    ("spellweaver schedule list --color ", {"auto", "always", "never"}),
    ("spellweaver completions ", {"bash", "zsh", "fish"}),
    ("spellweaver schedule show nightly-b", {"nightly-backup"}),
    ("spellweaver activate a b nightly-b", {"nightly-backup"}),
    ("spellweaver explain occ", {"occ_12"}),
    ("spellweaver --ledger /x/y explain ref", {"references-of-/x/y"}),
    ("spellweaver explain --ledger /x/y ref", {"references-of-/x/y"}),
    ("spellweaver resolve x --outcome ", {"completed", "failed"}),
]


@needs("bash")
@pytest.mark.parametrize(("line", "offered"), [*LINES, ("spellweaver explain nightly@l", {"latest"})])
def test_bash_offers(line: str, offered: set[str], program: str) -> None:
    script = f"""
        source {BASH}
        complete -p spellweaver >/dev/null || exit 9
        COMP_LINE={line!r} COMP_POINT=${{#COMP_LINE}} COMP_WORDS=() COMP_CWORD=0
        _spellweaver spellweaver
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, env={"PATH": f"{program}:{os.environ['PATH']}"}
    )
    assert done.stderr == ""
    assert {found for found in done.stdout.splitlines() if found} == offered


@needs("fish")
@pytest.mark.parametrize(("line", "offered"), [*LINES, ("spellweaver explain nightly@l", {"nightly@latest"})])
def test_fish_offers(line: str, offered: set[str], program: str, tmp_path: Path) -> None:
    env = {"PATH": f"{program}:{os.environ['PATH']}", "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    script = f"source {FISH}; complete -C {line!r}"
    done = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, text=True, env=env)
    assert done.stderr == ""
    assert {found.split("\t")[0] for found in done.stdout.splitlines()} == offered


@needs("zsh")
@pytest.mark.parametrize(("line", "offered"), LINES)
def test_zsh_offers(line: str, offered: set[str], program: str, tmp_path: Path) -> None:
    """A real zsh in a pseudo-terminal: zpty types the line and TAB, and compadd tells what it would add."""
    (tmp_path / "_spellweaver").write_text(ZSH.read_text())
    (tmp_path / "tells.zsh").write_text(_ZSH_TELLS)
    (tmp_path / "drive.zsh").write_text(_ZSH_DRIVER)
    env = {"PATH": f"{program}:{os.environ['PATH']}", "HOME": str(tmp_path), "LANG": "C.UTF-8", "TERM": "dumb"}
    done = subprocess.run(
        ["zsh", "-f", str(tmp_path / "drive.zsh"), line],
        capture_output=True,
        text=True,
        env=env,
        timeout=60,
    )
    found = {word.strip() for word in done.stdout.splitlines() if word.strip()}
    assert found == offered, done.stderr


_ZSH_TELLS = r"""
compadd() { # tells each word that it would add; calls that only sort arrays are none of ours
    if [[ " $* " != *" -"[OAD]" "* ]]; then
        local -a hits
        builtin compadd -A hits "$@"
        print -rl -- "HIT "$^hits >>$HOME/hits
    fi
    builtin compadd "$@"
}
"""
_ZSH_DRIVER = r"""
zmodload zsh/zpty
zpty shell zsh -f -i
send() { zpty -w shell "$1"; }
send 'PROMPT=; RPROMPT=; stty -echo; LISTMAX=10000'
send 'fpath=($HOME $fpath); autoload -Uz compinit; compinit -u -d $HOME/dump; source $HOME/tells.zsh'
send 'zle -C tried complete-word _main_complete; bindkey "^T" complete-word'
send 'print READY >$HOME/ready'
while [[ ! -e $HOME/ready ]]; do sleep 0.05; done
zpty -w -n shell "$1"$'\C-T'
for try in {1..200}; do
    sleep 0.05
    [[ -s $HOME/hits ]] && { sleep 0.2; break; }
done
sed -n 's/^HIT //p' $HOME/hits | sort -u
zpty -d shell
"""
