"""``explain`` for people: the verdict first, then what the firing is, each event in order, and what became of it."""

from __future__ import annotations

from spellweaver.cli import times
from spellweaver.cli.screens.prose import tell
from spellweaver.cli.screens.readings import NO_SUCH_TIME
from spellweaver.cli.values import At, Lasts
from spellweaver.core.instant import SECOND, parse_civil

TYPE_CHECKING = False
if TYPE_CHECKING:
    from spellweaver.cli.frame import Frame
    from spellweaver.cli.values import Item


def show(frame: Frame, item: Item) -> None:
    """The same lines for a terminal and a pipe; a terminal also gets relative times, and lines broken at its width."""
    frame.line(_title(item))
    tell(frame, f"{item['sentence']}.")
    frame.line()
    for name, text in _facts(frame, item):
        tell(frame, f"{name:<10}{text}", indent=2, hang=12)
    frame.line("  journal")
    events, run = item["events"], item["run"]
    assert isinstance(events, list)
    for event in events:
        frame.line(f"    evt_{event['seq']:<6} {moment(event['at'], utc=frame.utc)}")
        tell(frame, str(event["sentence"]), indent=15)
    if isinstance(run, dict):
        _run(frame, run)


def _title(item: Item) -> str:
    """``occ_12  local/nightly  2026-12-01T02:00  revision 4``; of a range how many it holds, and the one asked for."""
    firing = str(item["asked"])
    if item["count"] is not None:
        first, last = (str(item[key]).partition(":")[2] for key in ("first", "last"))
        among = f"one of {item['count']} firings from {first} to {last}"
        return f"{item['schedule']}  {firing}  revision {item['revision']}  {among}"
    return f"{item['id']}  {item['schedule']}  {firing}  revision {item['revision']}"


def _facts(frame: Frame, item: Item) -> list[tuple[str, str]]:
    nominal, due = item["nominal_at"], item["due_at"]
    assert isinstance(nominal, At)
    facts = [("nominal", _nominal(frame, item, nominal))]
    if item["alias"] is not None:
        said = f"{item['alias']} is this firing, by a cutover; revision {item['revision']} owns it"
        facts.append(("cutover", said))
    if isinstance(due, At) and due.us != nominal.us:
        facts.append(("due", f"{moment(due, utc=frame.utc)}, {times.exact(due.us - nominal.us)} later (jitter)"))
    horizon = item["misfire_horizon_us"]
    assert isinstance(horizon, Lasts)
    return [
        *facts,
        ("window", _window(frame, item)),
        (
            "class",
            f"{item['class']} (asked {item['class_requested']}), origin {item['origin']}"
            + (f", mode {item['mode']}" if item["mode"] else ""),
        ),
        ("revision", f"{item['revision']}, sha256:{str(item['revision_digest'])[:12]}, pattern {item['pattern']}"),
        (
            "policy",
            f"overlap {item['overlap']}, catch-up {item['catch_up']}, misfire horizon {times.exact(horizon.us)}",
        ),
    ]


def _nominal(frame: Frame, item: Item, nominal: At) -> str:
    if item["count"] is not None:
        last = item["last_at"]
        assert isinstance(last, At)
        return f"from {moment(nominal, utc=frame.utc)} to {moment(last, utc=frame.utc)}, zone {item['zone'] or 'none'}"
    if item["missing"]:
        reading = f"{times.day_and_time(parse_civil(str(item['civil'])))} {NO_SUCH_TIME}"
        return f"{reading}, zone {item['zone']}; the clock was set forward at {times.rfc3339(nominal.us)}"
    parts = [
        moment(nominal, utc=frame.utc),
        times.rfc3339(nominal.us),
        f"zone {item['zone']}" if item["zone"] else "no zone",
    ]
    if _is_shown_twice(nominal):
        parts.append(f"{'second' if item['fold'] else 'first'} of two showings")
    if frame.out.isatty():
        parts.append(times.left(nominal.us, frame.as_of))
    return ", ".join(parts)


def _is_shown_twice(at: At) -> bool:
    seconds = at.us // SECOND
    return at.zone is not None and len(at.zone.readings(seconds + at.zone.offset(seconds))) == 2


def _window(frame: Frame, item: Item) -> str:
    opens, closes = item["not_before"], item["latest_start_at"]
    if not isinstance(opens, At) or not isinstance(closes, At):
        windowed = item["class"] == "deadline_windowed"
        return "of each firing its own" if windowed else "none: it may start at any time from its due instant on"
    open_for = times.exact(closes.us - opens.us)
    return f"from {moment(opens, utc=frame.utc)}, to start before {moment(closes, utc=frame.utc)} ({open_for})"


def _run(frame: Frame, run: Item) -> None:
    frame.line(f"  run       {run['id']}  {run['state']}" + ("" if run["reason"] == "none" else f" ({run['reason']})"))
    tries = run["tries"]
    assert isinstance(tries, list)
    for each in tries:
        tell(frame, ", ".join(_try(frame, each)), indent=4, hang=15)


def _try(frame: Frame, each: Item) -> list[str]:
    """One attempt: station, how it ended, how long it took, where its output is."""
    said = [f"{str(each['attempt']):<10} {each['station']}: {str(each['state']).replace('_', ' ')}"]
    for word, key in (("exit status", "exit"), ("signal", "signal"), ("errno", "errno"), ("pid", "pid")):
        if each[key] is not None:
            said.append(f"{word} {each[key]}")
    took, started, proof = each["took_us"], each["started_at"], each["proof"]
    if isinstance(started, At):
        said.append(f"started {moment(started, utc=frame.utc)}")
    if isinstance(took, Lasts):
        said.append(f"took {times.exact(took.us)}")
    if isinstance(proof, dict):
        said.append(f"proved over by {proof['kind']} ({proof['detail']})")
    if each["dropped_bytes"]:
        said.append(f"{each['output_bytes']} bytes of output, {each['dropped_bytes']} of them dropped")
    if each["log"] is not None:
        said.append(f"log {each['log']}")
    return said


def moment(at: object, *, utc: bool) -> str:
    """``Mon 2026-11-30 02:00:00.012 CET``: as on every screen, but nothing rounded away."""
    assert isinstance(at, At)
    text, fraction = times.reading(at.us, at.zone, utc=utc), at.us % SECOND
    if not fraction:
        return text
    head, clock, rest = text[:15], text[15:].partition(" ")[0], text[15:].partition(" ")[2]
    digits = f"{fraction:06d}".rstrip("0")
    return f"{head}{clock if len(clock) == 8 else f'{clock}:00'}.{digits} {rest}"
