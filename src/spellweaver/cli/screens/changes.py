"""How a Schedule changed: what was done to it, from the journal, and what two of its revisions say differently."""

from __future__ import annotations

import json

from spellweaver.cli.screens import events, find
from spellweaver.ledger.queries import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spellweaver.cli.values import Item
    from spellweaver.ledger.observe import View


def history(view: View, schedule: int) -> list[Item]:
    """Every event of the Schedule itself, oldest first."""
    items = []
    for row in view.rows(load("events")["of_schedule_itself"], (schedule,)):
        told = events.item(row)
        kept = {key: told[key] for key in ("seq", "at", "type", "actor", "data")}
        items.append({**kept, "sentence": events.sentence(told)})
    return items


def pair(view: View, before: str, after: str | None, number: Callable[[str, str], int]) -> tuple[int, int]:
    """The row numbers of the two revisions that are meant. Raises NotFound."""
    sql = load("schedule")
    name, _, revision = before.partition("@")
    id_, full = find.schedule(view, name)
    row = view.row(sql["list"], {"id": id_, "state": None})
    assert row is not None
    one = find.revision(view, id_, full, number(full, revision)) if revision else int(str(row[6]))
    if after is None:
        return one, find.revision(view, id_, full, int(str(row[8])))
    name, _, revision = after.partition("@")
    id_, full = find.schedule(view, name)
    return one, find.revision(view, id_, full, number(full, revision))


def differences(view: View, one: int, other: int) -> list[Item]:
    """An item for each dotted key of the canonical form that differs; None where one of them has it not."""
    return [
        {"key": key, "before": before, "after": after}
        for key, before, after in _compared(_body(view, one), _body(view, other), "")
    ]


def _body(view: View, revision: int) -> object:
    row = view.row(load("schedule")["facts"], (revision,))
    assert row is not None
    return json.loads(str(row[5]))


def _compared(before: object, after: object, path: str) -> Iterator[tuple[str, object, object]]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted(before.keys() | after.keys()):
            yield from _compared(before.get(key), after.get(key), f"{path}.{key}" if path else str(key))
    elif before != after:
        yield path, before, after


def text(value: object) -> str | None:
    """A value of the canonical form for a table."""
    return None if value is None else value if isinstance(value, str) else json.dumps(value, sort_keys=True)
