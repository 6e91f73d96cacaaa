"""The ledger itself: whether it opens, its SQLite, its journal's chain, every law of the audit, witness and machine."""

from __future__ import annotations

from spellweaver.cli.screens import soundness
from spellweaver.cli.screens.checkup.finding import Finding
from spellweaver.cli.screens.progress import Line
from spellweaver.errors import Unusable
from spellweaver.ledger import journal
from spellweaver.ledger.audit import laws
from spellweaver.ledger.observe import sqlite_version
from spellweaver.ledger.queries import load
from spellweaver.ledger.witness import ADOPT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from spellweaver.cli.frame import Frame
    from spellweaver.ledger.observe import View

CHAIN = 100_000  # events whose chain is walked without --full: half a second
CORRUPTS = "two connections that write and copy back at one moment can damage a file (fixed in 3.51.3)"


def look(frame: Frame, view: View, *, full: bool) -> Iterator[Finding]:
    head = view.head()
    yield Finding("ledger_opens", "ok", f"ledger {head[0]} is of this version, write-ahead, synchronous FULL")
    yield _sqlite()
    yield from _chain(view, head[1], full=full)
    yield from _laws(frame, view, full=full)
    yield _witness(frame)
    yield from _machine(view)


def _sqlite() -> Finding:
    version = sqlite_version()
    if not _safe(version):
        return Finding("sqlite", "wrong", f"SQLite {version}: {CORRUPTS}", "pip install --upgrade apsw")
    return Finding("sqlite", "ok", f"SQLite {version}, no release that is known to damage a ledger")


def _safe(version: str) -> bool:
    """Whether a release has the correction of the write-ahead log's reset, in its own line or by its age."""
    parts = tuple(int(part) for part in version.split("."))
    return parts >= (3, 51, 3) or (3, 50, 7) <= parts < (3, 51) or (3, 44, 6) <= parts < (3, 45)


def _chain(view: View, last: int, *, full: bool) -> Iterator[Finding]:
    """AUT-05. A whole walk is part of the audit's laws."""
    after = 0 if full else max(0, last - CHAIN)
    try:
        journal.verify_from(view, after=after)
    except Unusable as error:
        yield Finding("journal_chain", "wrong", error.message, error.hint)
        return
    if after:
        said = f"the last {CHAIN} of {last} events follow from each other"
        yield Finding("journal_chain", "note", said, "spellweaver doctor --full")
    else:
        yield Finding("journal_chain", "ok", f"all {last} events follow from each other, from the first on")


def _laws(frame: Frame, view: View, *, full: bool) -> Iterator[Finding]:
    with Line(frame) as line:
        found = laws.audit(
            view.connection, full=full, on_law=lambda done, of: line.show(f"{done * 100 // of}% of the laws asked")
        )
    for each in found:
        yield Finding(each.id, "wrong", f"{each.sentence} ({each.rule})", each.hint)
    if not found:
        count = len(laws.FULL if full else laws.QUICK)
        rest = "" if full else "; the file's pages and the calendars: with --full"
        yield Finding("laws", "ok", f"{count} laws hold{rest}")


def _witness(frame: Frame) -> Finding:
    """A snapshot that is newer than the witness: a daemon may write both meanwhile."""
    before = soundness.seen(frame)
    if before is None:
        return Finding("witness", "note", "the ledger has no witness: whether it is the newest can't be told")
    with frame.observe() as view:
        other, last = soundness.contradiction(view, before), view.head()[1]
    if other is not None or isinstance(before, Unusable):
        assert other is not None
        return Finding("witness", "wrong", other.message, other.hint)
    return Finding("witness", "ok", f"the ledger has all that its witness saw, evt_{before.seq} of {last}")


def _machine(view: View) -> Iterator[Finding]:
    from spellweaver.host.machine import machine

    row = view.row(load("doctor")["facts"])
    assert row is not None
    made_on, fences = row[0], row[2]
    here, source = machine()
    if source == "the host name":
        said = "this machine has no machine id; its host name stands in, and a new one will look like another machine"
        yield Finding("machine_id", "note", said, "systemd-machine-id-setup")
    if made_on != here:
        said = f"the ledger is of machine {made_on}, and this is {here} (by {source})"
        yield Finding("machine", "wrong", said, ADOPT)
    else:
        yield Finding("machine", "ok", f"the ledger is of this machine (by {source})")
    if fences:
        said = f"{fences} commits failed on this disk and had to be made certain"
        yield Finding("fences", "note", said, "dmesg | tail")
