"""Cutovers: what becomes of the firings around a switch between two readings of a calendar."""

from __future__ import annotations

from spellweaver.cli.mark import command
from spellweaver.cli.values import Column

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated, Optional

    import typer

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.options import Schedule

LONGEST_SPAN_US = 400 * 86_400_000_000
FATES = (
    Column("FIRING", "firing"),
    Column("INSTANT", "instant", drop=2),
    Column("FATE", "fate"),
    Column("REVISION", "revision"),
    Column("IS", "is"),
)


@command(
    "spellweaver cutover plan ops/nightly@3 > nightly-3.toml",
    "spellweaver cutover plan nightly@2 --at 2026-12-01T12:00:00Z --span 3d",
)
def plan(
    ctx: typer.Context,
    schedule: Annotated[str, typer.Argument(metavar="SCHEDULE[@REV]", help="The newest revision, or that one.")],
    at: Annotated[
        Optional[str], typer.Option("--at", metavar="INSTANT", help="When it will be activated, if not now.")
    ] = None,
    span: Annotated[
        Optional[str], typer.Option("--span", metavar="DUR", help="How far it reaches, if not two whole cycles.")
    ] = None,
) -> int:
    """Prints a partition as TOML, to be read and edited: every candidate of both readings and what becomes of it.

    Candidates are paired only by a cycle that both revisions declare, one to one. What can't be decided is "?", and
    is refused until somebody decides it. Nothing is written.
    """
    from spellweaver.cli import references
    from spellweaver.cli.spoken import duration, instant
    from spellweaver.cli.writing import deciding
    from spellweaver.engine.plan_cutover import plan as planned
    from spellweaver.errors import Usage
    from spellweaver.manifest.cutover_file import text

    frame: Frame = ctx.obj
    name, revision = references.parse_revision(schedule)
    at_us = None if at is None else instant("--at", at)
    span_us = None if span is None else duration("--span", span, most_us=LONGEST_SPAN_US)
    if span_us == 0:
        raise Usage("bad_duration", "--span 0s: at least 1s")
    with deciding(frame, dry_run=True) as tx:
        found = planned(tx, schedule=name, revision=revision, at=at_us, span_us=span_us)
    made = found.partition
    toml = text(made, found.notes, cycle=found.cycle, open_=found.open)
    item = {
        "schedule": made.schedule, "old": made.old, "new": made.new, "cycle": found.cycle, "open": found.open,
        "entries": len(made.entries), "toml": toml,
    }  # fmt: skip
    if not frame.document("cutover_plan", [item]):
        frame.write(toml)
        if found.open:
            frame.say(f"{found.open} fates are left to you; cutover check says when all is decided")
        frame.next("activate", f"{made.schedule}@{made.new}", "--cutover", "FILE")
    return 0


@command("spellweaver cutover check nightly-3.toml", "spellweaver cutover check --json nightly-3.toml")
def check(
    ctx: typer.Context, file: Annotated[str, typer.Argument(metavar="FILE", help="A cutover file.")]
) -> int:
    """Judges a partition by this ledger, as `activate --cutover` would now: it holds, or every offending candidate is
    said.
    """
    from spellweaver.cli.writing import deciding
    from spellweaver.engine.activate import activate
    from spellweaver.manifest.cutover_file import read_cutover

    frame: Frame = ctx.obj
    made = read_cutover(file)
    with deciding(frame, dry_run=True) as tx:
        done = activate(tx, schedule=made.schedule, revision=made.new, unbound=True, partition=made)
    fates = {fate: sum(entry.fate == fate for entry in made.entries) for fate in ("same", "distinct", "skip")}
    status = "holds" if done.status == "activated" else "unchanged"
    item = {"schedule": made.schedule, "old": made.old, "new": made.new, "status": status, **fates}
    frame.describe("cutover_check", item, CHECKED)
    if status == "holds":
        frame.next("activate", f"{made.schedule}@{made.new}", "--cutover", file)
    return 0


CHECKED = (
    Column("SCHEDULE", "schedule"), Column("OLD", "old"), Column("NEW", "new"), Column("STATUS", "status"),
    Column("SAME", "same"), Column("DISTINCT", "distinct"), Column("SKIP", "skip"),
)  # fmt: skip


@command("spellweaver cutover show nightly", "spellweaver cutover show --json ops/nightly")
def show(ctx: typer.Context, schedule: Schedule) -> int:
    """The partition by which a Schedule last changed its calendar, with the owner of every firing in it."""
    from spellweaver.cli.screens import cutovers, find

    frame: Frame = ctx.obj
    with frame.observe() as view:
        items, facts = cutovers.latest(view, *find.schedule(view, schedule))
        head = view.head()
    if not frame.document("cutover_show", items, head=head, more=facts):
        (frame.line if frame.out.isatty() else frame.say)(
            f"{facts['schedule']}: from revision {facts['old']} to {facts['new']}, "
            f"old_last {facts['old_last']}, new_first {facts['new_first']}"
        )
        frame.table(items, FATES)
    return 0
