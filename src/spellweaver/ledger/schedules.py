"""Schedules that are due, their unresolved stretches, and the write that settles them (OCC-15)."""

from __future__ import annotations

from dataclasses import dataclass

from spellweaver.core.calendar import Candidate
from spellweaver.core.instant import LAST, SECOND
from spellweaver.core.misfire import ROWS_AT_MOST, Drop, Fate, Keep, Offer, Settle, Stretch, Waiting, members
from spellweaver.core.window import Window
from spellweaver.ledger.decide import Transaction
from spellweaver.ledger.queries import load

SQL = load("materialize")


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A due Schedule: its stretches in order, what is pending from before, and the mark it was read at."""

    schedule: int
    authority: str
    settled_to: int
    stretches: list[Stretch]
    waiting: list[Waiting]


def due(tx: Transaction, *, now: int, late: int, limit: int) -> list[int]:
    """Row numbers of Schedules with something to judge: a candidate at or before ``now``, or a stored firing due
    before ``late``. At most ``limit``; fewer only when there are no more.
    """
    found = tx.rows(SQL["due"], {"now": now, "limit": limit})
    if len(found) < limit:
        found += tx.rows(SQL["late"], {"late": late, "limit": limit})
    return list(dict.fromkeys(int(str(row[0])) for row in found))[:limit]


def unresolved(tx: Transaction, schedule: int, *, until_s: int) -> Unresolved:
    """The line that is not settled yet, cut at activations. Raises KeptRulesDamaged."""
    row = tx.row(SQL["schedule"], (schedule,))
    assert row is not None
    authority, _, settled_to = str(row[0]), row[1], int(str(row[2]))
    stretches = [
        Stretch(begin_s, end_s, tx.revisions.get(tx.connection, revision).terms)
        for revision, begin_s, end_s in _line(tx, schedule, after_s=settled_to, until_s=until_s)
    ]
    waiting = [_waiting(tx, row) for row in tx.rows(SQL["waiting"], (schedule,))]
    return Unresolved(schedule, authority, settled_to, stretches, waiting)


def _waiting(tx: Transaction, row: tuple[object, ...]) -> Waiting:
    id_, due_at, latest_start_at, finish_by, revision, reason, mode = row
    bounds = (b if isinstance(b, int) else None for b in (latest_start_at, finish_by))
    horizon = tx.revisions.definition(tx.connection, int(str(revision))).misfire_horizon_us
    unjudged = reason == "not_yet" and mode == "live"
    return Waiting(int(str(id_)), Window(int(str(due_at)), *bounds), horizon, unjudged)


def next_candidate(tx: Transaction, schedule: int, *, after_s: int) -> int | None:
    """The instant (µs) of the next candidate after ``after_s``, of whichever revision owns it. Raises
    KeptRulesDamaged.
    """
    for revision, begin_s, end_s in _line(tx, schedule, after_s=after_s, until_s=LAST // SECOND):
        found = tx.revisions.get(tx.connection, revision).calendar.first(begin_s)
        if found is not None and found.instant_s <= end_s:
            return found.instant_s * SECOND
    return None


def _line(tx: Transaction, schedule: int, *, after_s: int, until_s: int) -> list[tuple[int, int, int]]:
    """Who owns which nominal seconds: (revision, after, until), in order. A later switch cuts every earlier one, also
    one that the clock, which has gone back since, has not reached again.
    """
    line: list[tuple[int, int, int]] = []
    for revision, begins_at, decided_at in reversed(tx.rows(SQL["stretches"], (schedule,))):
        begin_s = max(int(str(begins_at)) // SECOND, after_s)
        if begin_s < until_s:
            line.append((int(str(revision)), begin_s, until_s))
        until_s = min(until_s, int(str(decided_at)) // SECOND)
    return line[::-1]


def settle(
    tx: Transaction, look: Unresolved, fates: list[Fate], *, now: int, allowance_us: int, next_at: int | None
) -> int:
    """Writes the fates and moves the mark to ``now``, in one piece; returns how many rows it wrote."""
    next_id = int(str((tx.row(SQL["last_occurrence"]) or (0,))[0])) + 1
    generation = int(str((tx.row(SQL["authority_generation"], (look.authority,)) or (1,))[0]))
    rows: list[dict[str, object]] = []
    for fate in fates:
        match fate:
            case Offer():
                row = _row(
                    tx,
                    look,
                    fate.terms.revision,
                    fate.found,
                    fate.due_at,
                    fate.mode,
                    now,
                    generation,
                    next_id + len(rows),
                )
                row |= {"state": "pending", "reason": "not_yet", "decided_at": None, "wake_at": max(fate.due_at, 0)}
                rows.append(row)
                numbers: dict[str, object] = {
                    "due_at": fate.due_at,
                    "late_us": fate.late_us,
                    "allowance_us": allowance_us,
                }
                if fate.mode != "live":
                    numbers["mode"] = fate.mode
                tx.record("occurrence.stored", now, numbers, schedule=look.schedule, occurrence=int(str(row["id"])))
            case Settle() if fate.count > ROWS_AT_MOST:
                _range(tx, look, fate, now, allowance_us)
            case Settle():
                for found in members(fate):
                    due_at = fate.terms.due_at(found)
                    row = _row(
                        tx, look, fate.terms.revision, found, due_at, "live", now, generation, next_id + len(rows)
                    )
                    row |= {"state": fate.state, "reason": fate.reason, "decided_at": now, "wake_at": None}
                    rows.append(row)
                    tx.record(
                        f"occurrence.{fate.state}",
                        now,
                        _numbers(fate, due_at, now, allowance_us),
                        schedule=look.schedule,
                        occurrence=int(str(row["id"])),
                    )
            case Drop():
                tx.change(
                    SQL["drop"], {"id": fate.occurrence, "state": fate.state, "reason": fate.reason, "at": now}
                )
                numbers = {"reason": fate.reason, "late_us": fate.late_us, "allowance_us": allowance_us}
                if fate.reason == "horizon":
                    numbers["horizon_us"] = fate.horizon_us
                _record(tx, look, f"occurrence.{fate.state}", now, numbers, fate.occurrence)
            case Keep():
                tx.change(SQL["keep"], (fate.occurrence,))
                numbers = {"late_us": fate.late_us, "allowance_us": allowance_us, "mode": "catch_up"}
                _record(tx, look, "occurrence.pending", now, numbers, fate.occurrence)
    if rows:
        tx.connection.executemany(SQL["store"], rows)
    tx.change(
        SQL["settled"],
        {
            "id": look.schedule,
            "before": look.settled_to,
            "settled_to": max(now // SECOND, look.settled_to),
            "next_at": next_at,
        },
    )
    return len(fates)


def stop(tx: Transaction, schedule: int, *, now: int, why: str) -> None:
    """CAL-06, RCV-05: this Schedule alone stops, said once."""
    tx.change(SQL["stop"], {"id": schedule, "why": why})
    tx.record("schedule.stopped", now, {"why": why}, schedule=schedule)


def _record(
    tx: Transaction, look: Unresolved, type_: str, now: int, numbers: dict[str, object], occurrence: int
) -> None:
    tx.record(type_, now, numbers, schedule=look.schedule, occurrence=occurrence)


def _row(
    tx: Transaction,
    look: Unresolved,
    revision: int,
    found: Candidate,
    due_at: int,
    mode: str,
    now: int,
    authority: int,
    id_: int,
) -> dict[str, object]:
    meant = tx.revisions.get(tx.connection, revision)
    nominal_at, delay = found.instant_s * SECOND, meant.definition.allowed_delay_us
    return {
        "id": id_,
        "schedule": look.schedule,
        "generation": meant.generation,
        "civil": found.civil_s,
        "fold": found.fold,
        "revision": revision,
        "nominal_at": nominal_at,
        "due_at": due_at,
        "not_before": None if delay is None else due_at,
        "latest_start_at": None if delay is None else nominal_at + delay,
        "class": meant.definition.service_class,
        "mode": mode,
        "policy": tx.policy_generation,
        "authority": authority,
        "created_at": now,
    }


def _numbers(fate: Settle, due_at: int, now: int, allowance_us: int) -> dict[str, object]:
    numbers: dict[str, object] = {"reason": fate.reason, "late_us": now - due_at, "allowance_us": allowance_us}
    if fate.reason == "horizon":
        numbers["horizon_us"] = fate.terms.horizon_us
    if fate.reason == "latest_start":
        numbers["allowed_delay_us"] = fate.terms.allowed_delay_us
    return numbers


def _range(tx: Transaction, look: Unresolved, fate: Settle, now: int, allowance_us: int) -> None:
    terms, first, last = fate.terms, fate.first, fate.last
    id_ = tx.insert(
        SQL["range"],
        {
            "schedule": look.schedule,
            "generation": terms.generation,
            "revision": terms.revision,
            "state": fate.state,
            "reason": fate.reason,
            "first_civil": first.civil_s,
            "first_fold": first.fold,
            "first_at": first.instant_s * SECOND,
            "last_civil": last.civil_s,
            "last_fold": last.fold,
            "last_at": last.instant_s * SECOND,
            "count": fate.count,
            "decided_at": now,
        },
    )
    numbers = _numbers(fate, terms.due_at(first), now, allowance_us)
    numbers |= {
        "range": id_,
        "count": fate.count,
        "first": terms.calendar.key(first, terms.generation),
        "last": terms.calendar.key(last, terms.generation),
    }
    tx.record(f"range.{fate.state}", now, numbers, schedule=look.schedule)
