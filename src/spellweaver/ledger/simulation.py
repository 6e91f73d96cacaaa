"""What a simulation asks of its ledger beside the verbs: what a copy has running, and what came of the firings since a
mark.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from spellweaver.core.binding import Binding, binding
from spellweaver.core.identity import AttemptId
from spellweaver.core.pattern import Pattern, from_canonical
from spellweaver.ledger.decide import Ledger, Transaction
from spellweaver.ledger.observe import Row, View
from spellweaver.ledger.queries import load

SQL = load("simulation")
FIRING = 21  # columns of a row of ``since`` that are those of occurrence.sql


@dataclass(frozen=True, slots=True)
class Mark:
    """The last rows that were there, ``last_at`` (µs) the last instant on record, ``pending`` a JSON list of rows."""

    occurrence: int
    range: int
    last_at: int
    pending: str


@dataclass(frozen=True, slots=True)
class Left:
    """An attempt that a copied ledger has running, and since when (µs)."""

    attempt: AttemptId
    schedule: str
    nominal_at: int
    pattern: str
    station: str
    binding: Binding
    started_at: int


@contextlib.contextmanager
def reading(ledger: Ledger) -> Iterator[View]:
    """A snapshot of a ledger in memory, which lives as long as its one connection."""
    view = View(ledger.connection, ledger.path)
    try:
        yield view
    finally:
        ledger.connection.execute("ROLLBACK")


def left_running(tx: Transaction) -> list[Left]:
    return [
        Left(AttemptId(int(str(id_))), str(schedule), int(str(nominal_at)), str(pattern), str(station),
             binding(str(body)), int(str(started_at)))
        for id_, schedule, nominal_at, pattern, station, body, started_at in tx.rows(SQL["left_running"])
    ]  # fmt: skip


def next_pending(tx: Transaction) -> int | None:
    """The next moment (µs) at which a look can change something for a firing that is stored."""
    row = tx.row(SQL["next_pending"])
    return None if row is None else int(str(row[0]))


def mark(view: View) -> Mark:
    row = view.row(SQL["mark"])
    assert row is not None
    return Mark(int(str(row[0])), int(str(row[1])), int(str(row[2])), str(row[3]))


def patterns(view: View) -> list[Pattern]:
    """Every workflow version."""
    snapshots = [row[0] for row in view.rows(SQL["patterns"])]
    return [from_canonical(snapshot) for snapshot in snapshots if isinstance(snapshot, bytes)]


def since(view: View, since: Mark) -> list[Row]:
    """Every firing stored or decided after the mark, in the order of nominal instants: ``FIRING`` columns as in
    occurrence.sql, then the run's begin and end (µs), its state and its reason.
    """
    values: dict[str, object] = {"occurrence": since.occurrence, "range": since.range, "pending": since.pending}
    return list(view.rows(SQL["since"], values))
