"""Workflow versions, Schedules, revisions, bindings and policy as rows: insert-only, looked up by exact name (PAT-19,
CUT-01).
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from spellweaver.core.binding import Binding
from spellweaver.core.pattern import Pattern, from_canonical
from spellweaver.core.policy import HostPolicy
from spellweaver.core.schedule import Definition, canonical_json, definition
from spellweaver.ledger.decide import Transaction
from spellweaver.ledger.queries import load

SQL = load("definition")


@dataclass(frozen=True, slots=True)
class Known:
    """A Schedule's row. ``active`` and ``settled_to`` are None before the first activation."""

    id: int
    state: str
    active: int | None
    settled_to: int | None


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored revision: row number, number, calendar generation, definition."""

    id: int
    number: int
    definition: Definition


def pattern(tx: Transaction, key: str, revision: str) -> tuple[int, Pattern] | None:
    """(row number, version) of an exact version."""
    row = tx.row(SQL["pattern"], (key, revision))
    if row is None:
        return None
    assert isinstance(row[2], bytes)
    return int(str(row[0])), from_canonical(row[2])


def pattern_revisions(tx: Transaction, key: str) -> list[str]:
    return [str(row[0]) for row in tx.rows(SQL["pattern_revisions"], (key,))]


def store_pattern(tx: Transaction, new: Pattern, at: int) -> int:
    values = {"key": new.key, "revision": new.revision, "digest": new.digest(), "snapshot": new.canonical(), "at": at}
    return tx.insert(SQL["new_pattern"], values)


def schedule(tx: Transaction, authority: str, name: str) -> Known | None:
    row = tx.row(SQL["schedule"], (authority, name))
    if row is None:
        return None
    active, settled_to = (value if isinstance(value, int) else None for value in row[2:])
    return Known(int(str(row[0])), str(row[1]), active, settled_to)


def next_at(tx: Transaction, schedule_: int) -> int | None:
    """The instant (µs) of its next candidate; None when nothing comes."""
    row = tx.row(SQL["next_at"], (schedule_,))
    return row[0] if row is not None and isinstance(row[0], int) else None


def named(tx: Transaction, name: str) -> list[tuple[int, str]]:
    """(row number, authority) of every Schedule of this name."""
    return [(int(str(id_)), str(authority)) for id_, authority in tx.rows(SQL["named"], (name,))]


def names(tx: Transaction) -> list[str]:
    """Full names, for "did you mean"."""
    return [f"{authority}/{name}" for authority, name in tx.rows(SQL["names"])]


def new_schedule(tx: Transaction, authority: str, name: str, *, owner: str) -> int:
    """A Schedule without revisions; its authority is made (generation 1) where it is missing."""
    tx.connection.execute(SQL["new_authority"], (authority, owner))
    return tx.insert(SQL["new_schedule"], (authority, name))


def revisions(tx: Transaction, schedule_: int) -> list[Stored]:
    """All revisions, oldest first."""
    return [_stored(row) for row in tx.rows(SQL["revisions"], (schedule_,))]


def newest_revision(tx: Transaction, schedule_: int) -> Stored | None:
    row = tx.row(SQL["newest_revision"], (schedule_,))
    return None if row is None else _stored(row)


def same_revision(tx: Transaction, schedule_: int, digest: str) -> int | None:
    """The number of a revision that is equal."""
    row = tx.row(SQL["same_revision"], (schedule_, digest))
    return None if row is None else int(str(row[0]))


def store_revision(tx: Transaction, schedule_: int, new: Definition, *, number: int, pattern_: int, at: int) -> int:
    """Inserts the revision, in the generation of its calendar interpretation (CUT-03); a new interpretation gets the
    next number.
    """
    values: dict[str, object] = {
        "schedule": schedule_,
        "number": number,
        "generation": _generation(tx, schedule_, new.interpretation()),
        "pattern": pattern_,
        "zone_rules": bytes.fromhex(new.zone_digest) if new.zone_digest else None,
        "digest": new.digest(),
        "body": new.body(),
        "at": at,
    }
    return tx.insert(SQL["new_revision"], values)


def _generation(tx: Transaction, schedule_: int, interpretation: str) -> int:
    row = tx.row(SQL["generation"], (schedule_, interpretation))
    if row is None:
        row = tx.row(SQL["last_generation"], (schedule_,))
        assert row is not None
        number = int(str(row[0])) + 1
        tx.connection.execute(SQL["new_generation"], (schedule_, number, interpretation))
        return number
    return int(str(row[0]))


def keep_rules(tx: Transaction, data: bytes) -> str:
    """Keeps compiled zone rules and returns their SHA-256 (lowercase hex)."""
    digest = sha256(data)
    tx.connection.execute(SQL["keep_rules"], (digest.digest(), data))
    return digest.hexdigest()


def rules_are_kept(tx: Transaction, digest: str) -> bool:
    return tx.row(SQL["kept_rules"], (bytes.fromhex(digest),)) is not None


def generation_of(tx: Transaction, revision: int) -> int:
    row = tx.row(SQL["body"], (revision,))
    assert row is not None
    return int(str(row[1]))


def binding_digest(tx: Transaction, key: str, revision: str, station: str) -> str | None:
    """The digest of the binding in force."""
    row = tx.row(SQL["binding"], (key, revision, station))
    return None if row is None else str(row[0])


def last_binding_generation(tx: Transaction) -> int:
    row = tx.row(SQL["last_binding_generation"])
    assert row is not None
    return int(str(row[0]))


def store_binding(tx: Transaction, new: Binding, *, generation: int, at: int) -> None:
    tx.connection.execute(
        SQL["new_binding"],
        {
            "generation": generation,
            "key": new.pattern_key,
            "revision": new.pattern_revision,
            "station": new.station,
            "digest": new.digest(),
            "body": new.body(),
            "at": at,
        },
    )


def store_activation(
    tx: Transaction,
    known: Known,
    revision: int,
    *,
    at: int,
    begins_at: int,
    partition: dict[str, object],
    next_at: int | None,
    settled_to: int,
) -> None:
    """The switch and its partition in one piece (CUT-08)."""
    tx.connection.execute(
        SQL["activation"],
        {
            "schedule": known.id,
            "revision": revision,
            "replaced": known.active,
            "at": at,
            "begins_at": begins_at,
            "partition": canonical_json(partition),
        },
    )
    values: dict[str, object] = {"schedule": known.id, "revision": revision, "next_at": next_at}
    if known.active is None:
        tx.change(SQL["first_activated"], values | {"settled_to": settled_to})
    else:
        tx.change(SQL["switched"], values | {"replaced": known.active})
        tx.connection.execute(SQL["wake_stopped"], {"schedule": known.id, "at": at})


def store_policy(tx: Transaction, new: HostPolicy, *, generation: int, at: int) -> None:
    tx.connection.execute(
        SQL["new_policy"],
        {"generation": generation, "body": canonical_json(new.canonical()), "at": at, "actor": tx.actor},
    )
    tx.connection.execute(SQL["account"], {"name": "workers", "capacity": new.workers})


def _stored(row: tuple[object, ...]) -> Stored:
    return Stored(int(str(row[0])), int(str(row[1])), definition(str(row[3])))
