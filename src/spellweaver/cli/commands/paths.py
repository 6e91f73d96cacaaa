"""Where everything lives, and why there."""

from __future__ import annotations

import os

from spellweaver.cli.mark import command
from spellweaver.cli.values import Column

TYPE_CHECKING = False
if TYPE_CHECKING:
    import typer

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.values import Item

COLUMNS = (
    Column("WHAT", "what"),
    Column("PATH", "path"),
    Column("THERE", "there", drop=2),
    Column("WHY", "why", drop=1),
)


@command("spellweaver paths", "spellweaver paths --json --ledger /srv/spellweaver/ledger.db")
def paths(ctx: typer.Context) -> int:
    """Where everything lives, and why there. Nothing is opened or made."""
    frame: Frame = ctx.obj
    frame.show("paths", rows(frame), COLUMNS)
    return 0


def rows(frame: Frame) -> list[Item]:
    from spellweaver.manifest import zones

    places = frame.places
    socket, why_socket = places.socket
    beside = "beside the ledger"
    why_zones = "SPELLWEAVER_ZONES" if frame.environ.get("SPELLWEAVER_ZONES") else "the tzdata package"
    found = (
        ("ledger", places.ledger, places.why),
        ("state", places.state, "the directory of the ledger"),
        ("attempts", places.attempts, "in the state directory"),
        ("lock", places.lock, beside),
        ("witness", places.witness, beside),
        ("socket", socket, why_socket),
        ("demo", places.demo, "in the state directory"),
        ("zones", zones.source(), why_zones),
    )
    return [
        {"what": what, "path": path, "there": os.path.lexists(path) if path.startswith("/") else None, "why": why}
        for what, path, why in found
    ]
