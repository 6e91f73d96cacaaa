"""Activate: switch Schedules to a revision."""

from __future__ import annotations

from spellweaver.cli.mark import command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated

    import typer

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.options import DryRun


@command("spellweaver activate nightly", "spellweaver activate ops/nightly@3 probe --dry-run")
def activate(
    ctx: typer.Context,
    schedules: Annotated[
        list[str], typer.Argument(metavar="SCHEDULE[@REV]...", help="The newest revision, or that one.")
    ],
    unbound: Annotated[
        bool, typer.Option("--unbound", help="Also while a station has no command on this host.")
    ] = False,
    dry_run: DryRun = False,
) -> int:
    """Switches Schedules to a revision: all that are named, or none.

    A first activation begins now and looks at nothing before. A later one may change everything but the calendar:
    that needs a cutover, which this version does not have, and is refused.
    """
    from spellweaver.cli import reports
    from spellweaver.cli.writing import deciding

    frame: Frame = ctx.obj
    wanted = [_wanted(word) for word in schedules]
    with deciding(frame, dry_run=dry_run) as tx:
        activated = reports.activated(reports.activate_all(tx, wanted, unbound=unbound), dry_run=dry_run)
    if not frame.document("activate", activated):
        frame.table(reports.lines(frame, activated=activated), reports.COLUMNS)
    if not dry_run:
        frame.next("next", *(str(item["schedule"]) for item in activated[:1]))
    return 0


def _wanted(word: str) -> tuple[str, int | None]:
    from spellweaver.errors import NotFound

    name, at, revision = word.partition("@")
    if not at:
        return name, None
    if not (revision.isascii() and revision.isdecimal()) or len(revision) > 9:
        raise NotFound("no_revision", f"{word!r} names no revision", hint=f"write a number, as {name}@3")
    return name, int(revision)
