"""Init: make the ledger."""

from __future__ import annotations

from spellweaver.cli.mark import command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated

    import typer

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.options import AnyFileSystem, DryRun
    from spellweaver.cli.values import Item
    from spellweaver.ledger.decide import Ledger


@command("spellweaver init", "spellweaver init --example --ledger /srv/spellweaver/ledger.db")
def init(
    ctx: typer.Context,
    example: Annotated[bool, typer.Option("--example", help="Add two harmless Schedules, bound and active.")] = False,
    accept_network_file_system: AnyFileSystem = False,
    dry_run: DryRun = False,
) -> int:
    """Makes the ledger, in a directory that only its owner can enter. A ledger that is there already is never
    touched.
    """
    from contextlib import closing

    from spellweaver.cli import reports
    from spellweaver.cli.values import Column
    from spellweaver.host.machine import machine

    frame: Frame = ctx.obj
    name, source = machine()
    if source == "the host name":
        frame.warn(
            "this machine has no machine id; its host name stands in, so a new host name will look like another machine"
        )
    with closing(_made(frame, name, dry_run=dry_run, any_file_system=accept_network_file_system)) as ledger:
        added = _example(ledger, dry_run=dry_run) if example else {"defined": [], "placed": [], "activated": []}
    item: Item = {"ledger": frame.places.ledger, "why": frame.places.why, "machine_from": source, "dry_run": dry_run}
    if not frame.document("init", [item], more=dict(added)):
        frame.fields(item, (Column("WOULD MAKE" if dry_run else "MADE", "ledger"), Column("WHY THERE", "why")))
        frame.table(reports.lines(frame, **added), reports.COLUMNS)
    if not dry_run:
        frame.next("run") if example else frame.next(
            "new", "NAME", "--cron", "30 2 * * *", "--zone", "ZONE", "--", "COMMAND"
        )
    return 0


def _made(frame: Frame, machine: str, *, dry_run: bool, any_file_system: bool) -> Ledger:
    from spellweaver.ledger.opening import create_ledger, judge_place, memory_ledger

    path = frame.places.ledger
    if not dry_run:
        return create_ledger(path, frame.clock, actor=frame.actor, machine=machine, any_file_system=any_file_system)
    judge_place(path, any_file_system=any_file_system)
    return memory_ledger(frame.clock, actor=frame.actor)


def _example(ledger: Ledger, *, dry_run: bool) -> dict[str, list[Item]]:
    """The example file, defined, bound and activated: three recorded acts in one transaction."""
    from spellweaver.cli import reports
    from spellweaver.engine.bind import bind
    from spellweaver.engine.define import define
    from spellweaver.manifest.read import read_text
    from spellweaver.manifest.write import example_toml

    manifest = read_text(example_toml(), "example.toml")
    with ledger.decide() as tx:
        found = define(tx, patterns=manifest.patterns, schedules=manifest.schedules, owner=ledger.actor)
        places = bind(tx, bindings=manifest.bindings)
        switched = reports.activate_all(tx, [(draft.full_name, None) for draft in manifest.schedules], unbound=False)
    return {
        "defined": reports.defined(found, dry_run=dry_run), "placed": reports.placed(places, dry_run=dry_run),
        "activated": reports.activated(switched, dry_run=dry_run),
    }  # fmt: skip
