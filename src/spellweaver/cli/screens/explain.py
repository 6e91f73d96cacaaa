"""What became of one firing and why, from its rows, its revision and the journal alone.

Nothing here is decided anew: policy, definitions and the host's zone rules of today are not looked at, so the same
firing is told in the same words for ever. Instants are read by the zone rules that the firing's own revision keeps.
"""

from __future__ import annotations

import json

from spellweaver.cli.screens import invocations, occurrences
from spellweaver.cli.screens.readings import UTC, Readings
from spellweaver.cli.sentences import in_short, of_event, spaced
from spellweaver.ledger.queries import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from spellweaver.cli.screens.firings import Found
    from spellweaver.cli.screens.readings import Reading
    from spellweaver.cli.values import Item
    from spellweaver.core.zone import Zone
    from spellweaver.ledger.observe import Row, View

# state of the Invocation, else of the firing: (closed word, what the screen begins with)
VERDICTS = {
    "pending": ("waits", "WAITS"),
    "missed": ("did_not_run", "DID NOT RUN"),
    "skipped": ("did_not_run", "DID NOT RUN"),
    "refused": ("did_not_run", "DID NOT RUN"),
    "coalesced": ("coalesced", "RAN WITH ANOTHER"),
    "queued": ("starts", "ABOUT TO RUN"),
    "running": ("runs", "RUNS"),
    "suspended": ("suspended", "SUSPENDED"),
    "cancelling": ("stopping", "IS BEING STOPPED"),
    "contained": ("contained", "NOT SETTLED"),
    "completed": ("ran", "RAN"),
    "failed": ("failed", "RAN AND FAILED"),
    "cancelled": ("cancelled", "RAN AND WAS CANCELLED"),
    "timed_out": ("timed_out", "RAN TOO LONG"),
}


def of(view: View, found: Found, *, attempts_at: str, utc: bool = False) -> Item:
    """One firing, all told. ``attempts_at`` is the directory of the attempts' folders; ``utc``: sentences tell UTC."""
    readings = Readings(view)
    firing = occurrences.one(view, readings, found)
    reading = readings.of(_revision(view, found))
    zone = UTC if utc else reading.zone
    events = [_event(row, reading, zone) for row in _events(view, found)]
    run = _run(view, firing, reading, attempts_at)
    asked = reading.firing(found.generation, found.civil, found.fold)
    verdict, heading = _verdict(firing, run)
    return {
        **firing,
        "asked": asked,
        "alias": _alias(view, readings, found),
        "missing": firing["offset"] is None,
        "verdict": verdict,
        "sentence": f"{heading}: {_because(firing, run, events, zone)}",
        "events": events,
        "run": run,
    }


def _alias(view: View, readings: Readings, found: Found) -> str | None:
    """The key that was asked for, where a cutover made it this firing."""
    if found.alias is None:
        return None
    row = view.row(load("explain")["revision_of_generation"], (found.id, found.alias[0]))
    assert row is not None
    return readings.of(int(str(row[0]))).firing(*found.alias)


def _revision(view: View, found: Found) -> int:
    row = view.row(
        load("occurrence")["revision_of" if found.kind == "occurrence" else "revision_of_range"], (found.id,)
    )
    assert row is not None
    return int(str(row[0]))


def _events(view: View, found: Found) -> list[Row]:
    sql = load("explain")
    if found.kind == "occurrence":
        return list(view.rows(sql["of_occurrence"], (found.id,)))
    row = view.row(sql["range"], (found.id,))
    assert row is not None
    return list(view.rows(sql["of_range"], {"schedule": row[0], "state": row[1], "at": row[2], "id": found.id}))


def _event(row: Row, reading: Reading, zone: Zone) -> Item:
    seq, at, type_, invocation, actor, data = row
    numbers = json.loads(str(data))
    return {
        "seq": seq,
        "at": reading.at(int(str(at))),
        "type": type_,
        "invocation": None if invocation is None else f"inv_{invocation}",
        "actor": actor,
        "sentence": of_event(str(type_), numbers, zone),
        "data": numbers,
    }


def _run(view: View, firing: Item, reading: Reading, attempts_at: str) -> Item | None:
    named = firing["invocation"]
    if named is None:
        return None
    id_ = int(str(named).partition("_")[2])
    return invocations.one(view, id_, attempts_at=attempts_at)


def _verdict(firing: Item, run: Item | None) -> tuple[str, str]:
    state = str(run["state"] if run else firing["state"])
    if run and run["started_at"] is None and state in ("failed", "cancelled"):
        return "did_not_run", "DID NOT RUN"
    return VERDICTS[state]


def _because(firing: Item, run: Item | None, events: list[Item], zone: Zone) -> str:
    """In the journal's own words for the present state: those of the last event that brought it about."""
    state = str(run["state"] if run else firing["state"])
    if state in ("running", "queued"):
        return (
            "its command was started and is not over"
            if state == "running"
            else "admitted; its command has not been started yet"
        )
    told = [event for event in events if str(event["type"]).rpartition(".")[2] in (state, "stored")]
    if not told:
        return f"{state} ({firing['reason']})"
    data = told[-1]["data"]
    assert isinstance(data, dict)
    what, cause = in_short(str(told[-1]["type"]), data, zone)
    if str(told[-1]["type"]).endswith(".stored"):
        return "stored, and not due yet"
    said = f"{what}: {cause}" if cause and not run else cause or what
    proof = _proof(run) if run else None
    return f"{said}; proved over by {proof[0]}: {proof[1]}" if proof and proof[1] not in said else said


def _proof(run: Item) -> tuple[str, str] | None:
    """(kind, sentence) of what proved that a run which was not proved gone is, or that a lost one is."""
    tries = run["tries"]
    assert isinstance(tries, list)
    proof = tries[-1]["proof"] if tries else None
    return (spaced(proof["kind"]), proof["detail"]) if proof else None
