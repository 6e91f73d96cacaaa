"""Commands of ours as the operator would have to type them: hints that can be copied."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "spellweaver"
_SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_")


def quoted(word: str) -> str:
    """``word`` for a shell, in quotes only where it needs them."""
    return word if word and _SAFE.issuperset(word) else "'" + word.replace("'", "'\"'\"'") + "'"


def program(called: str, environ: Mapping[str, str]) -> str:
    """The bare name if that is what a shell would find on PATH, else the program as it was called."""
    if not called.endswith(NAME):
        return f"python3 -m {NAME}.cli.main" if called.endswith("main.py") else called
    for folder in environ.get("PATH", "").split(":"):
        found = f"{folder or '.'}/{NAME}"
        if os.access(found, os.X_OK) and os.path.isfile(found):
            return NAME if os.path.samefile(found, called) else called
    return called
