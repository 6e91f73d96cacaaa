"""Cancel: end a run that was admitted."""

from __future__ import annotations

from spellweaver.cli.mark import command
from spellweaver.cli.values import Column, State

TYPE_CHECKING = False
if TYPE_CHECKING:
    import typer

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.options import DryRun, Reason, Ref

COLUMNS = (Column("INVOCATION", "invocation"), Column("BEFORE", "before"), Column("AFTER", "after"))


@command(
    'spellweaver cancel inv_12 --reason "wrong disk"',
    'spellweaver cancel nightly-backup@latest --reason "host goes down" --dry-run',
)
def cancel(ctx: typer.Context, ref: Ref, reason: Reason, dry_run: DryRun = False) -> int:
    """Cancels a run: what waits for its start ends at once; a running command gets TERM, then its grace, then KILL.

    The command is told by the daemon; with none running, by the next one. Its real end is recorded either way.
    """
    from spellweaver.cli.screens.acts import invocation_of
    from spellweaver.cli.writing import daemon_socket, deciding
    from spellweaver.engine.cancel import cancel as verb

    frame: Frame = ctx.obj
    meant = invocation_of(frame, ref)
    with deciding(frame, dry_run=dry_run, unsettled=True) as tx:
        done = verb(tx, meant, why=reason)
    item: dict[str, object] = {
        "invocation": str(done.invocation), "before": State(done.before), "after": State(done.after),
        "dry_run": dry_run,
    }  # fmt: skip
    frame.describe("cancel", item, COLUMNS)
    if dry_run:
        frame.say(f"would be {done.after}; nothing was written")
    elif done.after == "cancelling" and daemon_socket(frame.places.lock) is None:
        frame.say("no daemon is running; the next one passes the cancel on")
    else:
        frame.next("explain", str(done.invocation))
    return 0
