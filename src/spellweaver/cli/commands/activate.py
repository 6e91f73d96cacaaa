"""Activate: switch Schedules to a revision."""

from __future__ import annotations

from spellweaver.cli.mark import command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated, Optional

    import typer

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.options import DryRun
    from spellweaver.core.cutover import Partition


@command("spellweaver activate nightly probe", "spellweaver activate ops/nightly@3 --cutover nightly-3.toml --dry-run")
def activate(
    ctx: typer.Context,
    schedules: Annotated[
        list[str], typer.Argument(metavar="SCHEDULE[@REV]...", help="The newest revision, or that one.")
    ],
    cutover: Annotated[
        Optional[list[str]],
        typer.Option("--cutover", metavar="FILE", help="The partition of a revision that reads another calendar."),
    ] = None,
    confirm: Annotated[
        Optional[list[str]],
        typer.Option("--confirm", metavar="SCHEDULE", help="The Schedule whose cutover skips candidates."),
    ] = None,
    unbound: Annotated[
        bool, typer.Option("--unbound", help="Also while a station has no command on this host.")
    ] = False,
    dry_run: DryRun = False,
) -> int:
    """Switches Schedules to a revision: all that are named, or none.

    A first activation begins now and looks at nothing before. A revision that reads the calendar otherwise needs a
    partition, which `cutover plan` proposes; it is judged whole and committed with the switch, and a repeated call says
    unchanged. One that skips candidates wants its Schedule named by --confirm.
    """
    from spellweaver.cli import references, reports
    from spellweaver.cli.writing import deciding
    from spellweaver.engine import look_up

    frame: Frame = ctx.obj
    wanted = [references.parse_revision(word) for word in schedules]
    partitions = _partitions(cutover or [])
    with deciding(frame, dry_run=dry_run) as tx:
        named = [(look_up.schedule(tx, name)[0], revision) for name, revision in wanted]
        _refuse_strays([name for name, _ in named], partitions)
        named = [(name, revision if name not in partitions else revision or partitions[name].new)
                 for name, revision in named]  # fmt: skip
        done = reports.activate_all(tx, named, unbound=unbound, partitions=partitions)
        if not dry_run:
            _refuse_unconfirmed({each.schedule: each.skips for each in done if each.skips}, confirm or [])
        activated = reports.activated(done, dry_run=dry_run)
    if not frame.document("activate", activated):
        frame.table(reports.lines(frame, activated=activated), reports.COLUMNS)
    if not dry_run:
        frame.next("next", *(str(item["schedule"]) for item in activated[:1]))
    return 0


def _partitions(files: list[str]) -> dict[str, Partition]:
    if not files:
        return {}
    from spellweaver.errors import Usage
    from spellweaver.manifest.cutover_file import read_cutover

    found: dict[str, Partition] = {}
    for file in files:
        made = read_cutover(file)
        if made.schedule in found:
            raise Usage("cutover_twice", f"two files are about {made.schedule}; give one")
        found[made.schedule] = made
    return found


def _refuse_strays(names: list[str], partitions: dict[str, Partition]) -> None:
    from spellweaver.errors import Usage

    if strays := [name for name in partitions if name not in names]:
        raise Usage("cutover_stray", f"--cutover is about {', '.join(strays)}, which is not activated by this call")


def _refuse_unconfirmed(skipping: dict[str, int], confirmed: list[str]) -> None:
    """A cutover that skips is a severe act. It was judged; refusing it here undoes it."""
    from spellweaver.errors import Refused

    for name, skips in skipping.items():
        if name not in confirmed and name.removeprefix("local/") not in confirmed:
            raise Refused(
                "unconfirmed", f"{name}: this cutover skips {skips} of its candidates; nothing was changed",
                hint=f"give --confirm {name} if that is meant", schedule=name, skips=skips,
            )  # fmt: skip
