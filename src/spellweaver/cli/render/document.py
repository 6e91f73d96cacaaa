"""JSON: one envelope, or one object a line. Only ASCII is written, so nothing in a text reaches a terminal as a
control.
"""

from __future__ import annotations

import json

from spellweaver.cli import times
from spellweaver.cli.values import At, Lasts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from spellweaver.cli.values import Item

VERSION = 1

Head = tuple[str, int]  # ledger id, seq of its last event


def envelope(kind: str, items: Iterable[Item], *, as_of: int, head: Head | None, more: Item) -> str:
    """``head`` is None where no ledger was read. ``more`` are keys beside ``items``, as a summary."""
    ledger = None if head is None else {"id": head[0], "seq": head[1]}
    body = {"kind": kind, "v": VERSION, "as_of": times.rfc3339(as_of), "ledger": ledger, **more, "items": list(items)}
    return json.dumps(body, indent=2, default=_value)


def line(item: Item) -> str:
    """One object of a stream."""
    return json.dumps(item, separators=(",", ":"), default=_value)


def _value(value: object) -> object:
    if isinstance(value, At):
        return times.rfc3339(value.us)
    if isinstance(value, Lasts):
        return value.us
    raise TypeError(f"{value!r} is no value of an item")
