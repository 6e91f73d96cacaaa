"""How many rows were asked for."""

from __future__ import annotations

from spellweaver.errors import Usage

MOST = 100_000


def at_least_one(count: int) -> int:
    """``count`` as it is. Raises Usage for none and fewer, and for more than anybody reads."""
    if not 1 <= count <= MOST:
        raise Usage("count", f"-n {count}: at least 1 is needed, and at most {MOST}")
    return count
