"""Coming from elsewhere: what other schedulers' files would be here, line by line."""

from __future__ import annotations

from spellweaver.cli.mark import command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated, Optional

    import typer

    from spellweaver.cli.frame import Frame


@command(
    "spellweaver import crontab /etc/crontab > crontab.toml",
    "spellweaver import crontab - --zone Europe/Bratislava --json",
)
def crontab(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="A crontab; - reads standard input.")],
    zone: Annotated[
        Optional[str], typer.Option("--zone", metavar="ZONE", help="The zone of its host; default: that of this one.")
    ] = None,
    system: Annotated[
        bool, typer.Option("--system", help="Lines name a user; so they do in /etc/crontab and /etc/cron.d.")
    ] = False,
) -> int:
    """Prints the TOML that a crontab would be here, as of `crontab -l`. Nothing is stored: `define` takes the file.

    Every line is answered, in comments of the TOML (under --json in items): what is kept, what changes, what can't be
    kept. The status is 0 if everything is kept or changed, 1 if something can't be kept, 65 if a line can't be read.
    """
    from spellweaver.cli.screens import proposals
    from spellweaver.host import user
    from spellweaver.manifest.crontab import LIMIT, read_crontab
    from spellweaver.manifest.write import proposal_toml

    def home_of(name: str | None) -> str | None:
        found = user.account() if name is None else user.named(name)
        return found.home if found else None

    frame: Frame = ctx.obj
    data = _read(file, LIMIT)
    where = _zone(frame, zone)
    proposal = read_crontab(
        data, "crontab" if file == "-" else file, zone=where, system=system or _is_system(file), home_of=home_of
    )
    text = proposal_toml(proposal)
    if not frame.document("import_crontab", proposals.items(proposal), more=proposals.more(proposal, text)):
        proposals.write(frame, text)
    return proposals.tell(frame, proposal)


@command(
    "spellweaver import systemd backup.timer backup.service > backup.toml",
    "spellweaver import systemd /etc/systemd/system/backup.* --zone Europe/Bratislava --json",
)
def systemd(
    ctx: typer.Context,
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Timers and the services that they start.")],
    zone: Annotated[
        Optional[str], typer.Option("--zone", metavar="ZONE", help="The zone of their host; default: that of this one.")
    ] = None,
) -> int:
    """Prints the TOML that timers and their services would be here. Nothing is stored: `define` takes the file.

    Every line of every file is answered, as by `import crontab`, with the same status.
    """
    from spellweaver.cli.screens import proposals
    from spellweaver.files import read_operator_file
    from spellweaver.manifest.crontab import LIMIT
    from spellweaver.manifest.units import read_units
    from spellweaver.manifest.write import proposal_toml

    frame: Frame = ctx.obj
    found = [(file, read_operator_file(file, limit=LIMIT)) for file in dict.fromkeys(files)]
    proposal = read_units(found, zone=_zone(frame, zone))
    text = proposal_toml(proposal)
    if not frame.document("import_systemd", proposals.items(proposal), more=proposals.more(proposal, text)):
        proposals.write(frame, text)
    return proposals.tell(frame, proposal)


def _is_system(file: str) -> bool:
    import os

    path = os.path.abspath(file)
    return path == "/etc/crontab" or path.startswith("/etc/cron.d/")


def _read(file: str, limit: int) -> bytes:
    import sys

    from spellweaver.errors import NoInput
    from spellweaver.files import read_operator_file

    if file != "-":
        return read_operator_file(file, limit=limit)
    data = sys.stdin.buffer.read(limit + 1)
    if len(data) > limit:
        raise NoInput("file_too_large", f"standard input has more than {limit // 1024} KiB", path=file)
    return data


def _zone(frame: Frame, said: str | None) -> str:
    """The zone of --zone, else this host's, which is named. Raises Usage where there is none that can be used."""
    from spellweaver.errors import Usage
    from spellweaver.host.local_zone import local_zone
    from spellweaver.manifest import zones

    name = local_zone() if said is None else said
    if name is None:
        raise Usage("zone_needed", "no file of this host names its zone", hint="say it: --zone Europe/Bratislava")
    try:
        zones.rules(name)
    except zones.UnknownZone as error:
        raise Usage("zone_unknown", str(error), hint=None if said else "say it: --zone Europe/Bratislava") from None
    if said is None:
        frame.say(f"zone: {name}, this host's; --zone names another")
    return name
