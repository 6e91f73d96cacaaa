"""The activations of a Schedule as a line: which revision owns which nominal seconds.

A switch cuts every earlier one at its decision. One with a partition goes further: it names each firing up to its
span's end by itself (CUT-04), of whichever reading, so nothing that was unresolved is left to earlier switches:

    first    ──────┐
    implied        └─────┐ settled_to
    cutover              └ named one by one ┐ span_end
                                            └──────── the new reading alone
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from spellweaver.core.cutover import Firing
from spellweaver.core.instant import SECOND
from spellweaver.core.line import Candidate

Key = tuple[int, int, int]  # generation, civil second, fold
FATES = ("fires", "gap_skip", "gap_fail")


class Switch(NamedTuple):
    """``begins_s``: after this second the revision's own calendar alone yields; ``cut_s``: up to this one the earlier
    switches do. Between them there is what the partition names, in order, up to ``span_end_s`` (0 without one).
    """

    revision: int
    begins_s: int
    cut_s: int
    firings: tuple[Firing, ...] = ()
    span_end_s: int = 0


class Piece(NamedTuple):
    """The seconds ``after_s < n <= until_s`` of one revision: all that its calendar yields there, or what is listed."""

    revision: int
    after_s: int
    until_s: int
    listed: tuple[Candidate, ...] | None = None
    skipped: bool = False


def switch(revision: int, begins_at: int, decided_at: int, partition: str) -> Switch:
    """The switch that a row of ``activation`` says."""
    said = json.loads(partition)
    if "firings" not in said:
        return Switch(revision, begins_at // SECOND, decided_at // SECOND)
    firings, span_end_s = tuple(_firing(*values) for values in said["firings"]), said["span_end"] // SECOND
    return Switch(revision, max(begins_at // SECOND, span_end_s), said["settled_to"], firings, span_end_s)


def _firing(
    generation: int, civil_s: int, fold: int, instant_s: int, fate: int, owner: int, skipped: int, group: int
) -> Firing:
    return Firing(generation, Candidate(instant_s, civil_s, fold, FATES[fate]), owner, bool(skipped), group)  # type: ignore[arg-type]


def kept(firings: Sequence[Firing]) -> list[list[int]]:
    """The firings of a partition as they are stored."""
    return [
        [f.generation, f.found.civil_s, f.found.fold, f.found.instant_s, FATES.index(f.found.fate), f.owner,
         int(f.skipped), f.group]
        for f in firings
    ]  # fmt: skip


def line(switches: Sequence[Switch], *, after_s: int, until_s: int) -> list[Piece]:
    """Who owns which nominal seconds, in order. A later switch cuts every earlier one, also one that the clock, which
    has gone back since, has not reached again. ``switches`` begin with the latest.
    """
    pieces: list[Piece] = []
    for each in switches:
        begin_s = max(each.begins_s, after_s)
        if begin_s < until_s:
            pieces.append(Piece(each.revision, begin_s, until_s))
        if each.firings:
            pieces += _listed(each.firings, after_s, until_s)[::-1]
        until_s = min(until_s, each.cut_s)
    return pieces[::-1]


def _listed(firings: Sequence[Firing], after_s: int, until_s: int) -> list[Piece]:
    """The firings of a partition as pieces: a piece is a stretch of one revision and one fate without a hole."""
    there = [firing for firing in firings if after_s < firing.found.instant_s <= until_s]
    pieces = []
    for (_, owner, skipped), group in groupby(there, key=lambda f: (f.group, f.owner, f.skipped)):
        found = tuple(firing.found for firing in group)
        pieces.append(Piece(owner, found[0].instant_s - 1, found[-1].instant_s, found, skipped))
    return pieces


def aliases(partitions: Iterable[str]) -> list[dict[Key, Key]]:
    """What each cutover, the latest first, said of the keys it names: itself, or the one that it is."""
    said = []
    for text in partitions:
        partition = json.loads(text)
        own = {(f[0], f[1], f[2]): (f[0], f[1], f[2]) for f in partition["firings"]}
        said.append(own | {(a[0], a[1], a[2]): (a[3], a[4], a[5]) for a in partition["aliases"]})
    return said


def root(key: Key, said: Sequence[dict[Key, Key]]) -> Key:
    """The firing that a key is. The latest cutover that names it decides; from what it points to no earlier one leads
    on, so the way ends.
    """
    for _ in range(len(said) + 1):
        at = next((i for i, each in enumerate(said) if key in each), None)
        if at is None or said[at][key] == key:
            break
        key, said = said[at][key], said[: at + 1]
    return key
