"""Trigger: takes on an outside event, or answers with what became of it before (OCC-01, OCC-05 to 07, OCC-20).

A known event is answered first, whatever the Schedule is now. One that says something else under a known id is a
conflict: that it came is told in the journal, and nothing else changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from spellweaver.core import event as events
from spellweaver.core.identity import InvocationId, OccurrenceId
from spellweaver.core.policy import Origin
from spellweaver.engine import look_up
from spellweaver.errors import Refused, TryAgain, Usage
from spellweaver.ledger import external, pauses
from spellweaver.ledger.decide import Transaction
from spellweaver.ledger.definitions import Known


@dataclass(frozen=True, slots=True)
class Triggered:
    """``schedule`` is the full name; of the firing, its first revision's number and what became of it till now."""

    schedule: str
    status: Literal["new", "known", "conflict"]
    occurrence: OccurrenceId
    revision: int
    state: str
    reason: str
    invocation: InvocationId | None
    invocation_state: str | None


def trigger(
    tx: Transaction, *, schedule: str, source: str, event_id: str, content: bytes = b"",
    origin: Origin = "operator", principal: str,
) -> Triggered:  # fmt: skip
    """``content`` is what the source sent. Raises Usage (a source or id that none may have), NotFound, Refused (never
    activated or retired), TryAgain (too many wait), RevisionDamaged.
    """
    for what, fault in (("source", events.fault_of_source(source)), ("event id", events.fault_of_id(event_id))):
        if fault:
            raise Usage("bad_event", f"the {what} {fault}", source=source, event_id=event_id)
    name, known = look_up.schedule(tx, schedule)
    came = external.Event(known.id, source, event_id, events.kept(content), origin, principal)
    found = external.known(tx, came)
    if found is None:
        _take_on(tx, name, known, came)
        found = external.known(tx, came)
        assert found is not None
        return _answer(name, "new", found)
    if found.content_digest == events.digest(came.content):
        return _answer(name, "known", found)
    numbers: dict[str, object] = {
        "source": source, "event_id": event_id, "content_digest": found.content_digest.hex(),
        "other_digest": events.digest(came.content).hex(), "origin": origin, "principal": principal,
    }  # fmt: skip
    tx.record("occurrence.conflict", tx.decided_at(), numbers, schedule=known.id, occurrence=found.occurrence)
    return _answer(name, "conflict", found)


def _take_on(tx: Transaction, name: str, known: Known, came: external.Event) -> None:
    if known.active is None or known.state in ("defined", "retired"):
        raise Refused(
            "not_active", f"{name} is {'retired' if known.state == 'retired' else 'not activated'}; it takes no event",
            hint=f"spellweaver schedule show {name}" if known.state == "retired" else f"spellweaver activate {name}",
            schedule=name,
        )  # fmt: skip
    waiting = external.pending(tx)
    if waiting >= events.INBOX:
        raise TryAgain(
            "inbox_full", f"{waiting} events wait already, which is the most that are taken on; this one was not",
            hint="send it again when fewer wait", pending=waiting, limit=events.INBOX,
        )  # fmt: skip
    at, pause = tx.decided_at(), pauses.open_one(tx, known.id)
    paused = pause is not None and (pause.until_at is None or at < pause.until_at)
    external.take_on(tx, came, revision=known.active, at=at, paused=paused)


def _answer(name: str, status: Literal["new", "known", "conflict"], found: external.Known) -> Triggered:
    invocation = None if found.invocation is None else InvocationId(found.invocation)
    return Triggered(
        name, status, OccurrenceId(found.occurrence), found.revision, found.state, found.reason, invocation,
        found.invocation_state,
    )  # fmt: skip
