"""What a revision says, field by field, for people and for a pipe. In JSON its whole canonical form stands instead."""

from __future__ import annotations

from spellweaver.cli import times
from spellweaver.cli.screens.readings import shown
from spellweaver.cli.screens.schedules import cadence_text
from spellweaver.cli.values import At, Column

TYPE_CHECKING = False
if TYPE_CHECKING:
    from spellweaver.cli.frame import Frame
    from spellweaver.cli.values import Item


def fields(frame: Frame) -> tuple[Column, ...]:
    """The lines of ``schedule show`` above its revisions."""

    def next_(item: Item) -> object:
        moment = item["next"]
        if not isinstance(moment, dict):
            return None
        return shown(moment) if frame.out.isatty() else moment["instant"]

    return (
        Column("SCHEDULE", "schedule"),
        Column("STATE", "state"),
        Column("WHY", "why"),
        Column("NEXT", next_),
        Column("OWNER", "owner"),
        Column("REVISION", "shown_revision"),
        Column("DIGEST", "digest"),
        Column("DEFINED", "defined_at"),
        Column("PATTERN", lambda item: _joined(_of(item, "pattern"), "key", "revision")),
        Column("CLASS", lambda item: _of(item, "class")),
        Column("MAY START FOR", lambda item: _lasts(_of(item, "allowed_delay_us"))),
        Column("OVERLAP", lambda item: _of(item, "overlap")),
        Column("FROM", lambda item: _at(_of(item, "from_at"))),
        Column("CADENCE", _cadence),
        Column("ZONE", lambda item: _of(item, "calendar", "zone")),
        Column("ZONE RULES", lambda item: _of(item, "calendar", "zone_rules")),
        Column("FOLD", lambda item: _of(item, "calendar", "fold")),
        Column("GAP", lambda item: _of(item, "calendar", "gap")),
        Column("EXCEPT", lambda item: ", ".join(_dates(item)) or None),
        Column("JITTER", _jitter),
        Column("MISFIRE HORIZON", lambda item: _lasts(_of(item, "recovery", "misfire_horizon_us"))),
        Column("CATCH-UP", lambda item: _of(item, "recovery", "catch_up")),
        Column("INPUT", lambda item: _of(item, "input")),
        Column("LABELS", lambda item: _of(item, "labels")),
    )


def _of(item: Item, *keys: str) -> object:
    found = item["definition"]
    for key in keys:
        assert isinstance(found, dict)
        found = found[key]
    return found or None


def _joined(found: object, *keys: str) -> str:
    assert isinstance(found, dict)
    return "@".join(str(found[key]) for key in keys)


def _lasts(us: object) -> str | None:
    return times.exact(us) if isinstance(us, int) else None


def _at(us: object) -> At | None:
    return At(us) if isinstance(us, int) else None


def _jitter(item: Item) -> str | None:
    jitter = _of(item, "calendar", "jitter")
    assert isinstance(jitter, dict)
    return None if jitter["mode"] == "none" else f"{jitter['mode']}, under {times.exact(jitter['max_us'])}"


def _dates(item: Item) -> list[str]:
    calendar = _of(item, "calendar")
    assert isinstance(calendar, dict)
    return list(calendar.get("except", ()))


def _cadence(item: Item) -> str:
    found = _of(item, "calendar", "cadence")
    assert isinstance(found, dict)
    return cadence_text(found)
