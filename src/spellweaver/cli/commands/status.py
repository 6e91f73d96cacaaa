"""What runs, what comes next, what came last and why, what waits and what is wrong."""

from __future__ import annotations

from spellweaver.cli.mark import command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated

    import typer

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.values import Item
    from spellweaver.ledger.observe import View

LOOK_US = 1_000_000  # between two looks of --watch


@command("spellweaver status", "spellweaver status --check --json")
def status(
    ctx: typer.Context,
    watch: Annotated[bool, typer.Option("--watch", help="Keep the screen up to date; Ctrl-C ends it.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Exit with 1 when anything is wrong.")] = False,
) -> int:
    """What runs, what comes next, what came last and why, what waits and what is wrong.

    Wrong is: no daemon, contained work, a stopped Schedule, a last firing that failed, timed out, was missed or
    refused.
    """
    frame: Frame = ctx.obj
    if watch:
        return _watch(frame)
    with frame.observe() as view:
        item, head = _look(frame, view), view.head()
    if not frame.document("status", [item], head=head):
        from spellweaver.cli.screens import board

        board.show(frame, item)
        board.hint(frame, item)
    return 1 if check and item["warnings"] else 0


def _look(frame: Frame, view: View) -> Item:
    from spellweaver.cli.screens import status as screen

    return screen.of(view, lock=frame.places.lock, as_of=frame.as_of)


def _watch(frame: Frame) -> int:
    """Draws the screen anew each second until Ctrl-C, on the terminal's other page."""
    from spellweaver.clock import pause
    from spellweaver.errors import Usage

    if not frame.terminal:
        raise Usage(
            "watch_needs_terminal", "--watch draws on a terminal, and this is none", hint="spellweaver events -f"
        )
    frame.write(_OTHER_PAGE)
    try:
        while True:
            _draw(frame)
            pause(LOOK_US)
    finally:
        frame.write(_FIRST_PAGE, now=True)


def _draw(frame: Frame) -> None:
    from spellweaver.cli.screens import board

    frame.as_of = frame.clock.now()
    with frame.observe() as view:
        item = _look(frame, view)
    frame.write("\x1b[H\x1b[2J")
    board.show(frame, item, most=max(3, frame.height // 2))
    frame.write("", now=True)


_OTHER_PAGE = "\x1b[?1049h\x1b[?25l"
_FIRST_PAGE = "\x1b[?25h\x1b[?1049l"
