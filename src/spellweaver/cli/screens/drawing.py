"""The picture of a span as SVG (1.1), alone or within a page: a row for each Schedule, a bar for each run, a mark for
each firing that did not run. No script, no network, no font of its own; every bar tells in a title what it is.
"""

from __future__ import annotations

from html import escape

from spellweaver.cli import times
from spellweaver.cli.values import At

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from spellweaver.cli.values import Item

LABEL, SPAN, ROW, HEAD = 200, 1000, 22, 34  # user units
TICKS = 8
COLOURS = {
    "window": "#d8dee9", "completed": "#4c9a52", "running": "#3b7dd8", "skipped": "#9aa3ad", "missed": "#c0392b",
    "refused": "#c0392b", "failed": "#d35400", "timed_out": "#d35400", "cancelled": "#d35400", "contained": "#8e44ad",
    "pending": "#b7950b", "coming": "#aeb6bf", "coalesced": "#9aa3ad",
}  # fmt: skip


def svg(found: Iterable[Item], begins_at: int, ends_at: int, *, now: int) -> str:
    """One picture, whole. Times are in UTC."""
    rows: dict[str, list[Item]] = {}
    for item in found:
        rows.setdefault(str(item["schedule"]), []).append(item)
    scale = _Scale(begins_at, ends_at)
    height = HEAD + ROW * max(1, len(rows)) + 30
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LABEL + SPAN + 20} {height}" '
        'font-family="sans-serif" font-size="12">',
        f"<title>{escape(_span(begins_at, ends_at))}</title>",
        f'<rect width="100%" height="{height}" fill="#ffffff"/>',
        *_axis(scale, height),
    ]
    for at, (name, items) in enumerate(rows.items()):
        top = HEAD + ROW * at
        lines.append(f'<text x="4" y="{top + 15}">{escape(name)}</text>')
        for item in items:
            lines += _marks(item, scale, top, now)
    if begins_at <= now < ends_at:
        x = scale.x(now)
        lines.append(f'<line x1="{x}" x2="{x}" y1="{HEAD - 6}" y2="{height - 24}" stroke="#3b7dd8"/>')
    return "\n".join([*lines, *_key(height), "</svg>", ""])


def page(found: Iterable[Item], begins_at: int, ends_at: int, *, now: int) -> str:
    """The picture within one HTML page that needs nothing else."""
    drawn, title = svg(found, begins_at, ends_at, now=now), escape(_span(begins_at, ends_at))
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{title}</title></head>\n'
        f"<body>\n<h1>{title}</h1>\n{drawn}</body>\n</html>\n"
    )


class _Scale:
    def __init__(self, begins_at: int, ends_at: int) -> None:
        self.begins_at, self.ends_at = begins_at, ends_at

    def x(self, at: int) -> float:
        inside = min(max(at, self.begins_at), self.ends_at) - self.begins_at
        return round(LABEL + SPAN * inside / (self.ends_at - self.begins_at), 1)


def _axis(scale: _Scale, height: int) -> Iterator[str]:
    for tick in range(TICKS + 1):
        at = scale.begins_at + (scale.ends_at - scale.begins_at) * tick // TICKS
        x, said = scale.x(at), times.rfc3339(at)[5:16].replace("T", " ")
        yield f'<line x1="{x}" x2="{x}" y1="{HEAD - 6}" y2="{height - 24}" stroke="#eceff4"/>'
        yield f'<text x="{x}" y="{HEAD - 12}" text-anchor="middle" fill="#606a76">{said}</text>'


def _marks(item: Item, scale: _Scale, top: int, now: int) -> Iterator[str]:
    nominal, due, closes = _us(item["nominal_at"]), _us(item["due_at"]), _us(item["latest_start_at"])
    assert nominal is not None
    word, started = str(item["outcome"]), _us(item["started_at"])
    last = _us(item["last_at"])
    if closes is not None:
        yield _bar(scale, due or nominal, closes, top + 8, 6, COLOURS["window"], f"{item['firing']}: window")
    if started is not None:
        ended = _us(item["ended_at"])
        said = f"{item['firing']}: {word}, {times.rfc3339(started)}"
        yield _bar(scale, started, now if ended is None else ended, top + 4, 14, _colour(word), said)
    elif last is not None:
        said = f"{item['count']} firings {word} ({item['outcome_reason']})"
        yield _bar(scale, nominal, last, top + 7, 8, _colour(word), said)
    else:
        at = due or nominal
        said = f"{item['firing']}: {word}" + ("" if word == "coming" else f" ({item['outcome_reason']})")
        yield _bar(scale, at, at, top + 4, 14, _colour(word), said)


def _bar(scale: _Scale, first: int, last: int, y: int, height: int, colour: str, said: str) -> str:
    x = scale.x(first)
    width = max(2.0, round(scale.x(last) - x, 1))
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{colour}"><title>{escape(said)}</title></rect>'
    )


def _key(height: int) -> Iterator[str]:
    words = ("completed", "running", "failed", "missed", "skipped", "coming", "window")
    for at, word in enumerate(words):
        x = LABEL + at * 110
        yield f'<rect x="{x}" y="{height - 16}" width="10" height="10" fill="{COLOURS[word]}"/>'
        yield f'<text x="{x + 15}" y="{height - 7}" fill="#606a76">{word}</text>'


def _colour(word: str) -> str:
    return COLOURS.get(word, COLOURS["running"])


def _span(begins_at: int, ends_at: int) -> str:
    return f"{times.rfc3339(begins_at)} to {times.rfc3339(ends_at)}"


def _us(value: object) -> int | None:
    return value.us if isinstance(value, At) else None
