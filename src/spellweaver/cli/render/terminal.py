"""For a terminal: a table without frames. Whole columns go before anything in one is cut; what still is too wide, the
terminal wraps.

Only this module imports rich, and only when there is a terminal. rich is given finished text: no markup, no
highlighting, no cutting.
"""

from __future__ import annotations

import io

from rich.cells import cell_len
from rich.console import Console
from rich.style import Style
from rich.table import Table
from rich.text import Text

from spellweaver.cli.render.cells import for_people
from spellweaver.cli.values import State
from spellweaver.cli.words import colour, mark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from spellweaver.cli.values import Column, Item

GAP = 2
_STYLES = {0: "", 2: "dim", 31: "red", 32: "green", 33: "yellow", 36: "cyan"}


class Paper:
    """What the terminal is like: its width, whether it takes colours and UTF-8, and whether times are in UTC."""

    __slots__ = ("colours", "unicode", "utc", "width")

    def __init__(self, *, width: int, colours: bool, unicode: bool, utc: bool) -> None:
        self.width = width
        self.colours = colours
        self.unicode = unicode
        self.utc = utc

    def cell(self, value: object) -> Text:
        text = for_people(value, utc=self.utc)
        if not isinstance(value, State):
            return Text(text)
        return Text.assemble((f"{mark(text, unicode=self.unicode)} {text}", _STYLES[colour(text)]))


def table(items: Iterable[Item], columns: tuple[Column, ...], paper: Paper) -> str:
    """The table as text, with a line end; the header alone when there are no items."""
    cells, widths = _measured(items, columns, paper)
    kept = _fitting(columns, widths, paper.width)
    made = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style=Style())
    for at in kept:
        made.add_column(Text.assemble((columns[at].head, "bold")), no_wrap=True, min_width=widths[at])
    for row in cells:
        made.add_row(*(row[at] for at in kept))
    return _printed(made, paper, sum(widths[at] + GAP for at in kept))


def dropped(items: Iterable[Item], columns: tuple[Column, ...], paper: Paper) -> set[str]:
    """The heads of the columns that ``table`` has no room for, so that a screen can say them in another place."""
    _, widths = _measured(items, columns, paper)
    kept = _fitting(columns, widths, paper.width)
    return {column.head for at, column in enumerate(columns) if at not in kept}


def _measured(items: Iterable[Item], columns: tuple[Column, ...], paper: Paper) -> tuple[list[list[Text]], list[int]]:
    """The cells, and the width that each column wants."""
    cells = [[paper.cell(column.of(item)) for column in columns] for item in items]
    widths = [max([cell_len(column.head), *(row[at].cell_len for row in cells)]) for at, column in enumerate(columns)]
    return cells, widths


def fields(item: Item, columns: tuple[Column, ...], paper: Paper) -> str:
    """A description: names on the left, values beside them."""
    made = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), show_header=False)
    made.add_column(no_wrap=True)
    made.add_column(no_wrap=True)
    rows = [(Text(column.head, style="bold"), paper.cell(column.of(item))) for column in columns]
    for row in rows:
        made.add_row(*row)
    return _printed(made, paper, sum(max((row[at].cell_len for row in rows), default=0) + GAP for at in (0, 1)))


def _fitting(columns: tuple[Column, ...], widths: list[int], width: int) -> list[int]:
    """The columns that stay: the one with the largest ``drop`` goes first, those with 0 never."""
    kept = list(range(len(columns)))
    while sum(widths[at] for at in kept) + GAP * (len(kept) - 1) > width:
        first = max(kept, key=lambda at: columns[at].drop, default=None)
        if first is None or columns[first].drop == 0:
            break
        kept.remove(first)
    return kept


def _printed(made: Table, paper: Paper, needed: int) -> str:
    page = io.StringIO()
    console = Console(
        file=page, width=max(needed, paper.width), force_terminal=True, no_color=not paper.colours,
        color_system="standard" if paper.colours else None, markup=False, highlight=False, emoji=False,
        legacy_windows=False,
    )  # fmt: skip
    console.print(made, crop=False, overflow="ignore")
    return "".join(f"{line.rstrip()}\n" for line in page.getvalue().splitlines())
