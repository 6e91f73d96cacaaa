"""How a problem is shown."""

from __future__ import annotations

from spellweaver.manifest.problems import SHOWN_WIDTH, Problem, nearest, render, shown, visible


def test_place_key_message_hint_line_and_caret() -> None:
    problem = Problem("a.toml", 4, 8, "schedule.n.fold", "must be 'earlier'", "say so", 'fold = "first"')
    assert render(problem) == [
        "a.toml:4:8: schedule.n.fold: must be 'earlier'; say so",
        '    fold = "first"',
        "           ^",
    ]


def test_without_key_hint_place_or_line() -> None:
    assert render(Problem("a.toml", 1, 1, "", "Invalid value", text="  ")) == ["a.toml:1:1: Invalid value"]
    assert render(Problem("gone.toml", 0, 0, "", "no such file")) == ["gone.toml: no such file"]


def test_the_caret_stands_under_its_character_whatever_comes_before() -> None:
    for before in ("\t", "漢字", "e\u0301", "\x1b[31m", ""):
        _, line, caret = render(Problem("a", 1, len(before) + 1, "", "m", text=f"{before}X"))
        columns = len(line) - line.index("X")
        assert columns == 1
        width = sum(2 if c in "漢字" else 0 if c == "\u0301" else 1 for c in line[: line.index("X")])
        assert caret == " " * width + "^"


def test_a_long_line_is_cut_around_the_place() -> None:
    text = "a" * 100_000 + "X" + "b" * 100_000
    _, line, caret = render(Problem("a", 1, 100_001, "", "m", text=text))
    assert line[caret.index("^")] == "X"
    assert len(line) <= SHOWN_WIDTH + 6 and line.endswith("…") and line[4] == "…"


def test_visible() -> None:
    assert visible("plain [bold]") == "plain [bold]"
    assert visible("a\x1b\x00\x9b\u202e\U000e0001\n") == "a\\x1b\\x00\\x9b\\u202e\\U000e0001\\x0a"
    assert visible("a\tb") == "a b"


def test_shown_is_short() -> None:
    assert [shown(v) for v in (True, 1, "x", {}, [])] == ["true", "1", "'x'", "a table", "an array"]
    assert len(shown("x" * 1_000)) <= 60


def test_nearest_is_named_only_when_near() -> None:
    assert nearest("flod", ["fold", "gap"]) == "fold"
    assert nearest("zzz", ["fold", "gap"]) is None
