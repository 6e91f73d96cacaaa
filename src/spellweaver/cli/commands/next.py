"""Firings to come."""

from __future__ import annotations

from spellweaver.cli.mark import command
from spellweaver.cli.values import At, Column

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated, Literal, Optional

    import typer

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.options import MaybeSchedule
    from spellweaver.cli.screens.ahead import Coming
    from spellweaver.cli.values import Item
    from spellweaver.core.calendar import Calendar
    from spellweaver.core.policy import Fold, Gap
    from spellweaver.ledger.observe import View

MANY = 10  # rows where neither a count nor an end was said


@command(
    "spellweaver next nightly-backup -n 5",
    'spellweaver next --cron "30 2 * * *" --zone Europe/Bratislava --until 2027-04-01T00:00:00Z',
)
def next(
    ctx: typer.Context,
    schedule: MaybeSchedule = None,
    count: Annotated[
        Optional[int], typer.Option("--count", "-n", metavar="N", help="How many firings; 10 unless --until is given.")
    ] = None,
    from_: Annotated[
        Optional[str], typer.Option("--from", metavar="INSTANT", help="From this instant on; from now, if not said.")
    ] = None,
    until: Annotated[
        Optional[str], typer.Option("--until", metavar="INSTANT", help="Up to and including this instant.")
    ] = None,
    cron: Annotated[
        Optional[str],
        typer.Option("--cron", metavar="TEXT", help="A cron expression, in place of a Schedule of the ledger."),
    ] = None,
    oncalendar: Annotated[
        Optional[str],
        typer.Option("--oncalendar", metavar="TEXT", help="A calendar event of systemd's, in place of a Schedule."),
    ] = None,
    every: Annotated[
        Optional[str], typer.Option("--every", metavar="DURATION", help="An interval, in place of a Schedule.")
    ] = None,
    anchor: Annotated[
        Optional[str], typer.Option("--anchor", metavar="INSTANT", help="The instant that --every counts from.")
    ] = None,
    zone: Annotated[
        Optional[str], typer.Option("--zone", metavar="ZONE", help="The zone of the times; of --every, for display.")
    ] = None,
    fold: Annotated[
        Optional[Literal["earlier", "later", "both"]],
        typer.Option("--fold", help="For --cron and --oncalendar: what fires of a repeated time."),
    ] = None,
    gap: Annotated[
        Optional[Literal["skip", "advance", "fail"]],
        typer.Option("--gap", help="For --cron and --oncalendar: what a missing time does."),
    ] = None,
) -> int:
    """Firings to come, with folds, gaps and windows.

    Of Schedules in the ledger, or of a calendar given here without any ledger.
    """
    from spellweaver.cli.screens.ahead import Coming
    from spellweaver.cli.screens.counting import MOST, at_least_one
    from spellweaver.cli.spoken import instant
    from spellweaver.core.grammar import LAST_S
    from spellweaver.core.instant import SECOND

    frame: Frame = ctx.obj
    limit = at_least_one(count) if count is not None else MOST if until else MANY
    after_s = frame.as_of // SECOND if from_ is None else -(-instant("--from", from_) // SECOND) - 1
    until_s = LAST_S if until is None else instant("--until", until) // SECOND
    head = None
    if cron is None and oncalendar is None and every is None:
        _refuse_loose(anchor=anchor, zone=zone, fold=fold, gap=gap)
        with frame.observe() as view:
            calendars, head = _of_ledger(frame, view, schedule), view.head()
    else:
        calendars = [Coming(_calendar(schedule, cron, oncalendar, every, anchor, zone, fold, gap))]
    items = _items(frame, calendars, after_s, until_s, limit)
    frame.show("next", items, _columns(frame, items), head=head, empty="nothing fires")
    return 0


def _items(frame: Frame, calendars: list[Coming], after_s: int, until_s: int, limit: int) -> list[Item]:
    """The rows; what is to be known beside them is said."""
    from spellweaver.cli.screens import ahead
    from spellweaver.cli.screens.counting import MOST

    if len(calendars) == 1:
        _advise(frame, calendars[0], after_s)
    items = list(ahead.items(calendars, after_s=after_s, until_s=until_s, limit=limit))
    if limit == MOST and sum(item["instant"] is not None for item in items) == MOST:
        frame.warn(f"note: the first {MOST} are shown; go on with --from")
    return items


def _of_ledger(frame: Frame, view: View, schedule: str | None) -> list[Coming]:
    from spellweaver.cli.screens import ahead, find

    id_ = find.schedule(view, schedule)[0] if schedule else None
    calendars, said = ahead.of_ledger(view, id_)
    for sentence in said:
        frame.warn(f"note: {sentence}")
    return calendars


def _calendar(
    schedule: str | None,
    cron: str | None,
    oncalendar: str | None,
    every: str | None,
    anchor: str | None,
    zone: str | None,
    fold: Fold | None,
    gap: Gap | None,
) -> Calendar:
    """The calendar of the command line, read by the host's rules. Raises Usage."""
    from spellweaver.cli.spoken import duration, instant
    from spellweaver.core import grammar
    from spellweaver.core import zone as zones
    from spellweaver.core.cadence import Cadence
    from spellweaver.core.calendar import Calendar, Interpretation
    from spellweaver.core.instant import SECOND
    from spellweaver.core.oncalendar import parse_oncalendar
    from spellweaver.errors import Usage
    from spellweaver.manifest import zones as source

    civil = "--cron" if cron is not None else "--oncalendar" if oncalendar is not None else None
    if schedule is not None or sum(given is not None for given in (cron, oncalendar, every)) > 1:
        raise Usage("one_calendar", "give a SCHEDULE, or --cron, --oncalendar or --every: one of them")
    if civil and zone is None:
        raise Usage(
            "zone_missing",
            f"{civil} needs --zone, the zone its times are read in; host-local time is never used",
            hint="--zone Europe/Bratislava",
        )
    if civil is None and (fold or gap):
        raise Usage("fold_of_every", "--every counts absolute seconds, so --fold and --gap mean nothing to it")
    if civil and anchor is not None:
        raise Usage("anchor_of_cron", "--anchor belongs to --every")
    try:
        rules = None if zone is None else zones.parse(source.rules(zone))
        if cron is not None:
            cadence: Cadence = grammar.parse_cron(cron)
        elif oncalendar is not None:
            cadence = parse_oncalendar(oncalendar)
        else:
            assert every is not None
            every_s = duration("--every", every) // SECOND
            cadence = grammar.every(every_s, None if anchor is None else instant("--anchor", anchor) // SECOND)
    except (grammar.BadCadence, source.UnknownZone) as error:
        raise Usage("bad_calendar", str(error)) from None
    return Calendar(
        Interpretation(zone, rules.digest if rules else None, cadence, fold or "earlier", gap or "skip"), rules
    )


def _refuse_loose(**given: str | None) -> None:
    from spellweaver.errors import Usage

    for name, value in given.items():
        if value is not None:
            raise Usage(
                "no_calendar",
                f"--{name} belongs to --cron, --oncalendar or --every, and none is given; a Schedule has its own",
            )


def _advise(frame: Frame, coming: Coming, after_s: int) -> None:
    """CAL-13: what surprises is said beside the rows."""
    from spellweaver.core.advice import advise

    for sentence in advise(coming.calendar, after_s):
        frame.warn(f"note: {sentence}")


def _columns(frame: Frame, items: list[Item]) -> tuple[Column, ...]:
    from spellweaver.cli import times
    from spellweaver.cli.screens.occurrences import civil
    from spellweaver.cli.screens.readings import shown

    if not frame.out.isatty():
        keys = ("instant", "civil", "zone", "fold", "schedule", "firing", "due_at", "latest_start_at", "note")
        return tuple(Column(key.upper(), civil if key == "civil" else key) for key in keys)

    def left(item: Item) -> str | None:
        at = item["instant"]
        return times.left(at.us, frame.as_of) if isinstance(at, At) else None

    def utc(item: Item) -> str | None:
        at = item["instant"]
        return times.rfc3339(at.us) if isinstance(at, At) else None

    def late(item: Item) -> bool:
        return item["due_at"] is not None and item["due_at"].us != item["instant"].us  # type: ignore[attr-defined]

    said = [Column("NEXT", shown), Column("LEFT", left, drop=2), Column("UTC", utc, drop=3)]
    if any(late(item) for item in items):
        said.append(Column("DUE (JITTER)", "due_at", drop=4))
    if len({item["schedule"] for item in items}) > 1:
        said.append(Column("SCHEDULE", "schedule"))
    if any(item["latest_start_at"] for item in items):
        said.append(Column("START BEFORE", "latest_start_at", drop=1))
    if any(item["note"] for item in items):
        said.append(Column("NOTE", lambda item: item["note"] or ""))
    return tuple(said)
