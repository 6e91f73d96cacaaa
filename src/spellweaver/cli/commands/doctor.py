"""Doctor: is everything as it must be."""

from __future__ import annotations

from spellweaver.cli.mark import command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Annotated

    import typer

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.screens.checkup.finding import Finding


@command("spellweaver doctor", "spellweaver doctor --full --json")
def doctor(
    ctx: typer.Context,
    full: Annotated[
        bool, typer.Option("--full", help="Read every page and every event, and count every calendar.")
    ] = False,
) -> int:
    """Looks at the ledger, its place, the clock, zone rules and what runs, and says what is wrong. Nothing is changed.

    Each finding has a stable word, a sentence and a next command. Exit status 1 if anything is wrong; a note is only
    worth knowing.
    """
    from spellweaver.cli.screens.checkup.finding import COLUMNS

    frame: Frame = ctx.obj
    heads: list[tuple[str, int]] = []
    found = list(_all(frame, full=full, heads=heads))
    items = [each.item(frame) for each in found]
    if not frame.document("doctor", items, head=heads[0] if heads else None):
        if frame.terminal:
            _tell(frame, found)
        else:
            frame.table(items, COLUMNS)
    return 1 if any(each.state == "wrong" for each in found) else 0


def _all(frame: Frame, *, full: bool, heads: list[tuple[str, int]]) -> Iterator[Finding]:
    """Every finding; ``heads`` gets the ledger's head once it could be opened. Raises NotFound where there is none."""
    from spellweaver.cli.screens.checkup import ledger, place, times, work
    from spellweaver.cli.screens.checkup.finding import Finding, guarded
    from spellweaver.errors import NotFound, SpellweaverError

    try:
        view = frame.observe()
    except NotFound:
        raise
    except SpellweaverError as error:
        yield from place.look(frame)
        yield Finding("ledger_opens", "wrong", error.message, error.hint)
        return
    with view:
        yield from place.look(frame)
        heads += [view.head()]
        yield from guarded("ledger", lambda: ledger.look(frame, view, full=full))
        yield from guarded("times", lambda: times.look(frame, view))
        yield from guarded("work", lambda: work.look(frame, view))


def _tell(frame: Frame, found: list[Finding]) -> None:
    """A paragraph for each finding, what is wrong with its next command; then how many."""
    from spellweaver.cli.screens.prose import tell
    from spellweaver.cli.words import mark

    width = max(len(each.id) for each in found) + 4
    for each in found:
        sign = mark(each.state, unicode=frame.unicode)
        tell(frame, f"{sign} {each.id:{width - 2}}{each.sentence}", hang=width)
        if each.next and each.state != "ok":
            tell(frame, f"next: {each.item(frame)['next']}", indent=width)
    wrong = sum(each.state == "wrong" for each in found)
    frame.line()
    frame.line(f"{len(found)} findings, {wrong or 'nothing'} wrong")
