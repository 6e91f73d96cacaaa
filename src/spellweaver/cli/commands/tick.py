"""Tick: one pass, for scripts."""

from __future__ import annotations

from spellweaver.cli.mark import command
from spellweaver.cli.values import Column, at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated, Optional

    import typer

    from spellweaver.cli.frame import Frame

COLUMNS = (
    Column("SCHEDULES", "schedules"), Column("DECIDED", "decided"), Column("ADMITTED", "admitted"),
    Column("STARTED", "started"), Column("NEXT", "next_wake_at"),
)  # fmt: skip


@command("spellweaver tick", "spellweaver tick --period 5m --no-wait")
def tick(
    ctx: typer.Context,
    no_wait: Annotated[
        bool, typer.Option("--no-wait", help="Leave what was started running; a later tick settles it.")
    ] = False,
    period: Annotated[
        Optional[str],
        typer.Option("--period", metavar="DUR", help="How often tick is called: lateness up to that is ordinary."),
    ] = None,
) -> int:
    """One pass without a daemon: settles what has ended, decides what is due, starts it and waits for its end.

    Beside a running daemon: exit 75, naming it.
    """
    from spellweaver.cli.screens import site
    from spellweaver.service.run import once

    frame: Frame = ctx.obj
    period_us = site.duration("--period", period)
    done = once(site.of(frame, socket=False), clock=frame.clock, out=frame.talk if not frame.quiet else site.nowhere(),
                period_us=period_us, wait=not no_wait)  # fmt: skip
    item: dict[str, object] = {
        "schedules": done.schedules, "decided": done.decided, "admitted": done.admitted, "started": len(done.launches),
        "next_wake_at": at(done.next_wake),
    }  # fmt: skip
    frame.describe("tick", item, COLUMNS)
    return 0
