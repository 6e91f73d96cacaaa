"""The open clock event: others read that the clock is settling; only the daemon or ``tick`` closes it (WIN-11)."""

from __future__ import annotations

from dataclasses import dataclass

from spellweaver.core import clock_step
from spellweaver.core.instant import show
from spellweaver.errors import TryAgain
from spellweaver.ledger.queries import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from spellweaver.ledger.decide import Transaction

SQL = load("clock")


@dataclass(frozen=True, slots=True)
class Open:
    """A step that has not settled: instants before and after it, its signed size, and when it was seen (µs)."""

    id: int
    before_at: int
    after_at: int
    size_us: int
    opened_at: int


def open_one(tx: Transaction) -> Open | None:
    row = tx.row(SQL["open"])
    return None if row is None else Open(*(int(str(value)) for value in row))


def seen_from_here(tx: Transaction) -> int | None:
    """The step that shows without a daemon: a sample more than ``clock.step`` before the last one. Signed µs."""
    size = tx.ledger.clock.now() - tx.last_sample
    return size if size < 0 and clock_step.must_settle(size, bound_us=tx.policy.clock.step_us) else None


def require_settled(tx: Transaction) -> None:
    """Raises TryAgain naming ``tick`` while the clock has not settled: only what needs no time is decided then."""
    found = open_one(tx)
    size = found.size_us if found else seen_from_here(tx)
    if size is not None:
        at = show(found.after_at) if found else show(tx.ledger.clock.now())
        raise TryAgain(
            "clock_settling",
            f"the clock was set by {size / 1e6:+.3f} s, to {at}, and has not settled; nothing is decided until it has",
            hint="spellweaver tick",
        )


def opened(tx: Transaction, *, before_at: int, after_at: int) -> None:
    """Opens the event and holds what pends in an open window."""
    tx.connection.execute(
        SQL["stepped"], {"before_at": before_at, "after_at": after_at, "size_us": after_at - before_at}
    )
    tx.connection.execute(SQL["held"], {"at": after_at})


def closed(tx: Transaction, found: Open, at: int) -> None:
    """Closes it: what passed meanwhile is named, what was held is looked at again."""
    tx.change(SQL["settled"], {"id": found.id, "at": at})
    tx.connection.execute(SQL["passed"], {"at": at, "opened_at": found.opened_at})
    tx.connection.execute(SQL["released"])
