"""Check: judge files by themselves."""

from __future__ import annotations

from spellweaver.cli.mark import command
from spellweaver.cli.values import Column

TYPE_CHECKING = False
if TYPE_CHECKING:
    import typer

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.options import Files

COLUMNS = (Column("WHAT", "kind"), Column("NAME", "name"), Column("DETAIL", "detail", drop=1))


@command("spellweaver check nightly.toml", "spellweaver check --json /etc/spellweaver/*.toml")
def check(ctx: typer.Context, files: Files) -> int:
    """Judges files by themselves: every problem of every file at once, each with its line, column and a caret.

    No ledger is needed. What only a ledger can know (whether a revision is new, a binding is there) `define
    --dry-run` says.
    """
    from spellweaver.cli import reports
    from spellweaver.manifest.read import read

    frame: Frame = ctx.obj
    manifest = read(files)
    reports.caution(frame, manifest)
    found = [
        *(("pattern", pattern.version, f"digest {pattern.digest()[:12]}") for pattern in manifest.patterns),
        *(
            ("binding", f"{each.pattern_key}@{each.pattern_revision} {each.station}", " ".join(each.command))
            for each in manifest.bindings
        ),
        *(
            ("schedule", draft.full_name, f"{draft.service_class}, {draft.pattern_key}@{draft.pattern_revision}")
            for draft in manifest.schedules
        ),
        *([("policy", "policy", f"{manifest.policy.workers} workers")] if manifest.policy else []),
    ]
    frame.show("check", [{"kind": kind, "name": name, "detail": detail} for kind, name, detail in found], COLUMNS)
    return 0
