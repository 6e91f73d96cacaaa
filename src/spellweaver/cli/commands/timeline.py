"""Timeline: what was and what is to come, as a picture."""

from __future__ import annotations

from spellweaver.cli.mark import command
from spellweaver.cli.values import Column

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated, Optional

    import typer

    from spellweaver.cli.frame import Frame

COLUMNS = (
    Column("SCHEDULE", "schedule"), Column("FIRING", "firing"), Column("NOMINAL", "nominal_at"),
    Column("OUTCOME", "outcome"), Column("WHY", "outcome_reason"), Column("STARTED", "started_at"),
    Column("ENDED", "ended_at"), Column("LAST", "last_at"), Column("COUNT", "count"),
)  # fmt: skip


@command(
    "spellweaver timeline --from 2026-11-30T00:00:00Z --to 2026-12-02T00:00:00Z",
    "spellweaver timeline nightly-backup --svg week.svg",
)
def timeline(
    ctx: typer.Context,
    schedules: Annotated[
        Optional[list[str]], typer.Argument(metavar="[SCHEDULE...]", help="These Schedules; all of them if absent.")
    ] = None,
    from_: Annotated[
        Optional[str], typer.Option("--from", metavar="INSTANT", help="Begin here; 24 hours before now, if not said.")
    ] = None,
    to: Annotated[
        Optional[str], typer.Option("--to", metavar="INSTANT", help="End here; 24 hours after now, if not said.")
    ] = None,
    svg: Annotated[
        Optional[str], typer.Option("--svg", metavar="PATH", help="Write the picture there, as SVG.")
    ] = None,
    html: Annotated[
        Optional[str], typer.Option("--html", metavar="PATH", help="Write it there as one HTML page.")
    ] = None,
) -> int:
    """Windows, runs, misses and skips of a span, and the firings to come, on one line a Schedule.

    A terminal gets the picture; behind a pipe there is a row for each firing.
    """
    from spellweaver.cli.saving import save
    from spellweaver.cli.screens import drawing, span
    from spellweaver.cli.screens import timeline as picture
    from spellweaver.cli.spoken import instant
    from spellweaver.core.instant import DAY
    from spellweaver.errors import Usage

    frame: Frame = ctx.obj
    now = frame.as_of
    from_at = now - DAY if from_ is None else instant("--from", from_)
    until_at = max(now, from_at) + DAY if to is None else instant("--to", to)
    if until_at <= from_at:
        raise Usage("empty_span", "--to is not after --from: the span is empty")
    with frame.observe() as view:
        items, said = span.items(view, schedules or [], from_at=from_at, until_at=until_at, now=now)
        head = view.head()
    for sentence in said:
        frame.warn(f"note: {sentence}")
    if svg is not None:
        save(svg, drawing.svg(items, from_at, until_at, now=now))
    if html is not None:
        save(html, drawing.page(items, from_at, until_at, now=now))
    if frame.document("timeline", items, head=head):
        return 0
    if not frame.out.isatty():
        if svg is None and html is None:
            frame.table(items, COLUMNS)
        return 0
    drawn = picture.timeline(items, from_at, until_at, width=frame.width, unicode=frame.unicode, now=now)
    for line in drawn or ["nothing fires in this span"]:
        frame.line(line)
    return 0
