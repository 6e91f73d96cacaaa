"""What no operator file may hold, whatever kind of object it is in, and where the refusal points (reliability of the
reader).
"""

from __future__ import annotations

import pytest

from spellweaver.manifest.problems import render
from spellweaver.manifest.source import LIMIT, Source, load


def said(data: bytes, path: str = "a.toml") -> list[tuple[int, int, str]]:
    return [(problem.line, problem.col, problem.message) for problem in load(data, path).problems]


@pytest.mark.parametrize(
    ("data", "line", "col", "message"),
    [
        (b"#" * (LIMIT + 1), 1, 1, "the file has 257 KiB; the limit is 256 KiB"),
        (b"\xef\xbb\xbfformat = 1", 1, 1, "the file begins with a byte order mark; save it as UTF-8 without one"),
        (b"format = 1\nx = '\xff'", 2, 6, "the file is not UTF-8 here (byte 0xff)"),
        (b"x = '\xed\xa0\x80'", 1, 6, "the file is not UTF-8 here (byte 0xed)"),
        (b"format = 1\n# \0", 2, 3, "there is a NUL character here"),
        (b"a.b.c.d.e.f.g.h.i = 1", 1, 17, "a key may have 8 parts; this one has more"),
        (b"a = " + b"[" * 100_000, 1, 21, "this is nested too deeply; 16 brackets in one another are the limit"),
        (b"a = " + b"9" * 5_000, 1, 5, "this number has too many digits"),
    ],
)
def test_a_file_that_is_not_read_further(data: bytes, line: int, col: int, message: str) -> None:
    source = load(data, "a.toml")
    assert not source.readable and source.data == {}
    assert [(p.line, p.col, p.message) for p in source.problems] == [(line, col, message)]


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"a = 1\nb = \n", 2),
        (b"a = 1\na = 2\n", 2),
        (b"a = 1\n[b\n", 2),
        (b"[a]\n\n[a]\n", 3),
        (b"a = 23:59:60", 1),
        (b'a = "\x1b[2J"', 1),
        (b"a = '''\n", 1),
        (b"a = 1\r\n\r\nb = [\r\n", 3),
    ],
)
def test_syntax_is_refused_by_the_parser_at_its_line(data: bytes, line: int) -> None:
    source = load(data, "a.toml")
    (problem,) = source.problems
    assert not source.readable
    assert problem.line == line and problem.col >= 1 and problem.message
    assert "(at " not in problem.message


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ('"a\\u0000b"', "may not hold a NUL or half of a surrogate pair"),
        ("9223372036854775808", "is outside the whole numbers from -2^63+1 to 2^63-1"),
        ("-9223372036854775808", "is outside the whole numbers from -2^63+1 to 2^63-1"),
        ("0xffffffffffffffffffff", "is outside the whole numbers from -2^63+1 to 2^63-1"),
        ("nan", "must be a finite number"),
        ("-inf", "must be a finite number"),
        ("1e999", "must be a finite number"),
        ("2026-12-01T02:00:00", "is a time without a zone; give an offset or Z, as in 2026-12-01T02:00:00Z"),
        ("2026-12-01", "is no instant; write date, time and an offset or Z, as in 2026-12-01T02:00:00Z"),
        ("02:00:00", "is no instant; write date, time and an offset or Z, as in 2026-12-01T02:00:00Z"),
        ("0001-01-01T00:00:00+23:59", "is outside the years 1970 to 2200"),
        ("9999-12-31T23:59:59-23:59", "is outside the years 1970 to 2200"),
        ("1969-12-31T23:59:59.999999Z", "is outside the years 1970 to 2200"),
        ("2201-01-01T00:00:00Z", "is outside the years 1970 to 2200"),
    ],
)
def test_values_that_nothing_may_hold(value: str, message: str) -> None:
    assert said(f"a = [1, {{ b = {value} }}]".encode()) == [(1, 15, message)]


@pytest.mark.parametrize(
    "value",
    [
        "9223372036854775807",
        "-9223372036854775807",
        "1970-01-01T00:00:00Z",
        "2200-12-31T23:59:59.999999Z",
        "0.5",
        '"\\u001b"',
    ],
)
def test_values_at_the_bounds(value: str) -> None:
    assert said(f"a = {value}".encode()) == []


def test_a_key_with_a_nul() -> None:
    assert said(b'"a\\u0000" = 1') == [(1, 1, "a key may not hold a NUL or half of a surrogate pair")]


def test_every_bad_value_of_a_file_at_once() -> None:
    assert [line for line, _, _ in said(b"a = nan\nb = 1\nc = inf\n[d]\ne = 2026-01-01\n")] == [1, 3, 5]


def test_line_ends_of_other_systems_move_no_place() -> None:
    assert said(b"a = 1\r\nb = '''x\r\ny'''\r\nc = nan\r\n") == [(4, 5, "must be a finite number")]


@pytest.mark.parametrize(
    ("data", "line", "col", "message"),
    [
        (b'{"a": 1,\n "a": 2}', 2, 2, "this key stands twice in one object"),
        (b'{"a": {"b": 1, "\\u0062": 2}}', 1, 16, "this key stands twice in one object"),
        (b'{"a": null}', 1, 7, "null is no value here; leave the key out"),
        (b'{"a": NaN}', 1, 7, "must be a finite number"),
        (b'{"a": "\\ud800"}', 1, 7, "may not hold a NUL or half of a surrogate pair"),
        (b'{"a": "\\u0000"}', 1, 7, "may not hold a NUL or half of a surrogate pair"),
        (b'{"a": 1', 1, 8, "Expecting ',' delimiter"),
        (b"[]", 1, 1, "the file must hold one JSON object"),
        (b'{"a": ' + b"[" * 5_000, 1, 22, "this is nested too deeply; 16 brackets in one another are the limit"),
    ],
)
def test_json(data: bytes, line: int, col: int, message: str) -> None:
    assert said(data, "a.json") == [(line, col, message)]


def test_names_of_paths_are_those_an_operator_uses() -> None:
    source: Source = load(
        b'[[schedule]]\nname = "a"\n[schedule.calendar]\nat = [1, 2]\n[[schedule]]\n'
        b'[[pattern]]\nkey = "p"\nrevision = "1"\n',
        "a.toml",
    )
    assert source.name(("schedule", 0, "calendar", "at", 1)) == "schedule.a.calendar.at.2"
    assert source.name(("schedule", 1, "name")) == "schedule.2.name"
    assert source.name(("pattern", 0, "entry")) == "pattern.p@1.entry"
    assert source.place(("schedule", 1)) == "a.toml:5"


def test_what_a_file_holds_reaches_no_terminal_raw() -> None:
    (problem,) = load("a = '\x1b]0;x\x07\u202e漢\t' # \x9b".encode(), "a\x1b[2J.toml").problems
    text = "".join(render(problem))
    assert all(c.isprintable() for c in text)
    assert "\\x1b" in text and "\\u202e" in text and "\\x9b" in text and "漢" in text
