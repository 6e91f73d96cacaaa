"""Schedules as items: what is in force, how it reads the clock, and every revision."""

from __future__ import annotations

import json

from spellweaver.cli import times
from spellweaver.cli.screens import status
from spellweaver.cli.screens.readings import Readings
from spellweaver.cli.values import At, State, at
from spellweaver.core.instant import SECOND, duration_text
from spellweaver.ledger.queries import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spellweaver.cli.screens.drift import Drift
    from spellweaver.cli.values import Item
    from spellweaver.ledger.observe import Row, View


def all_of(view: View, *, state: str | None, as_of: int, drifts: Iterable[Drift] = ()) -> list[Item]:
    """Every Schedule, by name. ``drifts``: where the host's zone rules are others."""
    readings, shares = Readings(view), status.shares(view, as_of)
    rows = view.rows(load("schedule")["list"], {"id": None, "state": state})
    differ = {name: drift.at for drift in drifts for name in drift.schedules}
    return [_item(view, readings, row, shares.get(int(str(row[0])), (0, 0)), differ) for row in rows]


def one(view: View, schedule: int, *, revision: int | None, as_of: int, drifts: Iterable[Drift] = ()) -> Item:
    """A Schedule with its revisions, and what one of them says: ``revision``'s row number, else the one in force,
    else the newest.
    """
    readings = Readings(view)
    row = view.row(load("schedule")["list"], {"id": schedule, "state": None})
    assert row is not None, f"schedule {schedule}"
    differ = {name: drift.at for drift in drifts for name in drift.schedules}
    item = _item(view, readings, row, status.shares(view, as_of).get(schedule, (0, 0)), differ)
    facts = view.row(load("schedule")["facts"], (revision or row[6],))
    assert facts is not None
    number, generation, digest, rules, defined_at, body, settled_to, owner, authority = facts
    return {
        **item,
        "settled_to": At(settled_to * SECOND) if isinstance(settled_to, int) else None,
        "owner": owner,
        "authority_generation": authority,
        "shown_revision": number,
        "generation": f"c{generation}",
        "digest": digest,
        "zone_rules": rules.hex() if isinstance(rules, bytes) else None,
        "defined_at": At(int(str(defined_at))),
        "definition": _definition(str(body)),
        "revisions": [_revision(each, row[5]) for each in view.rows(load("schedule")["revisions"], (schedule,))],
    }


def _item(
    view: View, readings: Readings, row: Row, share: tuple[int, int], differ: Mapping[str, int | None]
) -> Item:
    (
        _, name, state, why, next_at, active, revision, number, newest, pattern, class_, overlap, zone, cadence,
        until_at,
    ) = row  # fmt: skip
    reading = readings.of(int(str(revision)))
    coming = (
        status.coming(view, reading, int(str(revision)), next_at)
        if state == "active" and isinstance(next_at, int)
        else None
    )
    return {
        "schedule": name,
        "state": State(str(state)),
        "why": why,
        "paused_until": at(until_at if isinstance(until_at, int) else None),
        "revision": number if active is not None else None,
        "newest_revision": newest,
        "next": coming,
        "cadence": cadence_text(json.loads(str(cadence))),
        "zone": zone,
        "class": class_,
        "overlap": overlap,
        "pattern": pattern,
        "skipped_last_day": share[0],
        "firings_last_day": share[1],
        "host_rules_differ_at": at(differ.get(str(name))),
    }


def cadence_text(cadence: Mapping[str, object]) -> str:
    """``0 2 * * *``, ``Mon..Fri *-*-* 09:00:00``, ``every 15m from 2026-01-01T00:00:00Z``, ``at 3 instants``: of a
    cadence's canonical form."""
    match dict(cadence):
        case {"cron": str(text)} | {"oncalendar": str(text)}:
            return text
        case {"times": list(times_of_day), **rest}:
            return structured_text(times_of_day, rest)
        case {"every_s": int(every_s), "anchor_s": int(anchor_s)}:
            return f"every {duration_text(every_s * SECOND)} from {times.rfc3339(anchor_s * SECOND)}"
        case {"at_s": list(instants_s)}:
            return f"at {len(instants_s)} instants"
    raise AssertionError(f"{sorted(cadence)} is no cadence")


def structured_text(times_of_day: list[object], rest: Mapping[str, object]) -> str:
    """``02:00, 14:00 on mon, tue``; ``02:00 on fri and 13``; ``02:00 on mon or 1, -1``."""
    on = [", ".join(map(str, listed)) for key in ("days", "dates") if isinstance(listed := rest.get(key), list)]
    joined = " and " if rest.get("day_match") == "both" else " or "
    return f"{', '.join(map(str, times_of_day))}{' on ' if on else ''}{joined.join(on)}"


def _revision(row: Row, active: object) -> Item:
    id_, number, generation, digest, defined_at, pattern, activated_at, replaced_at = row
    since = activated_at if isinstance(activated_at, int) else None
    until = replaced_at if isinstance(replaced_at, int) and id_ != active else None
    return {
        "revision": number,
        "in_force": id_ == active,
        "generation": f"c{generation}",
        "digest": digest,
        "pattern": pattern,
        "defined_at": At(int(str(defined_at))),
        "activated_at": None if since is None else At(since),
        "replaced_at": None if until is None else At(until),
    }


def _definition(body: str) -> Item:
    found = json.loads(body)
    assert isinstance(found, dict)
    return found
