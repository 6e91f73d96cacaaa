"""The chain of the journal: it verifies, and no past event can be altered, moved, taken out or put in unseen."""

from __future__ import annotations

import json
from hashlib import sha256

import pytest

from spellweaver.errors import Unusable
from spellweaver.ledger import journal
from spellweaver.ledger.journal import Buffer, Entry
from tests.support.engine import World, draft


def lived() -> World:
    world = World()
    world.add(draft("s", "*/10 * * * *", allowed_delay="5m"))
    world.live("2026-01-01T02:00:00Z", takes="12m")
    for trigger in ("event_unchanged", "event_kept", "event_follows"):
        world.ledger.connection.execute(f"DROP TRIGGER {trigger}")
    return world


@pytest.mark.rule("AUT-05")
def test_the_chain_verifies_and_is_what_its_words_say() -> None:
    """Reckoned here from the rows alone: SHA-256 over the hash before and the canonical JSON of the row."""
    world = lived()
    rows = world.rows(
        "SELECT seq, txn, at, type, schedule, occurrence, invocation, actor, data, hash FROM event ORDER BY seq"
    )
    before = bytes(32)
    for *row, hashed in rows:
        text = json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        before = sha256(before + text.encode()).digest()
        assert before == hashed
    assert journal.verify(world.ledger.connection) == len(rows) == journal.head(world.ledger.connection)[0]


ALTERED = {
    "at": "at = at + 1", "type": "type = 'occurrence.missed'", "txn": "txn = txn - 1", "actor": "actor = 'nobody'",
    "data": "data = replace(data, ':', ': ')", "occurrence": "occurrence = 99", "schedule": "schedule = 99",
    "invocation": "invocation = 99", "hash": "hash = zeroblob(32)",
}  # fmt: skip


@pytest.mark.rule("AUT-05")
@pytest.mark.parametrize("change", ALTERED.values(), ids=ALTERED)
def test_an_altered_event_is_found(change: str) -> None:
    world = lived()
    (seq,) = world.row("SELECT seq FROM event WHERE type = 'occurrence.admitted' ORDER BY seq LIMIT 1 OFFSET 2")
    world.ledger.connection.execute(f"UPDATE event SET {change} WHERE seq = ?", (seq,))
    with pytest.raises(Unusable, match=f"at event {seq}:") as said:
        journal.verify(world.ledger.connection)
    assert said.value.exit_status == 78


@pytest.mark.rule("AUT-05")
@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM event WHERE seq = 9",
        "UPDATE event SET seq = CASE seq WHEN 9 THEN -10 WHEN 10 THEN -9 END WHERE seq IN (9, 10)",
        "UPDATE event SET seq = seq + 1000 WHERE seq >= 9",
    ],
)
def test_one_that_is_gone_or_moved_is_found(change: str) -> None:
    world = lived()
    world.ledger.connection.execute(change)
    world.ledger.connection.execute("UPDATE event SET seq = -seq WHERE seq < 0")
    with pytest.raises(Unusable, match="does not verify at event 9"):
        journal.verify(world.ledger.connection)


def entry(type_: str, occurrence: int | None = None, **data: object) -> Entry:
    return Entry(1, type_, "test", dict(data), 1, occurrence)


def test_what_happens_to_one_object_in_a_transaction_is_one_event_with_all_the_numbers() -> None:
    buffer = Buffer()
    for one in (
        entry("occurrence.stored", 7, late_us=3), entry("occurrence.stored", 8, late_us=4),
        entry("bound"), entry("bound"), entry("occurrence.admitted", 7, reason="foreground"),
    ):  # fmt: skip
        buffer.add(one)
    assert [(e.type, e.occurrence, e.data) for e in buffer] == [
        ("occurrence.stored", 8, {"late_us": 4}), ("bound", None, {}), ("bound", None, {}),
        ("occurrence.admitted", 7, {"late_us": 3, "reason": "foreground"}),
    ]  # fmt: skip


def test_a_buffer_goes_back_to_its_mark() -> None:
    buffer = Buffer()
    buffer.add(entry("occurrence.stored", 7, late_us=3))
    mark = buffer.mark()
    buffer.add(entry("occurrence.admitted", 7, reason="foreground"))
    buffer.add(entry("bound"))
    buffer.rewind(mark)
    assert [(e.type, e.data) for e in buffer] == [("occurrence.stored", {"late_us": 3})]


@pytest.mark.rule("OCC-18")
def test_stored_and_admitted_in_one_commit_is_one_event() -> None:
    world = World()
    world.add(draft("s", "0 * * * *"))
    world.at("2026-01-01T01:00:00Z")
    assert [t for t, _ in world.events() if t.startswith(("occurrence", "invocation"))] == ["occurrence.admitted"]
