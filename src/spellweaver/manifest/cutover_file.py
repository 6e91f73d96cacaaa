"""A cutover file: a partition as TOML, to be read and edited by a person. It stands by itself and holds nothing else.

Values are written by tomli-w, comment lines by us. What is wrong by the file alone is told here, with its place; what
only the ledger can know is judged where it is activated (CUT-05), which names each entry by the place it has here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Literal

import tomli_w
from pydantic import BeforeValidator, Field

from spellweaver.core.cutover import NONE, OPEN, Entry, Fate, Owner, Partition
from spellweaver.core.instant import show
from spellweaver.errors import BadFile
from spellweaver.files import read_operator_file
from spellweaver.manifest.checking import checked
from spellweaver.manifest.read import counted
from spellweaver.manifest.shapes import NAME, Instant, Shape, Table, wrong
from spellweaver.manifest.source import LIMIT, Source, load
from spellweaver.safety.owners import fault_of_file

FATES: tuple[Fate, ...] = ("same", "distinct", "skip")
KEY = r"c[1-9][0-9]{0,8}:\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(\+1|Z)?"


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise wrong("must be a string in quotes")
    return value


def _key(value: object) -> str:
    text = _text(value)
    if text != OPEN and not re.fullmatch(KEY, text):
        raise wrong('must be the key of a candidate, as in "c1:2026-01-02T02:00", or "?"')
    return text


def _end(value: object) -> str:
    text = _text(value)
    if text != NONE and not re.fullmatch(KEY, text):
        raise wrong('must be the key of a candidate, as in "c1:2026-01-02T02:00", or "none"')
    return text


def _pair(value: object) -> list[str]:
    if not isinstance(value, list) or len(value) != 2:
        raise wrong("must be an array of two keys: the old candidate, then the new one")
    return [_key(each) for each in value]


def _owner(value: object) -> str:
    if value not in ("old", "new", OPEN):
        raise wrong('must be "old" or "new"; "?" leaves it open, and is refused at activation')
    return str(value)


def _name(value: object) -> str:
    text = _text(value)
    if not re.fullmatch(f"({NAME}/)?{NAME}", text):
        raise wrong('must be the name of a Schedule, as in "nightly" or "ops/nightly"')
    return text if "/" in text else f"local/{text}"


Number = Annotated[int, Field(ge=1, le=10**9)]
Key = Annotated[str, BeforeValidator(_key)]
End = Annotated[str, BeforeValidator(_end)]


class FileShape(Shape):
    format: Annotated[int, Field(ge=1, le=1)]
    cutover: Table
    fate: list[Table] = []


class CutoverShape(Shape):
    schedule: Annotated[str, BeforeValidator(_name)]
    old: Number
    new: Number
    at: Instant
    span_end: Instant
    old_last: End
    new_first: End


class FateShape(Shape):
    same: Annotated[list[str] | None, BeforeValidator(_pair)] = None
    distinct: Key | None = None
    skip: Key | None = None
    owner: Annotated[Literal["old", "new", "?"], BeforeValidator(_owner)]


def read_cutover(path: str) -> Partition:
    """Raises BadFile (65) with every problem of the file, NoInput (66)."""
    return _read(load(read_operator_file(path, limit=LIMIT, fault=fault_of_file), path))


def read_text(text: str, path: str) -> Partition:
    """The partition of a text, as if it stood in the file ``path``. Raises BadFile."""
    return _read(load(text.encode(errors="surrogatepass"), path))


def _read(source: Source) -> Partition:
    made = _partition(source) if source.readable else None
    if source.problems or made is None:
        problems = sorted(source.problems)
        raise BadFile("file_wrong", counted(problems), problems=tuple(problems))
    return made


def _partition(source: Source) -> Partition | None:
    shape = checked(source, FileShape, source.data, ())
    table, fates = source.data.get("cutover"), source.data.get("fate")
    head = checked(source, CutoverShape, table, ("cutover",)) if isinstance(table, dict) else None
    entries = []
    for index, fate in enumerate(fates if isinstance(fates, list) else ()):
        if isinstance(fate, dict) and (entry := _entry(source, fate, index)):
            entries.append(entry)
    if shape is None or head is None:
        return None
    return Partition(
        head.schedule, head.old, head.new, head.at, head.span_end, head.old_last, head.new_first, tuple(entries)
    )


def _entry(source: Source, table: dict[str, object], index: int) -> Entry | None:
    path = ("fate", index)
    kinds = [fate for fate in FATES if fate in table]
    if len(kinds) != 1:
        said = f"{' and '.join(kinds)} exclude each other" if kinds else "says no fate"
        source.tell(path, f"{said}: write one of same, distinct, skip", at_key=True)
        return None
    shape = checked(source, FateShape, table, path)
    if shape is None:
        return None
    keys = shape.same or [key for key in (shape.distinct, shape.skip) if key is not None]
    owner: Owner = shape.owner
    return Entry(kinds[0], tuple(keys), owner, source.place(path))


def text(partition: Partition, notes: dict[str, str], *, cycle: str | None, open_: int) -> str:
    """The file of a partition; ``notes`` say of each key what it is. What comes out can be read back."""
    return "".join((*_head(partition, cycle, open_), *(_fate(entry, notes) for entry in partition.entries)))


def _head(partition: Partition, cycle: str | None, open_: int) -> Iterator[str]:
    p = partition
    yield "format = 1\n\n"
    yield f"# What becomes of the firings of {p.schedule} around the switch from revision {p.old} to {p.new}.\n"
    yield "# Each candidate stands in exactly one [[fate]]:\n"
    yield '#   same = ["OLD", "NEW"]   one firing; owner says which of the two it is, and whose terms it has\n'
    yield '#   distinct = "KEY"        a firing of its own; its owner is its own side\n'
    yield '#   skip = "KEY"            recorded as skipped\n'
    if cycle:
        yield f'# Pairs were proposed by the cycle that both revisions declare: "{cycle}".\n'
    else:
        yield "# The two revisions declare no cycle in common, so nothing was paired.\n"
    if open_:
        yield f'# {open_} of them are yours to decide: "?" is refused.\n'
        yield "# old_last and new_first follow from what is decided below; cutover check says what they must be.\n"
    yield "\n[cutover]\n"
    for word, value in (
        ("schedule", p.schedule), ("old", p.old), ("new", p.new), ("at", show(p.at)), ("span_end", show(p.span_end)),
        ("old_last", p.old_last), ("new_first", p.new_first),
    ):  # fmt: skip
        yield f"{word} = {_value(value)}{_COMMENTS.get(word, '')}\n"


_COMMENTS = {
    "at": "  # planned for this instant",
    "span_end": "  # after it the new revision alone fires",
    "old_last": "  # the last that may run by the old reading",
    "new_first": "  # the first that may run by the new one",
}


def _fate(entry: Entry, notes: dict[str, str]) -> str:
    lines = ["\n", *(f"# {key}  {notes[key]}\n" for key in dict.fromkeys(entry.keys) if key in notes), "[[fate]]\n"]
    keys = [_value(key) for key in entry.keys]
    said = f"[{', '.join(keys)}]" if entry.fate == "same" else keys[0]
    decide = "  # decide: same with its pair, distinct or skip; and who owns it" if entry.owner == OPEN else ""
    return "".join((*lines, f"{entry.fate} = {said}\n", f"owner = {_value(entry.owner)}{decide}\n"))


def _value(value: object) -> str:
    """A value as tomli-w writes it."""
    return tomli_w.dumps({"v": value}).removeprefix("v = ").removesuffix("\n")
