"""Definition: what is new, what is equal, what is refused, and which zone rules a revision keeps."""

from __future__ import annotations

import dataclasses
from hashlib import sha256
from pathlib import Path

import pytest

from spellweaver.core import pattern
from spellweaver.core.calendar import firing_key
from spellweaver.core.instant import SECOND
from spellweaver.core.pattern import Edge, Station
from spellweaver.engine.admit import admit
from spellweaver.engine.define import define
from spellweaver.engine.materialize import materialize
from spellweaver.errors import Refused
from spellweaver.ledger.revisions import KeptRulesDamaged
from spellweaver.manifest import zones
from tests.support.calendars import calendar
from tests.support.engine import World, content, draft, policy, us

ROME, PARIS, LONDON = (zones.rules(name) for name in ("Europe/Rome", "Europe/Paris", "Europe/London"))


def hexed(rules: bytes) -> str:
    return sha256(rules).hexdigest()


def kept(world: World, revision: int) -> str:
    (digest,) = world.row("SELECT hex(zone_rules) FROM revision WHERE number = ?", revision)
    return str(digest).lower()


@pytest.mark.rule("CUT-01")
def test_an_equal_definition_changes_nothing_and_says_so() -> None:
    world = World()
    assert [(d.kind, d.status, d.revision) for d in world.define(draft("s", "0 2 * * *"))] == [
        ("pattern", "new", "1"), ("schedule", "new", "1"),
    ]  # fmt: skip
    before = content(world.ledger.connection)
    assert [(d.kind, d.status, d.revision) for d in world.define(draft("s", "0 2 * * *"))] == [
        ("pattern", "unchanged", "1"), ("schedule", "unchanged", "1"),
    ]  # fmt: skip
    assert content(world.ledger.connection) == before
    told = world.define(draft("s", "0 2 * * *", horizon="2h", labels='{"a":"b"}'))[-1]
    assert (told.status, told.revision) == ("revision", "2")
    assert told.changes == ("labels.a", "recovery.misfire_horizon_us")
    assert world.define(draft("s", "0 2 * * *"))[-1].revision == "1", "an older equal one is found too"
    world.audit()


@pytest.mark.rule("CUT-01")
def test_a_version_of_a_workflow_is_never_rewritten_and_a_refusal_stores_nothing() -> None:
    world = World()
    world.define(draft("s", "0 2 * * *"))
    before = content(world.ledger.connection)
    other = dataclasses.replace(pattern.one_station("job", "1"), implementation_revision="9")
    with pytest.raises(Refused, match="is in the ledger with other content") as said, world.ledger.decide() as tx:
        define(tx, patterns=[pattern.one_station("new", "1"), other], schedules=[], owner="operator")
    assert said.value.exit_status == 3
    assert content(world.ledger.connection) == before, "the first of the file neither"


def test_a_schedule_that_names_what_is_not_there_or_can_not_run_is_refused() -> None:
    world = World()
    world.define(draft("s", "0 2 * * *"))
    missing = "no pattern job@7 in this ledger; revisions of job that are: 1"
    with pytest.raises(Refused, match=missing), world.ledger.decide() as tx:
        define(tx, patterns=[], schedules=[draft("t", "0 2 * * *", version="job@7")], owner="operator")
    two = pattern.Pattern(
        "two", "1", "1", "none", "a",
        (Station("a", "a", "task"), Station("b", "b", "task"), Station("end", "end", "end")),
        (Edge("a", "b", "next"), Edge("b", "end", "next")),
    )  # fmt: skip
    with pytest.raises(Refused, match="has 3 stations; this version runs one"), world.ledger.decide() as tx:
        define(tx, patterns=[two], schedules=[draft("t", "0 2 * * *", version="two@1")], owner="operator")


@pytest.mark.rule("CAT-01")
def test_the_policy_of_the_time_of_definition_is_pinned() -> None:
    world = World()
    world.apply(policy(horizon="3h"))
    world.define(draft("s", "0 2 * * *"), draft("t", "0 2 * * *", horizon="0s"))
    world.apply(policy(horizon="9h"))
    horizons = world.rows("SELECT body ->> '$.recovery.misfire_horizon_us' FROM revision ORDER BY id")
    assert horizons == [(3 * 3600 * SECOND,), (0,)]


@pytest.mark.rule("CAL-04")
def test_a_new_revision_takes_over_the_rules_of_the_active_one_whatever_the_host_has() -> None:
    world = World()
    world.add(draft("s", "0 2 * * *", zone="Europe/Rome", host_rules=ROME))
    newer = draft("s", "0 2 * * *", zone="Europe/Rome", host_rules=LONDON, horizon="2h")
    world.define(newer)
    assert kept(world, 2) == hexed(ROME)
    assert world.activate("s").status == "activated", "the calendar is read as before"


@pytest.mark.rule("CAL-04")
def test_the_hosts_rules_are_taken_only_where_they_are_asked_for() -> None:
    world = World()
    world.add(draft("s", "0 2 * * *", zone="Europe/Rome", host_rules=ROME))
    told = world.define(draft("s", "0 2 * * *", zone="Europe/Rome", host_rules=LONDON, zone_rules="host"))[-1]
    assert kept(world, 2) == hexed(LONDON) and told.changes == ("calendar.zone_rules",)
    with pytest.raises(Refused, match="reads the calendar differently.*zone rules"):
        world.activate("s")
    world.define(draft("s", "0 2 * * *", zone="Europe/Rome", host_rules=PARIS, horizon="7h"))
    assert kept(world, 3) == hexed(ROME), "the active one's, and not those of the newest"


@pytest.mark.rule("CAL-04")
def test_before_an_activation_the_newest_ones_rules_for_that_zone_are_kept_else_the_hosts() -> None:
    world = World()
    world.define(draft("s", "0 2 * * *", zone="Europe/Rome", host_rules=ROME))
    world.define(draft("s", "1 2 * * *", zone="Europe/Rome", host_rules=PARIS, zone_rules="host"))
    world.define(draft("s", "2 2 * * *", zone="Europe/Rome", host_rules=LONDON))
    world.define(draft("s", "3 2 * * *", zone="Europe/London", host_rules=LONDON))
    assert [kept(world, n) for n in (1, 2, 3, 4)] == [hexed(r) for r in (ROME, PARIS, PARIS, LONDON)]
    assert world.row("SELECT count(*) FROM zone_rules") == (3,), "each once"


@pytest.mark.rule("CAL-04")
def test_rules_by_digest_must_be_kept_here() -> None:
    world = World()
    world.define(draft("s", "0 2 * * *", zone="Europe/Rome", host_rules=ROME))
    named = draft("s", "9 2 * * *", zone="Europe/Rome", host_rules=LONDON, zone_rules=hexed(ROME))
    world.define(named)
    assert kept(world, 2) == hexed(ROME)
    with pytest.raises(Refused, match="are not kept in this ledger"):
        world.define(dataclasses.replace(named, calendar=dataclasses.replace(named.calendar, zone_rules="ab" * 32)))


@pytest.mark.rule("CAL-04")
def test_firings_go_by_the_kept_rules_after_a_restart_whatever_the_host_has_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rome's name, with rules by which it keeps London's time; then the host's rules for Rome are Rome's."""
    world = World(tmp_path)
    world.add(draft("s", "0 9 * * *", zone="Europe/Rome", host_rules=LONDON))
    monkeypatch.setattr(zones, "rules", lambda name: ROME)
    for day in ("2026-01-01", "2026-01-02"):
        world.reopen()
        world.live(f"{day}T12:00:00Z")
    assert [at for at, *_ in world.fates("s")] == ["2026-01-01T09:00:00Z", "2026-01-02T09:00:00Z"]
    assert kept(world, 1) == hexed(LONDON)


def damage(world: World, rules: bytes, how: str) -> None:
    connection = world.ledger.connection
    for trigger in ("zone_rules_unchanged", "zone_rules_kept"):
        connection.execute(f"DROP TRIGGER {trigger}")
    connection.execute("PRAGMA foreign_keys = OFF")
    digest = sha256(rules).digest()
    if how == "missing":
        connection.execute("DELETE FROM zone_rules WHERE digest = ?", (digest,))
    else:
        connection.execute("UPDATE zone_rules SET data = ? WHERE digest = ?", (LONDON, digest))


@pytest.mark.rule("CAL-06")
@pytest.mark.parametrize("how", ["missing", "altered"])
def test_damaged_rules_stop_that_schedule_alone_once_and_the_tick_goes_on(tmp_path: Path, how: str) -> None:
    world = World(tmp_path)
    world.add(
        draft("rome", "*/10 * * * *", zone="Europe/Rome"), draft("paris", "*/10 * * * *", zone="Europe/Paris"),
        draft("plain", every="10m"),
    )  # fmt: skip
    world.live("2026-01-01T00:10:00Z")
    damage(world, ROME, how)
    world.reopen()
    world.live("2026-01-01T00:40:00Z")
    assert world.rows("SELECT name, state FROM schedule ORDER BY name") == [
        ("paris", "active"), ("plain", "active"), ("rome", "stopped"),
    ]  # fmt: skip
    assert [len(world.fates(name)) for name in ("rome", "paris", "plain")] == [1, 4, 4]
    ((_, said),) = world.events("schedule.stopped")
    assert "local/rome: its kept zone rules" in str(said["why"])
    assert ("are missing" if how == "missing" else "not what their digest says") in str(said["why"])
    assert world.row("SELECT why FROM schedule WHERE name = 'rome'") == (said["why"],)
    with pytest.raises(KeptRulesDamaged, match="kept zone rules") as told:
        world.define(draft("rome", "*/10 * * * *", zone="Europe/Rome", horizon="1h"))
    assert told.value.exit_status == 78, "the host's rules do not stand in for them"
    with pytest.raises(KeptRulesDamaged):
        world.activate("rome")


@pytest.mark.rule("CAL-06")
def test_what_it_had_admitted_goes_on_and_what_it_had_pending_waits_for_it(tmp_path: Path) -> None:
    world = World(tmp_path, workers=1)
    world.add(draft("rome", "*/10 * * * *", zone="Europe/Rome", allowed_delay="2h"), draft("plain", every="10m"))
    world.clock.advance(600 * SECOND)
    with world.ledger.decide() as tx:
        materialize(tx, allowance_us=SECOND, limit=9)
        admit(tx, limit=9)
    assert [n for n in ("rome", "plain") if world.fates(n)[0][1] == "admitted"] == ["plain"]
    world.end(world.look().launches[0])
    world.look()
    assert world.fates("rome")[0][1:] == ("admitted", "window_open")
    world.at("2026-01-01T00:20:00Z")
    assert world.fates("rome")[1][1:] == ("pending", "overlap")
    digest = sha256(ROME).digest()
    kept_rules = world.row("SELECT data FROM zone_rules WHERE digest = ?", digest)
    damage(world, ROME, "altered")
    world.reopen()
    world.at("2026-01-01T00:30:00Z")
    assert world.row("SELECT state FROM schedule WHERE name = 'rome'") == ("stopped",)
    rome = next(launch for launch in world.launches if launch.schedule == "local/rome")
    assert world.end(rome) == "completed"
    world.look()
    assert world.fates("rome")[1][1:] == ("pending", "stopped"), "it is not admitted though nothing else is in the way"

    world.ledger.connection.execute("UPDATE zone_rules SET data = ? WHERE digest = ?", (*kept_rules, digest))
    world.reopen()
    assert world.activate("rome").status == "activated"
    for launch in world.launches:
        world.end(launch)
    world.look()
    assert [fate[1:] for fate in world.fates("rome")[1:]] == [("admitted", "window_open"), ("pending", "overlap")]


@pytest.mark.rule("CAL-06")
def test_a_granted_attempt_is_claimed_when_the_rules_of_its_schedule_are_damaged(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.add(draft("rome", "0 2 * * *", zone="Europe/Rome"), draft("plain", every="10m"))
    world.clock.advance(3600 * SECOND)
    with world.ledger.decide() as tx:
        materialize(tx, allowance_us=SECOND, limit=9)
        admit(tx, limit=9)
    damage(world, ROME, "altered")
    world.reopen()
    found = {launch.schedule: launch.firing for launch in world.look().launches}
    assert found == {"local/rome": "c1:2026-01-01T02:00", "local/plain": "c1:2026-01-01T01:00:00Z"}


@pytest.mark.rule("RCV-05")
def test_a_revision_that_is_not_what_its_digest_says_stops_its_schedule_alone(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.add(draft("bad", "*/10 * * * *"), draft("good", "*/10 * * * *"))
    world.ledger.connection.execute("DROP TRIGGER revision_unchanged")
    world.ledger.connection.execute("UPDATE revision SET body = '{' WHERE id = 1")
    world.reopen()
    world.live("2026-01-01T00:30:00Z")
    assert (len(world.fates("bad")), len(world.fates("good"))) == (0, 3)
    assert [n["why"] for _, n in world.events("schedule.stopped")] == [
        str(world.row("SELECT why FROM schedule WHERE name = 'bad'")[0])
    ]


@pytest.mark.rule("RCV-05")
def test_a_revision_damaged_between_admission_and_claim_fails_its_run_and_the_pass_goes_on(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.add(draft("bad", "*/10 * * * *"), draft("good", "*/10 * * * *"))
    world.clock.advance(600 * SECOND)
    with world.ledger.decide() as tx:
        materialize(tx, allowance_us=SECOND, limit=9)
        admit(tx, limit=9)
    world.ledger.connection.execute("DROP TRIGGER revision_unchanged")
    world.ledger.connection.execute("UPDATE revision SET body = '{' WHERE id = 1")
    world.reopen()
    assert [launch.schedule for launch in world.look().launches] == ["local/good"]
    assert world.row("SELECT state, reason FROM invocation WHERE id = 1") == ("failed", "unavailable")
    assert world.rows("SELECT name, state FROM schedule ORDER BY id") == [("bad", "stopped"), ("good", "active")]
    world.look()
    assert len(world.events("schedule.stopped")) == 1


@pytest.mark.rule("CAL-01")
def test_the_rules_of_a_zone_are_not_asked_for_where_there_is_none() -> None:
    world = World()
    world.add(draft("s", every="10m"))
    assert world.row("SELECT zone_rules FROM revision") == (None,)
    assert world.row("SELECT count(*) FROM zone_rules") == (0,)
    world.live("2026-01-01T00:20:00Z")
    assert len(world.fates("s")) == 2


def test_a_key_is_rendered_without_the_rules_as_with_them() -> None:
    read = calendar("30 2 * * *", "Europe/Bratislava", fold="both")
    for found in read.walk(us("2026-10-24T00:00:00Z") // SECOND, us("2026-10-26T12:00:00Z") // SECOND):
        assert firing_key(read.interpretation.cadence, found, 2) == read.key(found, 2)
