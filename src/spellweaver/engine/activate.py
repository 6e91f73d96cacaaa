"""Activate: switches a Schedule to a revision. The first needs no partition (CUT-02); one that keeps the calendar has
an implied one (CUT-03).

A revision that reads the calendar differently needs a cutover partition (CUT-04). This version has none yet, so it is
refused.
"""

from __future__ import annotations

from dataclasses import dataclass

from spellweaver.core.instant import SECOND, show
from spellweaver.engine import look_up
from spellweaver.engine.bind import unbound as unbound_stations
from spellweaver.errors import NotFound, Refused
from spellweaver.ledger import definitions
from spellweaver.ledger.decide import Transaction
from spellweaver.ledger.definitions import Known, Stored


@dataclass(frozen=True, slots=True)
class Activated:
    """``status`` activated or unchanged. Firings of the revision have ``nominal > begins_at``; ``next_at`` is the
    next candidate (µs).
    """

    schedule: str
    revision: int
    status: str
    decided_at: int
    begins_at: int
    next_at: int | None
    generation: int
    replaced: int | None


def activate(tx: Transaction, *, schedule: str, revision: int | None, unbound: bool) -> Activated:
    """``revision`` None: the newest. ``unbound``: also while a station has no binding (ruling 19).

    Raises NotFound, and Refused: retired, another calendar interpretation, an unbound station, ``from`` in the past
    at the first activation.
    """
    name, known = look_up.schedule(tx, schedule)
    if known.state == "retired":
        raise Refused(
            "schedule_retired", f"{name} is retired; retiring is final", hint="define a Schedule of another name"
        )
    target = _target(tx, name, known, revision)
    generation = definitions.generation_of(tx, target.id)
    if known.active == target.id and known.state != "stopped":
        return Activated(name, target.number, "unchanged", tx.decided_at(), 0, _next(tx, known), generation, None)
    if not unbound:
        _refuse_unbound(tx, name, target)
    replaced = _replaced(tx, name, known, target, generation)
    at = tx.decided_at()
    begins_at = _begins_at(name, target, at, first=known.active is None)
    settled_to = begins_at // SECOND if known.settled_to is None else known.settled_to
    begins_at = max(begins_at, settled_to * SECOND)  # a clock that went back reopens nothing that is settled (CAT-05)
    next_at = _first_of_new(tx, known, target, settled_to, begins_at)
    partition: dict[str, object] = {"kind": "first"} if replaced is None else {
        "kind": "implied", "old": replaced, "new": target.number, "old_until": at, "new_after": begins_at,
    }  # fmt: skip
    definitions.store_activation(
        tx, known, target.id, at=at, begins_at=begins_at, partition=partition, next_at=next_at, settled_to=settled_to
    )
    tx.record(
        "schedule.activated",
        at,
        {"revision": target.number, "begins_at": begins_at, "next_at": next_at, **partition},
        schedule=known.id,
    )
    return Activated(name, target.number, "activated", at, begins_at, next_at, generation, replaced)


def _target(tx: Transaction, name: str, known: Known, number: int | None) -> Stored:
    stored = definitions.revisions(tx, known.id)
    if number is None:
        return stored[-1]
    for revision in stored:
        if revision.number == number:
            return revision
    have = f"1 to {stored[-1].number}" if len(stored) > 1 else "1"
    raise NotFound(
        "no_revision", f"{name} has no revision {number}; it has {have}", hint=f"spellweaver schedule show {name}"
    )


def _refuse_unbound(tx: Transaction, name: str, target: Stored) -> None:
    d = target.definition
    found = definitions.pattern(tx, d.pattern_key, d.pattern_revision)
    assert found is not None
    if missing := unbound_stations(tx, found[1]):
        raise Refused(
            "unbound",
            f"{name}: {', '.join(missing)} of {found[1].version} is not bound to a command on this host",
            hint="spellweaver bind FILE, or activate with --unbound",
            schedule=name,
            stations=missing,
        )


def _replaced(tx: Transaction, name: str, known: Known, target: Stored, generation: int) -> int | None:
    """The number of the revision in force. Raises Refused where the calendar is read differently."""
    if known.active is None:
        return None
    old = next(r for r in definitions.revisions(tx, known.id) if r.id == known.active)
    if definitions.generation_of(tx, known.active) != generation:
        before, after = old.definition, target.definition
        differs = [
            word for word, same in (
                ("zone", before.zone == after.zone), ("zone rules", before.zone_digest == after.zone_digest),
                ("cadence", before.cadence == after.cadence), ("fold", before.fold == after.fold),
                ("gap", before.gap == after.gap),
            ) if not same
        ]  # fmt: skip
        raise Refused(
            "needs_cutover",
            f"{name}: revision {target.number} reads the calendar differently from the active revision {old.number} "
            f"({', '.join(differs)}); a cutover would have to state which firings around the switch are the same, "
            "distinct or skipped, and this version can't take one yet",
            hint="keep the calendar, or define a Schedule of another name",
            schedule=name,
            old=old.number,
            new=target.number,
        )
    return old.number


def _begins_at(name: str, target: Stored, at: int, *, first: bool) -> int:
    from_at = target.definition.from_at
    if from_at is None:
        return at
    if first and from_at < at:
        raise Refused(
            "from_in_past",
            f"{name}: from = {show(from_at)} is before this activation ({show(at)}); nothing fires backwards",
            hint="take from out, or set it later",
            schedule=name,
        )
    return max(at, from_at - 1)


def _first_of_new(tx: Transaction, known: Known, target: Stored, settled_to: int, begins_at: int) -> int | None:
    """The next candidate after the switch: an unresolved one of the old revision if there is any, else the new one's
    first.
    """
    candidates = []
    if known.active is not None:
        old = tx.revisions.get(tx.connection, known.active).calendar.first(settled_to)
        if old is not None and old.instant_s * SECOND <= begins_at:
            candidates.append(old.instant_s * SECOND)
    new = tx.revisions.get(tx.connection, target.id).calendar.first(max(settled_to, begins_at // SECOND))
    if new is not None:
        candidates.append(new.instant_s * SECOND)
    return min(candidates, default=None)


def _next(tx: Transaction, known: Known) -> int | None:
    row = tx.row("SELECT next_at FROM schedule WHERE id = ?", (known.id,))
    return row[0] if row is not None and isinstance(row[0], int) else None
