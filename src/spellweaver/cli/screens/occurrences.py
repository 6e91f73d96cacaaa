"""Firings and what became of them: one item for a row, one for a range of neighbours with the same fate (OCC-13)."""

from __future__ import annotations

from spellweaver.cli import times
from spellweaver.cli.screens.readings import NO_SUCH_TIME, shown
from spellweaver.cli.values import At, Column, Lasts, State
from spellweaver.ledger.queries import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from spellweaver.cli.screens.firings import Found
    from spellweaver.cli.screens.readings import Readings
    from spellweaver.cli.values import Item
    from spellweaver.ledger.observe import Row, View


def newest(
    view: View, readings: Readings, *, schedule: int | None, state: str | None, reason: str | None, limit: int
) -> list[Item]:
    """The newest firings that fit, the newest first."""
    rows = view.rows(
        load("occurrence")["newest"], {"schedule": schedule, "state": state, "reason": reason, "limit": limit}
    )
    return [item(row, readings) for row in rows]


def item(row: Row, readings: Readings) -> Item:
    """A row of the queries ``newest``, ``one`` or ``range``, as JSON has it."""
    (
        id_, revision, generation, civil, fold, nominal_at, due_at, mode, state, reason, class_, not_before,
        latest_start_at, finish_by, decided_at, blockers, invocation, last_civil, last_fold, last_at, count,
    ) = row  # fmt: skip
    reading = readings.of(_number(revision))
    numbers = _number(generation), _number(civil), _number(fold)
    last = None if count is None else reading.firing(numbers[0], _number(last_civil), _number(last_fold))
    firing = reading.firing(*numbers)
    return {
        "id": None if id_ is None else f"occ_{id_}",
        "schedule": reading.schedule,
        "revision": reading.number,
        "firing": firing,
        "nominal_at": reading.at(_number(nominal_at)),
        **reading.reads(_number(nominal_at), numbers[1], missing=reason == "gap"),
        "due_at": reading.at(_maybe(due_at)),
        "mode": mode,
        "state": State(str(state)),
        "reason": reason,
        "class_requested": class_,
        "class": class_,
        "origin": "schedule" if numbers[0] else readings.external(numbers[1])["origin"],
        "not_before": reading.at(_maybe(not_before)),
        "latest_start_at": reading.at(_maybe(latest_start_at)),
        "finish_by": reading.at(_maybe(finish_by)),
        "decided_at": reading.at(_maybe(decided_at)),
        "invocation": None if invocation is None else f"inv_{invocation}",
        "carrier": None,
        "blockers": blockers_of(blockers),
        "first": None if count is None else firing,
        "last": last,
        "last_at": reading.at(_maybe(last_at)),
        "count": count,
    }


def blockers_of(kept: object) -> list[str]:
    """The ids in the column ``blockers``, a JSON list of row numbers."""
    return (
        [f"inv_{number.strip()}" for number in str(kept).strip("[]").split(",") if number.strip()]
        if kept is not None
        else []
    )


def one(view: View, readings: Readings, found: Found) -> Item:
    """A firing, or the range that answers for it, with what it is bound to (OCC-11)."""
    sql = load("occurrence")
    of_range = found.kind == "range"
    row = view.row(sql["range" if of_range else "one"], (found.id,))
    pinned = view.row(sql["range_pinned" if of_range else "pinned"], (found.id,))
    assert row is not None and pinned is not None, f"{found.kind} {found.id}"
    (
        policy, authority, created_at, revision_digest, rules, pattern, pattern_digest, overlap, horizon, catch_up,
        given, labels,
    ) = pinned  # fmt: skip
    generation, number = _number(row[2]), _number(row[3])
    sent = None if of_range or generation else readings.external(number)
    return {
        **item(row, readings),
        **{key: sent and sent[key] for key in ("source", "event_id", "principal", "content_digest")},
        "revision_digest": revision_digest,
        "zone_rules": rules.hex() if isinstance(rules, bytes) else None,
        "pattern": pattern,
        "pattern_digest": pattern_digest,
        "overlap": overlap,
        "catch_up": catch_up,
        "misfire_horizon_us": Lasts(_number(horizon)),
        "input": given,
        "labels": labels,
        "policy_generation": policy,
        "authority_generation": authority,
        "created_at": readings.of(_number(row[1])).at(_maybe(created_at)),
    }


def civil(item_: Item) -> str:
    """The civil reading as one text that carries its offset, as every time that is printed must."""
    return f"{item_['civil']}{item_['offset'] or f' {NO_SUCH_TIME}'}"


def _nominal(item_: Item) -> object:
    """For people: when, or which time there was not; of a range, until when."""
    last = item_["last_at"]
    if isinstance(last, At):
        return f"to {times.reading(last.us, last.zone)}"
    return shown({"instant": item_["nominal_at"] if item_["offset"] is not None else None, "civil": item_["civil"]})


def _id(item_: Item) -> object:
    return item_["id"] if item_["count"] is None else f"{item_['count']} x"


PEOPLE = (
    Column("ID", _id),
    Column("NOMINAL", _nominal),
    Column("STATE", "state"),
    Column("REASON", "reason"),
    Column("SCHEDULE", "schedule", drop=1),
    Column("RUN", "invocation", drop=2),
    Column("DECIDED", "decided_at", drop=3),
)
PROGRAMS = tuple(
    Column(key.upper(), civil if key == "civil" else key)
    for key in (
        "id",
        "schedule",
        "revision",
        "firing",
        "nominal_at",
        "civil",
        "due_at",
        "mode",
        "state",
        "reason",
        "class_requested",
        "class",
        "origin",
        "not_before",
        "latest_start_at",
        "finish_by",
        "decided_at",
        "invocation",
        "carrier",
        "blockers",
        "last",
        "last_at",
        "count",
    )
)


def fields(item_: Item, *, people: bool) -> tuple[Column, ...]:
    """A line for each key; people are spared those that say nothing."""
    keys = [key for key in item_ if key not in ("offset", "fold") and not (people and item_[key] in (None, [], "{}"))]
    return tuple(
        Column(key.removesuffix("_us").replace("_", " ").upper(), civil if key == "civil" else key) for key in keys
    )


def _number(value: object) -> int:
    assert isinstance(value, int)
    return value


def _maybe(value: object) -> int | None:
    return value if isinstance(value, int) else None
