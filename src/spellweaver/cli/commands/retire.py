"""Retire: end a Schedule for good."""

from __future__ import annotations

from spellweaver.cli.mark import command
from spellweaver.cli.values import Column

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated, Optional

    import typer

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.options import DryRun, Schedule

COLUMNS = (Column("SCHEDULE", "schedule"), Column("STATUS", "status"), Column("SKIPPED", "skipped"))


@command("spellweaver retire old-report --dry-run", "spellweaver retire old-report --confirm old-report")
def retire(
    ctx: typer.Context,
    schedule: Schedule,
    confirm: Annotated[
        Optional[str], typer.Option("--confirm", metavar="NAME", help="The Schedule's name again: this is final.")
    ] = None,
    dry_run: DryRun = False,
) -> int:
    """Ends a Schedule for good: what waits is skipped, what runs goes on, its name is not used again.

    Its firings stay on record and still answer.
    """
    from spellweaver.cli.writing import deciding
    from spellweaver.engine.retire import retire as verb

    frame: Frame = ctx.obj
    with deciding(frame, dry_run=dry_run) as tx:
        done = verb(tx, schedule=schedule, confirm=schedule if dry_run else confirm)
    item: dict[str, object] = {
        "schedule": done.schedule, "status": done.status, "skipped": done.skipped, "dry_run": dry_run,
    }  # fmt: skip
    frame.describe("retire", item, COLUMNS)
    if dry_run:
        frame.say(f"would be {done.status}; nothing was written")
    return 0
