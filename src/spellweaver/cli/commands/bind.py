"""Bind: say how the stations of workflows are done on this host."""

from __future__ import annotations

from spellweaver.cli.mark import command

TYPE_CHECKING = False
if TYPE_CHECKING:
    import typer

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.options import DryRun, File


@command("spellweaver bind nightly.toml", "spellweaver bind --dry-run host.toml")
def bind(ctx: typer.Context, file: File, dry_run: DryRun = False) -> int:
    """Takes the host's bindings as a new generation, and reports every placement: bound, unchanged or unknown.

    Runs that are admitted from now on use it; those that run already go on as they began.
    """
    from spellweaver.cli import reports
    from spellweaver.cli.writing import deciding
    from spellweaver.engine import bind as binding
    from spellweaver.jobs import permission
    from spellweaver.manifest.read import read

    frame: Frame = ctx.obj
    manifest = read([file])
    reports.caution(frame, manifest)
    permission.require(manifest.bindings)
    with deciding(frame, dry_run=dry_run) as tx:
        placed = reports.placed(binding.bind(tx, bindings=manifest.bindings), dry_run=dry_run)
    if not frame.document("bind", placed):
        if not placed:
            frame.say(f"{file} has no bindings")
        frame.table(reports.lines(frame, placed=placed), reports.COLUMNS)
    reports.left(frame, manifest, [file], took=("bind",))
    return 0
