"""What a check found: ``ok``, a ``note`` that somebody may want to know, or ``wrong``."""

from __future__ import annotations

from spellweaver.cli.values import Column, State
from spellweaver.errors import SpellweaverError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.values import Item

COLUMNS = (Column("CHECK", "id"), Column("STATE", "state"), Column("FINDING", "sentence"), Column("NEXT", "next"))
OURS = "spellweaver "


class Finding:
    """``id`` is the check's stable word, ``next`` a command or an act; ours begins with ``spellweaver``."""

    __slots__ = ("id", "next", "sentence", "state")

    def __init__(self, id_: str, state: str, sentence: str, next_: str | None = None) -> None:
        self.id = id_
        self.state = state
        self.sentence = sentence
        self.next = next_

    def item(self, frame: Frame) -> Item:
        next_ = self.next
        if next_ is not None and next_.startswith(OURS):
            next_ = frame.typed(*next_.removeprefix(OURS).split())
        return {"id": self.id, "state": State(self.state), "sentence": self.sentence, "next": next_}


def guarded(id_: str, look: Callable[[], Iterable[Finding]]) -> Iterator[Finding]:
    """What a check says, or what kept it from looking: that is a finding too, and the other checks go on."""
    try:
        yield from look()
    except SpellweaverError as error:
        yield Finding(id_, "wrong", error.message, error.hint)
