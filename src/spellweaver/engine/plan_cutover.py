"""Plan a cutover: the partition proposed for a switch to a revision, and what a reader needs to know of it (CUT-07)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice

from spellweaver.core import cutover_plan
from spellweaver.core.cutover import OPEN, Entry, Named, Partition, boundaries
from spellweaver.core.cutover_plan import Coming, Sides
from spellweaver.core.instant import LAST, SECOND, show
from spellweaver.engine import cutover, look_up
from spellweaver.engine.activate import begins_at_of, target_of
from spellweaver.errors import Refused
from spellweaver.ledger import definitions, partitions
from spellweaver.ledger.decide import Transaction
from spellweaver.ledger.partitions import Candidates
from spellweaver.ledger.revisions import Revision
from spellweaver.ledger.switches import Switch

ENOUGH = 5  # cycles to look ahead for the end of a span: two whole ones, what began, and what follows


@dataclass(frozen=True, slots=True)
class Planned:
    """``notes`` says of each key what it is; ``open``: how many fates are left to the operator."""

    partition: Partition
    notes: dict[str, str]
    cycle: str | None
    open: int


def plan(tx: Transaction, *, schedule: str, revision: int | None, at: int | None, span_us: int | None) -> Planned:
    """``at``: when it will be activated, now if None. Raises NotFound, and Refused where there is nothing to cut."""
    name, known = look_up.schedule(tx, schedule)
    target = target_of(tx, name, known, revision)
    if known.active is None or known.settled_to is None:
        raise Refused("no_cutover", f"{name} has never been active; its first activation takes no partition",
                      hint=f"spellweaver activate {name}@{target.number}", schedule=name)  # fmt: skip
    if definitions.generation_of(tx, known.active) == definitions.generation_of(tx, target.id):
        raise Refused("no_cutover", f"{name}: revision {target.number} reads the calendar as the active one does",
                      hint=f"spellweaver activate {name}@{target.number}", schedule=name)  # fmt: skip
    now = tx.decided_at()
    if at is not None and at < now:
        raise Refused("at_in_past", f"--at {show(at)} is before now ({show(now)})", hint="leave --at out")
    at = cutover_plan.rounded(now if at is None else at) * SECOND
    old, new = (tx.revisions.get(tx.connection, id_) for id_ in (known.active, target.id))
    begin = max(begins_at_of(name, target, at, first=False), known.settled_to * SECOND)
    end_s = begin // SECOND + span_us // SECOND if span_us else _span_end(old, new, begin // SECOND)
    switches = partitions.of_schedule(tx, known.id)
    empty = Partition(name, old.number, new.number, at, end_s * SECOND, "", "", ())
    sides = _sides(tx, known.id, switches, old, new, empty, begin=begin, settled_to=known.settled_to)
    made = replace(empty, entries=tuple(cutover_plan.propose(sides)))
    found, named = cutover.around(
        tx, Candidates(tx, known.id), switches, new.id, made, begins_at=begin, settled_to=known.settled_to
    )
    old_last, new_first = boundaries(made, found, new=new.id)
    made = replace(made, old_last=old_last, new_first=new_first)
    numbers = {stored.id: stored.number for stored in definitions.revisions(tx, known.id)}
    notes = {
        key: _note(each, numbers, on_record=key in found.fixed, new=key in found.new) for key, each in named.items()
    }
    return Planned(made, notes, _common(old, new), sum(_is_open(entry) for entry in made.entries))


def _is_open(entry: Entry) -> bool:
    return OPEN in (entry.owner, *entry.keys)


def _common(old: Revision, new: Revision) -> str | None:
    """The cycle that both declare."""
    cycle = old.definition.cycle
    return cycle if cycle == new.definition.cycle else None


def _note(named: Named, numbers: dict[int, int], *, on_record: bool, new: bool) -> str:
    said = [show(named.at)]
    if named.found.fate != "fires":
        said.append("no such time: the clock is set forward")
    said.append("of the new revision" if new else f"of revision {numbers[named.owner]}")
    if on_record:
        said.append("on record: fixed")
    return ", ".join(said)


def _sides(
    tx: Transaction, schedule: int, switches: list[Switch], old: Revision, new: Revision, empty: Partition,
    *, begin: int, settled_to: int,
) -> Sides:  # fmt: skip
    candidates = Candidates(tx, schedule)
    found, _ = cutover.around(tx, candidates, switches, new.id, empty, begins_at=begin, settled_to=settled_to)
    lines = partitions.firings(tx, switches, after_s=settled_to, until_s=empty.span_end // SECOND)
    skipped = {(f.generation, *f.found[1:3]) for f in lines if f.skipped}
    cycle = _common(old, new)
    back = begin - cutover_plan.back_s(cycle) * SECOND
    fixed, past = list[Named](), list[Named]()
    if cycle is not None:
        fixed = candidates.recent(old.generation, after=back, until=settled_to * SECOND, limit=cutover.MOST)
        past = list(candidates.of_revision(new.id, after_s=back // SECOND, until_s=begin // SECOND).values())
        past = [each for each in past if each.key not in found.old and not candidates.on_record(each)]
        past = [each for each in past if not candidates.taker(each)]
    return Sides(
        begin, list(found.old.values()), list(found.new.values()), fixed, past,
        frozenset(k for k, n in found.old.items() if (n.generation, *n.found[1:3]) in skipped), found.aliases,
        None if cycle is None else lambda each: _label(tx, each, {old.generation: old, new.generation: new}),
    )  # fmt: skip


def _label(tx: Transaction, named: Named, of_generation: dict[int, Revision]) -> str:
    """The cycle of a candidate; one of a reading that is neither side's is in none with others."""
    meant = of_generation.get(named.generation)
    return named.key if meant is None else cutover.label(meant, named)


def _span_end(old: Revision, new: Revision, at_s: int) -> int:
    """Two whole cycles of the slower side; without a cycle each candidate is one of its own."""
    common = _common(old, new)
    coming: list[Coming] = []
    for side, meant in enumerate((old, new)):
        cycle = meant.definition.cycle
        after_s = at_s - cutover_plan.back_s(cycle)
        later = set[str]()
        for found in islice(meant.calendar.walk(after_s, LAST // SECOND), 2 * cutover.MOST if cycle else 3):
            named = Named(meant.calendar.key(found, meant.generation), meant.generation, meant.id, found)
            own = cutover.label(meant, named) if cycle else named.key
            later |= {own} if found.instant_s > at_s else set()
            if len(later) > ENOUGH:
                break
            coming.append(Coming(found.instant_s, side, (own,) if common else (str(side), own)))
    return cutover_plan.span_end(sorted(coming), at_s)
