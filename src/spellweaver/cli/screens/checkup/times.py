"""The clock, and the zone rules that Schedules fire by beside those of the host (CAL-05)."""

from __future__ import annotations

from spellweaver.cli import times
from spellweaver.cli.screens.checkup.finding import Finding
from spellweaver.cli.screens.drift import drifts
from spellweaver.core.instant import FIRST, LAST
from spellweaver.ledger.queries import load
from spellweaver.manifest.zones import source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from spellweaver.cli.frame import Frame
    from spellweaver.ledger.observe import View


def look(frame: Frame, view: View) -> Iterator[Finding]:
    yield from _clock(frame, view)
    yield from _zones(frame, view)


def _clock(frame: Frame, view: View) -> Iterator[Finding]:
    from spellweaver.host.surroundings import clock_synchronised

    if not FIRST <= frame.as_of <= LAST:
        yield Finding("clock", "wrong", "the clock of this host is outside the years 1970 to 2200", "date")
        return
    row, facts = view.row(load("doctor")["clock"]), view.row(load("doctor")["facts"])
    assert facts is not None
    newest = int(str(facts[4]))
    if row is not None:
        size = int(str(row[2]))
        said = f"set by {times.exact(size)} at {times.rfc3339(int(str(row[3])))} and not settled: nothing is decided"
        yield Finding("clock", "wrong", said, "spellweaver tick")
    elif frame.as_of < newest:
        said = f"{times.exact(newest - frame.as_of)} before the newest event of the ledger"
        yield Finding("clock", "note", f"the clock stands {said}: it was set back", "timedatectl")
    else:
        yield Finding("clock", "ok", "no step of the clock is open")
    synchronised = clock_synchronised()
    if synchronised is False:
        said = "the kernel does not call its clock synchronised, which decides nothing here"
        yield Finding("clock_synchronised", "note", said, "timedatectl")
    elif synchronised:
        yield Finding("clock_synchronised", "ok", "the kernel calls its clock synchronised")


def _zones(frame: Frame, view: View) -> Iterator[Finding]:
    yield Finding("zone_source", "ok", f"new definitions take their zone rules from {source()}")
    found = list(drifts(view, frame.as_of))
    for drift in found:
        yield Finding("zone_rules", "note", drift.sentence, f"spellweaver schedule show {drift.schedules[0]}")
    if not found:
        yield Finding("zone_rules", "ok", "the host's zone rules are those that the active Schedules keep")
