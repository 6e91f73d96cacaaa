"""What a job left in ``SPELLWEAVER_RESULT``: one JSON object, or a note why it counts for nothing.

The exit status is the outcome (RP-50); the object only adds to it. The job wrote it, so nothing in it is trusted.
"""

from __future__ import annotations

import json
import os
from typing import NamedTuple

from spellweaver import files
from spellweaver.errors import NoInput

LIMIT = 64 * 1024


class Result(NamedTuple):
    """``value`` as written, or None; ``note`` says why something written was ignored."""

    value: dict[str, object] | None
    note: str | None


def read(path: str) -> Result:
    """Never raises for what a job wrote. A job that wrote nothing has neither value nor note."""
    try:
        data = files.read_operator_file(path, limit=LIMIT)
    except NoInput as error:
        return Result(None, f"result ignored: {error.message}" if os.path.lexists(path) else None)
    try:
        value = json.loads(data, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        return Result(None, f"result ignored: it is not JSON: {error}")
    if not isinstance(value, dict):
        return Result(None, "result ignored: it is not one JSON object")
    return Result(value, None)


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is not a JSON number")
