"""How many rows were asked for."""

from __future__ import annotations

from spellweaver.errors import Usage


def at_least_one(count: int) -> int:
    """``count`` as it is. Raises Usage for none and fewer."""
    if count < 1:
        raise Usage("count", f"-n {count}: at least 1 is needed")
    return count
