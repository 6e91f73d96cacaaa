"""What an operator is told of a cadence that may surprise (CAL-13)."""

from __future__ import annotations

import pytest

from spellweaver.core import grammar
from spellweaver.core.advice import advise
from spellweaver.core.cadence import Cadence
from spellweaver.core.oncalendar import parse_oncalendar
from spellweaver.core.policy import Fold
from tests.support.calendars import calendar, due, utc

SUMMER = utc("2026-07-01T00:00:00Z")


def advice(expression: str | Cadence, zone: str = "UTC", fold: Fold = "earlier") -> list[str]:
    return advise(calendar(expression, zone, fold=fold), SUMMER)


@pytest.mark.parametrize("text", ["*:0/15", "Mon..Fri 09:00", "*-*~1 23:59", "2024..2026-02-29", "0/6:00", "*-1/3-1"])
def test_a_plain_calendar_event_needs_no_word(text: str) -> None:
    assert advice(parse_oncalendar(text)) == []


@pytest.mark.parametrize(
    ("text", "piece"),
    [
        ("*:20/15", "minute 20/15 begins anew each hour, at 20, 35, 50"),
        ("*-*-1/10", "day of month 01/10 begins anew each month"),
        ("*-*-31 12:00", "the last day of each month is *-*~1"),
        ("*-2-29", "February: no such day in some years"),
        ("Fri *-*-13", "some months have no such day"),
        ("*:0/30", 'fold = "earlier" makes it silent from 2026-10-25T02:00 to 03:00 the second time'),
    ],
)
def test_what_surprises_in_a_calendar_event(text: str, piece: str) -> None:
    assert any(piece in said for said in advice(parse_oncalendar(text), "Europe/Bratislava"))


@pytest.mark.parametrize(
    "expression", ["*/15 * * * *", "0 2 * * *", "0 */6 * * *", "0 0 1 */3 *", "0 0 * * */7", "0-30/7 * * * *"]
)
def test_what_is_plain_needs_no_word(expression: str) -> None:
    assert advice(expression) == []


def test_rp_57_a_step_of_fifty_minutes() -> None:
    (said,) = advice("*/50 * * * *")
    assert "minute */50" in said
    assert "at 0, 50" in said
    assert "every with an anchor" in said
    assert due(calendar("*/50 9,10 * * *"), "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z") == [
        f"2026-01-01T{clock}:00Z" for clock in ("09:00", "09:50", "10:00", "10:50")
    ]
    interval = calendar(grammar.every(3000, utc("2026-01-01T09:00:00Z")))
    assert due(interval, "2026-01-01T08:59:59Z", "2026-01-01T12:20:00Z") == [
        f"2026-01-01T{clock}:00Z" for clock in ("09:00", "09:50", "10:40", "11:30", "12:20")
    ]


@pytest.mark.parametrize(
    ("expression", "piece"),
    [
        ("20/15 * * * *", "at 20, 35, 50"),
        ("0 */5 * * *", "hour */5 begins anew each day"),
        ("0 0 */2 * *", "day of month */2 begins anew each month, at 1, 3, 5, …, 31"),
        ("0 0 1 FEB/5 *", "month FEB/5 begins anew each year, at 2, 7, 12"),
        ("0 0 * * */2", "weekday */2 begins anew each week"),
        ("*/7 * * * * *", "second */7 begins anew each minute"),
    ],
)
def test_uneven_steps(expression: str, piece: str) -> None:
    assert any(piece in said for said in advice(expression))


@pytest.mark.rule("CAL-09")
def test_both_day_fields_name_the_next_five_dates() -> None:
    (said,) = advice("0 0 13 * FRI")
    assert "either" in said
    assert "2026-07-03, 2026-07-10, 2026-07-13, 2026-07-17, 2026-07-24" in said


def test_rp_56_months_without_the_day() -> None:
    (said,) = advice("0 6 31 * *")
    assert "February, April, June, September, November" in said
    assert "L" in said
    assert "some years" in advice("0 0 29 2 *")[0]
    assert "some months" in advice("0 0 * * 5#5")[0]
    assert advice("0 6 L * *") == []


def test_an_hour_silenced_by_the_fold_policy() -> None:
    (said,) = advice("*/15 * * * *", "Europe/Bratislava")
    assert "2026-10-25T02:00 to 03:00 the second time" in said
    assert 'fold = "both" or every' in said
    assert "the first time" in advice("*/15 * * * *", "Europe/Bratislava", "later")[0]
    assert advice("*/15 * * * *", "Europe/Bratislava", "both") == []
    assert advice("*/15 * * * *", "Asia/Tokyo") == []
    assert advice("*/15 4-23 * * *", "Europe/Bratislava") == []
    assert advice("30 2 * * *", "Europe/Bratislava") == []


def test_intervals_and_lists_surprise_nobody() -> None:
    assert advise(calendar(grammar.every(3000, 0)), SUMMER) == []
