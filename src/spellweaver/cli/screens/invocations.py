"""Runs: what was admitted, how it went, and every try of it."""

from __future__ import annotations

import os

from spellweaver.cli.screens.readings import Readings
from spellweaver.cli.values import Column, Lasts, State
from spellweaver.ledger.queries import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from spellweaver.cli.screens.readings import Reading
    from spellweaver.cli.values import Item
    from spellweaver.ledger.observe import Row, View

RESULT_SHOWN = 1000  # characters of a job's result


def newest(view: View, *, schedule: int | None, state: str | None, limit: int) -> list[Item]:
    """The newest Invocations that fit, newest first."""
    readings = Readings(view)
    rows = view.rows(load("invocation")["newest"], {"schedule": schedule, "state": state, "id": None, "limit": limit})
    return [_item(readings, row) for row in rows]


def one(view: View, invocation: int, *, attempts_at: str) -> Item:
    """One Invocation with its attempts; ``attempts_at`` is the directory of their folders. It must be there."""
    readings = Readings(view)
    row = view.row(load("invocation")["newest"], {"schedule": None, "state": None, "id": invocation, "limit": 1})
    assert row is not None, f"invocation {invocation}"
    tried = tries(view, readings.of(int(str(row[15]))), invocation, attempts_at=attempts_at)
    return {**_item(readings, row), "tries": tried, **_result(tried[-1] if tried else None, attempts_at)}


def tries(view: View, reading: Reading, invocation: int, *, attempts_at: str) -> list[Item]:
    """Every attempt of an Invocation, in order."""
    return [_try(reading, row, attempts_at) for row in view.rows(load("invocation")["attempts"], (invocation,))]


def _item(readings: Readings, row: Row) -> Item:
    (
        id_, occurrence, _, schedule, pattern, state, reason, disposition, admitted_at, started_at, ended_at, code,
        signal, attempts, last, revision,
    ) = row  # fmt: skip
    reading = readings.of(int(str(revision)))
    return {
        "id": f"inv_{id_}",
        "occurrence": f"occ_{occurrence}",
        "schedule": schedule,
        "pattern": pattern,
        "state": State(str(state)),
        "reason": reason,
        "disposition": disposition,
        "admitted_at": reading.at(_maybe(admitted_at)),
        "started_at": reading.at(_maybe(started_at)),
        "ended_at": reading.at(_maybe(ended_at)),
        "took_us": _took(started_at, ended_at),
        "exit": code,
        "signal": signal,
        "attempts": attempts,
        "last_attempt": None if last is None else f"att_{last}",
    }


def _try(reading: Reading, row: Row, attempts_at: str) -> Item:
    (
        id_, station, nth, state, granted_at, launched_at, started_at, ended_at, code, signal, errno, output, dropped,
        pid, command, binding, proof, detail, proved_at, actor,
    ) = row  # fmt: skip
    return {
        "attempt": f"att_{id_}",
        "station": station,
        "nth": nth,
        "state": State(str(state)),
        "granted_at": reading.at(_maybe(granted_at)),
        "launched_at": reading.at(_maybe(launched_at)),
        "started_at": reading.at(_maybe(started_at)),
        "ended_at": reading.at(_maybe(ended_at)),
        "took_us": _took(started_at, ended_at),
        "exit": code,
        "signal": signal,
        "errno": errno,
        "output_bytes": output,
        "dropped_bytes": dropped,
        "pid": pid,
        "command": _command(command),
        "binding": binding,
        "proof": None
        if proof is None
        else {"kind": proof, "detail": detail, "at": reading.at(_maybe(proved_at)), "actor": actor},
        "log": f"{attempts_at}/att_{id_}/log" if launched_at is not None else None,
    }


def _result(last: Item | None, attempts_at: str) -> Item:
    """What the last attempt's job left as its result, once it is over: what is half written is none yet."""
    folder = f"{attempts_at}/{last['attempt']}" if last is not None and last["ended_at"] is not None else ""
    if not folder or not (os.path.lexists(f"{folder}/result") or os.path.lexists(f"{folder}/result_note")):
        return {"result": None, "result_note": None}
    from spellweaver.jobs import results

    return results.read(folder)._asdict()


def _command(body: object) -> list[str] | None:
    """The argument list that a binding executes."""
    if body is None:
        return None
    import json

    bound = json.loads(str(body))
    return ["/bin/sh", "-c", bound["shell"]] if bound["shell"] is not None else list(bound["argv"])


def _took(started_at: object, ended_at: object) -> Lasts | None:
    return Lasts(ended_at - started_at) if isinstance(started_at, int) and isinstance(ended_at, int) else None


def _maybe(value: object) -> int | None:
    return value if isinstance(value, int) else None


PEOPLE = (
    Column("ID", "id"),
    Column("STATE", "state"),
    Column("REASON", "reason"),
    Column("EXIT", "exit"),
    Column("TOOK", "took_us", drop=3),
    Column("STARTED", "started_at", drop=4),
    Column("SCHEDULE", "schedule", drop=1),
    Column("FIRING", "occurrence", drop=2),
    Column("PATTERN", "pattern", drop=5),
)
PROGRAMS = tuple(
    Column(key.upper(), key)
    for key in (
        "id",
        "occurrence",
        "pattern",
        "state",
        "reason",
        "disposition",
        "started_at",
        "ended_at",
        "exit",
        "attempts",
        "schedule",
        "admitted_at",
        "took_us",
        "signal",
    )
)
TRIES = (
    Column("ATTEMPT", "attempt"),
    Column("STATION", "station"),
    Column("STATE", "state"),
    Column("EXIT", "exit"),
    Column("SIGNAL", "signal", drop=4),
    Column("TOOK", "took_us", drop=2),
    Column("STARTED", "started_at", drop=1),
    Column("PID", "pid", drop=5),
    Column("OUTPUT", "output_bytes", drop=3),
    Column("LOG", "log", drop=6),
)


def fields(item: Item, *, people: bool) -> tuple[Column, ...]:
    """A line for each key; people are spared those that say nothing."""
    keys = [key for key in item if key != "tries" and not (people and item[key] is None)]
    return tuple(
        Column(key.removesuffix("_us").replace("_", " ").upper(), _result_in_short if key == "result" else key)
        for key in keys
    )


def _result_in_short(item: Item) -> str | None:
    """The job's object as JSON, which ends where a screen does; ``--json`` has it whole."""
    import json

    if item["result"] is None:
        return None
    text = json.dumps(item["result"], separators=(",", ":"))
    return text if len(text) <= RESULT_SHOWN else f"{text[:RESULT_SHOWN]}… ({len(text)} characters)"
