"""Workflow versions: what there is, what one says, and its digest."""

from __future__ import annotations

from spellweaver.cli.mark import command
from spellweaver.cli.values import Column

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated

    import typer

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.values import Item


@command("spellweaver pattern list", "spellweaver pattern list --json")
def list_(ctx: typer.Context) -> int:
    """Every workflow version in the ledger."""
    from spellweaver.cli.screens import patterns

    frame: Frame = ctx.obj
    with frame.observe() as view:
        items, head = patterns.all_of(view), view.head()
    frame.show("pattern_list", items, patterns.LIST, head=head, empty="there are no patterns")
    return 0


@command("spellweaver pattern show nightly@3", "spellweaver pattern show nightly@3 --json")
def show(
    ctx: typer.Context,
    pattern: Annotated[
        str, typer.Argument(metavar="PATTERN", help="KEY@REVISION; the key alone while it has one revision.")
    ],
) -> int:
    """The stations of a workflow, what follows what, and the command that each is bound to on this host."""
    from spellweaver.cli.screens import find, patterns

    frame: Frame = ctx.obj
    with frame.observe() as view:
        item, head = patterns.one(view, find.pattern(view, pattern)), view.head()
    if not frame.document("pattern_show", [item], head=head):
        frame.fields(item, patterns.FIELDS)
        if frame.out.isatty():
            frame.line()
        frame.table(_stations(item), patterns.STATIONS)
    return 0


@command("spellweaver pattern digest nightly@3", "spellweaver pattern digest ./nightly.toml")
def digest(
    ctx: typer.Context,
    pattern: Annotated[
        str,
        typer.Argument(metavar="PATTERN", help="KEY@REVISION in the ledger, or a TOML file (with a slash or .toml)."),
    ],
) -> int:
    """The SHA-256 of a workflow's canonical form, of a version in the ledger or of every one in a file."""
    frame: Frame = ctx.obj
    if "/" in pattern or pattern.endswith(".toml"):
        items, head = _of_file(pattern), None
    else:
        from spellweaver.cli.screens import find, patterns

        with frame.observe() as view:
            items, head = [patterns.digest(view, find.pattern(view, pattern))], view.head()
    frame.show(
        "pattern_digest",
        items,
        (Column("DIGEST", "digest"), Column("PATTERN", "pattern")),
        head=head,
        empty="the file has no pattern",
    )
    return 0


def _of_file(path: str) -> list[Item]:
    from spellweaver.manifest.read import read

    return [{"pattern": made.version, "digest": made.digest(), "source": path} for made in read([path]).patterns]


def _stations(item: Item) -> list[Item]:
    """One row a station: what follows it, and its command as it would be executed."""
    from spellweaver.cli import times
    from spellweaver.cli.typed import quoted

    stations, edges = item["stations"], item["edges"]
    assert isinstance(stations, list) and isinstance(edges, list)
    rows: list[Item] = []
    for station in stations:
        after = [f"{edge['relation']}: {edge['target']}" for edge in edges if edge["source"] == station["key"]]
        bound = station["binding"]
        rows.append({
            **station, "next": ", ".join(after) or None,
            "timeout": times.exact(bound["timeout_us"]) if bound else None,
            "command": " ".join(quoted(word) for word in bound["command"]) if bound else None,
        })  # fmt: skip
    return rows
