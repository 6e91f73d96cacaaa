"""The table and the picture of a simulation: what is folded into one line, and what is drawn where."""

from __future__ import annotations

import io

from spellweaver.cli.frame import Frame
from spellweaver.cli.screens import simulation
from spellweaver.cli.screens.progress import Progress
from spellweaver.cli.screens.timeline import timeline
from spellweaver.clock import VirtualClock
from spellweaver.core.instant import HOUR, MINUTE, SECOND
from tests.support.engine import draft, policy, us
from tests.support.program import Screen
from tests.support.simulated import Seen, scenario, simulated, text

BEGIN = "2026-03-01T00:00:00Z"


def lines(seen: Seen) -> list[tuple[str, int | None]]:
    """(minute of the day, how many more are in the line)."""
    found = simulation.folded(seen.items)
    return [(text(item["nominal_at"])[11:16], item.get("rest")) for item in found]


def test_many_alike_are_the_first_and_a_line_for_the_rest() -> None:
    assert lines(simulated(draft("s", "*/10 * * * *"), begin=BEGIN, length="49m")) == [
        ("00:10", None), ("00:20", None), ("00:30", None), ("00:40", None),
    ]  # fmt: skip
    folded = simulated(draft("s", "*/10 * * * *"), begin=BEGIN, length="59m")
    assert lines(folded) == [("00:10", None), ("00:20", 4)]
    rest = simulation.folded(folded.items)[1]
    assert (text(rest["last_at"]), rest["count"]) == ("2026-03-01T00:50:00Z", None)
    assert [item.get("rest") for item in folded.items] == [None] * 5, "the items themselves stay"


def test_what_differs_breaks_a_line_and_schedules_are_folded_each_for_itself() -> None:
    seen = simulated(
        draft("a", "* * * * *"), draft("b", "* * * * *"), begin=BEGIN, length="30m",
        outages=[("2026-03-01T00:10:30Z", "2026-03-01T00:13:30Z")],
    )  # fmt: skip
    assert lines(seen) == [
        ("00:01", None), ("00:01", None), ("00:02", 9), ("00:02", 9),
        ("00:11", None), ("00:11", None), ("00:12", None), ("00:12", None), ("00:13", None), ("00:13", None),
        ("00:14", None), ("00:14", None), ("00:15", 15), ("00:15", 15), ("00:30", None), ("00:30", None),
    ]  # fmt: skip


def test_a_repeated_time_and_a_range_are_always_shown() -> None:
    fold = simulated(
        draft("s", "*/30 * * * *", zone="Europe/Rome", fold="both"), begin="2026-10-24T20:59:00Z", length="361m"
    )
    assert lines(fold) == [
        ("21:00", None), ("21:30", 5), ("00:00", None), ("00:30", None), ("01:00", None), ("01:30", None),
        ("02:00", None), ("02:30", None), ("03:00", None),
    ]  # fmt: skip
    down = simulated(
        draft("s", "* * * * *"), begin=BEGIN, length="2h", outages=[("2026-03-01T00:00:00Z", "2026-03-01T01:00:30Z")]
    )
    assert [item["count"] for item in simulation.folded(down.items)] == [59, None, None, None, None]


def test_a_cell_shows_the_worst_of_its_time() -> None:
    drafts = (
        draft("b", "0 1,3 * * *"), draft("c", "0 2 * * *", allowed_delay="3h"), draft("d", "30 4 * * *", gap="fail"),
    )  # fmt: skip
    seen = simulated(*drafts, begin=BEGIN, length="12h", runtimes={"*": "90m"})
    drawn = timeline(seen.items, us(BEGIN), us(BEGIN) + 12 * HOUR, width=35, unicode=True)
    assert [line.partition("[")[2][:-1] for line in drawn[1:-2]] == [
        f"{row:24}" for row in ("  ### ###", "    ###···", "         ###")
    ]
    assert drawn[-2:] == ["· window  # ran  o skipped  X missed  ! failed or refused", "a cell is 30min"]
    wide = timeline(seen.items, us(BEGIN), us(BEGIN) + 12 * HOUR, width=100, unicode=True)
    assert wide[-1].endswith("X missed  ! failed or refused; a cell is 8min 5s")
    assert drawn[0].split() == ["Sun", "2026-03-01", "00:00", "UTC", "Sun", "2026-03-01", "12:00", "UTC"]


def test_a_wait_a_miss_a_skip_and_a_run_without_end() -> None:
    hog, waits = draft("h", "0 1 * * *", version="hog@1"), draft("w", "0 2 * * *", allowed_delay="2h")
    plain = draft("p", "0 2,4,6 * * *")
    long, one = {"hog@1.main": "20h"}, policy(workers=1)
    seen = simulated(hog, waits, plain, begin=BEGIN, length="12h", runtimes=long, policy=one)
    drawn = timeline(seen.items, us(BEGIN), us(BEGIN) + 12 * HOUR, width=8 + 4 + 24, unicode=False)
    rows = [line.partition("[")[2][:-1] for line in drawn if line.endswith("]")]
    assert rows[0] == "  " + "#" * (len(rows[0]) - 2)
    assert drawn[2].startswith("local/p") and "o" in rows[1] and rows[1].endswith(".")
    assert rows[2].strip() == "....X"


def test_the_picture_of_nothing_is_nothing() -> None:
    assert timeline([], 0, HOUR, width=80, unicode=True) == []


def test_a_long_name_is_cut_and_a_narrow_terminal_still_gets_cells() -> None:
    seen = simulated(draft("x" * 60, "0 * * * *"), begin=BEGIN, length="3h")
    *_, row, _, _ = timeline(seen.items, us(BEGIN), us(BEGIN) + 3 * HOUR, width=30, unicode=True)
    assert row.startswith("local/xxxxxxxxxxxxxxxxx…  [") and len(row) == 24 + 4 + 16


def test_progress_is_told_on_a_terminal_alone_and_goes_away() -> None:
    clock, course = VirtualClock(us(BEGIN)), scenario(BEGIN, "10h")
    shown = "\r\x1b[Ksimulating the time until --from\r\x1b[K20% simulated\r\x1b[K"
    for talk, told in ((Screen(), shown), (io.StringIO(), "")):
        frame = Frame(program="spellweaver", environ={}, out=io.StringIO(), talk=talk, clock=clock)
        with Progress(frame, course) as progress:
            progress.at(us(BEGIN))
            clock.advance(SECOND)
            progress.at(us(BEGIN) - MINUTE)
            progress.at(us(BEGIN) + HOUR)
            clock.advance(SECOND)
            progress.at(us(BEGIN) + 2 * HOUR)
        assert talk.getvalue() == told
