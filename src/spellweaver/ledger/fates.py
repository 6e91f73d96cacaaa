"""The fates of what one look judged as rows and events. A firing is a row; a long backlog is a range (OCC-13).

Rows of all its Schedules are gathered and written together; each event holds the numbers that were compared (OCC-18).
"""

from __future__ import annotations

from spellweaver.core.instant import SECOND
from spellweaver.core.line import Candidate
from spellweaver.core.misfire import ROWS_AT_MOST, Drop, Fate, Keep, Offer, Settle, members
from spellweaver.ledger.decide import Transaction
from spellweaver.ledger.queries import load

SQL = load("materialize")
Numbers = dict[str, object]


class Writing:
    """The rows of one look on their way: ``turn_to`` a Schedule, ``write`` its fates, and ``store`` those of all."""

    def __init__(self, tx: Transaction, *, allowance_us: int) -> None:
        last = tx.row(SQL["last_occurrence"])
        assert last is not None
        self._tx, self._allowance_us = tx, allowance_us
        self._schedule, self._authority, self._now = 0, 0, 0
        self._next_id = int(str(last[0])) + 1
        self._rows: list[dict[str, object]] = []
        self._dropped: list[dict[str, object]] = []
        self._kept: list[tuple[int]] = []

    def turn_to(self, schedule: int, authority: int, *, now: int) -> None:
        """``schedule`` is a row number, ``authority`` the generation that was seen, ``now`` its decision time."""
        self._schedule, self._authority, self._now = schedule, authority, now

    def write(self, fate: Fate) -> None:
        match fate:
            case Offer():
                self._offer(fate)
            case Settle() if fate.count > ROWS_AT_MOST:
                self._range(fate)
            case Settle():
                self._settle(fate)
            case Drop():
                self._drop(fate)
            case Keep():
                numbers: Numbers = {"late_us": fate.late_us}
                if not fate.external:
                    self._kept.append((fate.occurrence,))
                    numbers["mode"] = "catch_up"
                self._record("pending", fate.occurrence, numbers)

    def store(self) -> None:
        """Writes the rows that were gathered."""
        self._tx.connection.executemany(SQL["store"], self._rows)
        self._tx.change_many(SQL["drop"], self._dropped)
        self._tx.change_many(SQL["keep"], self._kept)

    def _offer(self, fate: Offer) -> None:
        occurrence = self._row(
            fate.terms.revision, fate.found, fate.due_at, fate.mode, "pending", "not_yet", None, max(fate.due_at, 0)
        )
        numbers: Numbers = {"due_at": fate.due_at, "late_us": fate.late_us}
        if fate.mode != "live":
            numbers["mode"] = fate.mode
        self._record("stored", occurrence, numbers)

    def _settle(self, fate: Settle) -> None:
        revision = fate.terms.revision
        for found in members(fate):
            due_at = fate.terms.due_at(found)
            occurrence = self._row(revision, found, due_at, "live", fate.state, fate.reason, self._now, None)
            self._record(fate.state, occurrence, self._compared(fate, due_at))

    def _drop(self, fate: Drop) -> None:
        self._dropped.append({"id": fate.occurrence, "state": fate.state, "reason": fate.reason, "at": self._now})
        numbers: Numbers = {"reason": fate.reason, "late_us": fate.late_us}
        if fate.reason == "horizon":
            numbers["horizon_us"] = fate.horizon_us
        self._record(fate.state, fate.occurrence, numbers)

    def _range(self, fate: Settle) -> None:
        terms, first, last = fate.terms, fate.first, fate.last
        id_ = self._tx.insert(SQL["range"], {
            "schedule": self._schedule, "generation": terms.generation, "revision": terms.revision,
            "state": fate.state, "reason": fate.reason,
            "first_civil": first.civil_s, "first_fold": first.fold, "first_at": first.instant_s * SECOND,
            "last_civil": last.civil_s, "last_fold": last.fold, "last_at": last.instant_s * SECOND,
            "count": fate.count, "decided_at": self._now,
        })  # fmt: skip
        numbers = self._compared(fate, terms.due_at(first)) | {
            "allowance_us": self._allowance_us, "range": id_, "count": fate.count,
            "first": terms.calendar.key(first, terms.generation), "last": terms.calendar.key(last, terms.generation),
        }  # fmt: skip
        self._tx.record(f"range.{fate.state}", self._now, numbers, schedule=self._schedule)

    def _row(
        self, revision: int, found: Candidate, due_at: int,
        mode: str, state: str, reason: str, decided_at: int | None, wake_at: int | None,
    ) -> int:  # fmt: skip
        """Gathers a row of ``occurrence`` and returns its number."""
        meant = self._tx.revisions.get(self._tx.connection, revision)
        nominal_at, delay = found.instant_s * SECOND, meant.definition.allowed_delay_us
        occurrence = self._next_id + len(self._rows)
        self._rows.append({
            "id": occurrence, "schedule": self._schedule, "generation": meant.generation,
            "civil": found.civil_s, "fold": found.fold, "revision": revision, "nominal_at": nominal_at,
            "due_at": due_at, "not_before": None if delay is None else due_at,
            "latest_start_at": None if delay is None else nominal_at + delay,
            "class": meant.definition.service_class, "mode": mode, "policy": self._tx.policy_generation,
            "authority": self._authority, "created_at": self._now, "state": state, "reason": reason,
            "decided_at": decided_at, "wake_at": wake_at,
        })  # fmt: skip
        return occurrence

    def _compared(self, fate: Settle, due_at: int) -> Numbers:
        numbers: Numbers = {"reason": fate.reason, "late_us": self._now - due_at}
        if fate.reason == "horizon":
            numbers["horizon_us"] = fate.terms.horizon_us
        if fate.reason == "latest_start":
            numbers["allowed_delay_us"] = fate.terms.allowed_delay_us
        return numbers

    def _record(self, word: str, occurrence: int, numbers: Numbers) -> None:
        numbers["allowance_us"] = self._allowance_us
        self._tx.record(f"occurrence.{word}", self._now, numbers, schedule=self._schedule, occurrence=occurrence)
