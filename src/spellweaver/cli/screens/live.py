"""The live view of ``run --live`` and ``demo``: what runs, what waits and why, what comes next, what was decided last.

Drawn after each look of the loop from a snapshot of the ledger; it leaves the terminal as it found it.
"""

from __future__ import annotations

import contextlib
import json

from rich.console import Console
from rich.live import Live
from rich.text import Text

from spellweaver.cli import times
from spellweaver.cli.words import colour, mark, plain
from spellweaver.ledger.observe import View, observe
from spellweaver.ledger.queries import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spellweaver.cli.frame import Frame

ROWS = 6
EVENTS = 8
_STYLES = {0: "", 2: "dim", 31: "red", 32: "green", 33: "yellow", 36: "cyan"}


@contextlib.contextmanager
def showing(frame: Frame, title: str = "spellweaver run") -> Iterator[Callable[[], None]]:
    """Yields what redraws the view."""
    console = Console(file=frame.out, width=frame.width, no_color=not frame.colours, highlight=False, markup=False)
    with Live(console=console, auto_refresh=False, transient=True) as live:

        def look() -> None:
            with observe(frame.places.ledger) as view:
                live.update(_drawn(frame, view, title), refresh=True)

        yield look


def _drawn(frame: Frame, view: View, title: str) -> Text:
    now, sql = frame.clock.now(), load("live")
    out = Text(no_wrap=True, overflow="ellipsis")
    out.append(f"{title}   {times.reading(now, None, utc=frame.utc)}   {frame.places.ledger}\n\n", style="bold")
    for id_, schedule, state, since in view.rows(sql["running"], (ROWS,)):
        took = times.length(now - int(str(since)))
        _line(out, frame, "RUNNING", str(state), f"inv_{id_}", str(schedule), f"for {took}")
    for id_, schedule, reason, until, blockers in view.rows(sql["waiting"], (ROWS,)):
        _line(out, frame, "WAITING", "pending", f"occ_{id_}", str(schedule), _why(now, str(reason), until, blockers))
    for schedule, next_at in view.rows(sql["next"], (ROWS,)):
        _line(out, frame, "NEXT", "", "", str(schedule), f"in {times.length(max(0, int(str(next_at)) - now))}")
    out.append("\n")
    for at, type_, schedule, occurrence, invocation, reason, code, count in view.rows(sql["events"], (EVENTS,)):
        word = str(type_).rpartition(".")[2]
        what = f"occ_{occurrence}" if occurrence is not None else "" if count is None else f"{count}x"
        if str(type_).startswith("invocation."):
            what = f"inv_{invocation}"
        why = (
            f"{reason} {code}"
            if code is not None and reason == "exit"
            else ""
            if reason in (None, "none")
            else str(reason)
        )
        _line(
            out,
            frame,
            times.reading(int(str(at)), None, utc=frame.utc).split()[2],
            word,
            what,
            str(schedule or ""),
            why,
        )
    return out


def _why(now: int, reason: str, until: object, blockers: object) -> str:
    by = ", ".join(f"inv_{each}" for each in json.loads(str(blockers))) if blockers else ""
    closes = f", window closes in {times.length(max(0, int(str(until)) - now))}" if until is not None else ""
    return f"{reason}{f' ({by})' if by else ''}{closes}"


def _line(out: Text, frame: Frame, head: str, state: str, what: str, schedule: str, why: str) -> None:
    out.append(f"{head:<9} ", style="dim")
    shown = f"{mark(state, unicode=frame.unicode)} {state}" if state else ""
    out.append(f"{shown:<13} ", style=_STYLES[colour(state)] if state else "")
    out.append(plain(f"{what:<8} {schedule:<22} {why}\n".replace("\n", "")) + "\n")
