"""What a job left in ``SPELLWEAVER_RESULT``: one JSON object, or a note why it counts for nothing.

The exit status is the outcome (RP-50); the object only adds to it. The job wrote it, so nothing in it is trusted.
"""

from __future__ import annotations

import json
import math
import os
from typing import NamedTuple

from spellweaver import files
from spellweaver.errors import NoInput
from spellweaver.host.handover import RESULT_LIMIT

DEPTH = 32  # of lists and objects inside each other


class Result(NamedTuple):
    """``result`` as written, or None; ``result_note`` says why something written was ignored."""

    result: dict[str, object] | None
    result_note: str | None


def read(folder: str) -> Result:
    """Of the attempt with this folder, once it is over. Never raises for what a job wrote. A job that wrote nothing
    has neither result nor note.
    """
    path = f"{folder}/result"
    try:
        data = files.read_operator_file(path, limit=RESULT_LIMIT)
    except NoInput as error:
        said = error.message if os.path.lexists(path) else _left(folder)
        return Result(None, f"result ignored: {said}" if said else None)
    try:
        value = json.loads(data, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        return Result(None, f"result ignored: it is not JSON: {error}")
    if not isinstance(value, dict):
        return Result(None, "result ignored: it is not one JSON object")
    if _depth(value) > DEPTH:
        return Result(None, f"result ignored: it is nested deeper than {DEPTH}")
    return Result(value, None)


def _left(folder: str) -> str | None:
    """Why the shim left the result of another user's job where it was; None where it did not."""
    try:
        return files.read_operator_file(f"{folder}/result_note", limit=RESULT_LIMIT).decode("utf-8", "replace")
    except NoInput:
        return None


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is not a JSON number")


def _finite(text: str) -> float:
    """A number like 1e999 is JSON, but there is none such here, and it could not be written again."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:20]} is larger than any number")
    return number


def _depth(value: object) -> int:
    """Of one beyond DEPTH only that it is."""
    level, depth = [value], 0
    while level and depth <= DEPTH:
        inner = [each for each in level if isinstance(each, dict | list)]
        level = [part for each in inner for part in (each.values() if isinstance(each, dict) else each)]
        depth += bool(inner)
    return depth
