"""``[[pattern]]``: both forms, from TOML and JSON, with the digests that are pinned in tests/golden/pattern."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from spellweaver.core import pattern as core
from spellweaver.manifest.read import read
from tests.support.operator_files import accepted, pattern, refused

GOLDEN = Path(__file__).parents[2] / "golden" / "pattern"
DIGESTS = json.loads((GOLDEN / "digests.json").read_text(encoding="utf-8"))
FULL = """implementation_revision = "ops.7"
checkpoint_schema = "none"
entry = "a"
station = [{ key = "a", label = "A", kind = "task" },
           { key = "b", label = "B", kind = "gate" }, { key = "z", label = "Z", kind = "end" }]
edge = [{ source = "a", target = "b", relation = "next" }, { source = "b", target = "z", relation = "approve" }]
"""


@pytest.mark.rule("PAT-2")
@pytest.mark.parametrize("name", sorted(DIGESTS))
@pytest.mark.parametrize("source", ["toml", "json"])
def test_pinned_digests(name: str, source: str) -> None:
    (made,) = read([str(GOLDEN / f"{name}.{source}")]).patterns
    assert made.canonical() == (GOLDEN / f"{name}.canonical").read_bytes()
    assert made.digest() == DIGESTS[name] == sha256(made.canonical()).hexdigest()
    assert core.from_canonical(made.canonical()) == made


@pytest.mark.rule("PAT-1")
def test_both_forms() -> None:
    short, full = accepted(pattern(), pattern(FULL, revision="2")).patterns
    assert short == core.one_station("nightly", "1").in_order()
    assert [s.kind for s in full.stations] == ["task", "gate", "end"]
    (own,) = accepted(pattern('implementation_revision = "7"\ncheckpoint_schema = "x"')).patterns
    assert (own.implementation_revision, own.checkpoint_schema) == ("7", "x")


@pytest.mark.parametrize(
    ("changed", "key", "word"),
    [
        (FULL.replace('"ops.7"', '""'), "implementation_revision", "must have 1 to 200"),
        (FULL.replace('entry = "a"', 'entry = "b"'), "entry", "must name a task or a delegate"),
        (FULL.replace('kind = "gate"', 'kind = "timer"'), "station.2.kind", "must be one of task, gate, delegate, end"),
        (FULL.replace('"approve"', '"next"'), "edge.2.relation", "must be approve or refuse"),
        (FULL.replace('label = "A"', "label = 1"), "station.1.label", "must be a string"),
        (FULL.replace('label = "A"', 'label = "e\\u0301"'), "station.1.label", "normal form C"),
        (FULL.replace('label = "A"', 'label = "A", colour = "red"'), "station.1.colour", "is no key of this table"),
        (FULL.replace('key = "a", ', ""), "station.1.key", "is required here"),
        (FULL.replace('target = "z"', 'target = "y"'), "edge.2.target", "names no station"),
        (FULL + "inputs = {}\n", "inputs", "is not available in this version"),
        ("".join(FULL.splitlines(keepends=True)[1:]), "implementation_revision", "is required here"),
        ('entry = ""', "entry", "names no station"),
    ],
)
def test_patterns_that_are_refused(changed: str, key: str, word: str) -> None:
    assert word in refused(pattern(changed))[f"pattern.nightly@1.{key}"]


@pytest.mark.rule("PAT-5")
def test_all_faults_of_a_graph_at_once() -> None:
    text = FULL.replace('"task"', '"end"').replace('"approve"', '"fail"').replace('target = "b"', 'target = "c"')
    assert set(refused(pattern(text))) == {
        "pattern.nightly@1.entry",
        "pattern.nightly@1.station",
        "pattern.nightly@1.edge.1.target",
        "pattern.nightly@1.edge.1.relation",
        "pattern.nightly@1.edge.2.relation",
        "pattern.nightly@1.station.2.key",
        "pattern.nightly@1.station.3.key",
    }


@pytest.mark.parametrize("line", ['name = "x"', "active = true", 'route = "x"', 'digest = "0"', "schema_version = 1"])
def test_what_is_kept_apart_from_the_manifest_is_no_key_of_it(line: str) -> None:
    (said,) = refused(pattern(line)).values()
    assert said.startswith("is no key of this table")


def test_a_revision_is_always_a_string() -> None:
    said = refused('[[pattern]]\nkey = "a"\nrevision = 1\n')
    assert said == {"pattern.1.revision": "must be a string in quotes, not 1"}
    for name in ("a/b", "..", "a@1", "", "é"):
        assert "must be 1 to 128 letters" in refused(pattern(key=name))[f"pattern.{name}@1.key"]
