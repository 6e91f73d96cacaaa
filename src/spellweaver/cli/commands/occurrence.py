"""Firings on record: each with its one outcome and reason."""

from __future__ import annotations

from spellweaver.cli.mark import command
from spellweaver.cli.values import Column, State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated, Literal, Optional

    import typer

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.options import DryRun, Reason, Ref

SKIPPED = (
    Column("OCCURRENCE", "occurrence"), Column("WAITED FOR", "before"), Column("STATE", "state"),
    Column("REASON", "reason"),
)  # fmt: skip


@command(
    "spellweaver occurrence list --schedule nightly-backup --state missed", "spellweaver occurrence list -n 100 --json"
)
def list_(
    ctx: typer.Context,
    schedule: Annotated[Optional[str], typer.Option("--schedule", metavar="SCHEDULE", help="Only its firings.")] = None,
    state: Annotated[
        Optional[Literal["pending", "admitted", "missed", "skipped", "refused", "coalesced"]],
        typer.Option("--state", help="Only those in this state."),
    ] = None,
    reason: Annotated[
        Optional[str], typer.Option("--reason", metavar="WORD", help="Only those for this reason.")
    ] = None,
    count: Annotated[int, typer.Option("--count", "-n", metavar="N", help="How many at most, the newest.")] = 20,
) -> int:
    """The newest firings with what became of them, newest first. Many neighbours with the same fate are one row."""
    from spellweaver.cli.screens import find, occurrences
    from spellweaver.cli.screens.counting import at_least_one
    from spellweaver.cli.screens.readings import Readings

    frame: Frame = ctx.obj
    limit = at_least_one(count)
    _known(reason)
    with frame.observe() as view:
        id_ = find.schedule(view, schedule)[0] if schedule else None
        items = occurrences.newest(view, Readings(view), schedule=id_, state=state, reason=reason, limit=limit)
        head = view.head()
    columns = occurrences.PEOPLE if frame.out.isatty() else occurrences.PROGRAMS
    frame.show("occurrence_list", items, columns, head=head, empty="there are no such firings")
    return 0


@command("spellweaver occurrence show occ_12", "spellweaver occurrence show nightly-backup@2026-12-01 --json")
def show(ctx: typer.Context, ref: Ref) -> int:
    """Everything that one firing is bound to. `explain` tells why it ended as it did."""
    from spellweaver.cli import references
    from spellweaver.cli.screens import find, occurrences
    from spellweaver.cli.screens.readings import Readings

    frame: Frame = ctx.obj
    with frame.observe() as view:
        found = find.firing(view, references.parse(ref))
        item = occurrences.one(view, Readings(view), found)
        head = view.head()
    frame.describe("occurrence_show", item, occurrences.fields(item, people=frame.out.isatty()), head=head)
    return 0


@command(
    'spellweaver occurrence skip occ_12 --reason "the source is empty tonight"',
    'spellweaver occurrence skip nightly-backup@latest --reason "the disk is full" --dry-run',
)
def skip(ctx: typer.Context, ref: Ref, reason: Reason, dry_run: DryRun = False) -> int:
    """Settles that a firing which waits shall not run. One that has come to its outcome is refused.

    A firing that is still to come has no row yet, so it can't be named here: `pause` keeps it back.
    """
    from spellweaver.cli.screens.acts import occurrence_of
    from spellweaver.cli.writing import deciding
    from spellweaver.engine.skip import skip as verb

    frame: Frame = ctx.obj
    meant = occurrence_of(frame, ref)
    with deciding(frame, dry_run=dry_run) as tx:
        done = verb(tx, meant, why=reason)
    item: dict[str, object] = {
        "occurrence": str(done.occurrence), "before": done.before, "state": State("skipped"), "reason": "operator",
        "dry_run": dry_run,
    }  # fmt: skip
    frame.describe("occurrence_skip", item, SKIPPED)
    if dry_run:
        frame.say("would be skipped; nothing was written")
    else:
        frame.next("explain", str(done.occurrence))
    return 0


def _known(reason: str | None) -> None:
    from spellweaver.core.lifecycle import REASONS

    words = sorted({word for reasons in REASONS["occurrence"].values() for word in reasons})
    if reason is not None and reason not in words:
        from spellweaver.errors import Usage

        raise Usage(
            "no_such_reason", f"--reason {reason}: no outcome has this reason", hint=f"one of {', '.join(words)}"
        )
