"""The journal: what happened, when, to what, and the numbers that were compared."""

from __future__ import annotations

from spellweaver.cli.mark import command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Annotated, Optional

    import typer

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.values import Item

LOOK_US = 250_000  # between two looks of -f


@command("spellweaver events --schedule nightly-backup -n 50", "spellweaver events -f --jsonl --after-seq 4812")
def events(
    ctx: typer.Context,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with what happens, until Ctrl-C.")] = False,
    schedule: Annotated[
        Optional[str], typer.Option("--schedule", metavar="SCHEDULE", help="Only what concerns it.")
    ] = None,
    type_: Annotated[
        Optional[str],
        typer.Option("--type", metavar="TYPE", help="Only this type; occurrence.* takes all that begin so."),
    ] = None,
    after_seq: Annotated[
        Optional[int], typer.Option("--after-seq", metavar="SEQ", help="Those after this event, from there on.")
    ] = None,
    count: Annotated[
        Optional[int], typer.Option("--count", "-n", metavar="N", help="How many at most: the last 20, if not said.")
    ] = None,
) -> int:
    """What happened, oldest first."""
    from spellweaver.cli.screens import events as screen
    from spellweaver.cli.screens import find
    from spellweaver.cli.screens.counting import at_least_one

    frame: Frame = ctx.obj
    limit = None if count is None else at_least_one(count)
    with frame.observe() as view:
        id_ = find.schedule(view, schedule)[0] if schedule else None
        if after_seq is None:
            items = screen.newest(view, schedule=id_, type_=type_, limit=limit or 20)
        else:
            items = screen.after(view, after_seq, schedule=id_, type_=type_, limit=limit or -1)
        head = view.head()
    if follow:
        seq = items[-1]["seq"] if after_seq is not None and items else max(head[1], after_seq or 0)
        assert isinstance(seq, int)
        _stream(frame, _all(items, _coming(frame, seq, id_, type_)))
    elif not frame.document("events", items, head=head):
        _stream(frame, iter(items))
    return 0


def _all(first: list[Item], rest: Iterator[Item]) -> Iterator[Item]:
    yield from first
    yield from rest


def _coming(frame: Frame, seq: int, schedule: int | None, type_: str | None) -> Iterator[Item]:
    """Every event after ``seq`` as it is committed; between looks nothing is held open."""
    from spellweaver.cli.screens import events as screen
    from spellweaver.clock import pause

    while True:
        with frame.observe() as view:
            items = screen.after(view, seq, schedule=schedule, type_=type_, limit=screen.PAGE)
            last = screen.last(view)
        yield from items
        if len(items) == screen.PAGE:
            seq = int(str(items[-1]["seq"]))
        else:
            seq = last
            pause(LOOK_US)


def _stream(frame: Frame, items: Iterator[Item]) -> None:
    from spellweaver.cli.screens import events as screen

    if not frame.terminal:
        frame.stream(items, screen.PROGRAMS)
        return
    for item in items:
        _tell(frame, item)


def _tell(frame: Frame, item: Item) -> None:
    """Two lines: when and what it is about; then what happened."""
    from spellweaver.cli import times
    from spellweaver.cli.screens import events as screen
    from spellweaver.cli.screens.prose import tell
    from spellweaver.cli.screens.readings import UTC
    from spellweaver.cli.values import At

    at = item["at"]
    assert isinstance(at, At)
    about = [str(part) for part in (item["schedule"], item["occurrence"], item["invocation"], item["actor"]) if part]
    ref = f"evt_{item['seq']}"
    frame.line(f"{ref:9} {times.reading(at.us, None, utc=frame.utc)}  {'  '.join(about)}")
    tell(frame, screen.sentence(item, UTC if frame.utc else None), indent=10)
    frame.write("", now=True)
