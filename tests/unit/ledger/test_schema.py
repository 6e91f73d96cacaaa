"""What the database itself holds of the law: every trigger and every CHECK refuses, whatever a program says."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import apsw
import pytest

import spellweaver
from spellweaver.core import lifecycle
from spellweaver.core.launch import Contained
from spellweaver.engine import clock as clock_verbs
from spellweaver.engine.trigger import trigger
from tests.support.engine import World, draft, us

SCHEMA = (Path(spellweaver.__file__).parent / "ledger" / "schema.sql").read_text(encoding="utf-8")
T = 1_767_225_600_000_000  # 2026-01-01T00:00:00Z
PROVED = "INSERT INTO proof SELECT id, 'operator', 'planted', 1, 'test' FROM attempt WHERE state = 'exited'"


def populated() -> World:
    """A row in every table: a settled, a running, a contained and a pending firing, a range, and some history."""
    world = World()
    world.add(draft("first", "* * * * *"), draft("second", "0 * * * *", allowed_delay="3h"), draft("third", "@daily"))
    world.at("2026-01-01T00:01:00Z")
    world.end(world.launches[0])
    world.at("2026-01-01T00:02:00Z")
    world.start(world.launches[0])
    world.at("2026-01-01T01:00:00Z")
    world.see(Contained(world.launches[1].attempt, "escaped", "planted"))
    world.at("2026-01-01T02:00:00Z")
    with world.ledger.decide() as tx:
        trigger(tx, schedule="first", source="shop", event_id="order-9", content=b"[]", principal="test")
    world.look()
    with world.ledger.decide() as tx:
        clock_verbs.stepped(tx, before_at=us("2026-01-01T01:30:00Z"), after_at=us("2026-01-01T02:00:00Z"))
        clock_verbs.settled(tx)
    world.pause("second")
    world.resume("second")
    world.pause("second")
    return world


def refused(world: World, sql: str, *values: object) -> str:
    """What the database says to a statement that it must refuse; nothing of it stays."""
    with pytest.raises(apsw.ConstraintError) as said:
        world.ledger.connection.execute(sql, values)
    return str(said.value)


# each trigger of the schema, and a statement that only it refuses
TRIGGERS = {
    "ledger_named": "UPDATE ledger SET id = 'other'",
    "ledger_kept": "DELETE FROM ledger",
    "event_unchanged": "UPDATE event SET at = at + 1 WHERE seq = 1",
    "event_kept": "DELETE FROM event WHERE seq = 1",
    "event_follows": "INSERT INTO event SELECT seq + 7, txn, at, type, schedule, occurrence, invocation, actor, data, "
    "hash FROM event ORDER BY seq DESC LIMIT 1",
    "policy_unchanged": "UPDATE policy SET body = '{}'",
    "policy_kept": "DELETE FROM policy",
    "zone_rules_unchanged": "UPDATE zone_rules SET data = x'00'",
    "zone_rules_kept": "DELETE FROM zone_rules",
    "pattern_unchanged": "UPDATE pattern_version SET snapshot = x'00'",
    "pattern_kept": "DELETE FROM pattern_version",
    "binding_unchanged": "UPDATE binding SET body = '{}'",
    "binding_kept": "DELETE FROM binding",
    "schedule_named": "UPDATE schedule SET name = 'other' WHERE id = 1",
    "schedule_kept": "DELETE FROM schedule",
    "schedule_moves": "UPDATE schedule SET state = 'defined' WHERE id = 1",
    "schedule_forwards": "UPDATE schedule SET settled_to = settled_to - 1 WHERE id = 1",
    "pause_ended": "UPDATE pause SET why = 'another' WHERE ended_at IS NOT NULL",
    "pause_identity": "UPDATE pause SET begins_at = begins_at + 1 WHERE ended_at IS NULL",
    "pause_kept": "DELETE FROM pause",
    "calendar_generation_unchanged": "UPDATE calendar_generation SET interpretation = 'x'",
    "calendar_generation_kept": "DELETE FROM calendar_generation",
    "revision_unchanged": "UPDATE revision SET body = '{}'",
    "revision_kept": "DELETE FROM revision",
    "activation_unchanged": "UPDATE activation SET begins_at = begins_at + 1",
    "activation_kept": "DELETE FROM activation",
    "occurrence_terminal": "UPDATE occurrence SET reason = 'window_open' WHERE state = 'admitted'",
    "occurrence_identity": "UPDATE occurrence SET latest_start_at = latest_start_at + 1",
    "occurrence_kept": "DELETE FROM occurrence",
    "occurrence_admitted": "UPDATE occurrence SET state = 'admitted', reason = 'window_open', decided_at = due_at, "
    "wake_at = NULL WHERE state = 'pending'",
    "occurrence_born": "INSERT INTO occurrence SELECT id + 90, schedule, generation, civil + 1, fold, revision, "
    "nominal_at, due_at, not_before, latest_start_at, finish_by, class, mode, policy, authority, created_at, state, "
    "reason, decided_at, wake_at, blockers FROM occurrence WHERE state = 'admitted' LIMIT 1",
    "external_firing_unchanged": "UPDATE external_firing SET principal = 'other'",
    "external_firing_kept": "DELETE FROM external_firing",
    "firing_range_unchanged": "UPDATE firing_range SET count = count + 1",
    "firing_range_kept": "DELETE FROM firing_range",
    "invocation_terminal": "UPDATE invocation SET ended_at = ended_at + 1 WHERE state = 'completed'",
    "invocation_moves": "UPDATE invocation SET state = 'running', reason = 'none' WHERE state = 'contained'",
    "invocation_identity": "UPDATE invocation SET admitted_at = admitted_at + 1",
    "invocation_kept": "DELETE FROM invocation",
    "invocation_born": "INSERT INTO invocation SELECT 99, max(id), schedule, 0, 'queued', 'worker', 'none', "
    "due_at - 1, NULL, NULL FROM occurrence WHERE state = 'pending'",
    "invocation_contained": "UPDATE invocation SET state = 'failed', reason = 'lost', ended_at = 1 "
    "WHERE state = 'contained'",
    "run_unchanged": "UPDATE run SET name = 'other'",
    "run_kept": "DELETE FROM run",
    "delivery_moves": "UPDATE delivery SET state = 'held' WHERE state = 'claimed'",
    "delivery_identity": "UPDATE delivery SET station = 'other'",
    "delivery_kept": "DELETE FROM delivery",
    "attempt_terminal": "UPDATE attempt SET code = 1 WHERE state = 'exited'",
    "attempt_identity": "UPDATE attempt SET nth = nth + 1",
    "attempt_moves": "UPDATE attempt SET state = 'granted' WHERE state = 'running'",
    "attempt_kept": "DELETE FROM attempt",
    "attempt_proved": "UPDATE attempt SET state = 'lost', ended_at = 1 WHERE state = 'contained'",
    "grant_settled": 'UPDATE "grant" SET settled = \'rollback\' WHERE settled = \'release\'',
    "grant_identity": 'UPDATE "grant" SET amount = 2 WHERE settled IS NULL',
    "grant_kept": 'DELETE FROM "grant"',
    "proof_unchanged": "UPDATE proof SET detail = 'other'",
    "proof_kept": "DELETE FROM proof",
    "clock_event_closed": "UPDATE clock_event SET closed_at = 7",
    "clock_event_kept": "DELETE FROM clock_event",
}  # fmt: skip


@pytest.mark.rule("OCC-12", "OCC-04", "CUT-01")
def test_every_trigger_of_the_schema_refuses() -> None:
    world = populated()
    world.ledger.connection.execute(PROVED)
    messages = dict(re.findall(r"CREATE TRIGGER (\w+) .*?RAISE\(ABORT, '(.*?)'\)", SCHEMA, re.S))
    assert messages.keys() == TRIGGERS.keys(), "a trigger without a test, or a test without its trigger"
    assert len(set(messages.values())) == len(messages), "which trigger spoke is known by what it says"
    assert {name: refused(world, sql) for name, sql in TRIGGERS.items()} == messages


# one broken row for each CHECK: the table, and what is put into a good row of it
CHECKS: list[tuple[str, str]] = [
    ("ledger", "one = 2"),
    ("ledger", "kind = 'other'"),
    ("event", "hash = x'00'"),
    ("account", "capacity = -1"),
    ("authority", "generation = 0"),
    ("zone_rules", "digest = x'00'"),
    ("pattern_version", "digest = 'short'"),
    ("binding", "digest = 'short'"),
    ("schedule", "state = 'other'"),
    ("schedule", "active = NULL"),
    ("revision", "digest = 'short'"),
    ("activation", "begins_at = decided_at - 1"),
    ("occurrence", "fold = 2"),
    ("occurrence", "class = 'cron', not_before = NULL, latest_start_at = NULL"),
    ("occurrence", "mode = 'other'"),
    ("occurrence", "state = 'other', decided_at = 1, wake_at = NULL, reason = 'carrier'"),
    ("occurrence", "decided_at = 1"),
    ("occurrence", "state = 'skipped', reason = 'operator', decided_at = 1, wake_at = 1"),
    ("occurrence", "latest_start_at = NULL"),
    ("occurrence", "due_at = nominal_at - 1"),
    ("occurrence", "reason = 'carrier'"),
    ("external_firing", "source = ''"),
    ("external_firing", "event_id = ''"),
    ("external_firing", "content_digest = x'00'"),
    ("external_firing", "origin = 'schedule'"),
    ("firing_range", "state = 'admitted'"),
    ("firing_range", "first_fold = 2"),
    ("firing_range", "last_fold = 2"),
    ("firing_range", "last_at = first_at - 1"),
    ("firing_range", "count = 16"),
    ("firing_range", "decided_at = last_at - 1"),
    ("invocation", "exclusive = 2"),
    ("invocation", "state = 'other', reason = 'timeout'"),
    ("invocation", "disposition = 'other'"),
    ("invocation", "ended_at = 1"),
    ("invocation", "reason = 'exit'"),
    ("delivery", "seq = 0"),
    ("delivery", "state = 'other'"),
    ("attempt", "nth = 0"),
    ("attempt", "state = 'other'"),
    ("attempt", "pid = NULL"),
    ("attempt", "state = 'launching', binding = NULL"),
    ("attempt", "ended_at = 1"),
    ('"grant"', "amount = 0"),
    ('"grant"', "settled = 'other'"),
    ("proof", "kind = 'other'"),
    ("clock_event", "size_us = 1"),
]
GOOD = {
    "occurrence": "state = 'pending'", "invocation": "state = 'running'", "attempt": "state = 'running'",
    '"grant"': "settled IS NULL",
}  # fmt: skip


@pytest.mark.rule("CLS-05", "OCC-18")
def test_every_check_of_the_schema_refuses() -> None:
    world = populated()
    connection = world.ledger.connection
    connection.execute(PROVED)
    for name in TRIGGERS:
        connection.execute(f"DROP TRIGGER {name}")
    seen = []
    for table, broken in CHECKS:
        said = refused(world, f"UPDATE {table} SET {broken} WHERE {GOOD.get(table, 'TRUE')}")
        assert said.startswith("CHECK constraint failed: "), (table, broken, said)
        seen.append((table.strip('"'), said.removeprefix("CHECK constraint failed: ")))
    checks = re.findall(r"\bCHECK \(", re.sub(r"--.*", "", SCHEMA))
    assert len(set(seen)) == len(seen) == len(checks), "a CHECK without a broken row"


def words(machine: str, column: str) -> set[str]:
    """The closed list of a column's CHECK."""
    table = re.search(rf'CREATE TABLE "?{machine}"? \((.*?)\n\) STRICT', SCHEMA, re.S)
    assert table is not None
    listed = re.search(rf"{column} TEXT NOT NULL CHECK \({column} IN \((.*?)\)\)", table[1])
    assert listed is not None
    return set(re.findall(r"'(\w+)'", listed[1]))


@pytest.mark.rule("OCC-18", "OCC-12")
def test_states_and_reasons_are_the_same_words_in_core_and_schema() -> None:
    for machine, moves in lifecycle.TRANSITIONS.items():
        assert words(machine, "state") == set(moves), machine
        assert {after for follows in moves.values() for after in follows} <= set(moves)
    assert words("invocation", "disposition") == set(lifecycle.DISPOSITIONS)
    for machine, reasons in lifecycle.REASONS.items():
        assert set(reasons) == set(lifecycle.TRANSITIONS[machine])
        case = re.search(rf"CREATE TABLE {machine} .*?CHECK \(CASE state\s(.*?)END\)", SCHEMA, re.S)
        assert case is not None
        said = {
            state: tuple(re.findall(r"'(\w+)'", listed))
            for state, listed in re.findall(r"WHEN '(\w+)' THEN reason (?:IN|=) ?(\(.*?\)|'\w+')", case[1])
        }
        last = re.search(r"ELSE reason = '(\w+)'", case[1])
        (missing,) = set(reasons) - set(said)
        assert last is not None and {**said, missing: (last[1],)} == reasons


# what stands beside a state so that only its following the other one is in question
BESIDE = {
    "schedule": dict.fromkeys(lifecycle.TRANSITIONS["schedule"], ""),
    "occurrence": {
        "pending": ", reason = 'not_yet', decided_at = NULL",
        "admitted": f", reason = 'window_open', decided_at = {T + 7_200_000_000}, wake_at = NULL",
        "missed": ", reason = 'latest_start', decided_at = 1, wake_at = NULL",
        "skipped": ", reason = 'operator', decided_at = 1, wake_at = NULL",
        "refused": ", reason = 'policy', decided_at = 1, wake_at = NULL",
        "coalesced": ", reason = 'carrier', decided_at = 1, wake_at = NULL",
    },
    "invocation": {
        state: f", reason = '{words_[0]}', ended_at = {'1' if state in lifecycle.terminal('invocation') else 'NULL'}"
        for state, words_ in lifecycle.REASONS["invocation"].items()
    },
    "delivery": dict.fromkeys(lifecycle.TRANSITIONS["delivery"], ""),
    "attempt": {
        state: f", ended_at = {'1' if state in lifecycle.terminal('attempt') else 'NULL'}"
        for state in lifecycle.TRANSITIONS["attempt"]
    },
}


def one_of_each_machine() -> tuple[apsw.Connection, dict[str, str]]:
    """A row of each machine in its first state, which any state may be written over while the triggers are off."""
    world = World()
    world.add(draft("s", "0 * * * *", allowed_delay="3h"))
    world.at("2026-01-01T01:00:00Z")
    world.start(world.launches[0])
    world.at("2026-01-01T02:00:00Z")
    connection = world.ledger.connection
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute(
        "INSERT INTO invocation (id, occurrence, schedule, exclusive, state, reason, disposition, admitted_at) "
        "VALUES (9, 2, 1, 0, 'queued', 'none', 'none', ?)",
        (T + 7_200_000_000,),
    )
    connection.execute("INSERT INTO proof VALUES (1, 'operator', 'planted', 1, 'test')")
    where = {"schedule": "id = 1", "occurrence": "id = 2", "invocation": "id = 9", "delivery": "run = 1"}
    return connection, where | {"attempt": "id = 1"}


def legal(machine: str, before: str, after: str) -> bool:
    return after in lifecycle.TRANSITIONS[machine][before]


@pytest.mark.rule("OCC-12", "OVL-04")
@pytest.mark.parametrize("machine", lifecycle.TRANSITIONS)
def test_of_all_ordered_pairs_of_states_the_table_allows_the_database_allows_the_same(machine: str) -> None:
    connection, where = one_of_each_machine()
    triggers = dict(re.findall(rf"CREATE TRIGGER ({machine}_\w+) (.*?END;)", SCHEMA, re.S))
    wrong = []
    for before, after in product(lifecycle.TRANSITIONS[machine], repeat=2):
        connection.execute("SAVEPOINT pair")
        for name in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(f"UPDATE {machine} SET state = '{before}'{BESIDE[machine][before]} WHERE {where[machine]}")
        for name, body in triggers.items():
            connection.execute(f"CREATE TRIGGER {name} {body}")
        try:
            connection.execute(f"UPDATE {machine} SET state = '{after}'{BESIDE[machine][after]} WHERE {where[machine]}")
            passed = True
        except apsw.ConstraintError as refusal:
            assert "CHECK" not in str(refusal), (before, after, refusal)
            passed = False
        finally:
            connection.execute("ROLLBACK TO pair")
            connection.execute("RELEASE pair")
        if before != after and passed != legal(machine, before, after):
            wrong.append((before, after, "passed" if passed else "refused"))
        if before == after and before in lifecycle.terminal(machine) and machine != "schedule" and passed:
            wrong.append((before, after, "a terminal row was written again"))
    assert wrong == []
