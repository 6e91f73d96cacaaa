"""A switch between two readings of a calendar: what it needs, what it does to what waits and what ran, and the way
back.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from spellweaver.core.cutover import Entry, Partition
from spellweaver.core.instant import show
from spellweaver.core.policy import Cycle
from spellweaver.engine.activate import activate
from spellweaver.errors import Refused
from spellweaver.manifest import zones
from tests.support.engine import World, content, draft, us

NIGHT = "0 2 * * *"


def nightly(folder: Path | None = None, *, cycle: Cycle | None = "date") -> World:
    """CUT-09: revision 1 at 02:00 in Bratislava, revision 2 at 02:00 UTC; nobody has looked since 00:30Z."""
    world = World(folder, now="2026-01-01T00:00:00Z")
    world.add(draft("n", NIGHT, zone="Europe/Bratislava", cycle=cycle))
    world.live("2026-01-02T00:30:00Z")
    world.define(draft("n", NIGHT, zone="UTC", cycle=cycle))
    world.clock.advance(us("1h"))
    return world


def ran(world: World, name: str = "n") -> list[tuple[int, str]]:
    """(revision, instant) of what was admitted."""
    return [
        (int(str(revision)), show(int(str(at))))
        for revision, at in world.rows(
            "SELECT r.number, o.nominal_at FROM occurrence o JOIN revision r ON r.id = o.revision "
            "JOIN schedule s ON s.id = o.schedule WHERE o.state = 'admitted' AND s.name = ? ORDER BY 2", name)
    ]  # fmt: skip


def refused(world: World, name: str, partition: Partition | None) -> Refused:
    before = content(world.ledger.connection)
    with pytest.raises(Refused) as said:
        world.activate(name, partition=partition)
    assert content(world.ledger.connection) == before
    assert said.value.exit_status == 3 and said.value.hint
    return said.value


def offending(said: Refused) -> list[str]:
    listed = said.fields["offending"]
    assert isinstance(listed, list)
    return [each["key"] for each in listed]


@pytest.mark.rule("CUT-09", "CUT-08")
@pytest.mark.parametrize("looked", [True, False])
def test_the_worked_case(tmp_path: Path, looked: bool) -> None:
    world = nightly(tmp_path)
    if looked:
        world.look()
    planned = world.plan("n")
    done = world.activate("n", partition=planned.partition)
    assert (done.status, done.revision, done.replaced, done.generation) == ("activated", 2, 1, 2)
    world.reopen()
    world.at("2026-01-02T02:00:00Z")  # found again by the new reading
    world.end(world.launches[-1])
    assert ran(world) == [(1, "2026-01-01T01:00:00Z"), (1, "2026-01-02T01:00:00Z")]
    world.reopen()
    world.live("2026-01-05T12:00:00Z")
    assert ran(world)[2:] == [(2, f"2026-01-0{day}T02:00:00Z") for day in (3, 4, 5)]
    world.audit()


@pytest.mark.rule("CUT-07")
def test_the_plan_of_the_worked_case() -> None:
    planned = nightly().plan("n")
    assert planned.partition == Partition(
        "local/n", 1, 2, us("2026-01-02T01:30:00Z"), us("2026-01-05T00:00:00Z"),
        "c1:2026-01-02T02:00", "c2:2026-01-03T02:00",
        tuple(
            Entry("same", (f"c1:2026-01-0{day}T02:00", f"c2:2026-01-0{day}T02:00"), "old" if day == 2 else "new")
            for day in (2, 3, 4)
        ),
    )  # fmt: skip
    assert planned.open == 0 and planned.cycle == "date"
    assert planned.notes["c1:2026-01-02T02:00"] == "2026-01-02T01:00:00Z, of revision 1"


@pytest.mark.rule("CUT-07")
def test_without_a_declared_cycle_equal_dates_pair_nothing() -> None:
    planned = nightly(cycle=None).plan("n")
    assert {entry.fate for entry in planned.partition.entries} == {"distinct"}
    fates = {entry.keys[0]: entry.owner for entry in planned.partition.entries}
    assert fates.pop("c1:2026-01-02T02:00") == "old", "it has come"
    assert set(fates.values()) == {"?"} and planned.open == len(fates) > 2


@pytest.mark.rule("CUT-07")
def test_a_cycle_with_several_firings_on_a_side_is_left_open() -> None:
    world = World(now="2026-01-01T12:00:00Z")
    world.add(draft("s", "0 2,14 * * *", cycle="date"))
    world.define(draft("s", "0 3 * * *", cycle="date"))
    planned = world.plan("s")
    assert {entry.owner for entry in planned.partition.entries if entry.keys[0] > "c1:2026-01-02"} == {"?"}
    said = refused(world, "s", planned.partition)
    assert said.code == "partition" and "left open" in said.message


@pytest.mark.rule("CUT-13")
def test_a_plan_holds_while_no_fate_changes_and_is_refused_when_one_does() -> None:
    world = nightly()
    world.look()  # the old one of January 2 is on record now, under revision 1
    planned = world.plan("n")
    assert planned.notes["c1:2026-01-02T02:00"].endswith("on record: fixed")
    world.at("2026-01-02T23:00:00Z")
    with world.ledger.decide(dry_run=True) as tx:
        assert activate(tx, schedule="n", revision=2, unbound=False, partition=planned.partition).replaced == 1
    world.at("2026-01-03T01:00:00Z")
    said = refused(world, "n", planned.partition)
    assert offending(said) == ["c1:2026-01-03T02:00"] and "assign it again" in said.message
    world.clock.advance(us("1h"))
    assert offending(refused(world, "n", planned.partition)) == ["c1:2026-01-03T02:00"]


@pytest.mark.rule("CUT-13")
def test_a_plan_for_another_revision_in_force_is_refused() -> None:
    world = nightly()
    planned = world.plan("n", 2)
    world.define(draft("n", NIGHT, zone="Europe/Bratislava", cycle="date", horizon="2h"))
    world.activate("n", 3)
    before = content(world.ledger.connection)
    with pytest.raises(Refused, match="revision 3 is in force now") as said:
        world.activate("n", 2, partition=planned.partition)
    assert said.value.code == "cutover_moved" and content(world.ledger.connection) == before


@pytest.mark.rule("CUT-13")
@pytest.mark.parametrize("fate", ["distinct", "skip"])
def test_nothing_of_the_new_reading_fires_backwards(fate: str) -> None:
    world = World(now="2026-01-01T00:00:00Z")
    world.add(draft("s", "0 * * * *"))
    world.define(draft("s", "30 * * * *"))
    world.live("2026-01-01T02:00:00Z")
    planned = world.plan("s", span="1s").partition
    past = Entry(fate, ("c2:2026-01-01T01:30",), "new")
    said = refused(world, "s", replace(planned, entries=(*planned.entries, past)))
    assert offending(said) == ["c2:2026-01-01T01:30"] and "at or before this activation" in said.message
    paired = Entry("same", ("c1:2026-01-01T01:00", "c2:2026-01-01T01:30"), "old")
    world.activate("s", partition=replace(planned, entries=(paired,), old_last="c1:2026-01-01T01:00"))
    world.at("2026-01-01T02:30:00Z")
    assert ran(world, "s")[-1] == (2, "2026-01-01T02:30:00Z")
    assert "2026-01-01T01:30:00Z" not in [at for _, at in ran(world, "s")]
    world.audit()


@pytest.mark.rule("CUT-04", "CUT-05")
def test_what_is_wrong_is_listed_whole() -> None:
    world = nightly()
    whole = world.plan("n").partition
    one, two, three = whole.entries
    assert offending(refused(world, "n", replace(whole, entries=(one, three)))) == [
        "c1:2026-01-03T02:00", "c2:2026-01-03T02:00",
    ]  # fmt: skip
    twice = Entry("skip", ("c1:2026-01-03T02:00",), "old")
    assert offending(refused(world, "n", replace(whole, entries=(*whole.entries, twice)))) == ["c1:2026-01-03T02:00"]
    unknown = Entry("distinct", ("c1:2026-01-03T03:00",), "old")
    assert offending(refused(world, "n", replace(whole, entries=(*whole.entries, unknown)))) == ["c1:2026-01-03T03:00"]
    undecided = replace(whole, entries=(one, replace(two, owner="?"), three))
    assert offending(refused(world, "n", undecided)) == list(two.keys)
    turned = replace(two, keys=two.keys[::-1])
    assert "names the old one first" in refused(world, "n", replace(whole, entries=(one, turned, three))).message
    assert "old_last must be" in refused(world, "n", replace(whole, old_last="c1:2026-01-03T02:00")).message
    assert "new_first must be" in refused(world, "n", replace(whole, new_first="c2:2026-01-02T02:00")).message
    assert world.activate("n", partition=whole).status == "activated"


@pytest.mark.rule("CUT-04")
def test_no_cycle_straddles_the_end_of_the_span() -> None:
    world = nightly()
    whole = world.plan("n").partition
    said = refused(world, "n", replace(world.plan("n", span="1d").partition, span_end=us("2026-01-05T01:00:00Z")))
    assert "c2:2026-01-05T02:00" in offending(said)
    assert "move span_end out of the cycle" in said.message
    assert world.activate("n", partition=whole).status == "activated"


@pytest.mark.rule("CUT-06")
def test_each_reading_has_its_own_boundary_and_civil_times_form_no_line() -> None:
    """02:00 in Auckland comes thirteen hours before 02:00 UTC of the same date. The old reading's last is dated after
    the new one's first, and that is no fault."""
    world = World(now="2026-01-01T12:30:00Z")
    world.add(draft("s", NIGHT, zone="Pacific/Auckland", cycle="date"))
    world.define(draft("s", NIGHT, cycle="date"))
    planned = world.plan("s").partition
    assert (planned.old_last, planned.new_first) == ("none", "c2:2026-01-02T02:00")
    alone = [Entry("distinct", (key,), "old" if key[:2] == "c1" else "new") for e in planned.entries for key in e.keys]
    kept = replace(planned, entries=tuple(alone))
    assert "old_last must be" in refused(world, "s", kept).message
    world.activate("s", partition=replace(kept, old_last="c1:2026-01-03T02:00", new_first="c2:2026-01-02T02:00"))
    world.live("2026-01-03T12:00:00Z")
    assert ran(world, "s") == [
        (1, "2026-01-01T13:00:00Z"), (2, "2026-01-02T02:00:00Z"), (1, "2026-01-02T13:00:00Z"),
        (2, "2026-01-03T02:00:00Z"),
    ]  # fmt: skip
    world.audit()


@pytest.mark.rule("CUT-01")
def test_repeating_a_committed_cutover_changes_nothing_and_another_one_is_refused() -> None:
    world = nightly()
    whole = world.plan("n").partition
    world.activate("n", partition=whole)
    before = content(world.ledger.connection)
    assert world.activate("n", partition=replace(whole, at=0)).status == "unchanged", "when it was planned is no matter"
    assert world.activate("n").status == "unchanged"
    assert content(world.ledger.connection) == before
    changed = replace(whole, entries=(*whole.entries[:2], replace(whole.entries[2], owner="old")))
    assert refused(world, "n", changed).code == "other_cutover"


@pytest.mark.rule("CUT-02", "CUT-03")
def test_a_partition_where_there_is_none_to_be_is_refused() -> None:
    world = World()
    world.define(draft("n", NIGHT))
    world.bind()
    whole = Partition("local/n", 1, 1, 0, us("2026-01-05T00:00:00Z"), "none", "none", ())
    assert refused(world, "n", whole).code == "no_cutover"
    world.activate("n")
    world.define(draft("n", NIGHT, horizon="1h"))
    assert refused(world, "n", replace(whole, new=2)).code == "no_cutover"


@pytest.mark.rule("CUT-10")
def test_the_way_back_is_a_cutover_of_its_own_and_history_is_kept() -> None:
    """Rolled back at 01:30Z of January 3, when revision 1's own firing of that day was taken by revision 2's."""
    world = World(now="2026-01-01T00:00:00Z")
    world.add(draft("n", "0 3 * * *", cycle="date"))
    world.live("2026-01-02T00:00:00Z")
    world.define(draft("n", "0 1 * * *", cycle="date"))
    world.activate("n", partition=world.plan("n").partition)
    world.live("2026-01-03T01:30:00Z")
    assert ran(world)[-1] == (2, "2026-01-03T01:00:00Z")
    back = world.plan("n", 1).partition
    assert back.entries[0] == Entry("same", ("c2:2026-01-03T01:00", "c1:2026-01-03T03:00"), "old")
    again = replace(back, entries=(Entry("distinct", ("c1:2026-01-03T03:00",), "new"), *back.entries[1:]))
    before = content(world.ledger.connection)
    with pytest.raises(Refused, match=r"it is c2:2026-01-03T01:00 already"):
        world.activate("n", 1, partition=again)
    assert content(world.ledger.connection) == before
    assert world.activate("n", 1, partition=back).replaced == 2
    world.live("2026-01-06T12:00:00Z")
    assert ran(world)[2:] == [(2, "2026-01-03T01:00:00Z"), *((1, f"2026-01-0{day}T03:00:00Z") for day in (4, 5, 6))]
    assert world.row("SELECT count(*) FROM activation") == (3,)
    world.audit()


@pytest.mark.rule("CUT-12")
def test_what_pends_at_the_cutover_keeps_its_revision_and_may_still_be_admitted(tmp_path: Path) -> None:
    world = World(tmp_path, now="2025-12-31T23:59:59Z", workers=1)
    world.add(draft("busy", "0 0 1 1 *"), draft("s", "0 1 * * *", allowed_delay="3h", cycle="date"))
    world.at("2026-01-01T00:00:00Z")
    world.at("2026-01-01T01:00:00Z")
    before = world.row("SELECT * FROM occurrence WHERE state = 'pending'")
    world.define(draft("s", "0 2 * * *", allowed_delay="5m", cycle="date", version="other@1"))
    world.bind("other@1")
    planned = world.plan("s").partition
    assert planned.entries[0] == Entry("same", ("c1:2026-01-01T01:00", "c2:2026-01-01T02:00"), "old")
    world.activate("s", partition=planned)
    world.reopen()
    assert world.row("SELECT * FROM occurrence WHERE state = 'pending'") == before
    world.at("2026-01-01T02:30:00Z")
    world.end(world.launches[0])
    world.look()
    assert (world.launches[0].pattern, ran(world, "s")) == ("job@1", [(1, "2026-01-01T01:00:00Z")])
    world.audit()


@pytest.mark.rule("CUT-12")
def test_the_old_revisions_past_candidates_obey_its_own_horizon_and_catch_up() -> None:
    """Six hours unlooked at: four are too old for revision 1, one is superseded, and one is offered; the new
    revision's own horizon would have taken none."""
    world = World(now="2026-01-01T00:30:00Z")
    world.add(draft("s", "0 * * * *", horizon="2h"))
    world.clock.advance(us("6h"))
    world.define(draft("s", "15 0 * * *", horizon="10d"))
    whole = world.plan("s", span="1s").partition
    assert [entry.owner for entry in whole.entries] == ["old"] * 6
    world.activate("s", partition=whole)
    world.clock.advance(us("1m"))
    world.look()
    assert [fate[1:] for fate in world.fates("s")] == [
        *[("skipped", "horizon")] * 4, ("skipped", "superseded"), ("admitted", "foreground"),
    ]  # fmt: skip
    assert world.rows("SELECT DISTINCT revision FROM occurrence") == [(1,)]
    world.audit()


@pytest.mark.rule("OCC-13", "CUT-04")
def test_a_long_skip_is_a_range_and_stays_apart_from_what_comes() -> None:
    world = World(now="2026-01-01T00:00:30Z")
    world.add(draft("s", "* * * * *"))
    world.define(draft("s", "30 * * * *"))
    planned = world.plan("s", span="40m").partition
    entries = tuple(
        Entry("distinct", entry.keys, "new") if entry.keys[0].startswith("c2") else
        Entry("skip", entry.keys, "old") for entry in planned.entries
    )  # fmt: skip
    world.activate("s", partition=replace(planned, entries=entries, old_last="none", new_first="c2:2026-01-01T00:30"))
    world.at("2026-01-01T00:45:00Z", allowance="1h")
    assert world.fates("s") == [
        ("2026-01-01T00:01:00Z..2026-01-01T00:30:00Z*30", "skipped", "cutover"),
        ("2026-01-01T00:30:00Z", "admitted", "foreground"),
        *((f"2026-01-01T00:{minute}:00Z", "skipped", "cutover") for minute in range(31, 41)),
    ]
    world.audit()


@pytest.mark.rule("OCC-13", "CUT-08")
def test_a_range_goes_on_over_no_hole() -> None:
    """00:20 of the old reading is the new one's 00:50: the two ranges beside it say nothing of it."""
    world = World(now="2026-01-01T00:00:30Z")
    world.add(draft("s", "* * * * *"))
    world.define(draft("s", "50 * * * *"))
    planned = world.plan("s", span="55m").partition
    entries = tuple(
        Entry("skip", e.keys, "old") for e in planned.entries if e.keys[0][:2] == "c1" and e.keys[0][-2:] != "20"
    )
    pair = Entry("same", ("c1:2026-01-01T00:20", "c2:2026-01-01T00:50"), "new")
    world.activate("s", partition=replace(planned, entries=(*entries, pair), old_last="none", new_first=pair.keys[1]))
    world.at("2026-01-01T00:55:00Z", allowance="1h")
    assert world.fates("s")[:2] == [
        ("2026-01-01T00:01:00Z..2026-01-01T00:19:00Z*19", "skipped", "cutover"),
        ("2026-01-01T00:21:00Z..2026-01-01T00:50:00Z*30", "skipped", "cutover"),
    ]
    world.audit()


@pytest.mark.rule("CUT-04")
@pytest.mark.parametrize("kind", ["none", "drops", "keeps"])
def test_rp_14_the_old_time_of_tonight_after_the_edit(kind: str) -> None:
    world = World(now="2026-03-15T00:00:00Z")
    world.add(draft("s", "0 23 * * *"))
    world.live("2026-03-15T12:00:00Z")
    world.define(draft("s", "0 5 * * *"))
    if kind == "none":
        assert refused(world, "s", None).code == "needs_cutover"
        assert world.row("SELECT active FROM schedule") == (1,)
        return
    planned = world.plan("s", span="1d").partition
    fates = {"c1:2026-03-15T23:00": ("skip" if kind == "drops" else "distinct", "old"),
             "c2:2026-03-16T05:00": ("distinct", "new")}  # fmt: skip
    entries = tuple(Entry(fates[e.keys[0]][0], e.keys, fates[e.keys[0]][1]) for e in planned.entries)
    last = "none" if kind == "drops" else "c1:2026-03-15T23:00"
    world.activate(
        "s", partition=replace(planned, entries=entries, old_last=last, new_first="c2:2026-03-16T05:00")
    )  # fmt: skip
    world.live("2026-03-16T06:00:00Z")
    tonight = ("skipped", "cutover") if kind == "drops" else ("admitted", "foreground")
    assert world.fates("s") == [
        ("2026-03-15T23:00:00Z", *tonight), ("2026-03-16T05:00:00Z", "admitted", "foreground"),
    ]  # fmt: skip
    assert world.rows("SELECT revision FROM occurrence ORDER BY nominal_at") == [(1,), (2,)]
    world.audit()


@pytest.mark.rule("CUT-13")
def test_rp_13_an_edit_starts_nothing_that_has_gone_by() -> None:
    world = World(now="2026-01-01T00:00:00Z")
    world.add(draft("s", "30 11 * * FRI", cycle="week"))
    world.live("2026-01-08T23:49:00Z")
    assert ran(world, "s") == [(1, "2026-01-02T11:30:00Z")]
    world.define(draft("s", "0 11 * * FRI", cycle="week"))
    planned = world.plan("s").partition
    friday = next(entry for entry in planned.entries if entry.keys[0] == "c1:2026-01-09T11:30")
    assert friday == Entry("same", ("c1:2026-01-09T11:30", "c2:2026-01-09T11:00"), "new")
    left = tuple(entry for entry in planned.entries if entry != friday)
    assert offending(refused(world, "s", replace(planned, entries=left, new_first=left[0].keys[1])))
    world.activate("s", partition=planned)
    world.look()
    assert len(ran(world, "s")) == 1, "nothing at the activation"
    world.live("2026-01-16T12:00:00Z")
    assert ran(world, "s")[1:] == [(2, "2026-01-09T11:00:00Z"), (2, "2026-01-16T11:00:00Z")]
    world.audit()


@pytest.mark.rule("CUT-14")
def test_a_cutover_wakes_no_stopped_reading_backwards_and_an_implied_one_carries_its_span() -> None:
    """Revision 3 changes a window while the span of 1 to 2 is open: what revision 1 owns there stays its own."""
    world = nightly()
    whole = world.plan("n").partition
    two = whole.entries[1]
    kept = replace(
        whole, entries=(whole.entries[0], replace(two, owner="old"), whole.entries[2]),
        old_last="c1:2026-01-03T02:00", new_first="c2:2026-01-04T02:00",
    )  # fmt: skip
    world.activate("n", partition=kept)
    world.define(draft("n", NIGHT, zone="UTC", cycle="date", allowed_delay="1h"))
    done = world.activate("n")
    assert (done.revision, done.generation) == (3, 2)
    world.live("2026-01-06T00:00:00Z")
    assert ran(world)[1:] == [
        (1, "2026-01-02T01:00:00Z"), (1, "2026-01-03T01:00:00Z"), (3, "2026-01-04T02:00:00Z"),
        (3, "2026-01-05T02:00:00Z"),
    ]  # fmt: skip
    world.audit()


@pytest.mark.rule("CUT-12")
def test_rp_15_what_waits_for_a_worker_outlives_the_edit(tmp_path: Path) -> None:
    world = World(tmp_path, now="2026-01-01T00:00:00Z", workers=1)
    world.add(draft("busy", "0 1 1 1 *"), draft("load", "10,20,30 1 * * *", allowed_delay="5h", cycle="time"))
    for at in ("01:00", "01:10", "01:20", "01:30"):
        world.at(f"2026-01-01T{at}:00Z")
    world.define(draft("load", "40 * * * *", allowed_delay="5h", version="other@1"))
    world.bind("other@1")
    waiting = world.rows("SELECT * FROM occurrence WHERE state = 'pending' ORDER BY id")
    planned = world.plan("load", span="1h").partition
    taken = tuple(replace(entry, owner="new") for entry in planned.entries)
    world.activate("load", partition=replace(planned, entries=taken, new_first="c2:2026-01-01T01:40"))
    assert world.rows("SELECT * FROM occurrence WHERE state = 'pending' ORDER BY id") == waiting and len(waiting) == 3
    patterns = []
    for minute in (31, 32, 33, 41):
        world.clock.advance(us("2026-01-01T01:00:00Z") + us(f"{minute}m") - world.clock.now())
        world.end(world.launches[-1])
        world.look()
        patterns.append(world.launches[-1].pattern)
    assert patterns == ["job@1", "job@1", "job@1", "other@1"]
    assert ran(world, "load") == [
        *((1, f"2026-01-01T01:{minute}:00Z") for minute in (10, 20, 30)), (2, "2026-01-01T01:40:00Z"),
    ]  # fmt: skip
    world.audit()


@pytest.mark.rule("CUT-04", "CAL-04")
def test_rp_11_new_zone_rules_are_a_cutover_and_the_day_that_both_cover_fires_once() -> None:
    """The zone keeps its name; its clock goes an hour further from one revision to the other."""
    before, after = zones.rules("Europe/Rome"), zones.rules("Europe/Athens")
    world = World(now="2026-01-01T00:00:00Z")
    world.add(draft("s", "0 9 * * *", zone="Europe/Rome", host_rules=before, cycle="date"))
    world.live("2026-01-03T06:30:00Z")
    world.define(draft("s", "0 9 * * *", zone="Europe/Rome", host_rules=after, zone_rules="host", cycle="date"))
    assert "(zone rules)" in refused(world, "s", None).message
    world.activate("s", partition=world.plan("s").partition)
    world.live("2026-01-05T12:00:00Z")
    assert ran(world, "s") == [
        (1, "2026-01-01T08:00:00Z"), (1, "2026-01-02T08:00:00Z"),
        *((2, f"2026-01-0{day}T07:00:00Z") for day in (3, 4, 5)),
    ]  # fmt: skip
    world.audit()
