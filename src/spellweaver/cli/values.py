"""What an item of output may hold besides text, numbers, lists and None. Each renderer shows these in its own way.

An instant is ``At``, a state ``State``; ``Lasts`` is a duration. In JSON and in a pipe an instant is RFC 3339 in UTC,
on a terminal a civil time with its abbreviation. A plain int is a number and stays one.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from spellweaver.core.zone import Zone


class At:
    """An instant in microseconds, read in ``zone`` on a terminal, else in the operator's own zone."""

    __slots__ = ("us", "zone")

    def __init__(self, us: int, zone: Zone | None = None) -> None:
        self.us = us
        self.zone = zone


class Lasts:
    """A duration in microseconds. JSON gets the integer, so its key ends in ``_us``; people get ``4h 27min``."""

    __slots__ = ("us",)

    def __init__(self, us: int) -> None:
        self.us = us


class State(str):
    """A closed word that is shown as word, mark and colour."""

    __slots__ = ()


class Column:
    """One column of a table, or one line of a description.

    ``key`` is the key of the item, or a function of it. ``drop`` says when a narrow terminal loses the column: 0
    never, else the largest number goes first. ``only`` is ``"terminal"`` for what a script must not see, as relative
    times.
    """

    __slots__ = ("drop", "head", "key", "only")

    def __init__(self, head: str, key: Key, *, drop: int = 0, only: str | None = None) -> None:
        self.head = head
        self.key = key
        self.drop = drop
        self.only = only

    def of(self, item: Item) -> object:
        return item[self.key] if isinstance(self.key, str) else self.key(item)


def at(us: int | None, zone: Zone | None = None) -> At | None:
    """``At`` of a nullable column of the ledger."""
    return None if us is None else At(us, zone)


if TYPE_CHECKING:
    from collections.abc import Callable

    Item = dict[str, object]
    Key = str | Callable[[Item], object]
