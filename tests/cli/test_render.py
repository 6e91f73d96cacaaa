"""The three renderers: a terminal, a pipe, JSON; colours, marks, widths."""

from __future__ import annotations

import io
import json

import pytest

from spellweaver.cli.frame import Frame
from spellweaver.cli.values import At, Column, Lasts, State
from spellweaver.clock import VirtualClock
from spellweaver.core import zone as zones
from spellweaver.errors import Usage
from spellweaver.manifest import zones as source
from tests.support.program import Screen

NOW = 1_792_888_200_000_000  # 2026-10-25T00:30:00Z, the first 02:30 of that night in Bratislava
BRATISLAVA = zones.parse(source.rules("Europe/Bratislava"))
COLUMNS = (
    Column("SCHEDULE", "schedule"),
    Column("NEXT", "next_at"),
    Column("STATE", "state"),
    Column("TOOK", "took_us", drop=2),
    Column("NOTE", "note", drop=1),
    Column("LEFT", lambda item: "now", drop=3, only="terminal"),
)
ITEMS = [
    {
        "schedule": "ops/nightly", "next_at": At(NOW, BRATISLAVA), "state": State("missed"),
        "took_us": Lasts(4 * 3_600_000_000 + 27 * 60_000_000),
        "note": "a\tb\x1b[2J\nc",
    },
    {"schedule": "probe", "next_at": None, "state": State("active"), "took_us": None, "note": None},
]  # fmt: skip


def frame(out: io.StringIO, said: dict[str, object] | None = None, env: dict[str, str] | None = None) -> Frame:
    made = Frame(program="spellweaver", environ=env or {}, out=out, talk=io.StringIO(), clock=VirtualClock(NOW))
    made.hear(said or {})
    return made


def shown(out: io.StringIO, said: dict[str, object] | None = None, env: dict[str, str] | None = None) -> str:
    frame(out, said, env).show("a_kind", ITEMS, COLUMNS, head=("the-ledger", 7))
    return out.getvalue()


def test_a_pipe_gets_tabs_utc_and_nothing_that_breaks_a_line() -> None:
    assert shown(io.StringIO()) == (
        "ops/nightly\t2026-10-25T00:30:00Z\tmissed\t16020000000\ta\\x09b\\x1b[2J\\x0ac\nprobe\t\tactive\t\t\n"
    )
    assert shown(io.StringIO(), {"header": True}).splitlines()[0] == "SCHEDULE\tNEXT\tSTATE\tTOOK\tNOTE"


def test_json_is_one_envelope_and_only_ascii() -> None:
    text = shown(io.StringIO(), {"json": True})
    assert text.isascii() and "\x1b" not in text
    body = json.loads(text)
    assert list(body) == ["kind", "v", "as_of", "ledger", "items"]
    assert body["as_of"] == "2026-10-25T00:30:00Z"
    assert body["ledger"] == {"id": "the-ledger", "seq": 7}
    assert body["items"][0] == {
        "schedule": "ops/nightly", "next_at": "2026-10-25T00:30:00Z", "state": "missed", "took_us": 16_020_000_000,
        "note": "a\tb\x1b[2J\nc",
    }  # fmt: skip
    assert body["items"][1]["next_at"] is None, "all keys are always there"


def test_jsonl_is_one_object_a_line_and_the_same_on_a_terminal() -> None:
    lines = shown(io.StringIO(), {"jsonl": True})
    assert [json.loads(line)["schedule"] for line in lines.splitlines()] == ["ops/nightly", "probe"]
    assert shown(Screen(), {"jsonl": True}) == lines
    assert shown(Screen(), {"json": True}) == shown(io.StringIO(), {"json": True})


def test_a_terminal_gets_a_table_with_civil_times_and_marks() -> None:
    env = {"COLUMNS": "120", "LANG": "C.UTF-8", "NO_COLOR": "1", "TERM": "xterm"}
    assert shown(Screen(), env=env).splitlines() == [
        "SCHEDULE     NEXT                           STATE     TOOK      NOTE                LEFT",
        "ops/nightly  Sun 2026-10-25 02:30 CEST 1st  ! missed  4h 27min  a\\x09b\\x1b[2J\\x0ac  now",
        "probe        -                              ● active  -         -                   now",
    ]


def test_whole_columns_go_before_an_id_a_time_or_a_reason_is_cut() -> None:
    env = {"LANG": "C.UTF-8", "NO_COLOR": "1"}
    for width in range(10, 130):
        text = shown(Screen(), env={**env, "COLUMNS": str(width)})
        assert "…" not in text
        assert "ops/nightly  Sun 2026-10-25 02:30 CEST 1st  ! missed" in text, width
        heads = text.splitlines()[0].split()
        order = ["LEFT", "TOOK", "NOTE"]
        there = [head for head in order if head in heads]
        assert there == order[len(order) - len(there) :], f"at {width} the columns went in another order: {heads}"
        if there:
            assert max(map(len, text.splitlines())) <= width


def test_utc_and_the_operators_own_zone() -> None:
    env = {"COLUMNS": "120", "NO_COLOR": "1"}
    assert "Sun 2026-10-25 00:30 UTC" in shown(Screen(), {"utc": True}, env)


@pytest.mark.parametrize(
    ("locale", "mark"),
    [
        ({}, "●"), ({"LANG": "en_US.UTF-8"}, "●"), ({"LANG": "C"}, "*"),
        ({"LC_ALL": "POSIX", "LANG": "en_US.UTF-8"}, "*"),
        ({"LC_CTYPE": "en_US.ISO-8859-1"}, "*"), ({"LC_ALL": "", "LANG": "sk_SK.utf8"}, "●"),
    ],
)  # fmt: skip
def test_marks_are_ascii_where_the_locale_is_not_utf8(locale: dict[str, str], mark: str) -> None:
    assert f"{mark} active" in shown(Screen(), env={"COLUMNS": "120", "NO_COLOR": "1", **locale})


@pytest.mark.parametrize(
    ("said", "env", "terminal", "expected"),
    [
        ({}, {}, True, True), ({}, {}, False, False), ({}, {"NO_COLOR": "1"}, True, False),
        ({}, {"NO_COLOR": ""}, True, True),
        ({}, {"TERM": "dumb"}, True, False), ({}, {"CLICOLOR_FORCE": "1"}, False, True),
        ({}, {"CLICOLOR_FORCE": "0"}, False, False),
        ({}, {"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, True, False),
        ({"color": "always"}, {"NO_COLOR": "1"}, False, True),
        ({"color": "never"}, {"CLICOLOR_FORCE": "1"}, True, False), ({"color": "always"}, {"TERM": "dumb"}, True, True),
    ],
)  # fmt: skip
def test_who_decides_about_colour(said: dict[str, object], env: dict[str, str], terminal: bool, expected: bool) -> None:
    text = shown(Screen() if terminal else io.StringIO(), said, {"COLUMNS": "120", **env})
    assert ("\x1b[31m" in text) is expected
    assert "missed" in text, "the word is there with or without"


def test_colour_behind_a_pipe_changes_no_field() -> None:
    text = shown(io.StringIO(), {"color": "always"})
    assert text.replace("\x1b[31m", "").replace("\x1b[32m", "").replace("\x1b[0m", "") == shown(io.StringIO())


def test_a_stream_comes_line_by_line_and_refuses_a_document() -> None:
    out = io.StringIO()
    made = frame(out)

    def items() -> object:
        for item in ITEMS:
            yield item
            assert out.getvalue().count("\n") > 0, "each line is there before the next item is asked for"

    made.stream(items(), COLUMNS)
    assert out.getvalue() == shown(io.StringIO())
    with pytest.raises(Usage, match="no end"):
        frame(io.StringIO(), {"json": True}).stream(ITEMS, COLUMNS)
    text = io.StringIO()
    frame(text, {"jsonl": True}).stream(ITEMS, COLUMNS)
    assert text.getvalue() == shown(io.StringIO(), {"jsonl": True})


def test_a_description_is_a_line_a_field() -> None:
    out = io.StringIO()
    frame(out).describe("a_kind", ITEMS[0], COLUMNS)
    assert out.getvalue().splitlines()[:2] == ["SCHEDULE\tops/nightly", "NEXT\t2026-10-25T00:30:00Z"]
    screen = Screen()
    frame(screen, env={"NO_COLOR": "1", "COLUMNS": "40"}).describe("a_kind", ITEMS[0], COLUMNS)
    assert "NEXT      Sun 2026-10-25 02:30 CEST 1st" in screen.getvalue().splitlines()


def test_markup_in_a_text_is_text() -> None:
    screen = Screen()
    item = {"note": "[bold red]x[/] :smile: http://a.b"}
    frame(screen, env={"COLUMNS": "80"}).show("a_kind", [item], (Column("NOTE", "note"),))
    assert "[bold red]x[/] :smile: http://a.b" in screen.getvalue()


def test_an_empty_list_says_so_to_people_and_stays_empty_for_programs() -> None:
    made = frame(out := io.StringIO())
    made.show("a_kind", [], COLUMNS, empty="there are none")
    assert out.getvalue() == ""
    assert made.talk.getvalue() == "there are none\n"
