"""What a ledger knows of candidates: whose firing each is on record, and which are another's by a cutover before."""

from __future__ import annotations

from collections.abc import Sequence

from spellweaver.core.calendar import parse_key
from spellweaver.core.cutover import Firing, Line, Named, Partition
from spellweaver.ledger import switches
from spellweaver.ledger.decide import Transaction
from spellweaver.ledger.queries import load
from spellweaver.ledger.schedules import terms
from spellweaver.ledger.switches import Key, Switch

SQL = load("cutover")


def of_schedule(tx: Transaction, schedule: int) -> list[Switch]:
    """Its switches, the latest first."""
    return [tx.revisions.switch(tx.connection, id_) for (id_,) in tx.numbers(SQL["switches"], (schedule,))]


def digest_of(tx: Transaction, schedule: int, revision: int) -> str | None:
    """Of the partition by which a revision last came into force."""
    row = tx.row(SQL["of_revision"], (schedule, revision))
    return None if row is None else str(row[0])


def firings(tx: Transaction, line: Sequence[Switch], *, after_s: int, until_s: int) -> list[Firing]:
    """The line as a list of what comes there, one by one; each piece of it is a group. Raises KeptRulesDamaged."""
    found = []
    for group, piece in enumerate(switches.line(line, after_s=after_s, until_s=until_s)):
        generation = tx.revisions.get(tx.connection, piece.revision).generation
        walked = terms(tx, piece).calendar.walk(piece.after_s, piece.until_s)
        found += [Firing(generation, each, piece.revision, piece.skipped, group) for each in walked]
    return found


class Candidates:
    """The candidates of one Schedule by their names. Raises KeptRulesDamaged wherever a reading is needed."""

    def __init__(self, tx: Transaction, schedule: int) -> None:
        self._tx, self._schedule = tx, schedule
        self._taken = switches.aliases(str(text) for (text,) in tx.rows(SQL["partitions"], (schedule,)))

    def unresolved(self, line: Sequence[Switch], *, after_s: int, until_s: int) -> dict[str, Named]:
        """What the line yields there, by key, in order; a second showing of one key is the same firing."""
        found: dict[str, Named] = {}
        for piece in switches.line(line, after_s=after_s, until_s=until_s):
            meant = self._tx.revisions.get(self._tx.connection, piece.revision)
            for each in terms(self._tx, piece).calendar.walk(piece.after_s, piece.until_s):
                named = Named(meant.calendar.key(each, meant.generation), meant.generation, piece.revision, each)
                found.setdefault(named.key, named)
        return found

    def of_revision(self, revision: int, *, after_s: int, until_s: int) -> dict[str, Named]:
        """What a revision's own calendar yields there, by key, in order."""
        meant = self._tx.revisions.get(self._tx.connection, revision)
        walked = meant.calendar.walk(after_s, until_s)
        named = (Named(meant.calendar.key(c, meant.generation), meant.generation, revision, c) for c in walked)
        return {each.key: each for each in named}

    def parse(self, key: str) -> Named | None:
        """The candidate of this name, of whichever reading; its owner is that reading's newest revision."""
        try:
            generation, civil_s, _, _ = parse_key(key)
        except ValueError:
            return None
        row = self._tx.row(SQL["revision_of_generation"], (self._schedule, generation))
        if row is None or not isinstance(row[0], int):
            return None
        meant = self._tx.revisions.get(self._tx.connection, row[0])
        for found in meant.calendar.find(civil_s):
            if meant.calendar.key(found, meant.generation) == key:
                return Named(key, meant.generation, row[0], found)
        return None

    def on_record(self, named: Named) -> Named | None:
        """The firing as it is on record, with the revision that owns it; None where it has no fate yet."""
        row = self._tx.row(SQL["on_record"], {
            "schedule": self._schedule, "generation": named.generation, "civil": named.found.civil_s,
            "fold": named.found.fold, "at": named.at, "missing": named.found.fate != "fires",
        })  # fmt: skip
        return None if row is None else named._replace(owner=int(str(row[0])))

    def taker(self, named: Named) -> Named | None:
        """The firing on record that a candidate is by an earlier cutover, and not by its own name."""
        key, root = _key(named), switches.root(_key(named), self._taken)
        if key == root or self.on_record(named):
            return None
        found = self._of(root)
        return self.on_record(found) if found else None

    def late(self, generation: int, *, after: int) -> list[Named]:
        """Candidates of a reading after an instant that are firings on record by an earlier cutover."""
        sources = [self._of(key) for said in self._taken for key in said if key[0] == generation]
        return [each for each in sources if each is not None and each.at > after and self.taker(each)]

    def recent(self, generation: int, *, after: int, until: int, limit: int) -> list[Named]:
        """Firings of a reading with a row of their own, the newest first; instants in microseconds."""
        given: dict[str, object] = {
            "schedule": self._schedule, "generation": generation, "after": after, "until": until, "limit": limit,
        }  # fmt: skip
        found = [self._of((key[0], key[1], key[2])) for key in self._tx.numbers(SQL["recent"], given)]
        return [fixed for each in found if each is not None and (fixed := self.on_record(each))]

    def _of(self, key: Key) -> Named | None:
        row = self._tx.row(SQL["revision_of_generation"], (self._schedule, key[0]))
        assert row is not None and isinstance(row[0], int)
        meant = self._tx.revisions.get(self._tx.connection, row[0])
        for found in meant.calendar.find(key[1]):
            if (found.civil_s, found.fold) == key[1:]:
                return Named(meant.calendar.key(found, key[0]), key[0], row[0], found)
        return None


def _key(named: Named) -> Key:
    return named.generation, named.found.civil_s, named.found.fold


def stored(partition: Partition, line: Line, named: dict[str, Named], *, settled_to: int) -> dict[str, object]:
    """The partition as it is kept with its switch. ``named`` has every key of it."""
    return {
        "kind": "cutover", "old": partition.old, "new": partition.new, "digest": partition.digest(),
        "span_end": partition.span_end, "settled_to": settled_to, "old_last": partition.old_last,
        "new_first": partition.new_first, "firings": switches.kept(line.firings),
        "aliases": [[*_key(named[taken]), *_key(named[taker])] for taken, taker in sorted(line.aliases.items())],
    }  # fmt: skip
