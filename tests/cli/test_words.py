"""The control-character filter, and the marks of states."""

from __future__ import annotations

import pytest

from spellweaver.cli import words
from spellweaver.core import lifecycle

HOSTILE = {
    "\x1b[2J": "\\x1b[2J", "\x1b]0;title\x07": "\\x1b]0;title\\x07", "\x9b31m": "\\x9b31m", "a\rb": "a\\x0db",
    "a\x08b": "a\\x08b",
    "\0": "\\x00", "a\u202eb": "a\\u202eb", "\u2066x\u2069": "\\u2066x\\u2069", "a\u200bb": "a\\u200bb",
    "x\ud800": "x\\ud800",
    "a\nb": "a\\x0ab", "a\tb": "a\\x09b", "\u2028": "\\u2028", "\x7f": "\\x7f", "\U000e0041": "\\U000e0041",
    "[red]x": "[red]x",
    "žltý 日本\u3000語": "žltý 日本\u3000語", "": "",
}  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_what_a_terminal_obeys_is_shown_as_an_escape(text: str) -> None:
    assert words.plain(text) == HOSTILE[text]


def test_nothing_that_is_obeyed_passes_in_any_plane() -> None:
    for code in [*range(0x3000), 0xFEFF, *range(0xE0000, 0xE0080), *range(0xD800, 0xE000)]:
        shown = words.plain(f"a{chr(code)}b")
        assert all(c.isprintable() or c.isspace() and ord(c) > 0xFF for c in shown), hex(code)


def test_lines_stay_lines_where_a_log_is_shown() -> None:
    assert words.plain_lines("a\tb\nc\x1b[1m\r\n") == "a    b\nc\\x1b[1m\\x0d\n"


def test_every_state_has_a_mark_of_one_cell_in_both_alphabets() -> None:
    from rich.cells import cell_len

    states = {state for table in lifecycle.TRANSITIONS.values() for state in table} - set(
        lifecycle.TRANSITIONS.get("delivery", {})
    )
    unmarked = states - set(words.marked())
    assert unmarked <= {"held", "claimed", "settled", "tripped"}, unmarked
    for word in words.marked():
        assert cell_len(words.mark(word, unicode=True)) == 1
        assert words.mark(word, unicode=False).isascii()
        assert len(words.mark(word, unicode=False)) == 1
        assert words.colour(word)
