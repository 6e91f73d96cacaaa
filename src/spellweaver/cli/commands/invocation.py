"""Runs: what was admitted, and how it went."""

from __future__ import annotations

from spellweaver.cli.mark import command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated, Literal, Optional

    import typer

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.options import Ref


@command(
    "spellweaver invocation list --state failed", "spellweaver invocation list --schedule nightly-backup -n 100 --json"
)
def list_(
    ctx: typer.Context,
    schedule: Annotated[Optional[str], typer.Option("--schedule", metavar="SCHEDULE", help="Only its runs.")] = None,
    state: Annotated[
        Optional[
            Literal[
                "queued",
                "running",
                "suspended",
                "cancelling",
                "contained",
                "completed",
                "failed",
                "cancelled",
                "timed_out",
            ]
        ],
        typer.Option("--state", help="Only those in this state."),
    ] = None,
    count: Annotated[int, typer.Option("--count", "-n", metavar="N", help="How many at most, the newest.")] = 20,
) -> int:
    """The newest runs, newest first."""
    from spellweaver.cli.screens import find, invocations
    from spellweaver.cli.screens.counting import at_least_one

    frame: Frame = ctx.obj
    limit = at_least_one(count)
    with frame.observe() as view:
        id_ = find.schedule(view, schedule)[0] if schedule else None
        items, head = invocations.newest(view, schedule=id_, state=state, limit=limit), view.head()
    columns = invocations.PEOPLE if frame.out.isatty() else invocations.PROGRAMS
    frame.show("invocation_list", items, columns, head=head, empty="there are no such runs")
    return 0


@command("spellweaver invocation show inv_12", "spellweaver invocation show nightly-backup@latest --json")
def show(ctx: typer.Context, ref: Ref) -> int:
    """One run with every attempt, its exit status, and where its output is kept."""
    from spellweaver.cli import references
    from spellweaver.cli.screens import find, invocations
    from spellweaver.errors import NotFound

    frame: Frame = ctx.obj
    with frame.observe() as view:
        id_ = find.invocation(view, references.parse(ref))
        if id_ is None:
            raise NotFound("no_invocation", f"{ref} made no run", hint=f"spellweaver explain {ref}")
        item, head = invocations.one(view, id_, attempts_at=frame.places.attempts), view.head()
    if not frame.document("invocation_show", [item], head=head):
        frame.fields(item, invocations.fields(item, people=frame.out.isatty()))
        if frame.out.isatty():
            frame.line()
        frame.table(item["tries"], invocations.TRIES)  # type: ignore[arg-type]
    return 0
