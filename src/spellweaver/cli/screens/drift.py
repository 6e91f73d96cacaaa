"""Where the host's zone rules differ from the kept ones that a Schedule fires by (CAL-05). Equal bytes are the rule, so
that costs one look at each zone's file.
"""

from __future__ import annotations

from spellweaver.cli import times
from spellweaver.core import zone as zones
from spellweaver.core.instant import SECOND
from spellweaver.ledger.queries import load
from spellweaver.manifest import zones as source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from spellweaver.ledger.observe import View


class Drift:
    """``schedules`` by full name; ``at`` the first instant from now on that differs (µs), None where none does or the
    host has no such rules; ``sentence`` says how.
    """

    __slots__ = ("at", "schedules", "sentence")

    def __init__(self, schedules: list[str], at: int | None, sentence: str) -> None:
        self.schedules = schedules
        self.at = at
        self.sentence = sentence


def drifts(view: View, as_of: int) -> Iterator[Drift]:
    """One for each zone of the active revisions whose host rules have other bytes than the kept ones.

    Missing or damaged kept rules are not judged: they have stopped their Schedules (CAL-06).
    """
    sql = load("schedule")
    for name, digest, kept in view.rows(sql["zones"]):
        if not isinstance(kept, bytes) or not isinstance(digest, bytes):
            continue
        if (found := _differs(str(name), kept, as_of)) is None:
            continue
        who = [str(row[0]) for row in view.rows(sql["of_zone"], (name, digest))]
        named = who[0] if len(who) == 1 else f"{who[0]} and {len(who) - 1} more"
        at, how = found
        yield Drift(who, at, f"{named}: the kept rules of {name} (sha256:{digest.hex()[:12]}) decide; {how}")


def _differs(name: str, kept: bytes, as_of: int) -> tuple[int | None, str] | None:
    try:
        host = source.rules(name)
        if host == kept:
            return None
        here, there = zones.parse(host), zones.parse(kept)
    except source.UnknownZone as error:
        return None, f"the host has none: {error}"
    except zones.BadZone as error:
        return None, f"those of the host, or they, can't be read: {error}"
    turn = zones.first_difference(there, here, as_of // SECOND)
    if turn is None:
        return None, "the host's have other bytes, but no time to come differs"
    at = turn * SECOND
    readings = f"{times.reading(at, there)}, not {times.reading(at, here)}"
    return at, f"the host's differ from {times.rfc3339(at)} on ({readings})"
