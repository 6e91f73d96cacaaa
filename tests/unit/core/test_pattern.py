"""The canonical form of a pattern and the declarative checks: C1 to C6, PAT-1 to 6, 10, 12, 13."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from dataclasses import replace
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spellweaver.core import pattern
from spellweaver.core.pattern import Edge, MalformedPattern, Pattern, Station

FULL = Pattern(
    "nightly",
    "3",
    "ops.7",
    "none",
    "snapshot",
    (
        Station("snapshot", "Snapshot", "task"),
        Station("consent", "Consent", "gate"),
        Station("hand-out", "Hand out", "delegate"),
        Station("done", "Done", "end"),
    ),
    (
        Edge("snapshot", "consent", "next"),
        Edge("consent", "hand-out", "approve"),
        Edge("consent", "snapshot", "refuse"),
        Edge("hand-out", "done", "return"),
        Edge("hand-out", "done", "fail"),
    ),
)


def sentences(made: Pattern, *, retained: bool = False) -> dict[pattern.Where, str]:
    return {fault.where: fault.sentence for fault in pattern.faults(made, retained=retained)}


def test_the_body_holds_exactly_the_fields_of_the_law() -> None:
    body = json.loads(FULL.canonical())
    assert list(body) == [
        "checkpoint_schema",
        "edges",
        "entry",
        "implementation_revision",
        "key",
        "revision",
        "schema_version",
        "stations",
    ]
    assert body["schema_version"] == 1
    assert [set(s) for s in body["stations"]] == [{"key", "label", "kind"}] * 4
    assert [s["key"] for s in body["stations"]] == ["consent", "done", "hand-out", "snapshot"]
    assert [set(e) for e in body["edges"]] == [{"source", "target", "relation"}] * 5
    assert FULL.digest() == sha256(FULL.canonical()).hexdigest()
    assert pattern.faults(FULL) == []


def test_bytes_are_compact_utf8_without_a_newline() -> None:
    made = replace(FULL, stations=(replace(FULL.stations[0], label="Prüfen"), *FULL.stations[1:]))
    raw = made.canonical()
    assert "Prüfen".encode() in raw
    assert not raw.endswith(b"\n") and b": " not in raw and b", " not in raw


def test_one_station_form() -> None:
    made = pattern.one_station("probe", "1")
    assert [(s.key, s.label, s.kind) for s in made.stations] == [("main", "main", "task"), ("end", "end", "end")]
    assert made.edges == (Edge("main", "end", "next"),)
    assert (made.entry, made.implementation_revision, made.checkpoint_schema) == ("main", "1", "none")
    assert made.version == "probe@1"
    assert [s.key for s in made.executable_stations] == ["main"]
    assert pattern.faults(made) == []


@pytest.mark.rule("PAT-2")
@given(st.randoms(use_true_random=False))
def test_order_is_not_identity(shuffle: random.Random) -> None:
    stations, edges = list(FULL.stations), list(FULL.edges)
    shuffle.shuffle(stations)
    shuffle.shuffle(edges)
    other = replace(FULL, stations=tuple(stations), edges=tuple(edges))
    assert other.digest() == FULL.digest()
    assert other.in_order() == FULL.in_order()


@pytest.mark.rule("PAT-2")
def test_any_change_of_a_field_is_another_digest() -> None:
    station, edge = FULL.stations[1], FULL.edges[1]
    others = [
        replace(FULL, key="x"),
        replace(FULL, revision="4"),
        replace(FULL, implementation_revision="ops.8"),
        replace(FULL, checkpoint_schema="x"),
        replace(FULL, entry="hand-out"),
        *(
            replace(FULL, stations=(FULL.stations[0], changed, *FULL.stations[2:]))
            for changed in (replace(station, key="x"), replace(station, label="x"), replace(station, kind="task"))
        ),
        *(
            replace(FULL, edges=(FULL.edges[0], changed, *FULL.edges[2:]))
            for changed in (replace(edge, source="x"), replace(edge, target="x"), replace(edge, relation="next"))
        ),
    ]
    assert len({made.digest() for made in [FULL, *others]}) == len(others) + 1


@pytest.mark.rule("PAT-2")
def test_the_digest_does_not_depend_on_the_process() -> None:
    program = "from spellweaver.core import pattern; print(pattern.one_station('probe', '1').digest())"
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("0", "1")
    }
    assert said == {pattern.one_station("probe", "1").digest()}


@pytest.mark.rule("PAT-1")
@pytest.mark.parametrize("name", ["a", "A9._~-", "0", "x" * 128])
def test_url_safe_names(name: str) -> None:
    assert pattern.name_fault(name) is None


@pytest.mark.rule("PAT-1")
@pytest.mark.parametrize("name", ["", "x" * 129, "-a", ".a", "..", "a/b", "a b", "a@1", "é", "а", "a\n"])
def test_names_that_are_not_url_safe(name: str) -> None:
    assert pattern.name_fault(name)
    assert {("key",), ("revision",)} <= set(sentences(replace(FULL, key=name, revision=name)))


@pytest.mark.parametrize("label", ["", "x" * 201, "e\u0301", "a\x1b[1m", "a\u202eb", "a\u2028b", "a\0b"])
def test_labels_that_are_refused_and_never_repaired(label: str) -> None:
    made = replace(FULL, stations=(replace(FULL.stations[0], label=label), *FULL.stations[1:]))
    assert set(sentences(made)) == {("station", 0, "label")}


@pytest.mark.rule("PAT-5")
@pytest.mark.parametrize(
    ("changed", "where", "word"),
    [
        (replace(FULL, entry="nowhere"), ("entry",), "names no station"),
        (replace(FULL, entry="consent"), ("entry",), "must name a task or a delegate"),
        (
            replace(FULL, stations=(*FULL.stations, Station("done", "Again", "task"))),
            ("station", 4, "key"),
            "declared twice",
        ),
        (
            replace(FULL, stations=(*FULL.stations, Station("x", "X", "timer"))),
            ("station", 4, "kind"),
            "must be one of",
        ),
        (replace(FULL, edges=(*FULL.edges, FULL.edges[0])), ("edge", 5), "declared twice"),
        (replace(FULL, edges=(*FULL.edges, Edge("snapshot", "x", "next"))), ("edge", 5, "target"), "names no station"),
        (replace(FULL, edges=(*FULL.edges, Edge("x", "done", "next"))), ("edge", 5, "source"), "names no station"),
        (
            replace(FULL, edges=(*FULL.edges, Edge("snapshot", "done", "approve"))),
            ("edge", 5, "relation"),
            "next or fail",
        ),
        (
            replace(FULL, edges=(*FULL.edges, Edge("done", "snapshot", "next"))),
            ("edge", 5, "relation"),
            "nothing follows",
        ),
        (
            replace(FULL, edges=(*FULL.edges, Edge("consent", "done", "return"))),
            ("edge", 5, "relation"),
            "approve or refuse",
        ),
        (
            replace(FULL, edges=(*FULL.edges, Edge("hand-out", "done", "approve"))),
            ("edge", 5, "relation"),
            "next or return or",
        ),
    ],
)
def test_declarative_checks(changed: Pattern, where: pattern.Where, word: str) -> None:
    assert word in sentences(changed)[where]
    assert word in sentences(changed, retained=True)[where]


@pytest.mark.rule("PAT-12")
def test_exactly_one_end() -> None:
    none = replace(FULL, stations=FULL.stations[:3], edges=FULL.edges[:3])
    assert "exactly one station of kind end, not 0" in sentences(none)["station",]
    two = replace(
        FULL, stations=(*FULL.stations, Station("x", "X", "end")), edges=(*FULL.edges, Edge("hand-out", "x", "next"))
    )
    assert "not 2" in sentences(two)["station",]
    assert "done" not in [station.key for station in FULL.executable_stations]


def test_dead_ends_are_refused_when_new_and_tolerated_when_retained() -> None:
    aside = replace(
        FULL,
        stations=(*FULL.stations, Station("aside", "Aside", "task"), Station("trap", "Trap", "task")),
        edges=(*FULL.edges, Edge("aside", "done", "next"), Edge("snapshot", "trap", "fail")),
    )
    assert sentences(aside) == {
        ("station", 4, "key"): "no edges lead from the entry to 'aside'",
        ("station", 5, "key"): "no edges lead from 'trap' to an end",
    }
    assert sentences(aside, retained=True) == {}
    assert pattern.from_canonical(aside.canonical()) == aside.in_order()


def test_every_fault_at_once() -> None:
    bad = Pattern("a b", "", "x", "", "gone", (Station("", "", "x"),), (Edge("p", "q", "next"),))
    assert set(sentences(bad)) == {
        ("key",),
        ("revision",),
        ("checkpoint_schema",),
        ("entry",),
        ("station", 0, "key"),
        ("station", 0, "label"),
        ("station", 0, "kind"),
        ("station",),
        ("edge", 0, "source"),
        ("edge", 0, "target"),
    }


def test_a_snapshot_comes_back_as_it_was() -> None:
    assert pattern.from_canonical(FULL.canonical()) == FULL.in_order()
    assert pattern.from_canonical(FULL.canonical()).canonical() == FULL.canonical()


@pytest.mark.rule("PAT-10")
def test_extra_data_at_the_top_stays_outside_the_digest() -> None:
    body = json.loads(FULL.canonical()) | {"digest": "0" * 64, "colour": "red"}
    raw = json.dumps(body).encode()
    assert pattern.from_canonical(raw).digest() == FULL.digest()
    assert raw != FULL.canonical()


def _without(field: str) -> dict[str, object]:
    body = json.loads(FULL.canonical())
    del body[field]
    return dict(body)


@pytest.mark.rule("PAT-6")
@pytest.mark.parametrize(
    "body",
    [
        *(_without(field) for field in json.loads(FULL.canonical())),
        json.loads(FULL.canonical()) | {"revision": 3},
        json.loads(FULL.canonical()) | {"schema_version": 2},
        json.loads(FULL.canonical()) | {"schema_version": True},
        json.loads(FULL.canonical()) | {"entry": None},
        json.loads(FULL.canonical()) | {"entry": "done"},
        json.loads(FULL.canonical()) | {"stations": {}},
        json.loads(FULL.canonical()) | {"stations": [{"key": "a", "label": "a"}]},
        json.loads(FULL.canonical()) | {"stations": [{"key": "a", "label": "a", "kind": "end", "x": 0.5, "y": 12}]},
        json.loads(FULL.canonical()) | {"edges": [{"source": "snapshot", "target": "done", "relation": "approve"}]},
        [],
    ],
)
def test_a_digest_that_fits_makes_no_malformed_score_good(body: object) -> None:
    raw = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    assert sha256(raw).hexdigest()  # anyone can compute it anew
    with pytest.raises(MalformedPattern) as refused:
        pattern.from_canonical(raw)
    assert refused.value.faults


@pytest.mark.parametrize(
    "raw",
    [
        b'{"key":"a","key":"b"}',
        b"\xff",
        b"{",
        b"[" * 100_000,
        FULL.canonical().replace(b'"ops.7"', b"NaN"),
    ],
)
def test_what_is_no_json_of_ours(raw: bytes) -> None:
    with pytest.raises(MalformedPattern):
        pattern.from_canonical(raw)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2),
    max_leaves=3,
)


@pytest.mark.rule("PAT-5", "PAT-6")
@settings(max_examples=200)
@given(st.sampled_from(sorted(json.loads(FULL.canonical()))), JSON)
def test_a_mutated_snapshot_is_refused_or_another(field: str, value: object) -> None:
    body = json.loads(FULL.canonical()) | {field: value}
    try:
        made = pattern.from_canonical(json.dumps(body).encode())
    except MalformedPattern:
        return
    assert pattern.faults(made, retained=True) == []
    assert made.digest() != FULL.digest() or body == json.loads(FULL.canonical())


@pytest.mark.rule("PAT-3", "PAT-13")
def test_nothing_that_runs_or_is_drawn_has_a_place() -> None:
    for extra in ("argv", "env", "script", "prompt", "x", "colour"):
        body = json.loads(FULL.canonical())
        body["stations"][0][extra] = "1"
        with pytest.raises(MalformedPattern, match="exactly key, label, kind"):
            pattern.from_canonical(json.dumps(body).encode())
