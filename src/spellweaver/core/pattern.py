"""A pattern version: the score of a workflow, frozen under (key, revision), with canonical bytes and a digest.

The body holds exactly the fields of C2 and nothing else: no layout, no command, no environment (PAT-3, PAT-13).
Stations are sorted by key and edges by (source, target, relation), since the order in a file is not identity (C3).
The bytes are JSON with sorted keys and no blanks, in UTF-8 without a newline at the end; the digest is their
SHA-256 (C4). Strings must already be NFC: one that isn't is refused and never repaired, for a repaired text would
have another digest than the one that was reviewed.

``faults`` holds the declarative checks that a new manifest and a retained snapshot share (PAT-5). They resolve no
implementation (PAT-9), and a checksum that fits never makes a malformed score good (PAT-6).
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, replace
from hashlib import sha256

SCHEMA_VERSION = 1
LABEL_LENGTH = 200

# what may follow a station of each kind; an end has no way out
RELATIONS: dict[str, tuple[str, ...]] = {
    "task": ("next", "fail"),
    "gate": ("approve", "refuse"),
    "delegate": ("next", "return", "fail"),
    "end": (),
}
KINDS = tuple(RELATIONS)
EXECUTABLE = ("task", "delegate")

_URL_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._~-]{0,127}")
_HEADER = ("key", "revision", "implementation_revision", "checkpoint_schema", "entry")
_STATION = ("key", "label", "kind")
_EDGE = ("source", "target", "relation")

Where = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Station:
    """One node of the graph. ``kind`` is one of ``KINDS``; only ``EXECUTABLE`` ones are ever bound to a command."""

    key: str
    label: str
    kind: str


@dataclass(frozen=True, slots=True)
class Edge:
    """What may follow ``source``, and on which of its outcomes (``relation``)."""

    source: str
    target: str
    relation: str


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with a pattern. ``where`` is a path of field names and indexes: ``("station", 2, "kind")``."""

    where: Where
    sentence: str


class MalformedPattern(ValueError):
    """A retained snapshot that can't be read as a pattern; ``faults`` names each thing that is wrong with it."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__("; ".join(f"{'.'.join(map(str, f.where)) or 'snapshot'}: {f.sentence}" for f in faults))
        self.faults = faults


@dataclass(frozen=True, slots=True)
class Pattern:
    """An immutable version. Stations and edges keep the order they came in; ``in_order`` has the canonical one."""

    key: str
    revision: str
    implementation_revision: str
    checkpoint_schema: str
    entry: str
    stations: tuple[Station, ...]
    edges: tuple[Edge, ...]

    @property
    def version(self) -> str:
        """``key@revision``, as Schedules and bindings name it."""
        return f"{self.key}@{self.revision}"

    @property
    def executable_stations(self) -> tuple[Station, ...]:
        """The stations that need a binding each (PAT-11); gates and ends never have one (PAT-12)."""
        return tuple(station for station in self.stations if station.kind in EXECUTABLE)

    def in_order(self) -> Pattern:
        """The same pattern with stations and edges in canonical order (C3)."""
        stations = sorted(self.stations, key=lambda s: s.key)
        edges = sorted(self.edges, key=lambda e: (e.source, e.target, e.relation))
        return replace(self, stations=tuple(stations), edges=tuple(edges))

    def canonical(self) -> bytes:
        """The digested bytes (C2 to C4)."""
        ordered = self.in_order()
        body = {
            "schema_version": SCHEMA_VERSION,
            "key": self.key,
            "revision": self.revision,
            "implementation_revision": self.implementation_revision,
            "checkpoint_schema": self.checkpoint_schema,
            "entry": self.entry,
            "stations": [{"key": s.key, "label": s.label, "kind": s.kind} for s in ordered.stations],
            "edges": [{"source": e.source, "target": e.target, "relation": e.relation} for e in ordered.edges],
        }
        return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()

    def digest(self) -> str:
        """Lowercase hex SHA-256 of ``canonical``."""
        return sha256(self.canonical()).hexdigest()


def one_station(
    key: str, revision: str, *, implementation_revision: str = "1", checkpoint_schema: str = "none"
) -> Pattern:
    """The short form: one task ``main`` and one end, joined by ``next``."""
    return Pattern(
        key, revision, implementation_revision, checkpoint_schema, "main",
        (Station("main", "main", "task"), Station("end", "end", "end")),
        (Edge("main", "end", "next"),),
    )  # fmt: skip


def faults(pattern: Pattern, *, retained: bool = False) -> list[Fault]:
    """Every declarative fault of a pattern, in the order of its fields; empty when it is well formed (PAT-5).

    ``retained``: a snapshot that was accepted once may hold a station that nothing reaches or that reaches no end;
    a new manifest may not.
    """
    found = [*_header_faults(pattern), *_station_faults(pattern), *_edge_faults(pattern)]
    return found if retained else found + _path_faults(pattern)


def name_fault(text: str) -> str | None:
    """Why ``text`` can't be a key, a revision or a station key; None when it can (PAT-1)."""
    if _URL_SAFE.fullmatch(text):
        return None
    return "must be 1 to 128 letters, digits or . _ ~ - of ASCII, the first a letter or digit"


def text_fault(text: str) -> str | None:
    """Why ``text`` can't be a label or an opaque id; None when it can. Controls and bidirectional marks are refused."""
    if not 1 <= len(text) <= LABEL_LENGTH:
        return f"must have 1 to {LABEL_LENGTH} characters"
    if not unicodedata.is_normalized("NFC", text):
        return "is not in Unicode normal form C; write it composed"
    if any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") for c in text):
        return "holds a control, formatting or private character"
    return None


def _header_faults(pattern: Pattern) -> list[Fault]:
    checks = [
        ("key", name_fault(pattern.key)),
        ("revision", name_fault(pattern.revision)),
        ("implementation_revision", text_fault(pattern.implementation_revision)),
        ("checkpoint_schema", text_fault(pattern.checkpoint_schema)),
        ("entry", _entry_fault(pattern)),
    ]
    return [Fault((field,), sentence) for field, sentence in checks if sentence]


def _entry_fault(pattern: Pattern) -> str | None:
    kinds = [station.kind for station in pattern.stations if station.key == pattern.entry]
    if not kinds:
        return f"names no station of this pattern: {pattern.entry!r}"
    if kinds[0] not in EXECUTABLE:
        return f"must name a task or a delegate; {pattern.entry!r} is of kind {kinds[0]!r}"
    return None


def _station_faults(pattern: Pattern) -> list[Fault]:
    found, seen = [], set()
    for index, station in enumerate(pattern.stations):
        checks = [
            ("key", name_fault(station.key) or (f"{station.key!r} is declared twice" if station.key in seen else None)),
            ("label", text_fault(station.label)),
            ("kind", None if station.kind in KINDS else f"must be one of {', '.join(KINDS)}, not {station.kind!r}"),
        ]
        seen.add(station.key)
        found += [Fault(("station", index, field), sentence) for field, sentence in checks if sentence]
    ends = sum(station.kind == "end" for station in pattern.stations)
    if ends != 1:
        found.append(Fault(("station",), f"must hold exactly one station of kind end, not {ends}"))
    return found


def _edge_faults(pattern: Pattern) -> list[Fault]:
    found: list[Fault] = []
    kinds = {station.key: station.kind for station in pattern.stations}
    seen: Counter[Edge] = Counter()
    for index, edge in enumerate(pattern.edges):
        for field, end in (("source", edge.source), ("target", edge.target)):
            if end not in kinds:
                found.append(Fault(("edge", index, field), f"names no station of this pattern: {end!r}"))
        legal = RELATIONS.get(kinds.get(edge.source, ""))
        if legal is not None and edge.relation not in legal:
            found.append(Fault(("edge", index, "relation"), _relation_sentence(kinds[edge.source], edge.relation)))
        seen[edge] += 1
        if seen[edge] == 2:
            found.append(Fault(("edge", index), f"{edge.source} to {edge.target} by {edge.relation} is declared twice"))
    return found


def _relation_sentence(kind: str, relation: str) -> str:
    legal = RELATIONS[kind]
    if not legal:
        return f"nothing follows a station of kind {kind}, so {relation!r} can't leave it"
    return f"must be {' or '.join(legal)} for a station of kind {kind}, not {relation!r}"


def _path_faults(pattern: Pattern) -> list[Fault]:
    """Stations that the entry does not reach, and stations from which no end is reached."""
    keys = {station.key for station in pattern.stations}
    if pattern.entry not in keys:
        return []
    onward = _reached({pattern.entry}, [(edge.source, edge.target) for edge in pattern.edges])
    ends = {station.key for station in pattern.stations if station.kind == "end"}
    ending = _reached(ends, [(edge.target, edge.source) for edge in pattern.edges])
    found = []
    for index, station in enumerate(pattern.stations):
        if station.key not in onward:
            found.append(Fault(("station", index, "key"), f"no edges lead from the entry to {station.key!r}"))
        elif ends and station.key not in ending:
            found.append(Fault(("station", index, "key"), f"no edges lead from {station.key!r} to an end"))
    return found


def _reached(start: set[str], steps: list[tuple[str, str]]) -> set[str]:
    following: dict[str, list[str]] = {}
    for source, target in steps:
        following.setdefault(source, []).append(target)
    reached, waiting = set(start), list(start)
    while waiting:
        fresh = [key for key in following.get(waiting.pop(), ()) if key not in reached]
        reached.update(fresh)
        waiting += fresh
    return reached


def from_canonical(data: bytes) -> Pattern:
    """The pattern of a retained snapshot, or of a body written by hand in JSON; any order of keys is read.

    Extra fields at the top stay outside the digest and are passed over (C5, PAT-10). Raises MalformedPattern for
    what fails PAT-5, a duplicate key and a text that is not NFC included, whatever digest came with it (PAT-6).
    """
    body = _body(data)
    stations = tuple(Station(item["key"], item["label"], item["kind"]) for item in _rows(body, "stations", _STATION))
    edges = tuple(Edge(item["source"], item["target"], item["relation"]) for item in _rows(body, "edges", _EDGE))
    pattern = Pattern(**_texts(body, _HEADER, ()), stations=stations, edges=edges)
    wrong = faults(pattern, retained=True)
    if wrong:
        raise MalformedPattern(tuple(wrong))
    return pattern


def _body(data: bytes) -> dict[str, object]:
    try:
        body = json.loads(data.decode(), object_pairs_hook=_no_duplicates, parse_constant=_no_constant)
    except RecursionError:
        raise _malformed((), "is nested too deeply") from None
    except ValueError as error:
        raise _malformed((), f"is not JSON in UTF-8: {error}") from None
    if not isinstance(body, dict):
        raise _malformed((), "must be a JSON object")
    if type(body.get("schema_version")) is not int or body["schema_version"] != SCHEMA_VERSION:
        raise _malformed(("schema_version",), f"must be the number {SCHEMA_VERSION}")
    return body


def _rows(body: dict[str, object], field: str, names: tuple[str, ...]) -> list[dict[str, str]]:
    rows = body.get(field)
    if not isinstance(rows, list):
        raise _malformed((field,), "must be an array of objects")
    found = []
    for index, row in enumerate(rows):
        if not isinstance(row, dict) or set(row) != set(names):
            raise _malformed((field, index), f"must be an object of exactly {', '.join(names)}")
        found.append(_texts(row, names, (field, index)))
    return found


def _texts(body: dict[str, object], names: tuple[str, ...], where: Where) -> dict[str, str]:
    texts = {}
    for name in names:
        text = body.get(name)
        if not isinstance(text, str):
            raise _malformed((*where, name), "must be a string")
        texts[name] = text
    return texts


def _malformed(where: Where, sentence: str) -> MalformedPattern:
    return MalformedPattern((Fault(where, sentence),))


def _no_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    body = dict(pairs)
    if len(body) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return body


def _no_constant(text: str) -> object:
    raise ValueError(f"{text} is not a number of JSON")
