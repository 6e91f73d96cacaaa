"""A picture of a span for a terminal: a line for each Schedule, a cell for an even stretch of time.

    nightly        [···#          X                    ]

What did not go well is drawn over what did, that over a window that was open, and that over what is to come. ``|`` is
now, where nothing else stands.
"""

from __future__ import annotations

from spellweaver.cli import times
from spellweaver.cli.values import At

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from spellweaver.cli.values import Item

COMING, WINDOW, RAN, SKIPPED, MISSED, FAILED = range(1, 7)
_UNICODE, _ASCII = " +·#oX!", " +.#oX!"
_NAMES = "to come", "window", "ran", "skipped", "missed", "failed or refused"
LABEL = 24
LEAST = 16  # cells


def timeline(
    found: Iterable[Item], begins_at: int, ends_at: int, *, width: int, unicode: bool, now: int | None = None
) -> list[str]:
    """The lines of the picture: a head, one for each Schedule in the order of first appearance, and the key to it.

    ``now`` (µs) parts what was from what is to come; a span that lies in one world alone has none.
    """
    rows: dict[str, list[Item]] = {}
    for item in found:
        rows.setdefault(str(item["schedule"]), []).append(item)
    if not rows:
        return []
    label = min(LABEL, max(len(name) for name in rows))
    cells = max(LEAST, width - label - 4)
    marks = _UNICODE if unicode else _ASCII
    axis = _Axis(begins_at, ends_at, cells, now)
    begin, end = (times.reading(at, None, utc=True) for at in (begins_at, ends_at))
    lines = [f"{'':{label}}  {begin}{end:>{max(len(end) + 2, cells + 1 - len(begin))}}"]
    here = None if now is None or not begins_at <= now < ends_at else (now - begins_at) // axis.cell_us
    for name, of_row in rows.items():
        row = [0] * cells
        for item in of_row:
            for cell, mark in axis.marks(item):
                row[cell] = max(row[cell], mark)
        short = name if len(name) <= label else f"{name[: label - 1]}…" if unicode else name[:label]
        drawn = "".join("|" if at == here and not mark else marks[mark] for at, mark in enumerate(row))
        lines.append(f"{short:{label}}  [{drawn}]")
    named = list(zip(marks[1:], _NAMES, strict=True))[0 if now is not None else 1 :]
    key = "  ".join(f"{mark} {what}" for mark, what in (*named, *([("|", "now")] if here is not None else [])))
    scale = f"a cell is {times.length(axis.cell_us)}"
    beside = f"{'':{label}}  {key}; {scale}"
    return [*lines, *([beside] if len(beside) <= width else [key, scale])]


class _Axis:
    """Cells of even length. What lies outside is not drawn."""

    def __init__(self, begins_at: int, ends_at: int, cells: int, now: int | None) -> None:
        self._begins_at = begins_at
        self._now = now
        self._cells = cells
        self.cell_us = max(1, -(-(ends_at - begins_at) // cells))

    def marks(self, item: Item) -> Iterator[tuple[int, int]]:
        """(cell, mark) of one firing or range."""
        nominal, last = _us(item["nominal_at"]), _us(item["last_at"])
        assert nominal is not None
        if last is not None:
            yield from self._over(nominal, last, MISSED if item["state"] == "missed" else SKIPPED)
            return
        if item["state"] == "coming":
            yield from self._at(_us(item["due_at"]) or nominal, COMING)
            return
        due, decided, closes = _us(item["due_at"]), _us(item["decided_at"]), _us(item["latest_start_at"])
        waits_to = closes if closes is not None else decided
        if closes is not None or item["state"] in ("pending", "admitted", "missed"):
            yield from self._over(due or nominal, max(due or nominal, (waits_to or self._end()) - 1), WINDOW)
        match str(item["state"]):
            case "admitted":
                yield from self._run(item, decided or nominal)
            case "missed":
                yield from self._at(closes or decided or nominal, MISSED)
            case "refused":
                yield from self._at(nominal, FAILED)
            case "skipped":
                yield from self._at(nominal, SKIPPED)

    def _run(self, item: Item, decided: int) -> Iterator[tuple[int, int]]:
        started, ended = _us(item["started_at"]), _us(item["ended_at"])
        if started is not None:
            yield from self._over(started, self._end() if ended is None else max(started, ended - 1), RAN)
        if str(item["outcome"]) in ("failed", "timed_out", "cancelled", "contained"):
            yield from self._at(ended or started or decided, FAILED)

    def _over(self, first: int, last: int, mark: int) -> Iterator[tuple[int, int]]:
        begin, end = ((at - self._begins_at) // self.cell_us for at in (first, last))
        for cell in range(max(0, begin), min(self._cells - 1, end) + 1):
            yield cell, mark

    def _at(self, at: int, mark: int) -> Iterator[tuple[int, int]]:
        return self._over(at, at, mark)

    def _end(self) -> int:
        """Up to where what goes on is drawn."""
        end = self._begins_at + self._cells * self.cell_us
        return (end if self._now is None else min(end, self._now)) - 1


def _us(value: object) -> int | None:
    return value.us if isinstance(value, At) else None
