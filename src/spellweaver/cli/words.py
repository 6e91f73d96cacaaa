"""What may reach a terminal, and the mark and colour of each state.

Text from jobs and files can hold anything: ``plain`` writes each control, formatting and bidirectional character as
an escape, so no text moves a cursor, hides a line or forges a row. Markup is never read.
"""

from __future__ import annotations

_LINES = "\u2028\u2029"

# word: (mark, mark in ASCII, colour). The colour is an SGR code and a name of rich's at once: 31 red, 32 green …
GOOD, BAD, CARE, BUSY, QUIET = 32, 31, 33, 36, 2
_MARKS: dict[str, tuple[str, str, int]] = {
    "completed": ("✓", "+", GOOD), "timely": ("✓", "+", GOOD), "exited": ("✓", "+", GOOD), "active": ("●", "*", GOOD),
    "running": ("▶", ">", BUSY), "launching": ("▶", ">", BUSY),
    "admitted": ("→", ">", BUSY), "coalesced": ("→", ">", BUSY),
    "pending": ("·", ".", BUSY), "queued": ("·", ".", BUSY), "granted": ("·", ".", BUSY), "defined": ("○", "o", QUIET),
    "suspended": ("‖", "=", CARE), "paused": ("‖", "=", CARE), "cancelling": ("◌", "~", CARE),
    "contained": ("?", "?", CARE), "lost": ("?", "?", BAD), "stopped": ("■", "#", BAD), "refused": ("⊘", "#", BAD),
    "missed": ("!", "!", BAD), "unmet": ("!", "!", BAD),
    "failed": ("✗", "x", BAD), "timed_out": ("✗", "x", BAD), "signalled": ("✗", "x", BAD),
    "skipped": ("–", "-", QUIET), "cancelled": ("–", "-", QUIET), "never_started": ("–", "-", QUIET),
    "retired": ("▪", "-", QUIET),
    "ok": ("✓", "+", GOOD), "note": ("·", ".", CARE), "wrong": ("✗", "x", BAD),
}  # fmt: skip


def plain(text: str) -> str:
    """``text`` with nothing in it that a terminal obeys; what was there is shown as an escape, as ``\\x1b``."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or _harmless_space(c) else _escaped(c) for c in text)


def plain_lines(text: str) -> str:
    """The same, but line ends stay and a tab becomes blanks: for text that is shown as it stands, as a log."""
    return "\n".join(plain(line.replace("\t", "    ")) for line in text.split("\n"))


def mark(word: str, *, unicode: bool) -> str:
    """The one-cell mark of a state; a blank for a word without one."""
    pair = _MARKS.get(word, (" ", " ", 0))
    return pair[0] if unicode else pair[1]


def colour(word: str) -> int:
    """The SGR code of a state, 0 for none."""
    return _MARKS.get(word, ("", "", 0))[2]


def marked() -> tuple[str, ...]:
    """All words that have a mark."""
    return tuple(_MARKS)


def _harmless_space(character: str) -> bool:
    return ord(character) > 0xFF and character.isspace() and character not in _LINES


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
