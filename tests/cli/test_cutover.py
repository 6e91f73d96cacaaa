"""cutover plan, check and show, and ``activate --cutover``: a partition on its way through an operator's hands."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from spellweaver.clock import VirtualClock
from spellweaver.core.cutover import Entry
from spellweaver.core.instant import parse
from spellweaver.manifest.cutover_file import text
from tests.support.engine import World, draft
from tests.support.program import Done, call

NOW = "2026-01-02T01:30:00Z"


class Place:
    """CUT-09's Schedule in a ledger on disk, revision 2 defined; a cutover file beside it."""

    def __init__(self, folder: Path, *, cycle: bool = True) -> None:
        self.world = World(folder / "state", now="2026-01-01T00:00:00Z")
        label = "date" if cycle else None
        self.world.add(draft("n", "0 2 * * *", zone="Europe/Bratislava", cycle=label))
        self.world.live("2026-01-02T01:10:00Z")
        self.world.define(draft("n", "0 2 * * *", zone="UTC", cycle=label))
        self.world.ledger.close()
        self.ledger, self.file = f"{folder}/state/ledger.db", folder / "c.toml"
        self.clock = VirtualClock(parse(NOW))

    def call(self, *words: str) -> Done:
        return call(*words, ledger=self.ledger, clock=self.clock)

    def plan(self) -> str:
        done = self.call("cutover", "plan", "n@2")
        assert done.status == 0, done.err
        self.file.write_text(done.out, encoding="utf-8")
        return done.out

    def edit(self, before: str, after: str) -> None:
        there = self.file.read_text(encoding="utf-8")
        assert before in there
        self.file.write_text(there.replace(before, after, 1), encoding="utf-8")

    def activate(self, *more: str) -> Done:
        return self.call("activate", "n@2", "--cutover", str(self.file), *more)

    def digest(self) -> str:
        return hashlib.sha256(Path(self.ledger).read_bytes()).hexdigest()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.mark.rule("CUT-11", "CUT-01")
def test_a_script_plans_reviews_activates_and_may_run_again(place: Place) -> None:
    place.plan()
    file = str(place.file)
    for words in (("cutover", "check", file), ("activate", "n@2", "--cutover", file, "--dry-run")):
        before = place.digest()
        assert place.call(*words).status == 0
        assert place.digest() == before, "nothing is written"
    (done,) = place.activate("--json").items
    assert (done["status"], done["replaced"], done["generation"], done["skips"]) == ("activated", 1, 2, 0)
    before = place.digest()
    (again,) = place.activate("--json").items
    assert again["status"] == "unchanged" and place.digest() == before
    assert place.call("cutover", "check", str(place.file), "--json").items[0]["status"] == "unchanged"


@pytest.mark.rule("CUT-11", "CUT-05")
def test_dry_run_check_and_activate_give_one_verdict(place: Place) -> None:
    place.plan()
    place.edit('owner = "new"', 'owner = "?"')
    calls = (("cutover", "check", str(place.file)), ("activate", "n@2", "--cutover", str(place.file), "--dry-run"),
             ("activate", "n@2", "--cutover", str(place.file)))  # fmt: skip
    before = place.digest()
    done = [place.call(*words) for words in calls]
    assert {each.status for each in done} == {3} and place.digest() == before
    assert len({each.err for each in done}) == 1
    lines = place.file.read_text(encoding="utf-8").splitlines()
    at = next(n for n, line in enumerate(lines, 1) if line.startswith('owner = "?"'))
    (where,) = {line.strip().partition(": ")[0] for line in done[0].err.splitlines() if "c.toml" in line}
    assert where == f"{place.file}:{at - 2}", "the place of the entry"
    error = place.activate("--json").error
    fields = error["fields"]
    assert error["code"] == "partition" and isinstance(fields, dict)
    assert [each["key"] for each in fields["offending"]] == ["c1:2026-01-03T02:00", "c2:2026-01-03T02:00"]


@pytest.mark.rule("CUT-07")
def test_the_plan_is_for_people_and_its_json_for_programs(tmp_path: Path) -> None:
    place = Place(tmp_path, cycle=False)
    said = place.call("cutover", "plan", "n@2", "--span", "1d")
    assert "nothing was paired" in said.out and said.out.count('owner = "?"') == 2
    assert "2 fates are left to you" in said.err
    (item,) = place.call("cutover", "plan", "n", "--span", "1d", "--json").items
    assert (item["open"], item["cycle"], item["entries"]) == (2, None, 2) and item["toml"] == said.out
    assert place.call("cutover", "plan", "n@1").status == 3
    assert place.call("cutover", "plan", "n@7").status == 4
    assert place.call("cutover", "plan", "n@2", "--span", "0s").status == 2
    assert place.call("cutover", "plan", "n@2", "--at", "2026-01-01T00:00:00Z").status == 3


def test_a_file_that_is_wrong_by_itself_is_told_with_a_caret(place: Place) -> None:
    place.plan()
    place.edit("old = 1", 'old = "one"')
    done = place.activate()
    assert done.status == 65 and "cutover.old: must be" in done.err and "^" in done.err
    assert place.call("activate", "n", "--cutover", "/nowhere.toml").status == 66
    place.plan()
    stray = place.call("activate", "m", "--cutover", str(place.file))
    assert stray.status == 4
    assert place.call("define", str(place.file)).status == 65


def test_a_cutover_that_skips_wants_its_schedule_named(place: Place) -> None:
    place.plan()
    place.edit(
        'same = ["c1:2026-01-03T02:00", "c2:2026-01-03T02:00"]\nowner = "new"',
        'skip = "c1:2026-01-03T02:00"\nowner = "old"\n[[fate]]\ndistinct = "c2:2026-01-03T02:00"\nowner = "new"',
    )
    before = place.digest()
    done = place.activate()
    assert done.status == 3 and "skips 1 of its candidates" in done.err and "--confirm local/n" in done.err
    assert place.digest() == before
    assert place.activate("--dry-run").status == 0
    assert place.activate("--confirm", "n").status == 0


@pytest.mark.rule("CUT-08", "OCC-05")
def test_what_was_committed_is_shown_and_an_alias_says_who_owns_it(place: Place) -> None:
    assert place.call("cutover", "show", "n").status == 4
    place.plan()
    place.activate()
    rows = place.call("cutover", "show", "n").out.splitlines()
    assert rows and all(row.count("\t") == 4 for row in rows), "a row for each firing, and no heading"
    document = place.call("cutover", "show", "n", "--json").document
    items = document["items"]
    assert isinstance(items, list)
    assert [(i["firing"], i["fate"], i["revision"], i["is"]) for i in items] == [
        ("c2:2026-01-03T02:00", "owned", 2, None), ("c2:2026-01-04T02:00", "owned", 2, None),
        ("c1:2026-01-03T02:00", "alias", None, "c2:2026-01-03T02:00"),
        ("c1:2026-01-04T02:00", "alias", None, "c2:2026-01-04T02:00"),
        ("c2:2026-01-02T02:00", "alias", None, "c1:2026-01-02T02:00"),
    ]  # fmt: skip
    assert document["old_last"] == "c1:2026-01-02T02:00"
    (told,) = place.call("explain", "n@c2:2026-01-02T02:00", "--json").items
    assert (told["alias"], told["firing"], told["revision"]) == ("c2:2026-01-02T02:00", "c1:2026-01-02T02:00", 1)
    assert "revision 1 owns it" in place.call("explain", "n@c2:2026-01-02T02:00").out
    (plain,) = place.call("explain", "n@c1:2026-01-02T02:00", "--json").items
    assert plain["alias"] is None
    coming = place.call("next", "n", "-n", "3", "--json").items
    assert [item["firing"] for item in coming] == [f"c2:2026-01-0{day}T02:00" for day in (3, 4, 5)]


def test_next_shows_what_an_open_span_names_and_skips(place: Place) -> None:
    place.plan()
    place.edit(
        'same = ["c1:2026-01-03T02:00", "c2:2026-01-03T02:00"]\nowner = "new"',
        'distinct = "c1:2026-01-03T02:00"\nowner = "old"\n[[fate]]\nskip = "c2:2026-01-03T02:00"\nowner = "new"',
    )
    place.edit('old_last = "c1:2026-01-02T02:00"', 'old_last = "c1:2026-01-03T02:00"')
    place.edit('new_first = "c2:2026-01-03T02:00"', 'new_first = "c2:2026-01-04T02:00"')
    assert place.activate("--confirm", "local/n").status == 0
    coming = place.call("next", "n", "-n", "3", "--json").items
    assert [(item["firing"], item["revision"], item["note"]) for item in coming] == [
        ("c1:2026-01-03T02:00", 1, None), ("c2:2026-01-03T02:00", 2, "skipped by a cutover"),
        ("c2:2026-01-04T02:00", 2, None),
    ]  # fmt: skip
    assert place.call("status").status == 0 and place.call("schedule", "list", "--json").items


@pytest.mark.rule("CUT-08")
def test_rp_16_fifty_schedules_change_their_zone_and_nothing_floods(tmp_path: Path) -> None:
    world = World(tmp_path / "state", now="2026-01-01T16:40:00Z", workers=64)
    names = [f"s{n}" for n in range(50)]
    world.add(*(draft(name, "*/5 * * * *") for name in names))
    world.live("2026-01-01T16:52:00Z")
    before = len(world.rows("SELECT id FROM occurrence"))
    world.define(*(draft(name, "*/5 * * * *", zone="America/New_York") for name in names))
    pairs = (("16:55", "11:55"), ("17:00", "12:00"))  # equal instants are one firing, but only a file may say so
    entries = tuple(Entry("same", (f"c1:2026-01-01T{utc}", f"c2:2026-01-01T{local}"), "new") for utc, local in pairs)
    files = []
    for name in names:
        planned = world.plan(name, span="10m").partition
        assert {each.owner for each in planned.entries} == {"?"} and len(planned.entries) == 4
        decided = replace(planned, entries=entries, old_last="none", new_first="c2:2026-01-01T11:55")
        path = tmp_path / f"{name}.toml"
        path.write_text(text(decided, {}, cycle=None, open_=0), encoding="utf-8")
        files += ["--cutover", str(path)]
    done = call("activate", *names, *files, ledger=world.path, clock=world.clock)
    assert done.status == 0, done.err
    world.look()
    assert len(world.rows("SELECT id FROM occurrence")) == before, "nothing at 16:52Z"
    world.live("2026-01-01T17:05:00Z")
    assert len(world.rows("SELECT id FROM occurrence")) == before + 150
    assert world.rows("SELECT DISTINCT nominal_at FROM occurrence WHERE generation = 2 ORDER BY 1") == [
        (parse(f"2026-01-01T{at}:00Z"),) for at in ("16:55", "17:00", "17:05")
    ]  # fmt: skip
    world.audit()
