"""What a cutover is judged by: the candidates of both readings, what of them is on record, and what earlier cutovers
said (CUT-04, CUT-12, CUT-13).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from spellweaver.core.cutover import NONE, Around, Line, Named, Offence, Partition, judge, straddling
from spellweaver.core.cycle import cycle_of
from spellweaver.core.instant import SECOND
from spellweaver.errors import Refused
from spellweaver.ledger import partitions
from spellweaver.ledger.decide import Transaction
from spellweaver.ledger.definitions import Known, Stored
from spellweaver.ledger.partitions import Candidates
from spellweaver.ledger.revisions import Revision
from spellweaver.ledger.switches import Switch

MOST = 1000  # candidates of one side; a file has no more objects
SHOWN = 20


@dataclass(frozen=True, slots=True)
class Cut:
    """A partition that holds: its line, and what is kept of it."""

    line: Line
    kept: dict[str, object]


def cut(
    tx: Transaction, name: str, known: Known, target: Stored, partition: Partition, *, begins_at: int, settled_to: int
) -> Cut:
    """The partition judged against this ledger. Raises Refused with every offending candidate (CUT-05)."""
    candidates = Candidates(tx, known.id)
    switches = partitions.of_schedule(tx, known.id)
    found, named = around(tx, candidates, switches, target.id, partition, begins_at=begins_at, settled_to=settled_to)
    wrong, line = judge(partition, found, new=target.id)
    if wrong:
        raise refusal(name, wrong)
    return Cut(line, partitions.stored(partition, line, named, settled_to=settled_to))


def refusal(name: str, wrong: list[Offence]) -> Refused:
    """Every offending candidate in the fields; the message has the first of them."""
    listed = [": ".join(part for part in (each.origin, each.key, each.sentence) if part) for each in wrong]
    more = [f"and {len(listed) - SHOWN} more"] if len(listed) > SHOWN else []
    return Refused(
        "partition",
        "\n  ".join([f"{name}: this partition does not hold; nothing was changed", *listed[:SHOWN], *more]),
        hint="spellweaver cutover plan SCHEDULE@REV proposes one that is complete",
        schedule=name,
        offending=[{"key": each.key, "what": each.sentence, "where": each.origin} for each in wrong],
    )


def around(
    tx: Transaction, candidates: Candidates, switches: list[Switch], new: int, partition: Partition,
    *, begins_at: int, settled_to: int,
) -> tuple[Around, dict[str, Named]]:  # fmt: skip
    """What there is around the switch, and every candidate that the partition names, by key."""
    begins_s, end_s = begins_at // SECOND, max(partition.span_end, begins_at) // SECOND
    refuse_too_many(tx, switches, new, settled_to=settled_to, begins_s=begins_s, end_s=end_s)
    old = candidates.unresolved(switches, after_s=settled_to, until_s=end_s)
    yields = candidates.of_revision(new, after_s=begins_s, until_s=end_s)
    generation = tx.revisions.get(tx.connection, new).generation
    fixed: dict[str, Named] = {}
    past: dict[str, Named] = {}
    for key in dict.fromkeys(key for entry in partition.entries for key in entry.keys):
        if key in old or key in yields or (named := candidates.parse(key)) is None:
            continue
        if record := candidates.on_record(named):
            fixed[key] = record
        elif named.generation == generation and named.at <= begins_at:
            past[key] = named
    takers = {key: taker for key, named in (yields | past).items() if (taker := candidates.taker(named))}
    after = next(iter(_beyond(tx.revisions.get(tx.connection, new), max(end_s, begins_s))), None)
    found = Around(
        begins_at, partition.span_end, old, yields, fixed, past, {key: taker.key for key, taker in takers.items()},
        tuple(each.key for each in candidates.late(generation, after=end_s * SECOND)),
        straddles(tx, switches[0].revision, new, [*old.values()], [*yields.values()], end_s=end_s),
        NONE if after is None else after[1],
    )  # fmt: skip
    return found, old | yields | fixed | past | {taker.key: taker for taker in takers.values()}


def refuse_too_many(
    tx: Transaction, switches: list[Switch], new: int, *, settled_to: int, begins_s: int, end_s: int
) -> None:
    """A backlog is not to be partitioned firing by firing, and a span need not hold more than some cycles."""
    meant = tx.revisions.get(tx.connection, switches[0].revision)
    if meant.calendar.count(settled_to, begins_s) > MOST:
        raise Refused(
            "unsettled", "more than a thousand firings up to now have no fate yet", hint="spellweaver tick settles them"
        )
    for revision, after_s in ((switches[0].revision, settled_to), (new, begins_s)):
        if tx.revisions.get(tx.connection, revision).calendar.count(after_s, end_s) > MOST:
            said = "the span has more than a thousand candidates of one side"
            raise Refused("span_too_long", said, hint="plan again with a shorter --span")


def straddles(
    tx: Transaction, active: int, new: int, old: list[Named], yields: list[Named], *, end_s: int
) -> tuple[str, ...]:
    """Keys beyond the span in a cycle that has firings inside it (CUT-04). Only labels of one kind are compared."""
    readings = [tx.revisions.get(tx.connection, id_) for id_ in (active, new)]
    cycles = [reading.definition.cycle for reading in readings]
    if None not in cycles and cycles[0] == cycles[1]:
        sides = [(readings, [old, yields])]
    else:
        sides = [([reading], [side]) for reading, side in zip(readings, (old, yields), strict=True)]
    found: list[str] = []
    for some, inside in sides:
        if some[0].definition.cycle is not None:
            labelled = [
                sorted((label(reading, each), each.key) for each in side if each.generation == reading.generation)
                for reading, side in zip(some, inside, strict=True)
            ]
            found += straddling(labelled, [lambda of=reading: _beyond(of, end_s) for reading in some])  # type: ignore[misc]
    return tuple(dict.fromkeys(found))


def label(meant: Revision, named: Named) -> str:
    """The cycle of a candidate by what its revision declares."""
    cycle = meant.definition.cycle
    return "" if cycle is None else cycle_of(meant.calendar, named.found, cycle)


def _beyond(meant: Revision, end_s: int) -> Iterator[tuple[str, str]]:
    """(label, key) of what a reading yields after the span, one by one."""
    found = meant.calendar.first(end_s)
    while found is not None:
        for each in meant.calendar.walk(found.instant_s - 1, found.instant_s):
            key = meant.calendar.key(each, meant.generation)
            yield label(meant, Named(key, meant.generation, meant.id, each)), key
        found = meant.calendar.first(found.instant_s)
