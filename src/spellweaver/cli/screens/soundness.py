"""Whether a ledger is sound: every law of it, and what its witness says."""

from __future__ import annotations

from dataclasses import asdict

from spellweaver.errors import Unusable
from spellweaver.host.machine import machine
from spellweaver.ledger import witness
from spellweaver.ledger.audit import laws
from spellweaver.ledger.audit.finding import Finding
from spellweaver.ledger.queries import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from spellweaver.cli.frame import Frame
    from spellweaver.cli.values import Item
    from spellweaver.ledger.observe import View
    from spellweaver.ledger.witness import Witness


def seen(frame: Frame) -> Witness | Unusable | None:
    """What the witness says; asked before the ledger is looked at, for a daemon may write both meanwhile."""
    try:
        return witness.read(frame.places.witness)
    except Unusable as error:
        return error


def findings(view: View, before: Witness | Unusable | None) -> list[Item]:
    """What is wrong, the witness first."""
    other = contradiction(view, before)
    told = [] if other is None else [Finding(other.code, "RCV-04", other.message, other.hint or "")]
    return [asdict(found) for found in (*told, *laws.audit(view.connection))]


def contradiction(view: View, before: Witness | Unusable | None) -> Unusable | None:
    """Why the ledger is not the newest by its witness, or can't be compared with it."""
    if before is None or isinstance(before, Unusable):
        return before
    try:
        witness.compare(view.connection, before, view.path)
    except Unusable as error:
        return error
    return None


def facts(view: View, before: Witness | Unusable | None) -> Item:
    """How far the ledger and its witness go, and whose it is."""
    row = view.row(load("doctor")["machine"])
    return {
        "events": view.head()[1],
        "witness_seq": None if before is None or isinstance(before, Unusable) else before.seq,
        "machine": "this" if row == (machine()[0],) else "another",
    }


def show(frame: Frame, found: list[Item]) -> None:
    """For a person: which law, what breaks it, and what comes next."""
    from spellweaver.cli.screens.prose import tell

    for item in found:
        frame.line(f"{item['id']} ({item['rule']})")
        tell(frame, str(item["sentence"]), indent=4)
        hint = str(item["hint"])
        tell(frame, frame.typed(*hint.split()[1:]) if hint.startswith("spellweaver ") else hint, indent=4)


def sentences(found: list[Item], facts: Item) -> list[str]:
    """For a person."""
    said = [f"{facts['events']} events, every law asked: {len(found) or 'nothing'} found"]
    if facts["witness_seq"] is None:
        said.append("it has no witness: whether it is the newest can't be told")
    if facts["machine"] == "another":
        said.append("it belongs to another machine; here it does not run until it is adopted")
    return said
