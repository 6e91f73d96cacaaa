"""The journal as it was written."""

from __future__ import annotations

import json

from spellweaver.cli.sentences import of_event
from spellweaver.cli.values import At, Column
from spellweaver.ledger.queries import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from spellweaver.cli.values import Item
    from spellweaver.core.zone import Zone
    from spellweaver.ledger.observe import Row, View

PAGE = 500


def newest(view: View, *, schedule: int | None, type_: str | None, limit: int) -> list[Item]:
    """The last so many that fit, oldest first."""
    values: dict[str, object] = {"schedule": schedule, "type": type_, "limit": limit}
    return [item(row) for row in view.rows(load("events")["newest"], values)][::-1]


def after(view: View, seq: int, *, schedule: int | None, type_: str | None, limit: int) -> list[Item]:
    """Those after an event, oldest first."""
    values: dict[str, object] = {"after": seq, "schedule": schedule, "type": type_, "limit": limit}
    return [item(row) for row in view.rows(load("events")["after"], values)]


def last(view: View) -> int:
    """The seq of the last event."""
    row = view.row(load("events")["last"])
    assert row is not None and isinstance(row[0], int)
    return row[0]


def item(row: Row) -> Item:
    seq, txn, at, type_, schedule, occurrence, invocation, actor, data = row
    return {
        "seq": seq, "txn": txn, "at": At(int(str(at))), "type": type_, "schedule": schedule,
        "occurrence": None if occurrence is None else f"occ_{occurrence}",
        "invocation": None if invocation is None else f"inv_{invocation}",
        "actor": actor, "data": json.loads(str(data)),
    }  # fmt: skip


def sentence(item_: Item, zone: Zone | None = None) -> str:
    """What happened, with its numbers."""
    data = item_["data"]
    assert isinstance(data, dict)
    return of_event(str(item_["type"]), data, zone)


PROGRAMS = (
    *(Column(key.upper(), key) for key in ("seq", "at", "type", "schedule", "occurrence", "invocation", "actor")),
    Column("DATA", lambda item_: json.dumps(item_["data"], sort_keys=True, separators=(",", ":"))),
)  # fmt: skip
