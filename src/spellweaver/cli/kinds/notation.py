"""The notation for shapes of items: each function gives a piece of JSON Schema (2020-12)."""

from __future__ import annotations

Shape = dict[str, object]


def text() -> Shape:
    return {"type": "string"}


def integer() -> Shape:
    return {"type": "integer"}


def truth() -> Shape:
    return {"type": "boolean"}


def instant() -> Shape:
    """RFC 3339 in UTC, microseconds where there are any."""
    return {"type": "string", "format": "date-time", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z$"}


def word(*closed: str) -> Shape:
    """One of a closed list."""
    return {"type": "string", "enum": list(closed)}


def optional(shape: Shape) -> Shape:
    """The same, or null. The key is there all the same."""
    return {"anyOf": [shape, {"type": "null"}]}


def array(shape: Shape) -> Shape:
    return {"type": "array", "items": shape}


def record(**keys: Shape) -> Shape:
    """An object that has all of these keys. A trailing underscore is dropped: ``class_`` is ``class``."""
    named = {key.rstrip("_"): shape for key, shape in keys.items()}
    return {"type": "object", "properties": named, "required": list(named)}


def table(shape: Shape) -> Shape:
    """An object with keys of the operator's own."""
    return {"type": "object", "additionalProperties": shape}


def anything() -> Shape:
    """Any JSON value, as the data of an event."""
    return {}


class Kind:
    """One item, and the keys of the envelope beside ``items`` where there are any."""

    __slots__ = ("item", "more")

    def __init__(self, item: Shape, **more: Shape) -> None:
        self.item = item
        self.more = more
