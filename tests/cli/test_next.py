"""``next``: what will fire, beforehand, of the ledger or of a calendar on the command line."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from spellweaver.clock import VirtualClock
from spellweaver.core import instant
from spellweaver.core.oncalendar import parse_oncalendar
from spellweaver.core.structured import structured
from tests.support.engine import World, draft, us
from tests.support.program import Done, at_terminal, call

NOW = VirtualClock(us("2026-01-01T00:00:00Z"))


def ahead(*words: str, now: str = "2026-01-01T00:00:00Z") -> Done:
    return call("next", *words, clock=VirtualClock(us(now)))


def rows(*words: str, now: str = "2026-01-01T00:00:00Z") -> list[dict[str, object]]:
    return ahead(*words, "--json", now=now).items


@pytest.mark.parametrize(
    ("gap", "instant_", "civil", "offset", "note"),
    [
        ("skip", None, "2026-03-08T02:30:00", None, "no such time: will be skipped"),
        ("fail", None, "2026-03-08T02:30:00", None, "no such time: will be refused"),
        (
            "advance",
            "2026-03-08T07:00:00Z",
            "2026-03-08T03:00:00",
            "-04:00",
            "advanced from 02:30, which is no such time",
        ),
    ],
)
@pytest.mark.rule("CAL-03")
def test_rp_02_the_preview_of_that_week_shows_the_missing_time(
    gap: str, instant_: str | None, civil: str, offset: str | None, note: str
) -> None:
    words = ("--cron", "30 2 * * *", "--zone", "America/New_York", "--gap", gap, "--until", "2026-03-10T12:00:00Z")
    before, odd, after, last = rows(*words, now="2026-03-07T06:00:00Z")
    assert (odd["instant"], odd["civil"], odd["offset"], odd["note"]) == (instant_, civil, offset, note)
    assert odd["firing"] == "2026-03-08T02:30"
    assert [row["instant"] for row in (before, after, last)] == [
        "2026-03-07T07:30:00Z",
        "2026-03-09T06:30:00Z",
        "2026-03-10T06:30:00Z",
    ]
    counted = rows(*words[:-2], "-n", "3", now="2026-03-07T06:00:00Z")
    assert sum(row["instant"] is not None for row in counted) == 3
    assert len(counted) == (3 if gap == "advance" else 4)


@pytest.mark.rule("CAL-02")
def test_a_repeated_time_names_its_showings() -> None:
    words = ("--cron", "30 2 * * *", "--zone", "Europe/Bratislava", "-n", "2")
    both = rows(*words, "--fold", "both", now="2026-10-24T12:00:00Z")
    assert [(row["instant"], row["offset"], row["fold"], row["note"]) for row in both] == [
        ("2026-10-25T00:30:00Z", "+02:00", 0, "1st of two showings"),
        ("2026-10-25T01:30:00Z", "+01:00", 1, "2nd of two showings"),
    ]
    assert rows(*words, "--fold", "later", now="2026-10-24T12:00:00Z")[0]["instant"] == "2026-10-25T01:30:00Z"
    screen = at_terminal("next", *words, "--fold", "both", clock=VirtualClock(us("2026-10-24T12:00:00Z")))
    assert "Sun 2026-10-25 02:30 CEST 1st  12h 30min  1st of two showings" in screen.out
    assert "Sun 2026-10-25 02:30 CET 2nd   13h 30min  2nd of two showings" in screen.out


@pytest.mark.parametrize("zone_of_host", ["UTC", "America/Los_Angeles", "Pacific/Auckland"])
def test_rp_09_every_printed_time_carries_its_offset_or_z(zone_of_host: str) -> None:
    words = ("next", "--cron", "0 9 * * *", "--zone", "Europe/Rome", "-n", "2")
    done = call(*words, clock=NOW, env={"TZ": zone_of_host})
    assert done.out.splitlines()[0].split("\t")[:3] == [
        "2026-01-01T08:00:00Z",
        "2026-01-01T09:00:00+01:00",
        "Europe/Rome",
    ]
    assert "Thu 2026-01-01 09:00 CET" in at_terminal(*words, clock=NOW, env={"TZ": zone_of_host}).out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--cron", "0 9 * * *"), "--cron needs --zone"),
        (("--cron", "0 9 * * *", "--zone", "Mars/Olympus"), "zone 'Mars/Olympus' is unknown"),
        (("--cron", "0 9 * *", "--zone", "UTC"), "cron has 4 fields"),
        (("--cron", "0 0 30 2 *", "--zone", "UTC"), "never fires"),
        (("--every", "15m"), "every needs an anchor"),
        (("--every", "15", "--anchor", "2026-01-01T00:00:00Z"), "--every: '15' is not a duration"),
        (("--every", "15m", "--anchor", "2026-01-01T00:00:00"), "--anchor: '2026-01-01T00:00:00' needs an offset or Z"),
        (("--every", "15m", "--anchor", "2026-01-01T00:00:00Z", "--fold", "both"), "--fold and --gap mean nothing"),
        (("--cron", "0 9 * * *", "--zone", "UTC", "--every", "1h"), "one of them"),
        (("job", "--cron", "0 9 * * *", "--zone", "UTC"), "one of them"),
        (("--cron", "0 9 * * *", "--zone", "UTC", "-n", "0"), "at least 1"),
        (("--cron", "0 9 * * *", "--zone", "UTC", "--from", "tomorrow"), "--from: 'tomorrow'"),
        (("--zone", "UTC"), "--zone belongs to --cron, --oncalendar or --every"),
    ],
)  # fmt: skip
def test_a_calendar_that_can_t_be_read_is_a_wrong_line(words: tuple[str, ...], said: str) -> None:
    done = ahead(*words)
    assert (done.status, done.out) == (2, "") and said in done.err


@pytest.mark.rule("CAL-09")
def test_rp_58_cron_with_both_day_fields_warns_with_the_next_five_dates() -> None:
    done = ahead("--cron", "0 0 13 * 5", "--zone", "UTC", "--until", "2026-12-31T23:59:59Z")
    assert len(done.out.splitlines()) == 61
    assert "it fires on a day that matches either of them" in done.err
    assert "2026-01-02, 2026-01-09, 2026-01-13, 2026-01-16, 2026-01-23" in done.err


def test_rp_57_an_uneven_step_is_said() -> None:
    done = ahead("--cron", "*/50 * * * *", "--zone", "UTC", "-n", "3")
    assert [line.split("\t")[0] for line in done.out.splitlines()] == [
        "2026-01-01T00:50:00Z",
        "2026-01-01T01:00:00Z",
        "2026-01-01T01:50:00Z",
    ]
    assert "uneven" in done.err
    even = ahead("--every", "50m", "--anchor", "2026-01-01T09:00:00Z", "-n", "5")
    assert [line[11:16] for line in even.out.splitlines()] == [
        "09:00",
        "09:50",
        "10:40",
        "11:30",
        "12:20",
    ] and even.err == ""


@pytest.mark.rule("CAL-11")
def test_rp_59_the_29th_of_february_is_previewed_years_ahead() -> None:
    found = rows("--cron", "0 6 29 2 *", "--zone", "UTC", "-n", "5", now="2027-03-01T00:00:00Z")
    assert [str(row["instant"])[:10] for row in found] == [
        "2028-02-29",
        "2032-02-29",
        "2036-02-29",
        "2040-02-29",
        "2044-02-29",
    ]
    last_day = rows("--cron", "0 6 L 2 *", "--zone", "UTC", "-n", "2", now="2027-03-01T00:00:00Z")
    assert [str(row["instant"])[:10] for row in last_day] == ["2028-02-29", "2029-02-28"]
    begun = time.monotonic()
    assert ahead("--cron", "0 6 30 2 *", "--zone", "UTC").status == 2
    assert time.monotonic() - begun < 5


def test_a_schedule_of_the_ledger_is_previewed_by_its_kept_rules_with_window_and_jitter(tmp_path: Path) -> None:
    world = World(tmp_path, now="2026-01-01T00:00:00Z")
    world.add(
        draft("job", "0 2 * * *", zone="Europe/Rome", allowed_delay="3h", jitter="10m", from_at="2026-01-03T00:00:00Z")
    )
    first, *_ = call("next", "job", "-n", "2", "--json", ledger=world.path, clock=world.clock).items
    assert (first["schedule"], first["revision"], first["firing"], first["instant"]) == (
        "local/job", 1, "c1:2026-01-03T02:00", "2026-01-03T01:00:00Z",
    )  # fmt: skip
    assert first["latest_start_at"] == "2026-01-03T04:00:00Z"
    world.at("2026-01-03T02:00:00Z", allowance="1h")
    (due,) = world.row("SELECT due_at FROM occurrence")
    assert first["due_at"] == instant.show(int(str(due)))


def test_all_schedules_come_in_the_order_of_their_instants_and_those_that_don_t_fire_are_said(tmp_path: Path) -> None:
    world = World(tmp_path, now="2026-01-01T00:00:00Z")
    world.add(draft("a", "0 */2 * * *"), draft("b", every="90m"))
    world.define(draft("idle", "0 1 * * *"))
    done = call("next", "-n", "5", ledger=world.path, clock=world.clock)
    assert [line.split("\t")[0][11:16] for line in done.out.splitlines()] == [
        "01:30",
        "02:00",
        "03:00",
        "04:00",
        "04:30",
    ]
    assert "note: local/idle is defined: nothing of it fires" in done.err
    alone = call("next", "idle", "-n", "1", ledger=world.path, clock=world.clock)
    assert alone.out.startswith("2026-01-01T01:00:00Z") and "nothing of it fires" in alone.err


def test_from_is_included_and_now_is_not() -> None:
    words = ("--cron", "0 * * * *", "--zone", "UTC", "-n", "1")
    assert ahead(*words, now="2026-01-01T05:00:00Z").out.startswith("2026-01-01T06:00:00Z")
    assert ahead(*words, "--from", "2026-01-01T05:00:00Z").out.startswith("2026-01-01T05:00:00Z")
    assert ahead(*words, "--until", "2026-01-01T00:59:59Z").out == ""


@pytest.mark.rule("CAL-09", "CAL-03")
def test_a_calendar_event_of_the_command_line() -> None:
    words = ("--oncalendar", "Sun 2:30", "--zone", "Europe/Bratislava", "-n", "2")
    found = rows(*words, now="2026-03-20T00:00:00Z")
    assert [(row["firing"], row["note"]) for row in found] == [
        ("2026-03-22T02:30", None),
        ("2026-03-29T02:30", "no such time: will be skipped"),
        ("2026-04-05T02:30", None),
    ]
    assert "fold = " in ahead("--oncalendar", "*:0/20", "--zone", "Europe/Bratislava").err


@pytest.mark.rule("CAL-07", "OCC-02")
def test_a_calendar_event_is_kept_and_named_by_its_normal_form(tmp_path: Path) -> None:
    world = World(tmp_path / "state", now="2026-10-24T00:00:00Z")
    world.add(draft("job", civil=parse_oncalendar("2:30:15"), zone="Europe/Bratislava", fold="both"))
    world.live("2026-10-25T12:00:00Z")
    world.ledger.close()
    clock = VirtualClock(us("2026-10-25T12:00:00Z"))
    assert world.path is not None
    listed = call("schedule", "list", "--json", ledger=Path(world.path), clock=clock).items
    assert listed[0]["cadence"] == "*-*-* 02:30:15"
    done = call("occurrence", "list", "--json", ledger=Path(world.path), clock=clock).items
    assert [row["firing"] for row in done] == [
        "c1:2026-10-25T02:30:15+1", "c1:2026-10-25T02:30:15", "c1:2026-10-24T02:30:15",
    ]  # fmt: skip
    (coming,) = call("next", "job", "-n", "1", "--json", ledger=Path(world.path), clock=clock).items
    assert coming["firing"] == "c1:2026-10-26T02:30:15"
    shown = call("explain", "job@2026-10-25T02:30:15+1", ledger=Path(world.path), clock=clock)
    assert shown.status == 0 and "2026-10-25" in shown.out
    assert call("ledger", "check", ledger=Path(world.path), clock=clock).status == 0


@pytest.mark.rule("CAL-09", "OCC-02")
@pytest.mark.parametrize(("second", "names"), [("", ("02:30",)), (":30", ("02:30:30",))])
def test_a_calendar_in_keys_is_kept_and_shown(second: str, names: tuple[str, ...], tmp_path: Path) -> None:
    world = World(tmp_path / "state", now="2026-01-11T12:00:00Z")
    said = structured(times=[f"02:30{second}"], days=["mon", "tue"], dates=[13, -1], day_match="either")
    world.add(draft("job", civil=said, zone="Europe/Bratislava"))
    world.live("2026-01-13T12:00:00Z")
    world.ledger.close()
    where, clock = Path(str(world.path)), VirtualClock(us("2026-01-13T12:00:00Z"))
    (listed,) = call("schedule", "list", "--json", ledger=where, clock=clock).items
    assert listed["cadence"] == f"02:30{second} on mon, tue or 13, -1"
    done = call("occurrence", "list", "--json", ledger=where, clock=clock).items
    assert [row["firing"] for row in done] == [f"c1:2026-01-{day}T{name}" for day in (13, 12) for name in names]
    coming = call("next", "job", "-n", "2", "--json", ledger=where, clock=clock).items
    assert [str(row["firing"])[3:13] for row in coming] == ["2026-01-19", "2026-01-20"]
    assert call("ledger", "check", ledger=where, clock=clock).status == 0
