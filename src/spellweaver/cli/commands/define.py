"""Define: store workflows and Schedule revisions."""

from __future__ import annotations

from spellweaver.cli.mark import command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated

    import typer

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.options import DryRun, Files


@command("spellweaver define nightly.toml --bind --activate", "spellweaver define --dry-run nightly.toml probe.toml")
def define(
    ctx: typer.Context,
    files: Files,
    bind: Annotated[bool, typer.Option("--bind", help="Take the bindings of the files too.")] = False,
    activate: Annotated[
        bool, typer.Option("--activate", help="Switch each Schedule of the files to this revision.")
    ] = False,
    dry_run: DryRun = False,
) -> int:
    """Stores workflows and Schedule revisions, and says of each whether it is new, unchanged or a further revision.

    All of it is stored or nothing. A revision fires only once it is activated, and runs only where its stations are
    bound. `[policy]` is never taken from here: `policy apply` takes it.
    """
    from spellweaver.cli import reports
    from spellweaver.cli.writing import deciding
    from spellweaver.engine import bind as binding
    from spellweaver.engine import define as defining
    from spellweaver.jobs import permission
    from spellweaver.manifest.read import read

    frame: Frame = ctx.obj
    manifest = read(files)
    reports.caution(frame, manifest)
    permission.require(manifest.bindings if bind else ())
    with deciding(frame, dry_run=dry_run) as tx:
        found = defining.define(tx, patterns=manifest.patterns, schedules=manifest.schedules, owner=frame.actor)
        places = binding.bind(tx, bindings=manifest.bindings) if bind else []
        wanted = [(each.name, int(each.revision)) for each in found if each.kind == "schedule"] if activate else []
        switched = reports.activate_all(tx, wanted, unbound=False)
    defined, placed = reports.defined(found, dry_run=dry_run), reports.placed(places, dry_run=dry_run)
    activated = reports.activated(switched, dry_run=dry_run)
    if not frame.document("define", defined, more={"placed": placed, "activated": activated}):
        frame.table(reports.lines(frame, defined=defined, placed=placed, activated=activated), reports.COLUMNS)
    reports.left(frame, manifest, files, took=("define", "bind") if bind else ("define",))
    if not dry_run and not activate and (names := [each.name for each in found if each.kind == "schedule"]):
        frame.next("activate", *names)
    return 0
