"""A JSON Schema (2020-12) for each kind of output, from what ``cli/kinds`` declares."""

from __future__ import annotations

import json
import os
from importlib import import_module

from spellweaver.cli import kinds
from spellweaver.cli.kinds.notation import Kind, Shape, array, instant, integer, optional, record, text
from spellweaver.cli.render.document import VERSION


def declared() -> dict[str, Kind]:
    """Every kind of every module of ``kinds``, by its name."""
    found: dict[str, Kind] = {}
    for name in sorted(os.listdir(os.path.dirname(str(kinds.__file__)))):
        if name.endswith(".py") and name not in ("__init__.py", "notation.py"):
            module = import_module(f"{kinds.__name__}.{name.removesuffix('.py')}")
            assert not found.keys() & module.KINDS.keys(), f"{name} declares a kind again"
            found.update(module.KINDS)
    return dict(sorted(found.items()))


def schemas() -> dict[str, str]:
    """The text of each schema by its kind; ``error`` is what stderr carries under ``--json``."""
    made = {kind: _document(kind, shape) for kind, shape in declared().items()}
    made["error"] = _schema("error", "An error, as stderr carries it under --json.", _ERROR)
    return dict(sorted(made.items()))


def _document(kind: str, declared_: Kind) -> str:
    ledger = optional(record(id=text(), seq=integer()))
    envelope = record(
        kind={"const": kind}, v={"const": VERSION}, as_of=instant(), ledger=ledger, **declared_.more,
        items=array({"$ref": "#/$defs/item"}),
    )  # fmt: skip
    said = f"The document of kind {kind}; with --jsonl each line is one item (#/$defs/item)."
    return _schema(kind, said, {**envelope, "$defs": {"item": declared_.item}})


def _schema(kind: str, said: str, body: Shape) -> str:
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": kind, "description": said}
    return json.dumps({**head, **body}, indent=2, ensure_ascii=False) + "\n"


_PROBLEM = record(
    path=text(), line=integer(), col=integer(), key=text(), message=text(), hint=optional(text())
)  # fmt: skip
_ERROR = record(
    kind={"const": "error"}, v={"const": VERSION}, code=text(), exit_status=integer(), message=text(),
    hint=optional(text()), fields={"type": "object"}, problems=array(_PROBLEM),
)  # fmt: skip
