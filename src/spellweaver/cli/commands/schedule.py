"""Schedules: what there is, and what one says."""

from __future__ import annotations

from spellweaver.cli.mark import command
from spellweaver.cli.values import At, Column

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Annotated, Literal, Optional

    import typer

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.values import Item

REVISIONS = (
    Column("REVISION", "revision"),
    Column("IN FORCE", "in_force"),
    Column("CALENDAR", "generation", drop=3),
    Column("PATTERN", "pattern", drop=1),
    Column("ACTIVATED", "activated_at", drop=2),
    Column("REPLACED", "replaced_at", drop=4),
    Column("DIGEST", lambda item: str(item["digest"])[:12], drop=5),
)


HISTORY = (
    Column("AT", "at"), Column("WHAT", "type"), Column("ACTOR", "actor", drop=1), Column("SAID", "sentence", drop=2),
)  # fmt: skip


@command("spellweaver schedule list", "spellweaver schedule list --state stopped --json")
def list_(
    ctx: typer.Context,
    state: Annotated[
        Optional[Literal["defined", "active", "paused", "stopped", "retired"]],
        typer.Option("--state", help="Only those in this state."),
    ] = None,
) -> int:
    """Every Schedule, what is in force and what comes next."""
    from spellweaver.cli.screens import schedules
    from spellweaver.cli.screens.drift import drifts

    frame: Frame = ctx.obj
    with frame.observe() as view:
        drifted = list(drifts(view, frame.as_of))
        items = schedules.all_of(view, state=state, as_of=frame.as_of, drifts=drifted)
        head = view.head()
    for drift in drifted:
        frame.warn(f"note: {drift.sentence}")
    frame.show(
        "schedule_list",
        items,
        _columns(frame),
        head=head,
        empty="there are no Schedules" + (f" that are {state}" if state else ""),
    )
    return 0


@command("spellweaver schedule show nightly-backup", "spellweaver schedule show nightly-backup@2 --json")
def show(
    ctx: typer.Context,
    schedule: Annotated[
        str, typer.Argument(metavar="SCHEDULE", help="A Schedule's name, or SCHEDULE@REV for one revision.")
    ],
) -> int:
    """What a Schedule says, and every revision of it."""
    from spellweaver.cli.screens import find, schedules
    from spellweaver.cli.screens.drift import drifts

    frame: Frame = ctx.obj
    name, _, revision = schedule.partition("@")
    with frame.observe() as view:
        id_, full = find.schedule(view, name)
        wanted = find.revision(view, id_, full, _number(full, revision)) if revision else None
        drifted = [drift for drift in drifts(view, frame.as_of) if full in drift.schedules]
        item = schedules.one(view, id_, revision=wanted, as_of=frame.as_of, drifts=drifted)
        head = view.head()
    for drift in drifted:
        frame.warn(f"note: {drift.sentence}")
    if not frame.document("schedule_show", [item], head=head):
        _tell(frame, item)
    return 0


@command("spellweaver schedule history nightly-backup", "spellweaver schedule history ops/report --json")
def history(
    ctx: typer.Context,
    schedule: Annotated[str, typer.Argument(metavar="SCHEDULE", help="A Schedule's name, as nightly or ops/nightly.")],
) -> int:
    """What was done to a Schedule, by whom and when: defined, activated, paused, resumed, stopped, retired."""
    from spellweaver.cli.screens import changes, find

    frame: Frame = ctx.obj
    with frame.observe() as view:
        id_, full = find.schedule(view, schedule)
        items = changes.history(view, id_)
        head = view.head()
    frame.show("schedule_history", items, HISTORY, head=head, empty=f"nothing was done to {full}")
    return 0


@command("spellweaver schedule diff nightly", "spellweaver schedule diff nightly@1 nightly@3 --json")
def diff(
    ctx: typer.Context,
    before: Annotated[
        str, typer.Argument(metavar="SCHEDULE[@REV]", help="A revision; the one in force, if none is named.")
    ],
    after: Annotated[
        Optional[str],
        typer.Argument(metavar="[SCHEDULE@REV]", help="The other; the newest of the same Schedule, if not said."),
    ] = None,
) -> int:
    """What two revisions say differently, key by key."""
    from spellweaver.cli.screens import changes

    frame: Frame = ctx.obj
    with frame.observe() as view:
        one, other = changes.pair(view, before, after, _number)
        items = changes.differences(view, one, other)
        head = view.head()

    def said(key: str) -> Callable[[Item], str | None]:
        return lambda item: changes.text(item[key])

    columns = (Column("KEY", "key"), Column("BEFORE", said("before")), Column("AFTER", said("after")))
    frame.show("schedule_diff", items, columns, head=head, empty="they say the same")
    return 0


def _number(full: str, text: str) -> int:
    from spellweaver.errors import NotFound

    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise NotFound(
            "no_revision",
            f"{full}@{text} is no revision; revisions are numbers",
            hint=f"spellweaver schedule show {full}",
        )
    return int(text)


def _columns(frame: Frame) -> tuple[Column, ...]:
    from spellweaver.cli import times
    from spellweaver.cli.screens.readings import shown

    def next_(item: Item) -> object:
        moment = item["next"]
        if not isinstance(moment, dict):
            return None
        return shown(moment) if frame.out.isatty() else moment["instant"]

    def left(item: Item) -> str | None:
        at = next_(item)
        return times.left(at.us, frame.as_of) if isinstance(at, At) else None

    return (
        Column("SCHEDULE", "schedule"),
        Column("STATE", "state"),
        Column("REV", "revision", drop=3),
        Column("NEXT", next_),
        Column("LEFT", left, drop=1, only="terminal"),
        Column("CADENCE", "cadence", drop=2),
        Column("ZONE", "zone", drop=4),
        Column("CLASS", "class", drop=5),
        Column("PATTERN", "pattern", drop=6),
        Column("SKIPPED", _share, drop=7),
        Column("WHY", "why", drop=8),
    )


def _share(item: Item) -> str | None:
    """The share of firings skipped in the last day."""
    skipped, firings = item["skipped_last_day"], item["firings_last_day"]
    assert isinstance(skipped, int) and isinstance(firings, int)
    return f"{max(1, 100 * skipped // firings)}%" if skipped else None


def _tell(frame: Frame, item: Item) -> None:
    from spellweaver.cli.screens.definitions import fields

    frame.fields(item, fields(frame))
    if frame.out.isatty():
        frame.line()
    frame.table(item["revisions"], REVISIONS)  # type: ignore[arg-type]
