"""What is found late: ordinary lateness, or missed at discovery; then horizon, window and catch-up decide (CAT-01,
02, 08, 10).

A backlog is counted, not enumerated. The nominal seconds of a stretch are cut where the answer changes:

    after ─ too old ─┬─ strip ─┬─ closed ─┬─ eligible ─┬─ strip ─┬─ ordinary ─ until
                now-horizon    │     now-window    now-allowance  │
                     jitter makes a strip uncertain, so it is enumerated

Only what becomes a row of its own, and the strips, are walked firing by firing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from spellweaver.core.instant import SECOND
from spellweaver.core.line import Candidate
from spellweaver.core.policy import CatchUp
from spellweaver.core.terms import Terms
from spellweaver.core.window import Window

ROWS_AT_MOST = 16  # OCC-13: more neighbours than this with one fate become a range

# forgone: eligible, but nothing is caught up; expired: found in time, but its window was shorter than that; closed:
# missed at discovery, and its window is over too
Class = Literal[
    "cutover", "paused", "gap_skip", "gap_fail", "horizon", "closed", "eligible", "forgone", "expired", "ordinary"
]


@dataclass(frozen=True, slots=True)
class Stretch:
    """The unresolved nominal seconds ``after_s < n <= until_s`` of one revision; ``paused``: all within a pause;
    ``skipped`` where a partition's entry has settled what becomes of all of it.
    """

    after_s: int
    until_s: int
    terms: Terms
    paused: bool = False
    skipped: bool = False


@dataclass(frozen=True, slots=True)
class Waiting:
    """A pending Occurrence from before; its window opens at its due instant. ``unjudged``: it was stored before that
    instant and not looked at since. ``external``: no calendar named it, so no choice among firings takes it (CAT-09).
    """

    occurrence: int
    window: Window
    horizon_us: int
    unjudged: bool
    catch_up: CatchUp = "newest"
    external: bool = False

    def late_us(self, now: int) -> int:
        return now - self.window.opens_at


@dataclass(frozen=True, slots=True)
class Offer:
    """One firing to be stored as pending. ``late_us``: decision time minus due instant, negative while jitter runs."""

    terms: Terms
    found: Candidate
    due_at: int
    mode: Literal["live", "catch_up"]
    late_us: int


@dataclass(frozen=True, slots=True)
class Settle:
    """Neighbouring firings with one fate, ``first`` and ``last`` included."""

    terms: Terms
    first: Candidate
    last: Candidate
    count: int
    state: Literal["missed", "skipped", "refused"]
    reason: str


@dataclass(frozen=True, slots=True)
class Drop:
    """A pending Occurrence from before that ends. ``late_us``: decision time minus due instant."""

    occurrence: int
    state: Literal["missed", "skipped"]
    reason: Literal["superseded", "horizon", "latest_start", "finish_by", "catch_up_none"]
    late_us: int
    horizon_us: int


@dataclass(frozen=True, slots=True)
class Keep:
    """A pending Occurrence from before that was found late and is the one offered; or an ``external`` one, which stays
    whatever else is offered.
    """

    occurrence: int
    late_us: int
    external: bool = False


Fate = Offer | Settle | Drop | Keep


@dataclass(frozen=True, slots=True)
class _Group:
    terms: Terms
    kind: Class
    first: Candidate
    last: Candidate
    count: int
    due_at: int  # of the first; exact where count is 1


_MISSED: tuple[Class, ...] = ("horizon", "closed", "eligible", "forgone")  # at discovery
_GAPS: dict[str, Class] = {"gap_skip": "gap_skip", "gap_fail": "gap_fail"}
_ENDS: dict[Class, tuple[Literal["missed", "skipped", "refused"], str]] = {
    "cutover": ("skipped", "cutover"),
    "gap_skip": ("skipped", "gap"),
    "paused": ("skipped", "paused"),
    "gap_fail": ("refused", "gap"),
    "horizon": ("skipped", "horizon"),
    "closed": ("missed", "latest_start"),
    "expired": ("missed", "latest_start"),
    "eligible": ("skipped", "superseded"),
    "forgone": ("skipped", "catch_up_none"),
}


def judge(stretches: list[Stretch], waiting: list[Waiting], *, now: int, allowance_us: int) -> list[Fate]:
    """The fate of everything unresolved up to ``now``, in firing order, under catch-up ``newest`` or ``none``
    (CAT-02, CAT-03).

    Of the firings missed at discovery and those pending from before, the newest that is still eligible is offered and
    older ones are superseded; an ordinary firing of this very look counts as newer. Where nothing was missed, pending
    ones stay. Under ``none`` all that was missed is skipped, and pending ones stay too. External ones have no part in
    the choice: horizon and window alone end them (CAT-01, CAT-09).
    """
    groups = [g for stretch in stretches for g in _cut(stretch, now=now, allowance_us=allowance_us)]
    late = [w for w in waiting if w.unjudged and w.late_us(now) > allowance_us]
    fates: list[Fate] = [_over(w, now) or Keep(w.occurrence, w.late_us(now), external=True) for w in late if w.external]
    waiting, late = [w for w in waiting if not w.external], [w for w in late if not w.external]
    fates += [drop for w in late if (drop := _over(w, now))]
    newest = None
    missed = any(g.kind in _MISSED and g.terms.catch_up != "none" for g in groups)
    if missed or any(w.catch_up != "none" for w in late):
        ordinary = any(g.kind == "ordinary" for g in groups)
        newest = None if ordinary else max((i for i, g in enumerate(groups) if g.kind == "eligible"), default=None)
        fates += _choose_waiting(waiting, late, now, newer=ordinary or newest is not None)
    for i, group in enumerate(groups):
        fates += _offer_newest(group, now) if i == newest else _fate(group, now)
    return _joined(fates)


def _over(found: Waiting, now: int) -> Drop | None:
    """The end of one that was found late, in CAT-10's order: too old, window closed, nothing caught up."""
    late_us = found.late_us(now)
    if late_us > found.horizon_us:
        return Drop(found.occurrence, "skipped", "horizon", late_us, found.horizon_us)
    if bound := found.window.closed_by(now):
        return Drop(found.occurrence, "missed", bound, late_us, found.horizon_us)
    if found.catch_up == "none":
        return Drop(found.occurrence, "skipped", "catch_up_none", late_us, found.horizon_us)
    return None


def _choose_waiting(waiting: list[Waiting], late: list[Waiting], now: int, *, newer: bool) -> Iterator[Fate]:
    """CAT-02 among those from before. ``newer``: this look offers a newer firing, so all of them are older.

    One that is not due yet has no part in it: nothing settles its fate earlier (OCC-14).
    """
    part = [w for w in waiting if w.window.opened(now) and w.window.closed_by(now) is None]
    part = [w for w in part if w not in late or _over(w, now) is None]
    young = [i for i, w in enumerate(part) if w.late_us(now) <= w.horizon_us]
    stays = len(part) if newer else max(young, default=0)
    yield from (Drop(w.occurrence, "skipped", "superseded", w.late_us(now), w.horizon_us) for w in part[:stays])
    if stays < len(part) and part[stays] in late:
        yield Keep(part[stays].occurrence, part[stays].late_us(now))


def _cut(stretch: Stretch, *, now: int, allowance_us: int) -> Iterator[_Group]:
    """The groups of one stretch, oldest first. Nothing of it lies before its first candidate, and when that one is
    ordinary, all are.
    """
    terms = stretch.terms
    first = terms.calendar.first(stretch.after_s)
    if first is None or first.instant_s > stretch.until_s:
        return
    if stretch.skipped:  # before anything else (CAT-10)
        *_, last = named = list(terms.calendar.walk(stretch.after_s, stretch.until_s))
        yield _Group(terms, "cutover", first, last, len(named), terms.due_at(first))
        return
    low = first.instant_s - 1
    if stretch.paused:
        yield from _counted(terms, low, stretch.until_s, "paused")
        return
    if _kind(terms, first.instant_s * SECOND, first.instant_s * SECOND, now, allowance_us) == "ordinary":
        if first.fate == "fires" and first.instant_s == stretch.until_s:  # nothing follows it within its second
            yield _one(terms, first, now, allowance_us)
        else:
            yield from _one_by_one(terms, low, stretch.until_s, now, allowance_us)
        return
    spread = max(terms.jitter.max_us - 1, 0)
    horizon, ordinary = now - terms.horizon_us, now - allowance_us
    strips = [((edge - spread - 1) // SECOND, (edge - 1) // SECOND) for edge in (horizon, ordinary)]
    cuts = {edge for strip in strips for edge in strip}
    if terms.allowed_delay_us is not None:
        cuts.add((now - terms.allowed_delay_us) // SECOND)
    for high in [*sorted(cut for cut in cuts if low < cut < stretch.until_s), stretch.until_s]:
        kind = _kind(terms, high * SECOND, high * SECOND, now, allowance_us)
        if kind == "ordinary" or (spread and any(begin < high and low < end for begin, end in strips)):
            yield from _one_by_one(terms, low, high, now, allowance_us)
        else:
            yield from _counted(terms, low, high, kind)
        low = high


def _one_by_one(terms: Terms, low: int, high: int, now: int, allowance_us: int) -> Iterator[_Group]:
    """What becomes a row each, or what jitter makes uncertain."""
    for found in terms.calendar.walk(low, high):
        yield _one(terms, found, now, allowance_us)


def _one(terms: Terms, found: Candidate, now: int, allowance_us: int) -> _Group:
    due_at = terms.due_at(found)
    kind = _GAPS.get(found.fate) or _kind(terms, found.instant_s * SECOND, due_at, now, allowance_us)
    return _Group(terms, kind, found, found, 1, due_at)


def _counted(terms: Terms, low: int, high: int, kind: Class) -> Iterator[_Group]:
    for run in terms.calendar.runs(low, high):
        yield _Group(terms, _GAPS.get(run.fate, kind), run.first, run.last, run.count, terms.due_at(run.first))


def _kind(terms: Terms, nominal_at: int, due_at: int, now: int, allowance_us: int) -> Class:
    """CAT-10's order, for one firing: horizon before closed window before catch-up; ordinary lateness is outside the
    horizon (CAT-08).
    """
    late = now - due_at
    closed = terms.allowed_delay_us is not None and now >= nominal_at + terms.allowed_delay_us
    if late <= allowance_us:
        return "expired" if closed else "ordinary"
    if late > terms.horizon_us:
        return "horizon"
    if closed:
        return "closed"
    return "forgone" if terms.catch_up == "none" else "eligible"


def _fate(group: _Group, now: int) -> list[Fate]:
    if group.kind == "ordinary":
        return [Offer(group.terms, group.first, group.due_at, "live", now - group.due_at)]
    state, reason = _ENDS[group.kind]
    return [Settle(group.terms, group.first, group.last, group.count, state, reason)]


def _offer_newest(group: _Group, now: int) -> list[Fate]:
    """All of an eligible group but its newest are superseded; the newest is offered."""
    terms, fates = group.terms, list[Fate]()
    if group.count > 1:
        before = terms.calendar.last(group.last.instant_s - 1, group.first.instant_s - 1)
        assert before is not None
        fates.append(Settle(terms, group.first, before, group.count - 1, "skipped", "superseded"))
    due_at = terms.due_at(group.last)
    return [*fates, Offer(terms, group.last, due_at, "catch_up", now - due_at)]


def _joined(fates: list[Fate]) -> list[Fate]:
    """Neighbours that share state, reason and revision become one (OCC-13)."""
    out: list[Fate] = []
    for fate in fates:
        before = out[-1] if out else None
        if (
            isinstance(fate, Settle)
            and isinstance(before, Settle)
            and (before.terms, before.state, before.reason) == (fate.terms, fate.state, fate.reason)
        ):
            out[-1] = Settle(fate.terms, before.first, fate.last, before.count + fate.count, fate.state, fate.reason)
        else:
            out.append(fate)
    return out


def rows(fate: Fate) -> int:
    """How many rows a fate writes."""
    return fate.count if isinstance(fate, Settle) and fate.count <= ROWS_AT_MOST else 1


def members(settle: Settle) -> list[Candidate]:
    """The firings of a settled group, one by one; for groups small enough to become rows."""
    terms = settle.terms
    fate = {"gap": "gap_skip" if settle.state == "skipped" else "gap_fail"}.get(settle.reason, "fires")
    walked = terms.calendar.walk(settle.first.instant_s - 1, settle.last.instant_s)
    if settle.reason == "cutover":  # it takes missing times too
        return list(walked)
    first, last = (settle.first.instant_s, settle.first.civil_s), (settle.last.instant_s, settle.last.civil_s)
    return [f for f in walked if f.fate == fate and first <= (f.instant_s, f.civil_s) <= last]
