"""What define, bind and activate did or would do: the same lines for each, and the items of JSON."""

from __future__ import annotations

from types import MappingProxyType

from spellweaver.cli import times
from spellweaver.cli.values import At, Column, at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.values import Item
    from spellweaver.core.cutover import Partition
    from spellweaver.core.schedule import ScheduleDraft
    from spellweaver.engine.activate import Activated
    from spellweaver.engine.bind import Placement
    from spellweaver.engine.define import Defined
    from spellweaver.ledger.decide import Transaction
    from spellweaver.manifest.read import Manifest

COLUMNS = (
    Column("WHAT", "what"),
    Column("NAME", "name"),
    Column("STATUS", "status"),
    Column("DETAIL", "detail", drop=1),
)


def defined(found: Iterable[Defined], *, dry_run: bool) -> list[Item]:
    return [
        {
            "kind": each.kind, "name": each.name, "revision": each.revision, "status": each.status,
            "changes": list(each.changes), "notes": list(each.notes), "dry_run": dry_run,
        } for each in found
    ]  # fmt: skip


def placed(found: Iterable[Placement], *, dry_run: bool) -> list[Item]:
    return [
        {
            "pattern": each.pattern, "station": each.station, "status": each.status, "generation": each.generation,
            "dry_run": dry_run,
        } for each in found
    ]  # fmt: skip


def activated(found: Iterable[Activated], *, dry_run: bool) -> list[Item]:
    return [
        {
            "schedule": each.schedule, "revision": each.revision, "status": each.status, "replaced": each.replaced,
            "generation": each.generation, "decided_at": At(each.decided_at),
            "begins_at": at(each.begins_at or None), "next_at": at(each.next_at), "skips": each.skips,
            "dry_run": dry_run,
        } for each in found
    ]  # fmt: skip


def lines(
    frame: Frame, *, defined: Iterable[Item] = (), placed: Iterable[Item] = (), activated: Iterable[Item] = ()
) -> list[Item]:
    """One line for each item, in the order of the acts."""
    made = [_line(item, str(item["kind"]), str(item["name"]), _definition(item), _difference(item)) for item in defined]
    made += [
        _line(item, "binding", f"{item['pattern']} {item['station']}", str(item["status"]), _placement(item))
        for item in placed
    ]
    made += [
        _line(
            item, "activation", f"{item['schedule']}@{item['revision']}", str(item["status"]), _beginning(frame, item)
        )
        for item in activated
    ]
    return made


def activate_all(
    tx: Transaction,
    wanted: Iterable[tuple[str, int | None]],
    *,
    unbound: bool,
    partitions: Mapping[str, Partition] = MappingProxyType({}),
) -> list[Activated]:
    """Activates each (name, revision); None is the newest. ``partitions`` stand under the full name of their Schedule.
    All of them or none.
    """
    from spellweaver.engine.activate import activate

    return [
        activate(tx, schedule=name, revision=revision, unbound=unbound, partition=partitions.get(name))
        for name, revision in wanted
    ]


def caution(frame: Frame, manifest: Manifest) -> None:
    """Says what the files mean that their author may not expect; nothing of it is refused."""
    from spellweaver.manifest.problems import render

    for note in manifest.notes:
        for text in render(note):
            frame.say(text)
    for draft in manifest.schedules:
        for text in _advice(draft, frame.as_of):
            frame.say(f"{draft.full_name}: {text}")


def _advice(draft: ScheduleDraft, now: int) -> list[str]:
    from spellweaver.core import zone
    from spellweaver.core.advice import advise
    from spellweaver.core.calendar import Calendar, Interpretation
    from spellweaver.core.instant import SECOND

    calendar = draft.calendar
    if calendar is None:
        return []
    rules = zone.parse(calendar.host_rules) if calendar.host_rules is not None else None
    reading = Interpretation(
        calendar.zone, rules.digest if rules else None, calendar.cadence, calendar.fold, calendar.gap
    )
    return advise(Calendar(reading, rules, calendar.excluded), now // SECOND)


def left(frame: Frame, manifest: Manifest, files: list[str], *, took: tuple[str, ...]) -> None:
    """Says which objects of the files a command left alone, and the command that takes them."""
    takers = {
        "workflows and Schedules": ("define", bool(manifest.patterns or manifest.schedules)),
        "bindings": ("bind", bool(manifest.bindings)),
        "the policy": ("policy apply", manifest.policy is not None),
    }
    file = files[0] if len(files) == 1 else "FILE"
    for what, (verb, there) in takers.items():
        if there and verb not in took:
            frame.say(f"left alone: {what}; next: {frame.typed(*verb.split(), file)}")


def _line(item: Item, what: str, name: str, status: str, detail: str) -> Item:
    would = "would be " if item["dry_run"] and status not in ("unchanged", "unknown") else ""
    return {"what": what, "name": name, "status": would + status, "detail": detail}


def _definition(item: Item) -> str:
    return f"revision {item['revision']}" if item["status"] == "revision" else str(item["status"])


def _difference(item: Item) -> str:
    changes, notes = item["changes"], item["notes"]
    assert isinstance(changes, list) and isinstance(notes, list)
    return "; ".join([*([f"changed: {', '.join(changes)}"] if changes else []), *notes])


def _placement(item: Item) -> str:
    return (
        "no entry here and none before: it can't run"
        if item["status"] == "unknown"
        else f"generation {item['generation']}"
    )


def _beginning(frame: Frame, item: Item) -> str:
    following = item["next_at"]
    if not isinstance(following, At):
        return "nothing fires any more"
    said = times.reading(following.us, following.zone, utc=frame.utc) if frame.terminal else times.rfc3339(following.us)
    return f"next {said}"
