"""Lines for people: broken between words at the width of a terminal, and never behind a pipe."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from spellweaver.cli.frame import Frame


def tell(frame: Frame, text: str, *, indent: int = 0, hang: int | None = None) -> None:
    """One paragraph; its later lines are indented by ``hang``, or as the first."""
    first, later = " " * indent, " " * (indent if hang is None else hang)
    if not frame.out.isatty():
        frame.line(first + text)
        return
    width = max(frame.width, len(later) + 20)
    line = first
    for word in text.split(" "):
        if len(line) + len(word) + 1 > width and line.strip():
            frame.line(line.rstrip())
            line = later
        line += word if line in (first, later) and not line.strip() else f" {word}"
    frame.line(line)
