"""``[binding."key@revision".station]``: the host's own, byte for byte, and nothing that would reach into the engine."""

from __future__ import annotations

import subprocess

import pytest

from spellweaver.core import instant
from spellweaver.manifest import words
from tests.support.operator_files import accepted, binding, pattern, refused


def only(said: dict[str, str], key: str) -> str:
    assert list(said) == [f"binding.nightly@1.main.{key}".removesuffix(".")]
    return next(iter(said.values()))


def test_all_that_a_binding_says() -> None:
    (made,) = accepted(
        binding(
            'argv = ["/bin/a", "", "-x"]\ntimeout = "30d"\nsuccess = [3, 0]\ncwd = "/tmp"\nenv = { B = "2", A_1 = "" }'
        )
    ).bindings
    assert made.argv == ("/bin/a", "", "-x") and made.shell is None
    assert (made.timeout_us, made.success, made.cwd) == (30 * instant.DAY, (0, 3), "/tmp")
    assert made.env == (("A_1", ""), ("B", "2"))


def test_who_a_command_runs_as_and_what_it_is_told() -> None:
    (made,) = accepted(
        binding(
            'argv = ["a"]\nuser = "backup"\numask = "0027"\nnice = -5\n'
            'env_from = { U = "credential:db.pass", A_1 = "file:/etc/s/one two" }'
        )
    ).bindings
    assert (made.user, made.umask, made.nice) == ("backup", 0o027, -5)
    assert made.env_from == (("A_1", "file:/etc/s/one two"), ("U", "credential:db.pass"))


def test_what_is_left_out() -> None:
    (made,) = accepted(binding('shell = "true"')).bindings
    assert (made.user, made.umask, made.nice, made.env_from) == (None, 0o077, 0, ())
    assert made.command == ("/bin/sh", "-c", "true")
    assert (made.timeout_us, made.success, made.cwd, made.env) == (30 * instant.MINUTE, (0,), "/", ())


def test_rp_48_the_command_as_toml_gives_it() -> None:
    command = 'printf "%s|%s" "$(date -u +%Y)" "a b"'
    basic = command.replace('"', '\\"')
    (a,) = accepted(binding(f'shell = "{basic}"\ntimeout = "1m"')).bindings
    (b,) = accepted(binding(f"shell = '{command}'\ntimeout = \"1m\"")).bindings
    (c,) = accepted(binding(f"shell = '''\n{command}'''\ntimeout = \"1m\"")).bindings
    (d,) = accepted(binding('shell = \'printf "%s" "a\\\\nb"\'\ntimeout = "1m"')).bindings
    (e,) = accepted(binding("shell = \"printf '%s' 'a\\nb%'\"\ntimeout = \"1m\"")).bindings
    assert a.shell == b.shell == c.shell == command
    year, _, rest = subprocess.run(a.command, capture_output=True, text=True, check=True).stdout.partition("|")
    assert year.isdigit() and rest == "a b"
    assert d.shell == 'printf "%s" "a\\\\nb"'
    assert subprocess.run(e.command, capture_output=True, check=True).stdout == b"a\nb%"


@pytest.mark.parametrize(
    "line", ['shell = "true\\u0000"', 'argv = ["/bin/a", "b\\u0000"]', 'argv = ["x"]\nenv = { A = "\\u0000" }']
)
def test_rp_48_a_nul_is_refused(line: str) -> None:
    (said,) = refused(binding(line)).values()
    assert said == "may not hold a NUL or half of a surrogate pair"


@pytest.mark.parametrize("program", ["/bin/date", "date", "my prog"])
def test_a_program_is_an_absolute_path_or_a_plain_name(program: str) -> None:
    (made,) = accepted(binding(f'argv = ["{program}"]')).bindings
    assert made.argv == (program,)


@pytest.mark.parametrize(
    ("lines", "key", "word"),
    [
        ("", "argv", "one of argv and shell is required"),
        ('argv = ["a"]\nshell = "a"', "argv", "exclude each other"),
        ('argv = ["./a"]', "argv", "absolute path, or by a plain name"),
        ('argv = ["bin/a"]', "argv", "absolute path, or by a plain name"),
        ('argv = ["../a"]', "argv", "absolute path, or by a plain name"),
        ("argv = []", "argv", "must name a program"),
        ('argv = [""]', "argv", "must name a program"),
        ('argv = "date -u"', "argv", "must be an array of strings"),
        ("argv = [1]", "argv", "must be an array of strings"),
        ('shell = " \\n"', "shell", "must hold a command"),
        ("shell = ['a']", "shell", "must be a string in quotes, not an array"),
        ('argv = ["a"]\ntimeout = "0s"', "timeout", "must be from 1s to 30d"),
        ('argv = ["a"]\ntimeout = "31d"', "timeout", "must be from 1s to 30d"),
        ('argv = ["a"]\ntimeout = 60', "timeout", "must be a string in quotes, not 60"),
        ('argv = ["a"]\nsuccess = []', "success", "exit codes from 0 to 255"),
        ('argv = ["a"]\nsuccess = [256]', "success", "exit codes from 0 to 255"),
        ('argv = ["a"]\nsuccess = [true]', "success", "exit codes from 0 to 255"),
        ('argv = ["a"]\nsuccess = 0', "success", "exit codes from 0 to 255"),
        ('argv = ["a"]\ncwd = "var"', "cwd", "must be an absolute path"),
        ('argv = ["a"]\ncwd = ""', "cwd", "must be an absolute path"),
        ('argv = ["a"]\nenv = []', "env", "must be a table"),
        ('argv = ["a"]\nenv = { A = 1 }', "env.A", "must be a string in quotes, not 1"),
        ('argv = ["a"]\nenv = { "1A" = "x" }', "env.1A", "no name for a variable"),
        ('argv = ["a"]\nenv = { "" = "x" }', "env.", "no name for a variable"),
        ('argv = ["a"]\nenv = { "A=B" = "x" }', "env.A=B", "no name for a variable"),
        *(
            (f'argv = ["a"]\nenv = {{ {name} = "x" }}', f"env.{name}", "may not be set")
            for name in ("SPELLWEAVER_RUN", "LD_PRELOAD", "PYTHONPATH", "BASH_ENV", "ENV", "IFS", "PS4")
        ),
        ('argv = ["a"]\nenv_from = { LD_PRELOAD = "file:/a" }', "env_from.LD_PRELOAD", "may not be set"),
        ('argv = ["a"]\nenv = { A = "1" }\nenv_from = { A = "file:/a" }', "env_from.A", "stands in env too"),
        ('argv = ["a"]\nenv_from = []', "env_from", "must be a table"),
        *(
            (f'argv = ["a"]\nenv_from = {{ A = "{reference}" }}', "env_from.A", "must say where the value stands")
            for reference in ("", "hunter2", "file:a", "file:", "file:/", "file:/a/", "FILE:/a", "credential:",
                              "credential:..", "credential:a/b", "credential:/a", "env:A", " file:/a")
        ),
        ('argv = ["a"]\nenv_from = { A = 1 }', "env_from.A", "must be a string in quotes, not 1"),
        *(
            (f'argv = ["a"]\nuser = "{user}"', "user", "must be the name of an account")
            for user in ("", "1000", "a b", "a:b", "-a", "../a", "a" * 33)
        ),
        ('argv = ["a"]\nuser = 0', "user", "must be a string in quotes, not 0"),
        *(
            (f'argv = ["a"]\numask = "{umask}"', "umask", "must be three octal digits")
            for umask in ("", "77", "078", "00077", "1077", "0o77", "-77", "u=rwx")
        ),
        ('argv = ["a"]\numask = 77', "umask", "must be a string in quotes, not 77"),
        ('argv = ["a"]\nnice = 20', "nice", "must be at most 19, not 20"),
        ('argv = ["a"]\nnice = -21', "nice", "must be at least -20, not -21"),
        ('argv = ["a"]\nnice = "5"', "nice", "must be a whole number"),
        ('argv = ["a"]\nnice = true', "nice", "must be a whole number"),
        ('argv = ["a"]\nnice = 1.0', "nice", "must be a whole number"),
    ],
)
def test_bindings_that_are_refused(lines: str, key: str, word: str) -> None:
    (name,) = said = refused(binding(lines))
    assert name == f"binding.nightly@1.main.{key}"
    assert word in said[name]


def test_every_variable_is_told_of_at_once() -> None:
    said = refused(binding('argv = ["a"]\nenv = { LD_A = "1", ok = "2", "a-b" = "3" }'))
    assert list(said) == ["binding.nightly@1.main.env.LD_A", "binding.nightly@1.main.env.a-b"]


@pytest.mark.parametrize("key", words.BINDING)
def test_keys_of_later_versions(key: str) -> None:
    said = refused(binding(f'argv = ["a"]\n{key} = 1'))
    assert f"`{key}` is not available in this version: " in said[f"binding.nightly@1.main.{key}"]


@pytest.mark.parametrize("version", ["nightly", "nightly@", "@1", "a@1@2", "a b@1"])
def test_a_binding_stands_under_an_exact_version(version: str) -> None:
    (said,) = refused(binding(version=version)).values()
    assert said.startswith("stands under no exact station")


@pytest.mark.rule("PAT-12")
@pytest.mark.parametrize(
    ("station", "word"),
    [("end", "kind end, which is never bound"), ("gone", "names no station of nightly@1; it has end, main")],
)
def test_a_binding_beside_its_pattern_names_a_station_that_executes(station: str, word: str) -> None:
    (said,) = refused(pattern(), binding(station=station)).values()
    assert word in said
    assert accepted(binding(station=station)).bindings  # without its pattern only the ledger can tell
    assert accepted(pattern(revision="2"), binding(station=station)).bindings
