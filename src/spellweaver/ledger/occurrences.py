"""Pending Occurrences as facts, and the guarded write of what was decided about them (OCC-16)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from spellweaver.core.admission import Admit, Decision, End, Facts, Wait
from spellweaver.core.pattern import Pattern, from_canonical
from spellweaver.core.policy import ServiceClass
from spellweaver.core.schedule import canonical_json
from spellweaver.core.window import Window
from spellweaver.ledger.decide import Transaction
from spellweaver.ledger.queries import load

SQL = load("admission")


@dataclass(frozen=True, slots=True)
class Found:
    """Facts with the row numbers that their admission writes: the pinned pattern version and its entry station."""

    facts: Facts
    pattern: int
    name: str
    station: str


class Standing(NamedTuple):
    """How one stands: its Schedule's row number, state and reason."""

    schedule: int
    state: str
    reason: str


def standing(tx: Transaction, occurrence: int) -> Standing | None:
    row = tx.row(SQL["standing"], (occurrence,))
    return None if row is None else Standing(int(str(row[0])), str(row[1]), str(row[2]))


def free(tx: Transaction, account: str = "workers") -> int:
    """What is not granted of an account; below zero after its capacity was lowered."""
    row = tx.row(SQL["free"], {"account": account})
    assert row is not None, account
    return int(str(row[0]))


def due(tx: Transaction, *, now: int, free: int, limit: int) -> list[Found]:
    """Pending Occurrences whose moment has come, in the order of selection."""
    rows = tx.rows(SQL["facts"], {"now": now, "free": max(free, 0), "limit": limit})
    stations: dict[int, tuple[str, str, bool]] = {}
    return [_found(tx, row, stations) for row in rows]


def _found(tx: Transaction, row: tuple[object, ...], stations: dict[int, tuple[str, str, bool]]) -> Found:
    (
        id_,
        schedule,
        class_,
        due_at,
        latest_start_at,
        finish_by,
        reason,
        nominal_at,
        pattern,
        _revision,
        blockers,
        kept_back,
        stopped,
        paused,
        external,
    ) = row
    version = int(str(pattern))
    if version not in stations:
        meant = pattern_version(tx, version)
        bound = tx.row(SQL["binding"], (meant.key, meant.revision, meant.entry)) is not None
        stations[version] = meant.key, meant.entry, bound
    name, station, bound = stations[version]
    facts = Facts(
        int(str(id_)),
        int(str(schedule)),
        _class(class_),
        Window(int(str(due_at)), _instant(latest_start_at), _instant(finish_by)),
        str(reason),
        int(str(nominal_at)),
        tuple(json.loads(str(blockers))),
        tuple((int(at), int(other)) for at, other in json.loads(str(kept_back))),
        bound,
        bool(stopped),
        bool(paused),
        bool(external),
    )
    return Found(facts, version, name, station)


def pattern_version(tx: Transaction, id_: int) -> Pattern:
    """The workflow version with this row number, from its kept snapshot."""
    row = tx.row(SQL["pattern"], (id_,))
    assert row is not None and isinstance(row[2], bytes), f"pattern version {id_}"
    return _parsed(row[2])


_parsed = lru_cache(maxsize=1024)(from_canonical)


def apply(tx: Transaction, found: list[Found], decisions: list[Decision]) -> int:
    """Writes the decisions: an admission with its Invocation, Run, first delivery, first attempt and grant; returns
    how many were admitted.
    """
    by_id = {f.facts.occurrence: f for f in found}
    last = tx.row(SQL["last_ids"])
    assert last is not None
    invocation, run, attempt = (int(str(n)) for n in last)
    admitted: dict[int, int] = {}
    rows: list[dict[str, object]] = []
    for decision in decisions:
        occurrence = decision.occurrence if isinstance(decision, End) else decision.facts.occurrence
        schedule = decision.facts.schedule
        if isinstance(decision, Admit):
            f = by_id[occurrence]
            invocation, run, attempt = invocation + 1, run + 1, attempt + 1
            admitted[schedule] = invocation
            rows.append({
                "occurrence": occurrence, "schedule": schedule, "at": decision.at, "reason": decision.reason,
                "invocation": invocation, "run": run, "attempt": attempt,
                "pattern": f.pattern, "name": f.name, "station": f.station,
            })  # fmt: skip
            numbers: dict[str, object] = {
                "reason": decision.reason,
                "waited_us": decision.at - f.facts.window.opens_at,
                "free": decision.free,
            }
            tx.record(
                "occurrence.admitted",
                decision.at,
                numbers,
                schedule=schedule,
                occurrence=occurrence,
                invocation=invocation,
            )
        else:
            _keep_out(tx, decision, occurrence, admitted.get(schedule))
    for name in ("invoke", "run", "deliver", "attempt", "grant"):
        tx.connection.executemany(SQL[name], rows)
    if rows:
        tx.change_many(SQL["admitted"], rows)
    return len(rows)


def _keep_out(tx: Transaction, decision: Wait | End, occurrence: int, admitted: int | None) -> None:
    blockers = list(decision.blockers) + ([admitted] if admitted is not None and decision.reason == "overlap" else [])
    kept = canonical_json(blockers) if blockers else None
    facts, at = decision.facts, decision.at
    numbers: dict[str, object] = {"reason": decision.reason}
    if blockers:
        numbers["blockers"] = [f"inv_{b}" for b in blockers]
    if facts.window.closes_at is not None:
        numbers["latest_start_at"] = facts.window.closes_at
    if isinstance(decision, End):
        tx.change(
            SQL["end"],
            {"occurrence": occurrence, "state": decision.state, "reason": decision.reason, "at": at, "blockers": kept},
        )
        tx.record(f"occurrence.{decision.state}", at, numbers, schedule=facts.schedule, occurrence=occurrence)
        return
    tx.change(
        SQL["wait"],
        {"occurrence": occurrence, "reason": decision.reason, "wake_at": decision.wake_at, "blockers": kept},
    )
    if decision.reason != facts.reason:
        if decision.reason == "capacity":
            numbers |= {"account": "workers", "free": 0, "demand": 1}
        tx.record("occurrence.pending", at, numbers, schedule=facts.schedule, occurrence=occurrence)


def _instant(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _class(word: object) -> ServiceClass:
    assert word in ("foreground", "deadline_windowed", "spare_capacity")
    return word
