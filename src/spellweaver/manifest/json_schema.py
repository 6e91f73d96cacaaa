"""The JSON Schemas of operator files (draft 2020-12), for editors. They state keys, types and words.

What depends on two keys, on the zone source or on the cron grammar, only ``read`` judges.
"""

from __future__ import annotations

from spellweaver.manifest.shapes import KINDS

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def json_schema(kind: str) -> dict[str, object]:
    """The schema of one kind of object (``pattern``, ``binding``, ``schedule``, ``policy``) or of a whole ``file``.

    Raises KeyError for another word.
    """
    if kind != "file":
        return {"$schema": DRAFT, **_schema(kind, "#/$defs/{model}")}
    shapes = {name: _schema(name, f"#/$defs/{name}/$defs/{{model}}") for name in KINDS}
    refs = {name: {"$ref": f"#/$defs/{name}"} for name in KINDS}
    stations = {"type": "object", "additionalProperties": refs["binding"]}
    return {
        "$schema": DRAFT,
        "type": "object",
        "required": ["format"],
        "additionalProperties": False,
        "properties": {
            "format": {"const": 1},
            "pattern": {"type": "array", "items": refs["pattern"]},
            "schedule": {"type": "array", "items": refs["schedule"]},
            "binding": {"type": "object", "additionalProperties": stations},
            "policy": refs["policy"],
        },
        "$defs": shapes,
    }


def _schema(kind: str, ref_template: str) -> dict[str, object]:
    made = _as_written(KINDS[kind].model_json_schema(ref_template=ref_template))
    assert isinstance(made, dict)
    return made


def _as_written(schema: object) -> object:
    """Without what is true of the read values alone: null for an absent key, defaults in microseconds, class names."""
    if isinstance(schema, list):
        return [_as_written(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: _as_written(item) for key, item in schema.items() if key not in ("title", "default")}
    choices = kept.get("anyOf")
    if isinstance(choices, list):
        choices = [choice for choice in choices if choice != {"type": "null"}]
        if len(choices) == 1:
            del kept["anyOf"]
            kept.update(choices[0])
    return kept
