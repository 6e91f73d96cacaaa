"""How a revision reads the clock: its firings' names, and civil times by the zone rules that the ledger keeps
(CAL-04).

Host rules never come in. A Schedule without a zone is read in UTC, as is one whose kept rules are missing or damaged
(CAL-06 has stopped it; a screen must still show it).
"""

from __future__ import annotations

from spellweaver.cli import times
from spellweaver.cli.values import At
from spellweaver.core import zone as zones
from spellweaver.core.instant import SECOND, civil_text, parse_civil
from spellweaver.ledger.queries import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from spellweaver.cli.values import Item
    from spellweaver.core.zone import Zone
    from spellweaver.ledger.observe import View

UTC = zones.Zone(bytes(32), [(zones.BEGINNING, 0, "UTC")])
NO_SUCH_TIME = "(no such time)"


class Reading:
    """``precision``: firings are named to the ``minute``, to the ``second``, or by their ``instant`` (``every`` and
    ``at``).
    """

    __slots__ = ("_readings", "number", "precision", "schedule", "zone", "zone_name")

    def __init__(
        self, readings: Readings, number: int, schedule: str, zone_name: str | None, zone: Zone, precision: str
    ) -> None:
        self._readings = readings
        self.number = number
        self.schedule = schedule
        self.zone_name = zone_name
        self.zone = zone
        self.precision = precision

    def firing(self, generation: int, civil_s: int, fold: int) -> str:
        """OCC-02: the key as text, ``c1:2026-10-25T02:30+1``, and ``shop:order-9`` of an outside event."""
        if generation == 0:
            return str(self._readings.external(civil_s)["firing"])
        if self.precision == "instant":
            return f"c{generation}:{civil_text(civil_s)}Z"
        return f"c{generation}:{civil_text(civil_s, seconds=self.precision == 'second')}{'+1' if fold == 1 else ''}"

    def at(self, us: int | None) -> At | None:
        return None if us is None else At(us, self.zone)

    def reads(self, us: int, civil_s: int, *, missing: bool) -> Item:
        """The civil reading for JSON: ``civil``, ``zone``, ``offset``, ``fold``. A ``missing`` time has neither
        offset nor fold.
        """
        if missing:
            return {"civil": civil_text(civil_s), "zone": self.zone_name, "offset": None, "fold": None}
        found = times.civil(us, self.zone)
        return {"civil": found["civil"], "zone": self.zone_name, "offset": found["offset"], "fold": found["fold"]}

    def moment(self, us: int, civil_s: int = 0, *, missing: bool = False) -> Item:
        """One instant with its civil reading. A ``missing`` time never came, so it has no instant."""
        return {"instant": None if missing else At(us, self.zone), **self.reads(us, civil_s, missing=missing)}

    def is_gap_end(self, us: int) -> bool:
        """Whether the clock was set forward at this instant, so that what is due then may be a missing time."""
        second = us // SECOND
        return us % SECOND == 0 and self.zone.offset(second) > self.zone.offset(second - 1)


class Readings:
    """The readings of one snapshot, each made once. ``of`` takes the row number of a revision."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._sql = load("schedule")
        self._made: dict[int, Reading] = {}

    def of(self, revision: int) -> Reading:
        made = self._made.get(revision)
        if made is None:
            row = self._view.row(self._sql["reading"], (revision,))
            assert row is not None, f"revision {revision}"
            number, schedule, zone_name, digest, precision = row
            made = Reading(
                self,
                int(str(number)),
                str(schedule),
                None if zone_name is None else str(zone_name),
                self._zone(digest),
                str(precision),
            )
            self._made[revision] = made
        return made

    def external(self, row: int) -> Item:
        """What an outside event is known by, and who sent it; ``row`` is its number. It must be there."""
        found = self._view.row(load("external")["named"], (row,))
        assert found is not None, f"external firing {row}"
        return dict(zip(("firing", "source", "event_id", "origin", "principal", "content_digest"), found, strict=True))

    def of_invocation(self, invocation: int) -> Reading:
        """The reading of the revision that an Invocation's firing has. It must be there."""
        row = self._view.row(load("invocation")["revision_of"], (invocation,))
        assert row is not None, f"invocation {invocation}"
        return self.of(int(str(row[0])))

    def _zone(self, digest: object) -> Zone:
        row = self._view.row(self._sql["rules"], (digest,)) if isinstance(digest, bytes) else None
        if row is None:
            return UTC
        assert isinstance(row[0], bytes)
        try:
            zone = zones.parse(row[0])
        except zones.BadZone:
            return UTC
        return zone if zone.digest == digest else UTC


def shown(moment: Item) -> At | str:
    """A moment for people: its instant, or the civil time that the clock never shows: ``Sun 2027-03-28 02:30 (no such
    time)``.
    """
    at = moment["instant"]
    return at if isinstance(at, At) else f"{times.day_and_time(parse_civil(str(moment['civil'])))} {NO_SUCH_TIME}"
