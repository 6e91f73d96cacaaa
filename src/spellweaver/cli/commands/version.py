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
    """The versions of the program, of the ledgers that it takes, of SQLite and of the zone rules; also `--version`."""
    from spellweaver import __version__
    from spellweaver.ledger.observe import VERSION, sqlite_version
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
