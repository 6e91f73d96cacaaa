"""Kept zone rules beside those of the host: whether they are the same, and which firings of a Schedule would move if a
revision took the host's (CAL-04, CAL-05).

A firing is the same on both sides when its civil time and its fold are: what differs is the instant at which the clock
shows it, or whether it shows it at all.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from spellweaver.cli import times
from spellweaver.cli.values import At, Lasts, at
from spellweaver.core import zone as zones
from spellweaver.core.calendar import Calendar
from spellweaver.core.instant import SECOND, civil_text
from spellweaver.core.line import Candidate
from spellweaver.ledger.queries import load
from spellweaver.manifest import zones as source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from spellweaver.cli.screens.ahead import Coming
    from spellweaver.cli.values import Item
    from spellweaver.core.zone import Zone
    from spellweaver.ledger.observe import View


def kept(view: View, as_of: int) -> Iterator[Item]:
    """An item for each zone and rules that active revisions fire by. ``host``: the host's are the ``same``, have other
    bytes for the same times to come (``equal``), ``differs`` from an instant on, or there are ``none``.
    """
    sql = load("schedule")
    for name, digest, data in view.rows(sql["zones"]):
        assert isinstance(digest, bytes) and isinstance(data, bytes)
        word, instant = _beside(str(name), data, as_of)
        who = [str(row[0]) for row in view.rows(sql["of_zone"], (name, digest))]
        yield {
            "zone": str(name), "rules": f"sha256:{digest.hex()}", "host": word, "differs_at": at(instant),
            "schedules": list(who),
        }  # fmt: skip


def _beside(name: str, data: bytes, as_of: int) -> tuple[str, int | None]:
    try:
        host = source.rules(name)
    except source.UnknownZone:
        return "none", None
    if host == data:
        return "same", None
    try:
        turn = zones.first_difference(zones.parse(data), zones.parse(host), as_of // SECOND)
    except zones.BadZone:
        return "unreadable", None
    return ("equal", None) if turn is None else ("differs", turn * SECOND)


def moved(coming: Coming, *, after_s: int, until_s: int) -> Iterator[Item]:
    """The firings of one Schedule that would move, ascending by the earlier of both instants. Nothing where the host
    has no such zone or its rules can't be read, for a calendar of absolute instants, and for what a partition lists.
    """
    interpretation = coming.calendar.interpretation
    if interpretation.zone_name is None or coming.calendar.zone is None or not coming.whole:
        return
    try:
        here = zones.parse(source.rules(interpretation.zone_name))
    except (source.UnknownZone, zones.BadZone):
        return
    if here.digest == coming.zone.digest:
        return
    host = Calendar(dataclasses.replace(interpretation, zone_digest=here.digest), here, coming.calendar.excluded)
    begin = zones.first_difference(coming.zone, here, after_s)
    if begin is None:
        return
    since = max(after_s, begin - zones.REACH_S)
    old = _by_name(coming.calendar, since, until_s)
    new = _by_name(host, since, until_s)
    for key in sorted(old.keys() | new.keys(), key=lambda key: _first(old.get(key), new.get(key))):
        before, after = old.get(key), new.get(key)
        if before is None or after is None or before.instant_s != after.instant_s or before.fate != after.fate:
            item = _item(coming, here, before, after)
            if item is not None:
                yield item


def _by_name(calendar: Calendar, after_s: int, until_s: int) -> dict[tuple[int, int], Candidate]:
    """By civil time and showing; what is shown once has the same name as the first of two showings."""
    return {(c.civil_s, max(c.fold, 0)): c for c in calendar.walk(after_s, until_s)}


def _first(one: Candidate | None, other: Candidate | None) -> int:
    return min(c.instant_s for c in (one, other) if c is not None)


def _item(coming: Coming, here: Zone, before: Candidate | None, after: Candidate | None) -> Item | None:
    kept_at, host_at = _fires(before), _fires(after)
    if kept_at is None and host_at is None:
        return None
    one = before or after
    assert one is not None and coming.revision is not None
    definition = coming.revision.definition
    both = kept_at is not None and host_at is not None
    return {
        "schedule": f"{definition.authority}/{definition.name}", "revision": coming.revision.number,
        "civil": civil_text(one.civil_s), "zone": coming.calendar.interpretation.zone_name,
        "kept_at": None if kept_at is None else At(kept_at, coming.zone),
        "host_at": None if host_at is None else At(host_at, here),
        "moves_us": Lasts((host_at or 0) - (kept_at or 0)) if both else None,
    }  # fmt: skip


def _fires(candidate: Candidate | None) -> int | None:
    return candidate.instant_s * SECOND if candidate is not None and candidate.fate == "fires" else None


def move(item: Item) -> str:
    """The move in words: ``1h later``, ``no firing by the host's rules``."""
    by = item["moves_us"]
    if not isinstance(by, Lasts):
        return "no firing by the host's rules" if item["host_at"] is None else "a firing by the host's rules alone"
    return f"{times.length(abs(by.us))} {'later' if by.us > 0 else 'earlier'}"
