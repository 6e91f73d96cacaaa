"""For a pipe: one line a row, fields apart by a tab, RFC 3339 times in UTC, nothing cut, no header unless asked for."""

from __future__ import annotations

from spellweaver.cli.render.cells import for_programs
from spellweaver.cli.values import State
from spellweaver.cli.words import colour

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from spellweaver.cli.values import Column, Item

    Read = Callable[[object], str]


def lines(
    items: Iterable[Item],
    columns: tuple[Column, ...],
    *,
    header: bool,
    colours: bool,
    read: Read = for_programs,
    apart: str = "\t",
) -> Iterator[str]:
    """A line for each item. ``read`` makes text of a value; a stream on a terminal has another one, and blanks
    between fields.
    """
    shown = [column for column in columns if column.only != "terminal"]
    if header:
        yield apart.join(column.head for column in shown)
    for item in items:
        yield apart.join(field(column.of(item), colours=colours, read=read) for column in shown)


def fields(item: Item, columns: tuple[Column, ...], *, colours: bool) -> Iterator[str]:
    """A description: one line a field, its name first."""
    for column in columns:
        if column.only != "terminal":
            yield f"{column.head}\t{field(column.of(item), colours=colours)}"


def field(value: object, *, colours: bool, read: Read = for_programs) -> str:
    text = read(value)
    return painted(text, colour(text)) if colours and isinstance(value, State) else text


def painted(text: str, code: int) -> str:
    """``text`` between SGR codes; 0 paints nothing."""
    return f"\x1b[{code}m{text}\x1b[0m" if code else text
