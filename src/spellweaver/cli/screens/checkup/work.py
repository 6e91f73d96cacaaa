"""What works, and what should not: the daemon, stopped Schedules, contained runs, processes of runs that are over."""

from __future__ import annotations

from spellweaver.cli import times
from spellweaver.cli.screens import daemon
from spellweaver.cli.screens.checkup.finding import Finding
from spellweaver.cli.values import At
from spellweaver.ledger.queries import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from spellweaver.cli.frame import Frame
    from spellweaver.ledger.observe import View


def look(frame: Frame, view: View) -> Iterator[Finding]:
    yield _daemon(frame, view)
    yield from _stopped(view)
    yield from _paused(view)
    yield from _contained(view)
    yield from _orphans(frame, view)


def _daemon(frame: Frame, view: View) -> Finding:
    sql, found = load("doctor"), daemon.of(view, frame.places.lock)
    facts, active = view.row(sql["facts"]), view.row(sql["active"])
    assert facts is not None and active is not None
    looked = f"the last look was {times.left(int(str(facts[1])), frame.as_of)}"
    if found["state"] == "running":
        since = found["started_at"]
        up = f" for {times.length(max(0, frame.as_of - since.us))}" if isinstance(since, At) else ""
        return Finding("daemon", "ok", f"pid {found['pid']} has run{up}; {looked}")
    if active[0]:
        return Finding("daemon", "wrong", f"no daemon runs, so nothing fires; {looked}", "spellweaver run")
    return Finding("daemon", "note", f"no daemon runs, and no Schedule is active; {looked}")


def _stopped(view: View) -> Iterator[Finding]:
    names = [(str(name), str(why)) for name, why in view.rows(load("doctor")["stopped"])]
    for name, why in names:
        yield Finding("stopped", "wrong", f"{name} is stopped: {why}", f"spellweaver schedule show {name}")
    if not names:
        yield Finding("stopped", "ok", "no Schedule is stopped")


def _paused(view: View) -> Iterator[Finding]:
    """One that no instant resumes may have been forgotten."""
    for name, begins_at, why in view.rows(load("doctor")["paused"]):
        said = f"{name} is paused since {times.rfc3339(int(str(begins_at)))}, until somebody resumes it: {why}"
        yield Finding("paused", "note", said, f"spellweaver resume {name}")


def _contained(view: View) -> Iterator[Finding]:
    rows = list(view.rows(load("doctor")["contained"]))
    for invocation, schedule, admitted_at in rows:
        since = times.rfc3339(int(str(admitted_at)))
        said = f"{invocation} of {schedule}, admitted at {since}, is not proved gone: it blocks its Schedule"
        yield Finding("contained", "wrong", said, f"spellweaver explain {invocation}")
    if not rows:
        yield Finding("contained", "ok", "no run is contained")


def _orphans(frame: Frame, view: View) -> Iterator[Finding]:
    """Processes that live on though their attempt is over. Of other users' only root sees them."""
    from spellweaver.jobs.orphans import carriers

    found = [each for each in carriers(frame.places.attempts) if view.row(load("doctor")["over"], (each.attempt,))]
    for each in found:
        said = f"process {each.pid} ({each.name}) lives on, though att_{each.attempt} that started it is over"
        yield Finding("orphans", "wrong", said, f"ps -o pid,user,lstart,args -p {each.pid}")
    if not found:
        yield Finding("orphans", "ok", "no process of a run that is over was seen")
