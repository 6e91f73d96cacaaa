"""Firings to come, as a calendar says them: of Schedules in the ledger by their kept rules, or of a calendar on the
command line.

A missing time or an excluded date (CAL-10) is a row without an instant; it comes besides and is not counted. This is
reckoning, not a promise: pauses, later revisions and outages are not foreseen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import merge

from spellweaver.cli import times
from spellweaver.cli.screens.readings import UTC
from spellweaver.cli.values import At
from spellweaver.core.cadence import CIVIL
from spellweaver.core.calendar import Calendar
from spellweaver.core.grammar import LAST_S
from spellweaver.core.instant import SECOND, civil_text
from spellweaver.core.line import Candidate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from spellweaver.cli.values import Item
    from spellweaver.core.zone import Zone
    from spellweaver.ledger.observe import View
    from spellweaver.ledger.revisions import Revision, Revisions

CUT = "skipped by a cutover"
GAP_NOTES = {"gap_skip": "no such time: will be skipped", "gap_fail": "no such time: will be refused"}


class Coming:
    """A calendar with what its firings are called: a Schedule's (``revision``), or one of the command line (None).
    ``whole`` is false for what a partition lists of one.
    """

    def __init__(
        self, calendar: Calendar, revision: Revision | None = None, *, after_s: int = -1, skipped: bool = False,
        whole: bool = True,
    ) -> None:  # fmt: skip
        self.calendar = calendar
        self.whole = whole
        self.skipped = skipped
        self.revision = revision
        self.after_s = after_s
        self.zone: Zone = calendar.zone or UTC

    def walk(self, after_s: int, until_s: int) -> Iterator[tuple[int, Coming, Candidate]]:
        """(instant, this, candidate), ascending, those of excluded dates too; none at or before its own activation."""
        begin = max(after_s, self.after_s)
        rows = ((candidate.instant_s, self, candidate) for candidate in self.calendar.walk(begin, until_s))
        if not self.calendar.excluded:
            return rows
        whole = (found for found in self.calendar.whole().walk(begin, until_s) if self.calendar.excludes(found))
        return merge(rows, ((found.instant_s, self, found) for found in whole), key=lambda row: (row[0], row[2]))

    def fires(self, candidate: Candidate) -> bool:
        return candidate.fate == "fires" and not self.calendar.excludes(candidate)

    def item(self, candidate: Candidate) -> Item:
        fires, meant = self.fires(candidate), self.revision
        nominal = candidate.instant_s * SECOND
        reading = (
            times.civil(nominal, self.zone)
            if fires
            else {"civil": civil_text(candidate.civil_s), "offset": None, "fold": None}
        )
        due = meant.terms.due_at(candidate) if meant and fires else nominal
        delay = meant.definition.allowed_delay_us if meant and fires else None
        key = self.calendar.key(candidate, meant.generation if meant else 1)
        return {
            "schedule": f"{meant.definition.authority}/{meant.definition.name}" if meant else None,
            "revision": meant.number if meant else None,
            "firing": key if meant else key.partition(":")[2],
            "instant": At(nominal, self.zone) if fires else None,
            "civil": reading["civil"],
            "zone": self.calendar.interpretation.zone_name,
            "offset": reading["offset"],
            "fold": reading["fold"],
            "due_at": At(due, self.zone) if fires else None,
            "latest_start_at": At(nominal + delay, self.zone) if delay is not None else None,
            "note": self._note(candidate),
        }

    def _note(self, candidate: Candidate) -> str | None:
        if self.skipped:
            return CUT
        if self.calendar.excludes(candidate):
            by = f"revision {self.revision.number}" if self.revision else "except"
            return f"left out by {by}: no firing"
        if candidate.fate != "fires":
            return GAP_NOTES[candidate.fate]
        if not isinstance(self.calendar.interpretation.cadence, CIVIL):
            return None
        if candidate.fold >= 0:
            return f"{'2nd' if candidate.fold else '1st'} of two showings"
        if candidate.instant_s + self.zone.offset(candidate.instant_s) != candidate.civil_s:
            return f"advanced from {civil_text(candidate.civil_s, seconds=False)[11:]}, which is no such time"
        return None


def of_ledger(view: View, schedule: int | None) -> tuple[list[Coming], list[str]]:
    """The calendars of one Schedule or of all, by the active or else the newest revision, and sentences of what keeps
    any from firing.

    Raises KeptRulesDamaged for the one that was asked for; of many it is left out and said.
    """
    from spellweaver.ledger.queries import load
    from spellweaver.ledger.revisions import KeptRulesDamaged, Revisions

    found, said, revisions = list[Coming](), list[str](), Revisions()
    for _, name, state, why, switch, id_ in view.rows(load("schedule")["coming"], {"id": schedule}):
        if state != "active":
            said.append(f"{name} is {state}" + (f" ({why})" if why else "") + ": nothing of it fires")
            if schedule is None:
                continue
        try:
            found += list(_of_schedule(view, revisions, int(str(id_)), switch))
        except KeptRulesDamaged as damage:
            if schedule is not None:
                raise
            said.append(damage.message)
    return found, said


def _of_schedule(view: View, revisions: Revisions, revision: int, switch: object) -> Iterator[Coming]:
    """The calendar of a revision, and before it what the partition of its switch names. Raises KeptRulesDamaged."""
    from spellweaver.ledger.switches import line

    meant = revisions.get(view.connection, revision)
    if not isinstance(switch, int):
        yield Coming(meant.calendar, meant)
        return
    made = revisions.switch(view.connection, switch)
    yield Coming(meant.calendar, meant, after_s=made.begins_s)
    for piece in line([made], after_s=made.cut_s, until_s=made.begins_s) if made.firings else ():
        owner = revisions.get(view.connection, piece.revision)
        yield Coming(owner.calendar.listed(piece.listed or ()), owner, skipped=piece.skipped, whole=False)


def items(calendars: Iterable[Coming], *, after_s: int, until_s: int = LAST_S, limit: int | None) -> Iterator[Item]:
    """The rows after a UTC second, up to one, ascending; ``limit`` counts those that have an instant."""
    left = limit
    rows = merge(*(coming.walk(after_s, until_s) for coming in calendars), key=lambda row: row[0])
    for _, coming, candidate in rows:
        if left == 0:
            return
        if coming.fires(candidate) and left is not None:
            left -= 1
        yield coming.item(candidate)
