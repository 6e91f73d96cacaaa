"""The status screen for people and for a pipe. What a narrow terminal has no column for stands in lines below the
table.
"""

from __future__ import annotations

from spellweaver.cli import times
from spellweaver.cli.screens.prose import tell
from spellweaver.cli.screens.readings import shown
from spellweaver.cli.values import At, Column, Lasts
from spellweaver.cli.words import mark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from spellweaver.cli.frame import Frame
    from spellweaver.cli.values import Item

WAITS = (
    Column("WAITS", "ref"), Column("STATE", "state"), Column("SINCE", "since", drop=2),
    Column("SCHEDULE", "schedule", drop=1), Column("WHY", lambda item: _wait_why(item)),
)  # fmt: skip


def columns(frame: Frame) -> tuple[Column, ...]:
    """Relative times are reckoned from the ``as_of`` of this call."""

    def left(key: str, item: Item) -> str | None:
        moment = item[key]
        at = moment["instant"] if isinstance(moment, dict) else None
        return times.left(at.us, frame.as_of) if isinstance(at, At) else None

    people = frame.out.isatty()
    return (
        Column("NEXT", lambda item: _at(item["next"], people)),
        Column("LEFT", lambda item: left("next", item), drop=1, only="terminal"),
        Column("LAST", lambda item: _at(item["last"], people), drop=3),
        Column("PASSED", lambda item: left("last", item), drop=2, only="terminal"),
        Column("RESULT", "result"),
        Column("TOOK", lambda item: Lasts(item["took_us"]) if isinstance(item["took_us"], int) else None, drop=4),
        Column("SCHEDULE", "schedule"),
        Column("WHY", "why", drop=5),
    )


def show(frame: Frame, item: Item, *, most: int | None = None) -> None:
    """``most``: how many Schedules at most. Behind a pipe the rows alone are data; the daemon and what is wrong are
    said beside them.
    """
    schedules, waits = item["schedules"], item["waits"]
    assert isinstance(schedules, list) and isinstance(waits, list)
    if not frame.out.isatty():
        for line in _above(frame, item):
            frame.warn(line)
        frame.table(schedules, columns(frame))
        return
    for line in _above(frame, item):
        tell(frame, line, hang=8)
    frame.line()
    if schedules:
        rows = schedules[:most]
        frame.table(rows, columns(frame))
        _whys(frame, rows)
        if len(rows) < len(schedules):
            frame.line(f"and {len(schedules) - len(rows)} more, later ones")
    if waits:
        frame.line()
        frame.table(waits, WAITS)
    frame.line()
    frame.line(_footer(item, schedules, waits))


def hint(frame: Frame, item: Item) -> None:
    """The next command, by what is most wrong."""
    schedules, warnings = item["schedules"], item["warnings"]
    assert isinstance(schedules, list) and isinstance(warnings, list)
    named = [warning for warning in warnings if warning["ref"]]
    if not schedules:
        frame.next("define", "FILE", "--bind", "--activate")
    elif named:
        frame.next("explain", named[0]["ref"])
    elif warnings and warnings[0]["code"] == "daemon_down":
        frame.next("run")


def _above(frame: Frame, item: Item) -> list[str]:
    """What is said before any Schedule."""
    network = item["network_file_system"]
    trusted = f"ledger  on {network}: that its locks hold there is an operator's word"
    return [daemon_line(frame, item), *([trusted] if network else ())]


def daemon_line(frame: Frame, item: Item) -> str:
    """``daemon  running, pid 812, up 3d 4h``."""
    found = item["daemon"]
    assert isinstance(found, dict)
    if found["state"] == "down":
        return f"daemon  {_marked(frame, 'stopped')}down: nothing fires; start it with: {frame.typed('run')}"
    since = found["started_at"]
    up = f", up {times.length(max(0, frame.as_of - since.us))}" if isinstance(since, At) else ""
    return f"daemon  {_marked(frame, 'active')}running, pid {found['pid']}{up}"


def _marked(frame: Frame, word: str) -> str:
    return f"{mark(word, unicode=frame.unicode)} " if frame.out.isatty() else ""


def _at(moment: object, people: bool) -> object:
    if not isinstance(moment, dict):
        return None
    return shown(moment) if people else moment["instant"]


def _whys(frame: Frame, rows: list[Item]) -> None:
    """Why, below the table, where it has no room in it."""
    from spellweaver.cli.render import terminal

    told = [row for row in rows if row["why"]]
    if not told or "WHY" not in terminal.dropped(rows, columns(frame), frame.paper):
        return
    frame.line()
    width = max(len(str(row["schedule"])) for row in told) + 2
    for row in told:
        tell(frame, f"{row['schedule']!s:{width}}{row['why']}", hang=width)


def _wait_why(item: Item) -> str:
    blockers, until = item["blockers"], item["until"]
    said = [str(item["why"])]
    if isinstance(blockers, list) and blockers:
        said.append(f"({', '.join(blockers)})")
    if isinstance(until, At):
        said.append(f"until {times.rfc3339(until.us)}")
    return " ".join(said)


def _footer(item: Item, schedules: list[Item], waits: list[Item]) -> str:
    warnings = item["warnings"]
    assert isinstance(warnings, list)
    wrong = f"{len(warnings)} wrong" if warnings else "nothing wrong"
    counted = f"{len(schedules)} Schedule{'' if len(schedules) == 1 else 's'}"
    return f"{counted}, {item['running']} running, {len(waits)} waiting, {wrong}"
