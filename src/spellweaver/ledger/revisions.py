"""Parsed revisions and kept zone rules, as core values, kept between transactions. Both are checked against their
digests once per load (CAL-06, RCV-05).
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from hashlib import sha256

import apsw

from spellweaver.core import zone as zones
from spellweaver.core.calendar import Calendar, Interpretation
from spellweaver.core.schedule import Definition, definition
from spellweaver.core.terms import Terms
from spellweaver.errors import Unusable
from spellweaver.ledger.switches import Switch, switch

KEPT = 20_000


class Damaged(Unusable):
    """What the ledger keeps of one Schedule can't be used. That Schedule stops, and no other."""


class RevisionDamaged(Damaged):
    """A stored revision is not what its digest says."""


class KeptRulesDamaged(Damaged):
    """The kept zone rules of one Schedule are missing or not what their digest says. Host rules never stand in."""


@dataclass(frozen=True, slots=True)
class Revision:
    """A revision with its calendar. ``id``, ``schedule`` and ``pattern`` are row numbers; ``number`` counts from 1."""

    id: int
    schedule: int
    number: int
    generation: int
    pattern: int
    digest: str
    definition: Definition
    calendar: Calendar
    terms: Terms


class Revisions:
    """A bounded memory of revisions. Committed ones never change; after a rollback another memory is begun."""

    def __init__(self) -> None:
        self._kept: OrderedDict[int, Revision] = OrderedDict()
        self._switches: OrderedDict[int, Switch] = OrderedDict()

    def get(self, connection: apsw.Connection, id_: int) -> Revision:
        """Raises RevisionDamaged, KeptRulesDamaged."""
        if found := self._kept.get(id_):
            self._kept.move_to_end(id_)
            return found
        row = connection.execute(
            "SELECT id, schedule, number, generation, pattern, digest, body FROM revision WHERE id = ?", (id_,)
        ).fetchone()
        assert row is not None, f"revision {id_}"
        meant = _definition(id_, row[5], row[6])
        calendar = calendar_of(connection, meant)
        name = f"{meant.authority}/{meant.name}"
        terms = Terms(
            id_, row[3], name, calendar, meant.jitter, meant.allowed_delay_us, meant.misfire_horizon_us,
            while_paused=meant.while_paused, catch_up=meant.catch_up,
        )  # fmt: skip
        found = Revision(row[0], row[1], row[2], row[3], row[4], row[5], meant, calendar, terms)
        self._kept[id_] = found
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return found

    def switch(self, connection: apsw.Connection, id_: int) -> Switch:
        """The activation with this row number."""
        if found := self._switches.get(id_):
            self._switches.move_to_end(id_)
            return found
        row = connection.execute(
            "SELECT revision, begins_at, decided_at, partition FROM activation WHERE id = ?", (id_,)
        ).fetchone()
        assert row is not None, f"activation {id_}"
        found = self._switches[id_] = switch(*row)
        if len(self._switches) > KEPT:
            self._switches.popitem(last=False)
        return found

    def definition(self, connection: apsw.Connection, id_: int) -> Definition:
        """What a revision says, without its zone rules: what is admitted goes on when those are damaged. Raises
        RevisionDamaged.
        """
        if found := self._kept.get(id_):
            return found.definition
        row = connection.execute("SELECT digest, body FROM revision WHERE id = ?", (id_,)).fetchone()
        assert row is not None, f"revision {id_}"
        return _definition(id_, row[0], row[1])


def _definition(id_: int, digest: str, body: str) -> Definition:
    if sha256(body.encode()).hexdigest() != digest:
        raise RevisionDamaged(
            "revision_damaged",
            f"revision row {id_} is not what its digest (sha256:{digest[:12]}…) says",
            hint="restore a backup",
            revision=id_,
        )
    return definition(body)


def calendar_of(connection: apsw.Connection, meant: Definition) -> Calendar:
    """The calendar of a definition, from its kept rules. Raises KeptRulesDamaged."""
    rules = None
    if meant.zone_digest is not None:
        rules = kept_zone(connection, bytes.fromhex(meant.zone_digest), f"{meant.authority}/{meant.name}")
    digest = bytes.fromhex(meant.zone_digest) if meant.zone_digest else None
    reading = Interpretation(meant.zone, digest, meant.cadence, meant.fold, meant.gap)
    return Calendar(reading, rules, meant.excluded)


def kept_zone(connection: apsw.Connection, digest: bytes, schedule: str) -> zones.Zone:
    """The kept rules with this SHA-256, parsed. Raises KeptRulesDamaged naming the Schedule."""
    row = connection.execute("SELECT data FROM zone_rules WHERE digest = ?", (digest,)).fetchone()
    if row is None or sha256(row[0]).digest() != digest:
        what = "are missing" if row is None else "are not what their digest says"
        raise KeptRulesDamaged(
            "kept_rules_damaged",
            f"{schedule}: its kept zone rules (sha256:{digest.hex()[:12]}…) {what}",
            hint="restore a backup, or define a Schedule of another name",
            schedule=schedule,
        )
    return zones.parse(row[0])
