"""New: print the file of one command."""

from __future__ import annotations

from spellweaver.cli.mark import command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated, Optional

    import typer

    from spellweaver.cli.frame import Frame


@command(
    'spellweaver new backup --cron "30 2 * * *" --zone Europe/Bratislava -- /usr/local/bin/backup --full',
    "spellweaver new reboot-check --at 2026-12-01T02:00:00Z -- /usr/local/bin/check > check.toml",
)
def new(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The Schedule's name.")],
    words: Annotated[list[str], typer.Argument(metavar="COMMAND...", help="The command, after --; no shell reads it.")],
    cron: Annotated[
        Optional[str], typer.Option("--cron", metavar="TEXT", help="A calendar of five or six fields.")
    ] = None,
    zone: Annotated[
        Optional[str], typer.Option("--zone", metavar="ZONE", help="The zone that the calendar is read in.")
    ] = None,
    at: Annotated[
        Optional[str], typer.Option("--at", metavar="INSTANT", help="Once, at this RFC 3339 instant.")
    ] = None,
) -> int:
    """Prints the TOML for one command on a calendar, or once. Nothing is stored: `define` takes the file."""
    from spellweaver.manifest.write import new_schedule_toml

    frame: Frame = ctx.obj
    text = new_schedule_toml(name, command=words, cron=cron, zone=zone, at=at)
    if not frame.document("new", [{"name": name, "toml": text}]):
        frame.write(text)
        frame.next("define", "FILE", "--bind", "--activate")
    return 0
