"""Clock: a step that must settle opens an event and holds decisions; then the clock is believed (WIN-11, CAT-05).

Restart, suspend, stall and step go down one way afterwards: the next pass finds what is late, and judges it.
"""

from __future__ import annotations

from spellweaver.ledger import clock_events
from spellweaver.ledger.decide import Transaction


def stepped(tx: Transaction, *, before_at: int, after_at: int) -> None:
    """A step larger than ``clock.step`` was seen. A further one is recorded and settles with the first."""
    size_us = after_at - before_at
    tx.record("clock_stepped", tx.decided_at(), {"before_at": before_at, "after_at": after_at, "size_us": size_us})
    if clock_events.open_one(tx) is None:
        clock_events.opened(tx, before_at=before_at, after_at=after_at)


def slept(tx: Transaction, *, size_us: int) -> None:
    """The machine was suspended: recorded, and then an outage like any other."""
    tx.record("clock_suspended", tx.decided_at(), {"size_us": size_us})


def must_settle(tx: Transaction) -> bool:
    """At a start: whether a step is open from before, or shows now against the last committed sample and is opened."""
    if clock_events.open_one(tx) is not None:
        return True
    size = clock_events.seen_from_here(tx)
    if size is None:
        return False
    before_at = tx.last_sample
    stepped(tx, before_at=before_at, after_at=before_at + size)
    return True


def settled(tx: Transaction) -> None:
    """The clock has settled and is believed. Does nothing when no event is open."""
    found = clock_events.open_one(tx)
    if found is not None:
        at = tx.decided_at()
        clock_events.closed(tx, found, at)
        tx.record("clock_settled", at, {"size_us": found.size_us, "opened_at": found.opened_at})
