"""Demo: the newcomer's first look."""

from __future__ import annotations

from spellweaver.cli.mark import command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated

    import typer


@command("spellweaver demo", "spellweaver demo --seconds 30")
def demo(
    ctx: typer.Context,
    seconds: Annotated[int, typer.Option("--seconds", metavar="N", min=5, max=3600, help="How long it runs.")] = 12,
) -> int:
    """Runs three small Schedules for a while on a ledger of its own, then shows what became of each firing.

    Real commands, real processes; one of the firings is missed on purpose, and `explain` says why. The ledger stays
    until the next demo.
    """
    from spellweaver.cli.screens import demonstration

    return demonstration.show(ctx, seconds=seconds)
