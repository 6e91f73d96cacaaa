"""The state of everything on one screen: the daemon, each Schedule with what comes and what was, what waits, what is
wrong.
"""

from __future__ import annotations

import os
from bisect import bisect_left

from spellweaver.cli import times
from spellweaver.cli.screens import daemon
from spellweaver.cli.screens.occurrences import blockers_of
from spellweaver.cli.screens.readings import Readings
from spellweaver.cli.sentences import brief
from spellweaver.cli.values import At, State, at
from spellweaver.core.instant import DAY, SECOND
from spellweaver.ledger.queries import load
from spellweaver.safety import volume

TYPE_CHECKING = False
if TYPE_CHECKING:
    from spellweaver.cli.screens.readings import Reading
    from spellweaver.cli.values import Item
    from spellweaver.ledger.observe import View

WRONG = ("failed", "timed_out", "missed", "refused")  # results that somebody should look at
NEVER = 1 << 62


def of(view: View, *, lock: str, as_of: int) -> Item:
    """One item: ``daemon``, ``network_file_system`` (a type that an operator accepted, or None), ``schedules`` in the
    order of what comes next, ``waits``, ``warnings``.
    """
    sql, readings = load("status"), Readings(view)
    of_last_day = shares(view, as_of)
    rows = sorted(view.rows(sql["schedules"]), key=lambda row: (_next_at(row) or NEVER, str(row[1])))
    schedules = [_schedule(view, readings, row, of_last_day.get(int(str(row[0])), (0, 0))) for row in rows]
    running = view.row(sql["running"])
    assert running is not None
    found = daemon.of(view, lock)
    waits = [_wait(readings, row) for row in view.rows(sql["waits"])]
    return {
        "daemon": found,
        "running": running[0],
        "network_file_system": volume.network(os.path.dirname(view.path)),
        "schedules": schedules,
        "waits": waits,
        "warnings": list(_warnings(found, schedules, waits)),
    }


def _next_at(row: tuple[object, ...]) -> int | None:
    """When it fires next; a Schedule that is not active does not."""
    return row[4] if row[2] == "active" and isinstance(row[4], int) else None


def _schedule(view: View, readings: Readings, row: tuple[object, ...], share: tuple[int, int]) -> Item:
    _, name, state, why, _, active, occurrence, range_, until_at = row
    until = at(until_at if isinstance(until_at, int) else None)
    reading = readings.of(int(str(active))) if active is not None else None
    next_at = _next_at(row)
    last = _last(view, readings, occurrence, range_)
    said = [_of_state(str(state), why, until), str(last.pop("why")), _of_share(share)]
    return {
        "schedule": name,
        "state": State(str(state)),
        "paused_until": until,
        "revision": reading.number if reading else None,
        "next": None if next_at is None or reading is None else coming(view, reading, int(str(active)), next_at),
        **last,
        "why": "; ".join(part for part in said if part) or None,
        "skipped_last_day": share[0],
        "firings_last_day": share[1],
    }


def coming(view: View, reading: Reading, revision: int, next_at: int) -> Item:
    """The next candidate. One at the end of a gap may be a time that the clock never shows; only then the calendar is
    asked.
    """
    if reading.is_gap_end(next_at):
        from spellweaver.ledger.revisions import KeptRulesDamaged, Revisions

        try:
            found = Revisions().get(view.connection, revision).calendar.first(next_at // SECOND - 1)
        except KeptRulesDamaged:
            found = None
        if found is not None and found.fate != "fires" and found.instant_s * SECOND == next_at:
            return reading.moment(next_at, found.civil_s, missing=True)
    return reading.moment(next_at)


def _last(view: View, readings: Readings, occurrence: object, range_: object) -> Item:
    """The newest firing with its result, a row or the end of a range."""
    sql = load("status")
    row = view.row(sql["occurrence"], (occurrence,)) if occurrence is not None else None
    group = view.row(sql["range"], (range_,)) if range_ is not None else None
    if group is not None and (row is None or int(str(group[4])) > int(str(row[4]))):
        return _of_range(readings, group)
    if row is None:
        return {
            **dict.fromkeys(("last", "firing", "result", "reason", "took_us", "occurrence", "invocation")),
            "why": "",
        }
    (
        revision, generation, civil, fold, nominal_at, state, reason, blockers, invocation, inv_state, inv_reason,
        started_at, ended_at, code, signal,
    ) = row  # fmt: skip
    reading = readings.of(int(str(revision)))
    result, because = (str(state), str(reason)) if invocation is None else (str(inv_state), str(inv_reason))
    took = ended_at - started_at if isinstance(started_at, int) and isinstance(ended_at, int) else None
    return {
        "last": reading.moment(int(str(nominal_at)), int(str(civil)), missing=reason == "gap"),
        "firing": reading.firing(int(str(generation)), int(str(civil)), int(str(fold))),
        "result": State(result),
        "reason": because,
        "took_us": took,
        "occurrence": f"occ_{occurrence}",
        "invocation": None if invocation is None else f"inv_{invocation}",
        "why": _why(result, because, code, signal, blockers_of(blockers)),
    }


def _of_range(readings: Readings, group: tuple[object, ...]) -> Item:
    revision, generation, civil, fold, last_at, state, reason, count = group
    reading = readings.of(int(str(revision)))
    return {
        "last": reading.moment(int(str(last_at)), int(str(civil)), missing=reason == "gap"),
        "firing": reading.firing(int(str(generation)), int(str(civil)), int(str(fold))),
        "result": State(str(state)),
        "reason": reason,
        "took_us": None,
        "occurrence": None,
        "invocation": None,
        "why": f"{brief(str(state), str(reason))} ({count} firings)",
    }


def _why(result: str, because: str, code: object, signal: object, blockers: list[str]) -> str:
    if result == "failed" and because == "signal":
        return f"ended by signal {signal}"
    if result == "failed" and code is not None:
        said = brief(result, because)
        return f"exit status {code}" + (f": {said}" if said else "")
    return brief(result, because) + (f" ({', '.join(blockers)})" if blockers else "")


def _of_state(state: str, why: object, until: At | None) -> str:
    if state == "active":
        return ""
    if until is not None:
        return f"{state} until {times.rfc3339(until.us)}: {why}"
    return "not active yet" if state == "defined" else f"{state}: {why}" if why else state


def _of_share(share: tuple[int, int]) -> str:
    skipped, firings = share
    return f"{max(1, 100 * skipped // firings)}% skipped in the last day ({skipped} of {firings})" if skipped else ""


def shares(view: View, as_of: int) -> dict[int, tuple[int, int]]:
    """{Schedule: (skipped, all)} of the firings of the last day. Rows are numbered in the order of their creation, so
    where it begins is halved for.
    """
    sql = load("status")
    last = view.row(sql["last_occurrence"])
    assert last is not None

    def created_at(id_: int) -> int:
        row = view.row(sql["created_at"], (id_,))
        assert row is not None
        return int(str(row[0]))

    since = as_of - DAY
    first = 1 + bisect_left(range(1, int(str(last[0])) + 1), since, key=created_at)
    rows = view.rows(sql["shares"], {"first": first, "since": since})
    return {int(str(schedule)): (int(str(skipped)), int(str(firings))) for schedule, skipped, firings in rows}


def _wait(readings: Readings, row: tuple[object, ...]) -> Item:
    ref, schedule, state, reason, since, until, blockers, revision = row
    reading = readings.of(int(str(revision)))
    return {
        "ref": ref,
        "schedule": schedule,
        "state": State(str(state)),
        "reason": reason,
        "since": reading.at(int(str(since))),
        "until": reading.at(until) if isinstance(until, int) else None,
        "blockers": blockers_of(blockers),
        "why": brief(str(state), str(reason)),
    }


def _warnings(found: Item, schedules: list[Item], waits: list[Item]) -> list[Item]:
    """What is wrong, in closed codes: what ``--check`` answers by."""
    said: list[Item] = []
    if found["state"] == "down":
        said.append(
            {"code": "daemon_down", "schedule": None, "ref": None, "message": "no daemon runs, so nothing fires"}
        )
    for wait in waits:
        if wait["state"] == "contained":
            message = f"{wait['ref']} of {wait['schedule']} is not proved gone; it blocks until it is, or is resolved"
            said.append({"code": "contained", "schedule": wait["schedule"], "ref": wait["ref"], "message": message})
    for item in schedules:
        if item["state"] == "stopped":
            said.append(
                {
                    "code": "stopped",
                    "schedule": item["schedule"],
                    "ref": None,
                    "message": f"{item['schedule']} is {item['why']}",
                }
            )
        elif item["result"] in WRONG:
            ref = item["occurrence"] or f"{item['schedule']}@latest"
            message = (
                f"the last firing of {item['schedule']} {_was(str(item['result']))}: {item['why'] or item['reason']}"
            )
            said.append({"code": str(item["result"]), "schedule": item["schedule"], "ref": ref, "message": message})
    return said


def _was(result: str) -> str:
    return {"failed": "failed", "timed_out": "timed out"}.get(result, f"was {result}")
