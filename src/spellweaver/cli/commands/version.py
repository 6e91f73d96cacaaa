"""Version: which program this is, and what it stands on."""

from __future__ import annotations

from spellweaver.cli.mark import command
from spellweaver.cli.values import Column

TYPE_CHECKING = False
if TYPE_CHECKING:
    import typer

    from spellweaver.cli.frame import Frame

COLUMNS = (
    Column("spellweaver", "program"),
    Column("ledger", "ledger"),
    Column("sqlite", "sqlite"),
    Column("zones", "zones"),
)


@command("spellweaver version", "spellweaver version --json")
def version(ctx: typer.Context) -> int:
    """The versions of the program, of the ledgers that it reads and writes, of SQLite and of the zone rules."""
    from spellweaver import __version__
    from spellweaver.ledger.backup import sqlite_version
    from spellweaver.ledger.observe import VERSION
    from spellweaver.manifest import zones

    frame: Frame = ctx.obj
    item: dict[str, object] = {
        "program": __version__,
        "ledger": VERSION,
        "sqlite": sqlite_version(),
        "zones": zones.source(),
    }
    frame.describe("version", item, COLUMNS)
    return 0
