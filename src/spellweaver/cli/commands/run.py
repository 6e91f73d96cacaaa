"""Run: the tick loop with its workers."""

from __future__ import annotations

from spellweaver.cli.mark import command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated, Optional

    import typer

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.options import AnyFileSystem


@command("spellweaver run", "spellweaver run --live --for 10m")
def run(
    ctx: typer.Context,
    live: Annotated[bool, typer.Option("--live", help="A live view, on a terminal.")] = False,
    for_: Annotated[Optional[str], typer.Option("--for", metavar="DUR", help="Stop in order after so long.")] = None,
    until_idle: Annotated[bool, typer.Option("--until-idle", help="Stop once nothing runs and nothing pends.")] = False,
    drain: Annotated[
        str, typer.Option("--drain", metavar="DUR", help="At a stop, how long running work may end by itself.")
    ] = "30s",
    accept_network_file_system: AnyFileSystem = False,
) -> int:
    """Runs Schedules in the foreground until it is told to stop, and finds again what an earlier run left.

    INT or TERM: no new work; what runs is let finish for the drain, queued work stays on record, exit 0. A second
    signal, or the drain's end: TERM to each command, its grace, KILL. After kill -9 the commands go on, and the next
    run takes their results.
    """
    from spellweaver.cli.screens import site
    from spellweaver.ledger.opening import accept_network
    from spellweaver.service.loop import Orders
    from spellweaver.service.run import serve

    frame: Frame = ctx.obj
    drain_us = site.duration("--drain", drain)
    assert drain_us is not None
    orders = Orders(drain_us=drain_us, for_us=site.duration("--for", for_), until_idle=until_idle)
    where = site.of(frame, socket=True)
    if accept_network_file_system:
        accept_network(where.ledger, frame.clock, actor=frame.actor)
    if live and frame.terminal:
        from spellweaver.cli.screens.live import showing

        with showing(frame) as look:
            serve(where, clock=frame.clock, orders=orders, out=site.nowhere(), on_look=look)
        return 0
    serve(where, clock=frame.clock, orders=orders, out=site.nowhere() if frame.quiet else frame.talk)
    return 0
