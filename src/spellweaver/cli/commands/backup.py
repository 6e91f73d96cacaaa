"""Backup: copy the ledger while it is used."""

from __future__ import annotations

import os

from spellweaver.cli.mark import command
from spellweaver.cli.places import absolute
from spellweaver.cli.values import Column

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated

    import typer

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.options import DryRun

COLUMNS = (Column("BACKUP", "path"), Column("LAST EVENT", "seq"), Column("BYTES", "bytes"))


@command(
    "spellweaver backup /backup/ledger-2026-12-01.db", "spellweaver backup --ledger /srv/spellweaver/ledger.db copy.db"
)
def backup(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The copy; a file that is there is never replaced.")],
    dry_run: DryRun = False,
) -> int:
    """Copies the ledger into one file while it is used: verified event by event, and on the disk before it has its
    name.
    """
    from spellweaver.errors import Refused
    from spellweaver.ledger import backup as copying

    frame: Frame = ctx.obj
    target = absolute(file)
    if dry_run:
        if os.path.lexists(target):
            raise Refused(
                "target_exists", f"{target} is there already; a backup replaces nothing", hint="name another file"
            )
        with frame.observe() as view:
            seq = view.head()[1]
        size = os.path.getsize(frame.places.ledger)
    else:
        seq, size = copying.backup(frame.places.ledger, target, progress=lambda done, of: _progress(frame, done, of))
    frame.describe("backup", {"path": target, "seq": seq, "bytes": size, "dry_run": dry_run}, COLUMNS)
    if dry_run:
        frame.say("would be made; nothing was written")
    return 0


def _progress(frame: Frame, done: int, of: int) -> None:
    """On the terminal of the talk, in one line that goes away."""
    if frame.talk.isatty() and not frame.quiet:
        text = f"{done * 100 // max(1, of)}% copied" if done < of else ""
        frame.talk.write(f"\r\x1b[K{text}")
        frame.talk.flush()
