"""Resolve: say what became of contained work."""

from __future__ import annotations

from spellweaver.cli.mark import command
from spellweaver.cli.values import Column, State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated, Literal

    import typer

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.options import DryRun, Reason, Ref

COLUMNS = (Column("INVOCATION", "invocation"), Column("BEFORE", "before"), Column("AFTER", "after"))


@command(
    'spellweaver resolve inv_12 --outcome failed --reason "looked with ps: nothing of it is left"',
    'spellweaver resolve inv_12 --outcome completed --reason "the file is there and whole" --dry-run',
)
def resolve(
    ctx: typer.Context,
    ref: Ref,
    reason: Reason,
    outcome: Annotated[Literal["completed", "failed"], typer.Option("--outcome", help="What became of it.")],
    dry_run: DryRun = False,
) -> int:
    """Ends contained work on your word: nothing of it could be proved gone, and you looked.

    Your user, the time and the reason are kept as the proof. Until then the run blocks its Schedule.
    """
    from spellweaver.cli.screens.acts import invocation_of
    from spellweaver.cli.writing import deciding
    from spellweaver.engine.resolve import resolve as verb

    frame: Frame = ctx.obj
    meant = invocation_of(frame, ref)
    with deciding(frame, dry_run=dry_run) as tx:
        done = verb(tx, meant, outcome=outcome, why=reason)
    item: dict[str, object] = {
        "invocation": str(done.invocation), "before": State(done.before), "after": State(done.after),
        "dry_run": dry_run,
    }  # fmt: skip
    frame.describe("resolve", item, COLUMNS)
    if dry_run:
        frame.say(f"would be {done.after}; nothing was written")
    else:
        frame.next("explain", str(done.invocation))
    return 0
