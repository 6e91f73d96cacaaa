"""Pause: keep a Schedule from starting anything for a while."""

from __future__ import annotations

from spellweaver.cli.mark import command
from spellweaver.cli.values import At, Column, at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated, Optional

    import typer

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.options import DryRun, Reason, Schedule

COLUMNS = (
    Column("SCHEDULE", "schedule"), Column("STATUS", "status"), Column("SINCE", "begins_at"),
    Column("UNTIL", "until_at"), Column("WHY", "why"),
)  # fmt: skip


@command(
    'spellweaver pause nightly-backup --reason "the disk is being replaced"',
    'spellweaver pause ops/report --reason "month end" --until 2027-01-04T06:00:00Z',
)
def pause(
    ctx: typer.Context,
    schedule: Schedule,
    reason: Reason,
    until: Annotated[
        Optional[str],
        typer.Option("--until", metavar="INSTANT", help="It resumes then by itself; by `resume` alone, if not said."),
    ] = None,
    dry_run: DryRun = False,
) -> int:
    """Starts nothing of a Schedule until it is resumed; neither a restart nor an activation does that.

    Firings from now on are skipped on record, unless its while_paused is catch_up; what waits keeps waiting in its
    window, what runs goes on. Said again, it changes reason and end.
    """
    from spellweaver.cli.spoken import instant
    from spellweaver.cli.writing import deciding
    from spellweaver.engine.pause import pause as verb

    frame: Frame = ctx.obj
    until_at = None if until is None else instant("--until", until)
    with deciding(frame, dry_run=dry_run) as tx:
        done = verb(tx, schedule=schedule, why=reason, until_at=until_at)
    item: dict[str, object] = {
        "schedule": done.schedule, "status": done.status, "begins_at": At(done.begins_at),
        "until_at": at(done.until_at), "why": reason, "dry_run": dry_run,
    }  # fmt: skip
    frame.describe("pause", item, COLUMNS)
    if dry_run:
        frame.say(f"would be {done.status}; nothing was written")
    else:
        frame.next("resume", done.schedule)
    return 0
