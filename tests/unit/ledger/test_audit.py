"""The audit: a healthy ledger of every kind has no finding, and each law is seen to be broken when it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from spellweaver.clock import VirtualClock
from spellweaver.ledger.audit import laws
from spellweaver.ledger.audit.finding import Finding
from spellweaver.ledger.opening import create_ledger, memory_ledger
from tests.conftest import RULES
from tests.support.engine import World, draft, policy, us
from tests.support.story import STEPS, Story


def told() -> apsw.Connection:
    """The ledger of the whole story."""
    clock = VirtualClock(us(STEPS[0].at))
    story = Story(memory_ledger(clock, actor="test"), clock)
    for step in STEPS:
        story.do(step)
    return story.ledger.connection


@pytest.fixture(scope="module")
def whole() -> apsw.Connection:
    return told()


def damaged(whole: apsw.Connection, *statements: str) -> apsw.Connection:
    """A copy of the ledger after somebody went at it with SQL: its triggers and checks look away meanwhile."""
    copy = apsw.Connection(":memory:")
    with copy.backup("main", whole, "main") as backup:
        backup.step(-1)
    copy.execute("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; PRAGMA legacy_alter_table = ON")
    triggers = copy.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        copy.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        copy.execute(statement)
    for name, sql in triggers:
        if not name.startswith("grant_") or copy.table_exists("main", "grant"):
            copy.execute(sql)
    copy.execute("PRAGMA foreign_keys = ON; PRAGMA ignore_check_constraints = OFF")
    return copy


def bare(table: str) -> str:
    """The table again, with every row and without any of its constraints."""
    return f"CREATE TABLE bare AS SELECT * FROM {table}; DROP TABLE {table}; ALTER TABLE bare RENAME TO {table}"


def again(table: str, where: str, **other: str) -> str:
    """A row of a bare table once more, some of its values being other ones."""
    columns = {
        "occurrence": "id, schedule, generation, civil, fold, revision, nominal_at, due_at, not_before, "
        "latest_start_at, finish_by, class, mode, policy, authority, created_at, state, reason, decided_at, wake_at, "
        "blockers",
        "invocation": "id, occurrence, schedule, exclusive, state, reason, disposition, admitted_at, started_at, "
        "ended_at",
    }[table].split(", ")
    values = ", ".join(other.get(column, column) for column in columns)
    return f"INSERT INTO {table} ({', '.join(columns)}) SELECT {values} FROM {table} WHERE {where} LIMIT 1"


# for each law, by its name: what breaks it
DAMAGE: dict[str, tuple[str, ...]] = {
    "pages_whole": ("UPDATE account SET capacity = -1",),
    "references_whole": ("DELETE FROM zone_rules",),
    "schema_whole": ("DROP INDEX invocation_forbid",),
    "settings_safe": ("PRAGMA user_version = 7",),
    "one_ledger": ("UPDATE ledger SET id = 'another'",),
    "machine_told": ("UPDATE ledger SET machine = 'another'",),
    "revisions_as_digested": ("UPDATE revision SET body = json_replace(body, '$.recovery.catch_up', 'none')",),
    "bindings_as_digested": ("UPDATE binding SET body = replace(body, '/bin/true', '/bin/false') WHERE id = 1",),
    "zone_rules_as_digested": ("UPDATE zone_rules SET data = CAST(data || x'00' AS BLOB)",),
    "patterns_well_formed": ("UPDATE pattern_version SET snapshot = CAST(replace(snapshot, 'task', 'tusk') AS BLOB)",),
    "one_reading_a_generation": (
        "UPDATE revision SET body = json_replace(body, '$.calendar.cadence.every_s', 901) WHERE number = 2",),
    "active_as_switched": ("UPDATE schedule SET active = (SELECT id FROM revision WHERE number = 2) WHERE id = 1",),
    "definitions_told": ("DELETE FROM event WHERE type = 'bound'",),
    "one_row_a_firing": (bare("occurrence"), again("occurrence", "TRUE", id="9001")),
    "row_or_range": (again("occurrence", "state = 'skipped' AND schedule = (SELECT id FROM schedule WHERE name = "
                           "'minutely')", id="9001", civil="1774658640", nominal_at="1774658640000000",
                           due_at="1774658640000000"),),
    "ranges_apart": ("UPDATE firing_range SET first_at = first_at - 86400000000 WHERE id = (SELECT max(id) FROM "
                     "firing_range WHERE schedule = (SELECT id FROM schedule WHERE name = 'minutely'))",),
    "revision_in_force": ("UPDATE occurrence SET revision = (SELECT id FROM revision WHERE number = 2) WHERE id = 1",),
    "partitions_kept": ("UPDATE occurrence SET reason = 'overlap' WHERE reason = 'cutover'",),
    "bounds_of_the_revision": ("UPDATE occurrence SET latest_start_at = latest_start_at + 1 "
                               "WHERE latest_start_at IS NOT NULL",),
    "nothing_past_the_mark": ("UPDATE schedule SET settled_to = settled_to - 7200 WHERE name = 'minutely'",),
    "recorded_in_time": ("UPDATE occurrence SET created_at = nominal_at - 1 WHERE id = 2",),
    "civil_and_instant": ("UPDATE occurrence SET fold = 0 WHERE id = (SELECT max(o.id) FROM occurrence o "
                          "JOIN schedule s ON s.id = o.schedule WHERE s.name = 'hourly')",),
    "admitted_has_invocation": ("UPDATE occurrence SET state = 'pending', reason = 'not_yet', decided_at = NULL "
                                "WHERE id = (SELECT occurrence FROM invocation LIMIT 1)",),
    "admission_whole": ('DELETE FROM "grant" WHERE attempt = 1',),
    "admission_is_one_act": ("UPDATE invocation SET admitted_at = admitted_at + 1 WHERE id = 2",),
    "admitted_in_window": ("UPDATE occurrence SET latest_start_at = decided_at WHERE state = 'admitted' AND "
                           "latest_start_at IS NOT NULL",),
    "missed_past_bound": ("UPDATE occurrence SET decided_at = latest_start_at - 1 WHERE state = 'missed'",),
    "one_at_a_time": (bare("invocation"), again("invocation", "ended_at IS NULL", id="9001", occurrence="1")),
    "pinned_version": ("UPDATE run SET name = 'another' WHERE id = 1",),
    "one_open_attempt": ("UPDATE attempt SET state = 'running', ended_at = NULL WHERE id = 1",),
    "states_agree": ("UPDATE invocation SET state = 'contained', reason = 'settling' WHERE ended_at IS NULL",),
    "deliveries_settled": ("UPDATE delivery SET state = 'claimed' WHERE run = 1",),
    "one_real_attempt": ("UPDATE attempt SET state = 'exited', code = 0 WHERE state = 'never_started'",),
    "end_follows_begin": ("UPDATE event SET type = 'occurrence.admitted' WHERE type = 'invocation.completed' AND "
                          "seq = (SELECT min(seq) FROM event WHERE type = 'invocation.completed'); UPDATE event SET "
                          "type = 'invocation.completed' WHERE type = 'occurrence.admitted' AND occurrence = "
                          "(SELECT occurrence FROM event WHERE type = 'occurrence.admitted' ORDER BY seq LIMIT 1) AND "
                          "seq = (SELECT min(seq) FROM event WHERE type = 'occurrence.admitted')",),
    "exit_is_the_outcome": ("UPDATE attempt SET code = 9 WHERE id = 1",),
    "no_start_past_finish": ("UPDATE occurrence SET finish_by = decided_at WHERE state = 'admitted'",),
    "each_holds_its_share": ('UPDATE "grant" SET settled = NULL WHERE attempt = 1',),
    "given_back_as_used": ('UPDATE "grant" SET settled = \'rollback\' WHERE attempt = 1',),
    "within_capacity": ('UPDATE "grant" SET amount = 9 WHERE settled IS NULL',),
    "capacity_of_the_policy": ("UPDATE account SET capacity = 3 WHERE name = 'workers'",),
    "chain_verifies": ("UPDATE event SET actor = 'nobody' WHERE seq = 7",),
    "numbered_in_order": ("DELETE FROM event WHERE seq = (SELECT max(seq) FROM event) - 5",),
    "clock_steps_told": ("UPDATE event SET type = 'planted' WHERE type = 'clock_stepped_back'",),
    "fates_told": ("UPDATE event SET data = json_replace(data, '$.reason', 'gap') "
                   "WHERE type = 'occurrence.skipped' AND data ->> 'reason' = 'overlap'",),
    "runs_told": ("UPDATE event SET at = at + 1 WHERE type = 'invocation.failed'",),
    "stops_told": ("UPDATE schedule SET state = 'stopped', why = 'planted' WHERE id = 1",),
    "pauses_hold": ("UPDATE schedule SET state = 'paused' WHERE name = 'hourly'",),
    "paused_within": ("UPDATE pause SET ended_at = begins_at + 1",),
    "identity_before_start": ("UPDATE attempt SET pid = NULL WHERE id = 1",),
    "no_process_twice": ("UPDATE attempt SET (pid, ticks, inode) = (SELECT pid, ticks, inode FROM attempt "
                         "WHERE id = 1) WHERE id = 4",),
    "containment_proved": ("DELETE FROM proof",),
    "proof_of_an_end": ("UPDATE proof SET at = at - 1",),
    "bound_to_its_station": ("UPDATE attempt SET binding = 2 WHERE id = 1",),
    "one_occurrence_an_event": ("UPDATE occurrence SET civil = 9001 WHERE id = (SELECT max(id) FROM occurrence "
                                "WHERE generation = 0 AND state = 'refused')",),
    "assigned_when_received": ("UPDATE external_firing SET received_at = received_at - 1 WHERE id = 1",),
    "events_told": ("UPDATE external_firing SET principal = 'another' WHERE id = 1",),
    "content_is_kept": ("UPDATE external_firing SET content = x'00' WHERE id = 1",),
    "every_firing_has_a_fate": ("DELETE FROM firing_range WHERE count = 998",),
}  # fmt: skip


@pytest.mark.rule("RCV-04", "AUT-05")
@pytest.mark.parametrize("law", laws.FULL, ids=lambda law: law.__name__)
def test_each_law_is_seen_to_be_broken(whole: apsw.Connection, law: Callable[[apsw.Connection], list[Finding]]) -> None:
    (said,) = law(damaged(whole, *DAMAGE[law.__name__]))
    assert said.id == law.__name__
    assert said.rule in RULES and law.__doc__ is not None and law.__doc__.startswith(said.rule)
    assert said.sentence[-1] not in ".:" and said.hint
    assert law(whole) == [], "and holds where nothing was damaged"


def test_there_is_a_damage_for_each_law_and_each_has_its_own_name() -> None:
    assert [law.__name__ for law in laws.FULL] == list(dict.fromkeys(law.__name__ for law in laws.FULL))
    assert DAMAGE.keys() == {law.__name__ for law in laws.FULL}


def test_damage_that_is_none_is_not_found(whole: apsw.Connection) -> None:
    """What the tests do to reach their damage is itself no finding."""
    assert laws.audit(damaged(whole)) == []


def test_a_quick_audit_leaves_out_only_what_is_dear(whole: apsw.Connection) -> None:
    left_out = {law.__name__ for law in laws.FULL} - {law.__name__ for law in laws.QUICK}
    assert left_out == {"pages_whole", "chain_verifies", "every_firing_has_a_fate"}
    altered = damaged(whole, *DAMAGE["chain_verifies"])
    assert laws.audit(altered, full=False) == []
    assert [f.id for f in laws.audit(altered)] == ["chain_verifies"]


def dst() -> World:
    """Both clock changes of a year, each way of reading them, and a zone with half an hour."""
    world = World(now="2026-03-28T00:00:00Z")
    world.add(
        draft("both", "*/10 1,2,3 * * *", zone="Europe/Rome", fold="both", gap="advance"),
        draft("later", "30 2 * * *", zone="Europe/Rome", fold="later", gap="fail"),
        draft("howe", "15,45 1-3 * * *", zone="Australia/Lord_Howe", fold="both", gap="skip"),
    )
    world.live("2026-04-06T00:00:00Z", takes="5s")
    world.at("2026-10-24T00:00:00Z")
    world.live("2026-10-26T00:00:00Z", takes="5s")
    return world


def stopped() -> World:
    """A Schedule whose kept rules are damaged, beside one that goes on."""
    world = World()
    world.add(draft("rome", "* * * * *", zone="Europe/Rome"), draft("other", "* * * * *"))
    world.ledger.connection.execute(
        "DROP TRIGGER zone_rules_unchanged; "
        "UPDATE zone_rules SET data = x'00' WHERE digest = (SELECT zone_rules FROM revision WHERE id = 1)"
    )
    world.ledger.forget_undone()
    world.at("2026-01-01T00:05:00Z")
    return world


def fewer_workers() -> World:
    """More runs than workers, since the policy took some away."""
    world = World(workers=3)
    world.add(*(draft(f"s{n}", "* * * * *") for n in range(3)))
    world.at("2026-01-01T00:01:00Z")
    world.apply(policy(workers=1))
    return world


@pytest.mark.rule("RCV-04")
@pytest.mark.parametrize("make", [World, dst, fewer_workers])
def test_a_healthy_ledger_has_no_finding(make: Callable[[], World]) -> None:
    assert laws.audit(make().ledger.connection) == []


@pytest.mark.rule("RCV-04")
def test_a_ledger_in_a_file_and_a_simulated_copy_of_it_have_no_finding(tmp_path: Path) -> None:
    path, clock = f"{tmp_path}/state/ledger.db", VirtualClock(us(STEPS[0].at))
    story = Story(create_ledger(path, clock, actor="test", machine="here"), clock)
    for step in STEPS:
        story.do(step)
    assert laws.audit(story.ledger.connection) == []
    assert laws.audit(memory_ledger(clock, actor="test", copy_of=path).connection) == []


@pytest.mark.rule("RCV-05", "CAL-06")
def test_damaged_rules_are_found_where_they_are_and_hide_nothing_else() -> None:
    found = {f.id: f.sentence for f in laws.audit(stopped().ledger.connection)}
    assert found.keys() == {"schema_whole", "zone_rules_as_digested"}
    assert "zone_rules_unchanged" in found["schema_whole"]


def test_a_ledger_that_can_t_be_read_whole_is_told_law_by_law(whole: apsw.Connection) -> None:
    broken = damaged(whole, "UPDATE event SET data = 'no JSON' WHERE seq = 30", 'DROP TABLE "grant"')
    found = laws.audit(broken)
    unreadable = [f.sentence for f in found if f.id == "unreadable"]
    assert any(s.startswith("each_holds_its_share can't be judged") for s in unreadable)
    assert {"schema_whole", "chain_verifies"} <= {f.id for f in found}


def test_a_text_that_is_none_any_more_is_told_and_no_traceback(whole: apsw.Connection) -> None:
    found = laws.audit(damaged(whole, "UPDATE event SET actor = CAST(x'41f2' AS TEXT) WHERE seq = 30"))
    assert {f.id for f in found} == {"unreadable"} and "can't decode" in found[0].sentence


def test_a_finding_names_the_first_rows_and_counts_the_rest(whole: apsw.Connection) -> None:
    broken = damaged(whole, "UPDATE occurrence SET created_at = nominal_at - 1 WHERE id IN (7, 8, 9, 10, 11)")
    (said,) = laws.audit(broken, full=False)
    assert said == Finding(
        "recorded_in_time", "OCC-14", "firings decided before they were due: occ_7, occ_8, occ_9 and 2 more",
        "spellweaver explain occ_7",
    )  # fmt: skip
