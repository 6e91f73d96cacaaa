"""``timeline``: what was and what is to come, on record and as a picture."""

from __future__ import annotations

import os
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.support.engine import World, draft
from tests.support.program import Done, at_terminal, call, valid

SPAN = ("--from", "2026-01-01T00:00:00Z", "--to", "2026-01-01T12:00:00Z")


@pytest.fixture
def world(tmp_path: Path) -> World:
    """An hourly job that ran and then was missed, a window that closes, and a minutely one with a range of skips."""
    made = World(tmp_path / "state", now="2026-01-01T00:30:00Z")
    made.add(
        draft("job", "0 * * * *", horizon="0s"), draft("window", "15 */3 * * *", allowed_delay="30m"),
        draft("often", "* * * * *", horizon="0s"),
    )  # fmt: skip
    made.live("2026-01-01T02:10:00Z", takes="10m")
    made.at("2026-01-01T05:50:00Z")
    return made


def timeline(world: World, *words: str) -> Done:
    return call("timeline", *words, ledger=world.path, clock=world.clock)


def test_what_was_is_the_record_and_what_comes_is_the_calendar(world: World) -> None:
    done = timeline(world, "job", *SPAN, "--json")
    valid(done.document)
    told = {str(item["nominal_at"])[11:16]: (item["outcome"], item["reason"]) for item in done.items}
    assert told["01:00"][0] == told["02:00"][0] == "completed"
    assert told["03:00"] == told["05:00"] == ("skipped", "horizon")
    assert told["06:00"] == told["12:00"] == ("coming", "coming")
    assert len(told) == 12, "each firing once"


def test_a_span_holds_what_reaches_into_it_and_a_range_counts_once(world: World) -> None:
    done = timeline(world, "often", "--from", "2026-01-01T03:00:00Z", "--to", "2026-01-01T03:30:00Z", "--json")
    (only,) = done.items
    assert only["count"] > 200 and only["outcome"] == "skipped"
    quiet = ("--from", "2026-01-01T00:35:00Z", "--to", "2026-01-01T00:50:00Z")
    assert timeline(world, "job", *quiet, "--json").items == []


def test_what_nobody_looked_at_since_is_unresolved(world: World) -> None:
    world.clock.advance(2 * 3600 * 1_000_000)
    done = timeline(world, "job", *SPAN, "--json")
    assert [item["reason"] for item in done.items if str(item["nominal_at"])[11:16] in ("06:00", "07:00", "08:00")] == [
        "unresolved", "unresolved", "coming",
    ]  # fmt: skip


def test_a_person_sees_a_line_for_each_schedule_and_now(world: World) -> None:
    seen = at_terminal("timeline", *SPAN, ledger=world.path, clock=world.clock, width=80)
    lines = seen.out.splitlines()
    (job,) = (line.partition("[")[2] for line in lines if line.startswith("local/job"))
    assert "#" in job and "o" in job and "+" in job and "|" in job
    assert "| now" in lines[-2] and all(len(line) <= 80 for line in lines)


def test_a_drawing_is_well_formed_and_tells_each_firing(world: World, tmp_path: Path) -> None:
    done = timeline(world, *SPAN, "--svg", str(tmp_path / "a.svg"), "--html", str(tmp_path / "a.html"))
    assert (done.status, done.out) == (0, "")
    root = ElementTree.fromstring((tmp_path / "a.svg").read_text())
    titles = [title.text or "" for title in root.iter("{http://www.w3.org/2000/svg}title")]
    assert any("skipped (horizon)" in title for title in titles) and any("completed" in title for title in titles)
    page = (tmp_path / "a.html").read_text()
    assert page.startswith("<!DOCTYPE html>") and "<script" not in page and "local/window" in page


def test_what_can_not_be_drawn_or_written_is_told(world: World, tmp_path: Path) -> None:
    assert timeline(world, "nobody").status == 4
    assert timeline(world, "--from", "2026-01-02T00:00:00Z", "--to", "2026-01-01T00:00:00Z").status == 2
    done = timeline(world, *SPAN, "--svg", str(tmp_path / "no" / "a.svg"))
    assert done.status == 74 and "can't be written" in done.err
    assert os.listdir(tmp_path) == ["state"]


def test_what_waits_is_drawn_up_to_now_and_hides_nothing_that_comes(tmp_path: Path) -> None:
    world = World(tmp_path / "state", now="2026-01-01T00:00:00Z")
    world.add(draft("job", "0 6 * * *"))
    call("trigger", "job", "--source", "ops", "--event-id", "1", ledger=world.path, clock=world.clock)
    world.clock.advance(3 * 3600 * 1_000_000)
    (line,) = (
        line for line in at_terminal("timeline", *SPAN, ledger=world.path, clock=world.clock).out.splitlines()
        if line.startswith("local/job")
    )  # fmt: skip
    assert "·" in line and line.index("+") > line.rindex("·") + 5
