"""Operator files in, drafts out: ``read`` is the one door. Every problem of every file is told at once, or there is
a Manifest.

One file may hold several objects; each is checked apart (CFG-4). What is wrong between objects is judged over all
files of one call: the same object twice (CTL-2), a binding for a station that its pattern doesn't have or never binds
(PAT-12). Nothing is scanned or looked up elsewhere (CTL-6): what only the ledger can know is the engine's to refuse.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from spellweaver.core import instant
from spellweaver.core.binding import DEFAULT_TIMEOUT, Binding
from spellweaver.core.pattern import EXECUTABLE, Pattern
from spellweaver.core.policy import HostPolicy
from spellweaver.core.schedule import ScheduleDraft
from spellweaver.errors import BadFile, NoInput
from spellweaver.files import read_operator_file
from spellweaver.manifest import drafts
from spellweaver.manifest.checking import checked
from spellweaver.manifest.positions import Path
from spellweaver.manifest.problems import Problem
from spellweaver.manifest.shapes import FileShape
from spellweaver.manifest.source import LIMIT, Source, load
from spellweaver.safety.owners import fault_of_file

OBJECTS = 1000

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Manifest:
    """What the files of one call say, in the order of files and lines. ``policy`` is None where no file has one.

    ``notes`` are warnings: nothing that is refused, but said before it surprises. What a cadence means that its author
    may not expect depends on the time of asking: ``core.advice`` says it.
    """

    patterns: tuple[Pattern, ...] = ()
    bindings: tuple[Binding, ...] = ()
    schedules: tuple[ScheduleDraft, ...] = ()
    policy: HostPolicy | None = None
    notes: tuple[Problem, ...] = ()


@dataclass(slots=True)
class _Reading:
    """What has been read so far; ``seen`` says where each object stands, by kind and name."""

    patterns: list[Pattern] = field(default_factory=list)
    bindings: list[Binding] = field(default_factory=list)
    schedules: list[ScheduleDraft] = field(default_factory=list)
    policies: list[HostPolicy] = field(default_factory=list)
    notes: list[Problem] = field(default_factory=list)
    seen: dict[tuple[str, ...], str] = field(default_factory=dict)
    binding_places: list[tuple[Binding, Source, Path]] = field(default_factory=list)


def read(paths: Sequence[str]) -> Manifest:
    """The objects of all files. Raises BadFile (65) with every problem of every file.

    Raises NoInput (66) when the only thing wrong is that files are missing or irregular; all of them are named.
    """
    sources: list[Source] = []
    missing: list[NoInput] = []
    for path in paths:
        try:
            sources.append(load(read_operator_file(path, limit=LIMIT, fault=fault_of_file), path))
        except NoInput as error:
            if error.code == "file_too_large":
                sources.append(_refused(path, error))
            else:
                missing.append(error)
    return _read(sources, missing)


def read_text(text: str, path: str) -> Manifest:
    """The objects of one text, as if it stood in the file ``path``. Raises BadFile."""
    return _read([load(text.encode(errors="surrogatepass"), path)], [])


def _refused(path: str, error: NoInput) -> Source:
    source = load(b"", path)
    source.tell_at(0, error.message.removeprefix(f"{path}: "))
    source.readable = False
    return source


def _read(sources: list[Source], missing: list[NoInput]) -> Manifest:
    reading = _Reading()
    for source in sources:
        if source.readable:
            _read_file(reading, source)
    for binding, source, path in reading.binding_places:
        _judge_placement(reading, binding, source, path)
    problems = sorted(problem for source in sources for problem in source.problems)
    if problems:
        absent = [Problem(str(error.fields["path"]), 0, 0, "", _without_path(error)) for error in missing]
        problems = absent + problems
        raise BadFile("file_wrong", counted(problems), problems=tuple(problems))
    if missing:
        raise NoInput(
            missing[0].code,
            "\n".join(error.message for error in missing),
            paths=[error.fields["path"] for error in missing],
        )
    return Manifest(
        tuple(reading.patterns), tuple(reading.bindings), tuple(reading.schedules),
        reading.policies[0] if reading.policies else None, tuple(reading.notes),
    )  # fmt: skip


def _without_path(error: NoInput) -> str:
    return error.message.removeprefix(f"{error.fields['path']}: ")


def counted(problems: list[Problem]) -> str:
    """How many problems in how many files."""
    files = len({problem.path for problem in problems})
    return f"{_plural(len(problems), 'problem')} in {_plural(files, 'file')}; nothing was taken"


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _read_file(reading: _Reading, source: Source) -> None:
    _judge_top(source)
    objects = _objects(source)
    if len(objects) > OBJECTS:
        source.tell(
            objects[OBJECTS][1], f"the file has {len(objects)} objects; the limit is {OBJECTS}", at_key=True, key=""
        )
        return
    for kind, path, table in objects:
        _READERS[kind](reading, source, path, table)


def _judge_top(source: Source) -> None:
    """``format`` and the kinds of object; their insides are judged apart."""
    data = source.data
    if "format" not in data:
        source.tell(("format",), "is required: begin the file with format = 1")
    elif type(data["format"]) is not int or data["format"] != 1:
        source.tell(("format",), "is not a format that this version reads; write format = 1")
    for kind in ("pattern", "schedule"):
        if isinstance(data.get(kind), dict):
            source.tell((kind,), f"must be written as [[{kind}]], since a file may hold several")
    checked(source, FileShape, data, ())


def _objects(source: Source) -> list[tuple[str, Path, dict[str, object]]]:
    """(kind, path, table) of each object whose place in the file is right."""
    found: list[tuple[str, Path, dict[str, object]]] = []
    for kind in ("pattern", "schedule"):
        items = source.data.get(kind)
        for index, table in enumerate(items if isinstance(items, list) else ()):
            if isinstance(table, dict):
                found.append((kind, (kind, index), table))
    bindings = source.data.get("binding")
    for version, stations in bindings.items() if isinstance(bindings, dict) else ():
        for station, table in stations.items() if isinstance(stations, dict) else ():
            if isinstance(table, dict):
                found.append(("binding", ("binding", version, station), table))
    policy = source.data.get("policy")
    if isinstance(policy, dict):
        found.append(("policy", ("policy",), policy))
    return found


def _once(reading: _Reading, source: Source, path: Path, name: tuple[str, ...], what: str) -> None:
    """A problem at the second object of a name, whatever it holds (CTL-2)."""
    if name in reading.seen:
        said = f"{what} stands at {reading.seen[name]} already; one input may hold it once"
        source.tell_at(source.positions.nearest(path).key, said, key=source.name(path))
    reading.seen.setdefault(name, source.place(path))


def _pattern(reading: _Reading, source: Source, path: Path, table: dict[str, object]) -> None:
    if isinstance(table.get("key"), str) and isinstance(table.get("revision"), str):
        version = f"{table['key']}@{table['revision']}"
        _once(reading, source, path, ("pattern", version), f"pattern {version}")
    made = drafts.read_pattern(source, table, path)
    if made:
        reading.patterns.append(made)


def _schedule(reading: _Reading, source: Source, path: Path, table: dict[str, object]) -> None:
    name, authority = table.get("name"), table.get("authority", "local")
    if isinstance(name, str) and isinstance(authority, str):
        _once(reading, source, path, ("schedule", authority, name), f"schedule {authority}/{name}")
    made = drafts.read_schedule(source, table, path)
    if made:
        reading.schedules.append(made)


def _binding(reading: _Reading, source: Source, path: Path, table: dict[str, object]) -> None:
    version, station = str(path[1]), str(path[2])
    _once(reading, source, path, ("binding", version, station), f"the binding of {version} {station}")
    made = drafts.read_binding(source, table, path, version=version, station=station)
    if made is None:
        return
    reading.bindings.append(made)
    reading.binding_places.append((made, source, path))
    if "timeout" not in table:
        said = f"timeout is not given: {instant.duration_text(DEFAULT_TIMEOUT)}"
        reading.notes.append(_note(source, path, said))


def _policy(reading: _Reading, source: Source, path: Path, table: dict[str, object]) -> None:
    _once(reading, source, path, ("policy",), "[policy]")
    made = drafts.read_policy(source, table, path)
    if made:
        reading.policies.append(made)


def _note(source: Source, path: Path, said: str) -> Problem:
    """A warning at the place of a value."""
    return source.problem_at(source.positions.nearest(path).start, said, key=source.name(path))


def _judge_placement(reading: _Reading, binding: Binding, source: Source, path: Path) -> None:
    """A binding beside its own pattern: the station must be there, and be one that executes (PAT-11, PAT-12)."""
    for made in reading.patterns:
        if made.version != f"{binding.pattern_key}@{binding.pattern_revision}":
            continue
        kinds = {station.key: station.kind for station in made.stations}
        if binding.station not in kinds:
            source.tell(path, f"names no station of {made.version}; it has {', '.join(kinds)}", at_key=True)
        elif kinds[binding.station] not in EXECUTABLE:
            source.tell(path, f"binds a station of kind {kinds[binding.station]}, which is never bound", at_key=True)


_READERS: dict[str, Callable[[_Reading, Source, Path, dict[str, object]], None]] = {
    "pattern": _pattern,
    "schedule": _schedule,
    "binding": _binding,
    "policy": _policy,
}
