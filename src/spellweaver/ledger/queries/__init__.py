"""Named SQL. A file holds statements, each under ``-- name: word`` and a sentence of why."""

from __future__ import annotations

import os

_HERE = os.path.dirname(__file__)
_LOADED: dict[str, dict[str, str]] = {}


def load(noun: str) -> dict[str, str]:
    """The statements of ``queries/<noun>.sql`` by name."""
    if noun not in _LOADED:
        with open(f"{_HERE}/{noun}.sql", encoding="utf-8") as file:
            blocks = file.read().split("-- name: ")[1:]
        _LOADED[noun] = {name.strip(): sql.strip() for name, _, sql in (block.partition("\n") for block in blocks)}
    return _LOADED[noun]
