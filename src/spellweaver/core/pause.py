"""Pauses of a Schedule: which unresolved seconds they take out, and which they only hold back (CAT-07).

A nominal instant in ``[begins_at, ends_at)`` is skipped, unless its own revision says ``while_paused = "catch_up"``:
then nothing is decided about it, or about any later one, until the pause has ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from spellweaver.core.instant import LAST, SECOND
from spellweaver.core.misfire import Stretch


@dataclass(frozen=True, slots=True)
class Pause:
    """``ends_at`` is None while it goes on."""

    begins_at: int
    ends_at: int | None = None

    @property
    def span_s(self) -> tuple[int, int]:
        """The nominal seconds ``after < n <= until`` within it."""
        return -(-self.begins_at // SECOND) - 1, (LAST if self.ends_at is None else -(-self.ends_at // SECOND) - 1)


def cut(stretches: Sequence[Stretch], pauses: Sequence[Pause]) -> tuple[list[Stretch], int | None]:
    """The stretches with what is paused apart, and the second from which on all is held back by a pause that goes on
    (None: nothing is).
    """
    pieces: list[Stretch] = []
    for stretch in stretches:
        edges = {edge for pause in pauses for edge in pause.span_s if stretch.after_s < edge < stretch.until_s}
        for after_s, until_s in pairwise([stretch.after_s, *sorted(edges), stretch.until_s]):
            piece = replace(stretch, after_s=after_s, until_s=until_s)
            within = [p for p in pauses if p.span_s[0] <= after_s and until_s <= p.span_s[1]]
            if within and stretch.terms.while_paused == "skip":
                piece = replace(piece, paused=True)
            elif not piece.skipped and any(p.ends_at is None for p in within) and _fires(piece):
                return pieces, after_s
            pieces.append(piece)
    return pieces, None


def _fires(piece: Stretch) -> bool:
    first = piece.terms.calendar.first(piece.after_s)
    return first is not None and first.instant_s <= piece.until_s
