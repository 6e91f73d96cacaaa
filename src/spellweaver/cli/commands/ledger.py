"""The ledger as a whole: check it, and adopt one that is another machine's or not the newest."""

from __future__ import annotations

from spellweaver.cli.mark import command
from spellweaver.cli.values import Column

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated, Optional

    import typer

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.options import DryRun, Reason
    from spellweaver.cli.values import Item

FINDINGS = (Column("FINDING", "id"), Column("RULE", "rule"), Column("WHAT", "sentence"), Column("NEXT", "hint", drop=1))
ADOPTED = (
    Column("LEDGER", "ledger"), Column("STATUS", "status"), Column("MACHINE BEFORE", "machine_before"),
    Column("MACHINE AFTER", "machine_after"), Column("LAST EVENT", "seq"), Column("WITNESS SAW", "witness_seq"),
    Column("CONTAINED", "contained"), Column("SET ASIDE", "set_aside"),
)  # fmt: skip


@command("spellweaver ledger check", "spellweaver ledger check --json --ledger /backup/ledger-2026-12-01.db")
def check(ctx: typer.Context) -> int:
    """Asks every law of the ledger: its pages, its schema, its journal's chain, each firing and run. Exit 1 if one is
    broken.

    Nothing is written. A copy can be checked as well, and a ledger that is used.
    """
    from spellweaver.cli.screens import soundness

    frame: Frame = ctx.obj
    before = soundness.seen(frame)
    with frame.observe() as view:
        found, facts, head = soundness.findings(view, before), soundness.facts(view, before), view.head()
    if not frame.document("ledger_check", found, head=head, more=facts):
        soundness.show(frame, found) if frame.terminal else frame.table(found, FINDINGS)
        for sentence in soundness.sentences(found, facts):
            frame.say(sentence)
    return 1 if found else 0


@command(
    'spellweaver ledger adopt --confirm 3f2a91c0 --reason "restored from the backup of Sunday"',
    'spellweaver ledger adopt --dry-run --reason "moved to the new host"',
)
def adopt(
    ctx: typer.Context,
    reason: Reason,
    confirm: Annotated[
        Optional[str], typer.Option("--confirm", metavar="NAME", help="The ledger's name: how its id begins.")
    ] = None,
    dry_run: DryRun = False,
) -> int:
    """Takes a ledger on as it is: one that another machine made, or one that is older than its witness.

    What was open on another machine is contained until you resolve it. Attempts that an older copy does not know of are
    set aside. It wants to be named, for it can't be undone; the ledger must be sound, and no daemon may run on it.
    """
    from spellweaver.cli.screens import site
    from spellweaver.service.adopt import take

    frame: Frame = ctx.obj
    taken = take(
        site.of(frame, socket=False), clock=frame.clock, actor=frame.actor, why=reason, confirm=confirm, dry_run=dry_run
    )
    done = taken.done
    item: Item = {
        "ledger": taken.ledger, "status": "adopted" if done else "unchanged",
        "machine_before": done and done.machine_before, "machine_after": done and done.machine_after,
        "witness_seq": done and done.witness_seq, "seq": done and done.seq,
        "contained": [str(each) for each in done.contained] if done else [],
        "set_aside": [str(each) for each in taken.aside], "dry_run": dry_run,
    }  # fmt: skip
    frame.describe("ledger_adopt", item, ADOPTED)
    if done and dry_run:
        frame.say("would be adopted; nothing was written")
    elif done and done.contained:
        frame.next("resolve", str(done.contained[0]), "--outcome", "failed", "--reason", "…")
    return 0
