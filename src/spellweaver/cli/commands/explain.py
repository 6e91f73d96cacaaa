"""What became of one firing, and why."""

from __future__ import annotations

from spellweaver.cli.mark import command

TYPE_CHECKING = False
if TYPE_CHECKING:
    import typer

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.options import Ref
    from spellweaver.cli.values import Item


@command("spellweaver explain nightly-backup@latest", "spellweaver explain nightly-backup@2026-12-01T02:00 --json")
def explain(ctx: typer.Context, ref: Ref) -> int:
    """What became of one firing and why, with the numbers that were compared.

    It tells what the journal says and never reckons anew, so later definitions and policy change no word of it.
    """
    from spellweaver.cli import references
    from spellweaver.cli.screens import account, find
    from spellweaver.cli.screens import explain as screen

    frame: Frame = ctx.obj
    with frame.observe() as view:
        found = find.firing(view, references.parse(ref))
        item, head = screen.of(view, found, attempts_at=frame.places.attempts, utc=frame.utc), view.head()
    if not frame.document("explain", [item], head=head):
        account.show(frame, item)
        frame.next(*_next(item))
    return 0


def _next(item: Item) -> tuple[str, ...]:
    """The command that is most likely wanted after this."""
    run, verdict = item["run"], item["verdict"]
    if verdict == "contained" and isinstance(run, dict):
        return "resolve", str(run["id"]), "--outcome", "failed", "--reason", "TEXT"
    if isinstance(run, dict) and verdict in ("starts", "runs", "stopping"):
        return "logs", str(run["id"]), "-f"
    if isinstance(run, dict) and run["started_at"] is not None:
        return "logs", str(run["id"])
    blockers = item["blockers"]
    if isinstance(blockers, list) and blockers:
        return "explain", str(blockers[0])
    return "next", str(item["schedule"])
