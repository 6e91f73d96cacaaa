"""Pauses as rows (CAT-07): what reaches into the unsettled line of a Schedule, and how one begins and ends."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from spellweaver.core.pause import Pause
from spellweaver.ledger.decide import Transaction
from spellweaver.ledger.queries import load

SQL = load("pause")


class Open(NamedTuple):
    """A pause that goes on."""

    id: int
    begins_at: int
    until_at: int | None
    why: str


class Kept(NamedTuple):
    """A row: of a pause that goes on ``ended_at`` is None, and ``until_at`` is when it ends by itself."""

    id: int
    begins_at: int
    until_at: int | None
    ended_at: int | None

    def over(self, now: int) -> bool:
        """It has come to its end, and nobody has said so yet."""
        return self.ended_at is None and self.until_at is not None and self.until_at <= now

    def meant(self) -> Pause:
        return Pause(self.begins_at, self.ended_at)


def of(tx: Transaction, schedules: Sequence[int]) -> dict[int, list[Kept]]:
    """By Schedule (row numbers): the pauses that reach into what is not settled yet, oldest first."""
    found: dict[int, list[Kept]] = {}
    if schedules:
        for id_, schedule, *rest in tx.rows(SQL["of"], {"schedules": json.dumps(list(schedules))}):
            begins_at, until_at, ended_at = (value if isinstance(value, int) else None for value in rest)
            assert begins_at is not None
            found.setdefault(int(str(schedule)), []).append(Kept(int(str(id_)), begins_at, until_at, ended_at))
    return found


def open_one(tx: Transaction, schedule: int) -> Open | None:
    row = tx.row(SQL["open"], (schedule,))
    if row is None:
        return None
    return Open(int(str(row[0])), int(str(row[1])), row[2] if isinstance(row[2], int) else None, str(row[3]))


def begin(tx: Transaction, schedule: int, *, at: int, until_at: int | None, why: str) -> None:
    """A Schedule that stopped stays so; when it is activated again, it is paused."""
    tx.insert(SQL["begin"], {"schedule": schedule, "at": at, "until_at": until_at, "why": why})
    tx.connection.execute(SQL["paused"], (schedule,))
    tx.connection.execute(SQL["ask"], {"schedule": schedule, "at": at})


def say_anew(tx: Transaction, pause: int, *, until_at: int | None, why: str) -> None:
    tx.change(SQL["anew"], {"id": pause, "until_at": until_at, "why": why})


def end(tx: Transaction, pause: int, schedule: int, *, ended_at: int, at: int, next_at: int | None) -> None:
    """The pause took what is before ``ended_at``; ``at``: when that was decided."""
    tx.change(SQL["end"], {"id": pause, "ended_at": ended_at})
    tx.connection.execute(SQL["resumed"], {"schedule": schedule, "next_at": next_at})
    tx.connection.execute(SQL["wake"], {"schedule": schedule, "at": at})
