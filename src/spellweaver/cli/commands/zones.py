"""Zone rules: which are kept, and what would move if a revision took those of the host."""

from __future__ import annotations

from spellweaver.cli.mark import command
from spellweaver.cli.values import Column

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated, Optional

    import typer

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.options import MaybeSchedule
    from spellweaver.cli.values import Item

@command("spellweaver zones list", "spellweaver zones list --json")
def list_(ctx: typer.Context) -> int:
    """The zone rules that active Schedules fire by, and whether the host's are the same.

    Schedules fire by the rules that the ledger keeps, whatever the host has now. The host's are the same; equal, which
    is other bytes for the same times to come; they differ; there are none, or they are unreadable.
    """
    from spellweaver.cli.screens import zone_rules

    frame: Frame = ctx.obj
    with frame.observe() as view:
        items, head = list(zone_rules.kept(view, frame.as_of)), view.head()
    people = frame.out.isatty()
    columns = (
        Column("ZONE", "zone"),
        Column("KEPT RULES", lambda item: str(item["rules"])[: 19 if people else None], drop=1),
        Column("HOST'S", "host"),
        Column("DIFFERS FROM", "differs_at"),
        Column("SCHEDULES", lambda item: _named(item["schedules"]) if people else item["schedules"]),
    )
    frame.show("zones_list", items, columns, head=head, empty="no active Schedule has a zone")
    if any(item["host"] == "differs" for item in items):
        frame.next("zones", "drift")
    return 0


@command("spellweaver zones drift", "spellweaver zones drift nightly-backup -n 50 --json")
def drift(
    ctx: typer.Context,
    schedule: MaybeSchedule = None,
    count: Annotated[int, typer.Option("--count", "-n", metavar="N", help="How many firings at most.")] = 20,
    for_: Annotated[
        Optional[str], typer.Option("--for", metavar="DURATION", help="How far ahead to look; two years, if not said.")
    ] = None,
) -> int:
    """Firings to come that would move if a revision took the zone rules of the host.

    Nothing moves by itself: a new revision has to ask for the host's rules.
    """
    from itertools import islice

    from spellweaver.cli.screens import ahead, find, zone_rules
    from spellweaver.cli.screens.counting import at_least_one
    from spellweaver.cli.spoken import duration
    from spellweaver.core.grammar import LAST_S
    from spellweaver.core.instant import DAY, SECOND

    frame: Frame = ctx.obj
    limit = at_least_one(count)
    items: list[Item] = []
    after_s = frame.as_of // SECOND
    until_s = min(LAST_S, (frame.as_of + (2 * 366 * DAY if for_ is None else duration("--for", for_))) // SECOND)
    with frame.observe() as view:
        calendars, said = ahead.of_ledger(view, find.schedule(view, schedule)[0] if schedule else None)
        for coming in calendars:
            items += islice(zone_rules.moved(coming, after_s=after_s, until_s=until_s), limit + 1 - len(items))
        head = view.head()
    for sentence in said:
        frame.warn(f"note: {sentence}")
    if len(items) > limit:
        frame.warn(f"note: the first {limit} are shown; more with -n")
    columns = (
        Column("SCHEDULE", "schedule"), Column("CIVIL", "civil", drop=1), Column("BY THE KEPT RULES", "kept_at"),
        Column("BY THE HOST'S", "host_at"), Column("MOVES", zone_rules.move),
    )  # fmt: skip
    frame.show("zones_drift", items[:limit], columns, head=head, empty="no firing to come would move")
    return 0


def _named(schedules: object) -> str:
    assert isinstance(schedules, list)
    return str(schedules[0]) if len(schedules) == 1 else f"{schedules[0]} and {len(schedules) - 1} more"
