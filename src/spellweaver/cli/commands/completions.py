"""Completions: the script for a shell."""

from __future__ import annotations

from spellweaver.cli.mark import command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated, Literal

    import typer

    from spellweaver.cli.frame import Frame


@command(
    "spellweaver completions bash > ~/.local/share/bash-completion/completions/spellweaver",
    "spellweaver completions fish > ~/.config/fish/completions/spellweaver.fish",
)
def completions(
    ctx: typer.Context,
    shell: Annotated[Literal["bash", "zsh", "fish"], typer.Argument(help="Which shell.")],
) -> int:
    """Prints the completion script of a shell; it asks the ledger for names, so it needs this program on PATH."""
    from spellweaver.cli.generate import bash, fish, zsh
    from spellweaver.cli.generate.walk import walk

    frame: Frame = ctx.obj
    frame.write({"bash": bash, "zsh": zsh, "fish": fish}[shell].script(walk()))
    return 0
