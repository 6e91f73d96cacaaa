"""Outside events as rows: looked up by Schedule, source and event id; taken on with their Occurrence in one act.

The Occurrence of one has generation 0, which no calendar has, and the row number of the event for its civil second.
"""

from __future__ import annotations

from typing import NamedTuple

from spellweaver.core.event import digest
from spellweaver.core.policy import Origin
from spellweaver.ledger.decide import Transaction
from spellweaver.ledger.queries import load

SQL = load("external")


class Event(NamedTuple):
    """What came: ``schedule`` is a row number, ``content`` as it is kept."""

    schedule: int
    source: str
    event_id: str
    content: bytes
    origin: Origin
    principal: str


class Known(NamedTuple):
    """One that is on record, with its Occurrence, the number of its revision, and what became of it."""

    id: int
    content_digest: bytes
    occurrence: int
    revision: int
    state: str
    reason: str
    invocation: int | None
    invocation_state: str | None


def known(tx: Transaction, event: Event) -> Known | None:
    """The one of the same Schedule, source and id, whatever it contains."""
    row = tx.row(SQL["known"], {"schedule": event.schedule, "source": event.source, "event_id": event.event_id})
    return None if row is None else Known._make(row)


def pending(tx: Transaction) -> int:
    """How many wait, of all Schedules."""
    row = tx.row(SQL["pending"])
    assert row is not None
    return int(str(row[0]))


def take_on(tx: Transaction, event: Event, *, revision: int, at: int, paused: bool) -> int:
    """Stores the event and its Occurrence, whose nominal and due instant is ``at`` (OCC-07, WIN-10); of a paused
    Schedule it is skipped at once (CAT-09). Returns the Occurrence's row number. Raises RevisionDamaged.
    """
    meant = tx.revisions.definition(tx.connection, revision)
    content = digest(event.content)
    external = tx.insert(SQL["receive"], {
        "schedule": event.schedule, "source": event.source, "event_id": event.event_id, "digest": content,
        "content": event.content or None, "origin": event.origin, "principal": event.principal, "at": at,
    })  # fmt: skip
    delay = meant.allowed_delay_us
    occurrence = tx.insert(SQL["assign"], {
        "schedule": event.schedule, "external": external, "revision": revision, "at": at,
        "not_before": None if delay is None else at, "latest_start_at": None if delay is None else at + delay,
        "class": meant.service_class, "policy": tx.policy_generation,
        "state": "skipped" if paused else "pending", "reason": "paused" if paused else "not_yet",
        "decided_at": at if paused else None, "wake_at": None if paused else at,
    })  # fmt: skip
    numbers: dict[str, object] = {
        "source": event.source, "event_id": event.event_id, "content_digest": content.hex(), "origin": event.origin,
        "principal": event.principal,
    }  # fmt: skip
    numbers |= {"reason": "paused"} if paused else {"due_at": at}
    tx.record(
        "occurrence.skipped" if paused else "occurrence.stored", at, numbers,
        schedule=event.schedule, occurrence=occurrence,
    )  # fmt: skip
    return occurrence
