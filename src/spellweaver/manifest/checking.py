"""One table against its shape: every problem of it, told at its place in words of ours. Nothing found wrong is ever
used.

An unknown key is answered in this order: a key of a later version by name, a key that belongs elsewhere by its home
(CFG-4), else the nearest key of this table is named.
"""

from __future__ import annotations

import types
import typing
from functools import lru_cache
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from spellweaver.manifest import shapes, words
from spellweaver.manifest.positions import Path
from spellweaver.manifest.problems import nearest, shown
from spellweaver.manifest.shapes import Shape
from spellweaver.manifest.source import Source

S = TypeVar("S", bound=Shape)

_LATER: dict[type[BaseModel], dict[str, str]] = {
    shapes.FileShape: words.FILE,
    shapes.PatternShape: words.PATTERN,
    shapes.BindingShape: words.BINDING,
    shapes.ScheduleShape: words.SCHEDULE,
    shapes.CalendarShape: words.CALENDAR,
    shapes.RecoveryShape: words.RECOVERY,
    shapes.PolicyShape: words.POLICY,
}
_HOMES: dict[type[BaseModel], str] = {
    shapes.CalendarShape: "[schedule.calendar]",
    shapes.RecoveryShape: "[schedule.recovery]",
    shapes.ScheduleShape: "[[schedule]]",
    shapes.BindingShape: '[binding."KEY@REVISION".STATION]',
    shapes.PatternShape: "[[pattern]]",
    shapes.ClockShape: "[policy] clock",
    shapes.PolicyShape: "[policy]",
}
CUTOVER = ("cutover", "fate")
_TYPES = {
    "int_type": "a whole number",
    "list_type": "an array",
    "dict_type": "a table",
    "model_type": "a table",
    "string_type": "a string",
}


def checked(source: Source, shape: type[S], data: dict[str, object], path: Path) -> S | None:
    """``data``, which stands at ``path``, as its shape; None when anything in it is wrong, which the source is told."""
    try:
        return shape.model_validate(data)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            _tell(source, shape, detail, path)
        return None


def _tell(source: Source, shape: type[Shape], detail: ErrorDetails, path: Path) -> None:
    loc = tuple(part for part in detail["loc"] if part != "[key]")
    if detail["type"] == "extra_forbidden":
        table = _shape_at(shape, loc[:-1])
        message, hint = unknown_key(table, str(loc[-1]))
        source.tell((*path, *loc), message, hint=hint, at_key=True)
    elif detail["type"] == "missing":
        source.tell((*path, *loc), "is required here")
    else:
        source.tell((*path, *loc), _sentence(detail))


def _sentence(detail: ErrorDetails) -> str:
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "refused":
        return str(context["sentence"])
    if kind in _TYPES:
        return f"must be {_TYPES[kind]}, not {shown(detail['input'])}"
    if kind == "greater_than_equal":
        return f"must be at least {context['ge']}, not {shown(detail['input'])}"
    if kind == "less_than_equal":
        return f"must be at most {context['le']}, not {shown(detail['input'])}"
    return detail["msg"]


def unknown_key(table: type[BaseModel], key: str) -> tuple[str, str | None]:
    """What to say of a key that ``table`` does not have: (message, hint)."""
    late = _LATER.get(table, {})
    if table is shapes.FileShape and key in CUTOVER:
        return "stands in a file of its own", "`activate --cutover FILE` takes that"
    if key in late:
        return words.later(f"`{key}`", late[key]), None
    known = keys(table)
    homes = _elsewhere(table)
    if key in homes:
        return f"is no key of this table; it belongs in {homes[key]}", None
    near = nearest(key, [*known, *late])
    if near:
        return "is no key of this table", f"did you mean {near!r}?"
    near = nearest(key, homes)
    if near:
        return "is no key of this table", f"did you mean {near!r} in {homes[near]}?"
    return "is no key of this table", f"its keys are {', '.join(known)}"


@lru_cache
def keys(table: type[BaseModel]) -> list[str]:
    """The keys of a table, as they are written in a file."""
    return [field.alias or name for name, field in table.model_fields.items()]


@lru_cache
def _elsewhere(table: type[BaseModel]) -> dict[str, str]:
    """Keys of the other tables and where they belong; of a schedule's own tables first."""
    homes: dict[str, str] = {}
    for other, home in _HOMES.items():
        if other is not table:
            for key in [*keys(other), *_LATER.get(other, {})]:
                homes.setdefault(key, home)
    return homes


def _shape_at(shape: type[BaseModel], loc: tuple[int | str, ...]) -> type[BaseModel]:
    """The shape of the table that ``loc`` leads to."""
    for part in loc:
        if isinstance(part, str):
            field = next(f for name, f in shape.model_fields.items() if part == (f.alias or name))
            shape = _innermost(field.annotation)
    return shape


def _innermost(annotation: object) -> type[BaseModel]:
    """The shape inside ``Shape | None``, ``list[Shape]`` and the like."""
    while not (
        isinstance(annotation, type)
        and not isinstance(annotation, types.GenericAlias)
        and issubclass(annotation, BaseModel)
    ):
        annotation = next(a for a in typing.get_args(annotation) if a is not types.NoneType)
    return annotation
