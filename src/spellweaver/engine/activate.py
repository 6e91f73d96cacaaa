"""Activate: switches a Schedule to a revision. The first needs no partition (CUT-02); one that keeps the calendar has
an implied one (CUT-03); one that reads it otherwise needs a partition that names every candidate around the switch
(CUT-04), which is committed with it (CUT-08).
"""

from __future__ import annotations

from dataclasses import dataclass

from spellweaver.core.cutover import Partition
from spellweaver.core.instant import SECOND, show
from spellweaver.core.schedule import canonical_json
from spellweaver.engine import cutover, look_up
from spellweaver.engine.bind import unbound as unbound_stations
from spellweaver.errors import NotFound, Refused
from spellweaver.ledger import definitions, partitions, schedules, switches
from spellweaver.ledger.decide import Transaction
from spellweaver.ledger.definitions import Known, Stored
from spellweaver.ledger.switches import Switch


@dataclass(frozen=True, slots=True)
class Activated:
    """``status`` activated or unchanged. Firings of the revision have ``nominal > begins_at``; ``next_at`` is the
    next candidate (µs). ``skips``: how many candidates a cutover skips.
    """

    schedule: str
    revision: int
    status: str
    decided_at: int
    begins_at: int
    next_at: int | None
    generation: int
    replaced: int | None
    skips: int = 0


def activate(
    tx: Transaction, *, schedule: str, revision: int | None, unbound: bool, partition: Partition | None = None
) -> Activated:
    """``revision`` None: the newest. ``unbound``: also while a station has no binding (ruling 19).

    Raises NotFound, and Refused: retired, an unbound station, ``from`` in the past at the first activation; another
    calendar interpretation without a partition, or with one that does not hold.
    """
    name, known = look_up.schedule(tx, schedule)
    if known.state == "retired":
        raise Refused(
            "schedule_retired", f"{name} is retired; retiring is final", hint="define a Schedule of another name"
        )
    target = target_of(tx, name, known, revision)
    generation = definitions.generation_of(tx, target.id)
    if known.active == target.id and known.state != "stopped":
        _refuse_another(tx, name, known, target, partition)
        next_at = definitions.next_at(tx, known.id)
        return Activated(name, target.number, "unchanged", tx.decided_at(), 0, next_at, generation, None)
    if not unbound:
        _refuse_unbound(tx, name, target)
    old = next((r for r in definitions.revisions(tx, known.id) if r.id == known.active), None)
    same_reading = old is None or definitions.generation_of(tx, old.id) == generation
    _refuse_misfit(name, old, target, partition, same_reading=same_reading)
    at = tx.decided_at()
    begins_at = begins_at_of(name, target, at, first=old is None)
    settled_to = begins_at // SECOND if known.settled_to is None else known.settled_to
    begins_at = max(begins_at, settled_to * SECOND)  # a clock that went back reopens nothing that is settled (CAT-05)
    before, skips = partitions.of_schedule(tx, known.id), 0
    kept: dict[str, object] = {"kind": "first"}
    if old is not None and partition is None:
        kept = _implied(tx, before, old, target, at=at, begins_at=begins_at, settled_to=settled_to)
    elif partition is not None:
        cut = cutover.cut(tx, name, known, target, partition, begins_at=begins_at, settled_to=settled_to)
        kept, skips = cut.kept, cut.line.counts.get("skip", 0)
    line = [_switch(target, at, begins_at, kept), *before]
    next_at = schedules.next_candidate(tx, line, after_s=settled_to)
    definitions.store_activation(
        tx, known, target.id, at=at, begins_at=begins_at, partition=kept, next_at=next_at, settled_to=settled_to
    )
    numbers: dict[str, object] = {"revision": target.number, "begins_at": begins_at, "next_at": next_at}
    tx.record("schedule.activated", at, numbers | _told(kept), schedule=known.id)
    replaced = None if old is None else old.number
    return Activated(name, target.number, "activated", at, begins_at, next_at, generation, replaced, skips)


def _switch(target: Stored, at: int, begins_at: int, kept: dict[str, object]) -> Switch:
    return switches.switch(target.id, begins_at, at, canonical_json(kept))


def _told(kept: dict[str, object]) -> dict[str, object]:
    """What the journal says of a partition: its entries are counted, and its digest stands for them."""
    listed = {"firings", "aliases", "settled_to"}
    said = {key: value for key, value in kept.items() if key not in listed}
    if "span_end" in said:
        said["span_end_at"] = said.pop("span_end")
    for key in ("firings", "aliases"):
        if isinstance(kept.get(key), list):
            said[key] = len(kept[key])  # type: ignore[arg-type]
    return said


def _implied(
    tx: Transaction, before: list[Switch], old: Stored, target: Stored, *, at: int, begins_at: int, settled_to: int
) -> dict[str, object]:
    """CUT-03: nominal instants not after the decision are the old revision's, later ones the new one's. Inside the span
    of a cutover the same is said of each firing that it named: what other revisions own there stays theirs.
    """
    kept: dict[str, object] = {
        "kind": "implied", "old": old.number, "new": target.number, "old_until": at, "new_after": begins_at,
    }  # fmt: skip
    decided, span_end_s = max(at, settled_to * SECOND), max(switch.span_end_s for switch in before)
    if span_end_s * SECOND <= decided:
        return kept
    carried = []
    for firing in partitions.firings(tx, before, after_s=settled_to, until_s=span_end_s):
        nominal_at = firing.found.instant_s * SECOND
        if firing.owner != old.id or nominal_at <= decided:
            carried.append(firing)
        elif nominal_at > begins_at:
            carried.append(firing._replace(owner=target.id))
    return kept | {
        "span_end": span_end_s * SECOND, "settled_to": settled_to, "firings": switches.kept(carried),
    }  # fmt: skip


def _refuse_another(
    tx: Transaction, name: str, known: Known, target: Stored, partition: Partition | None
) -> None:
    """CUT-01: a repeated activation changes nothing; one with another partition is no repetition."""
    if partition is not None and partitions.digest_of(tx, known.id, target.id) != partition.digest():
        raise Refused(
            "other_cutover",
            f"{name}: revision {target.number} is in force already, and not by this partition",
            hint=f"spellweaver cutover show {name}",
            schedule=name,
        )


def _refuse_misfit(
    name: str, old: Stored | None, target: Stored, partition: Partition | None, *, same_reading: bool
) -> None:
    """A partition where there is none to be, none where there must be one, or one for another switch."""
    if partition is None:
        if not same_reading:
            raise _needs_cutover(name, old, target)
        return
    again = f"spellweaver cutover plan {name}@{target.number}"
    if same_reading:
        why = "it is the first activation" if old is None else f"it reads the calendar as revision {old.number} does"
        raise Refused(
            "no_cutover", f"{name}: revision {target.number} takes no partition: {why}",
            hint=f"spellweaver activate {name}@{target.number}", schedule=name,
        )  # fmt: skip
    assert old is not None
    if (partition.schedule, partition.new) != (name, target.number):
        raise Refused(
            "other_switch",
            f"the partition is for {partition.schedule}@{partition.new}, and not for {name}@{target.number}",
            hint=again, schedule=name,
        )  # fmt: skip
    if partition.old != old.number:
        raise Refused(
            "cutover_moved",
            f"{name}: the partition replaces revision {partition.old}, but revision {old.number} is in force now",
            hint=again, schedule=name, old=old.number, new=target.number,
        )  # fmt: skip


def _needs_cutover(name: str, old: Stored | None, target: Stored) -> Refused:
    assert old is not None
    before, after = old.definition, target.definition
    differs = [
        word for word, same in (
            ("zone", before.zone == after.zone), ("zone rules", before.zone_digest == after.zone_digest),
            ("cadence", before.cadence == after.cadence), ("fold", before.fold == after.fold),
            ("gap", before.gap == after.gap),
        ) if not same
    ]  # fmt: skip
    return Refused(
        "needs_cutover",
        f"{name}: revision {target.number} reads the calendar differently from the active revision {old.number} "
        f"({', '.join(differs)}); a cutover has to state which firings around the switch are the same, distinct or "
        "skipped",
        hint=f"spellweaver cutover plan {name}@{target.number}",
        schedule=name,
        old=old.number,
        new=target.number,
    )


def target_of(tx: Transaction, name: str, known: Known, number: int | None) -> Stored:
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


def begins_at_of(name: str, target: Stored, at: int, *, first: bool) -> int:
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
