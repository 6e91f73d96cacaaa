"""Check: judge files by themselves."""

from __future__ import annotations

from spellweaver.cli.mark import command
from spellweaver.cli.values import Column

TYPE_CHECKING = False
if TYPE_CHECKING:
    import typer

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.options import Files
    from spellweaver.core.binding import Binding
    from spellweaver.core.schedule import ScheduleDraft

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
    found = [("pattern", each.version, f"digest {each.digest()[:12]}") for each in manifest.patterns]
    found += [("binding", _station(each), _way(each)) for each in manifest.bindings]
    found += [("schedule", each.full_name, f"{each.service_class}, {_version(each)}") for each in manifest.schedules]
    found += [("policy", "policy", f"{manifest.policy.workers} workers")] if manifest.policy else []
    frame.show("check", [{"kind": kind, "name": name, "detail": detail} for kind, name, detail in found], COLUMNS)
    return 0


def _station(binding: Binding) -> str:
    return f"{binding.pattern_key}@{binding.pattern_revision} {binding.station}"


def _version(draft: ScheduleDraft) -> str:
    return f"{draft.pattern_key}@{draft.pattern_revision}"


def _way(binding: Binding) -> str:
    from spellweaver.core.instant import duration_text

    program = "a shell command" if binding.shell is not None else binding.argv[0]
    return f"{program}, timeout {duration_text(binding.timeout_us)}"
