"""A cutover file: what is written can be read back, and what is wrong in it is told with its place."""

from __future__ import annotations

import pytest

from spellweaver.core.cutover import Entry, Partition
from spellweaver.core.instant import parse
from spellweaver.errors import BadFile
from spellweaver.manifest.cutover_file import read_text, text
from spellweaver.manifest.problems import Problem

WHOLE = Partition(
    "ops/nightly", 1, 2, parse("2026-01-02T01:30:00Z"), parse("2026-01-05T00:00:00Z"),
    "c1:2026-01-02T02:00", "none",
    (Entry("same", ("c1:2026-01-02T02:00", "c2:2026-01-02T02:00+1"), "old"),
     Entry("distinct", ("c2:2026-01-03T02:00:00Z",), "?"), Entry("skip", ("c1:2026-01-03T02:00:30",), "old")),
)  # fmt: skip


def problems(file: str) -> list[tuple[int, str, str]]:
    with pytest.raises(BadFile) as said:
        read_text(file, "c.toml")
    assert said.value.exit_status == 65
    return [(p.line, p.key, p.message) for p in said.value.problems if isinstance(p, Problem)]


@pytest.mark.rule("CUT-07")
def test_what_is_written_is_read_back_with_the_place_of_each_entry() -> None:
    written = text(WHOLE, {"c1:2026-01-02T02:00": "2026-01-02T01:00:00Z, of revision 1"}, cycle="date", open_=1)
    again = read_text(written, "c.toml")
    assert again.digest() == WHOLE.digest() and again.at == WHOLE.at
    lines = written.splitlines()
    for entry in again.entries:
        assert lines[int(entry.origin.partition(":")[2]) - 1] == "[[fate]]"
    assert "# c1:2026-01-02T02:00  2026-01-02T01:00:00Z, of revision 1" in lines
    assert 'same = ["c1:2026-01-02T02:00", "c2:2026-01-02T02:00+1"]' in lines
    assert any(line.startswith('owner = "?"  # decide') for line in lines)


HEAD = text(Partition(**{**{f: getattr(WHOLE, f) for f in WHOLE.__dataclass_fields__}, "entries": ()}),
            {}, cycle=None, open_=0)  # fmt: skip


@pytest.mark.rule("CUT-05")
@pytest.mark.parametrize(("fate", "key", "sentence"), [
    ('same = ["c1:2026-01-02T02:00"]\nowner = "old"', "fate.1.same", "must be an array of two keys"),
    ('distinct = "2026-01-02"\nowner = "old"', "fate.1.distinct", "must be the key of a candidate"),
    ('skip = "c1:2026-01-02T02:00"', "fate.1.owner", "is required here"),
    ('skip = "c1:2026-01-02T02:00"\nowner = "both"', "fate.1.owner", 'must be "old" or "new"'),
    ('owner = "old"', "fate.1", "says no fate"),
    ('skip = "?"\ndistinct = "?"\nowner = "old"', "fate.1", "distinct and skip exclude each other"),
    ('skip = "c1:2026-01-02T02:00"\nowner = "old"\nwhy = "x"', "fate.1.why", "is no key of this table"),
])  # fmt: skip
def test_a_fate_that_is_none_is_told_where_it_stands(fate: str, key: str, sentence: str) -> None:
    ((line, named, said),) = problems(f"{HEAD}\n[[fate]]\n{fate}\n")
    assert (named, sentence in said) == (key, True), said
    assert line > len(HEAD.splitlines())


def test_what_is_missing_or_does_not_belong_is_told_all_at_once() -> None:
    found = problems('format = 1\n[cutover]\nschedule = "A"\nold = 0\nat = 2026-01-01T00:00:00\n[policy]\nworkers = 1')
    assert {key for _, key, _ in found} == {
        "cutover.schedule", "cutover.old", "cutover.at", "cutover.new", "cutover.span_end", "cutover.old_last",
        "cutover.new_first", "policy",
    }  # fmt: skip
    assert problems("format = 1\n") and problems("format = 2\n[cutover]\n") and problems("[[")


def test_a_bare_name_is_of_the_usual_authority() -> None:
    assert read_text(HEAD.replace("ops/nightly", "nightly"), "c.toml").schedule == "local/nightly"
