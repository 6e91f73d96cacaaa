"""Schema: the shape of the program's JSON."""

from __future__ import annotations

import os

from spellweaver.cli.mark import command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated, Optional

    import typer

    from spellweaver.cli.frame import Frame

FOLDER = f"{os.path.dirname(os.path.dirname(__file__))}/schemas"


@command("spellweaver schema", "spellweaver schema occurrence_list")
def schema(
    ctx: typer.Context,
    kind: Annotated[
        Optional[str], typer.Argument(metavar="[KIND]", help="A kind of document; all are listed if absent.")
    ] = None,
) -> int:
    """Prints the JSON Schema of a kind of output, which stands under `kind` in it; or lists the kinds."""
    from difflib import get_close_matches

    from spellweaver.cli.values import Column
    from spellweaver.errors import NotFound

    frame: Frame = ctx.obj
    kinds = sorted(name.removesuffix(".json") for name in os.listdir(FOLDER))
    if kind is None:
        frame.show("schema", [{"kind": each} for each in kinds], (Column("KIND", "kind"),))
        return 0
    if kind not in kinds:
        near = get_close_matches(kind, kinds, n=1)
        raise NotFound(
            "no_kind",
            f"there is no kind {kind!r}" + (f"; did you mean {near[0]!r}?" if near else ""),
            hint="spellweaver schema",
        )
    with open(f"{FOLDER}/{kind}.json", encoding="utf-8") as file:
        frame.write(file.read())
    return 0
