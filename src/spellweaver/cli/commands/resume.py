"""Resume: end a pause."""

from __future__ import annotations

from spellweaver.cli.mark import command
from spellweaver.cli.values import Column, at

TYPE_CHECKING = False
if TYPE_CHECKING:
    import typer

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.options import DryRun, Schedule

COLUMNS = (Column("SCHEDULE", "schedule"), Column("STATUS", "status"), Column("NEXT", "next_at"))


@command("spellweaver resume nightly-backup", "spellweaver resume ops/report --dry-run")
def resume(ctx: typer.Context, schedule: Schedule, dry_run: DryRun = False) -> int:
    """Ends the pause of a Schedule. What the pause skipped stays skipped; the next firing is one from now on.

    Under while_paused = catch_up what was held back is judged now, as after an outage. Where nothing is paused,
    nothing changes.
    """
    from spellweaver.cli.writing import deciding
    from spellweaver.engine.resume import resume as verb

    frame: Frame = ctx.obj
    with deciding(frame, dry_run=dry_run) as tx:
        done = verb(tx, schedule=schedule)
    item: dict[str, object] = {
        "schedule": done.schedule, "status": done.status, "next_at": at(done.next_at), "dry_run": dry_run,
    }  # fmt: skip
    frame.describe("resume", item, COLUMNS)
    if dry_run:
        frame.say(f"would be {done.status}; nothing was written")
    else:
        frame.next("next", done.schedule)
    return 0
