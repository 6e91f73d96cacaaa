"""Calendars said in keys: times, days, dates, day_match."""

from __future__ import annotations

import datetime as dt
import random

import pytest

from spellweaver.core.advice import advise
from spellweaver.core.grammar import BadCadence
from spellweaver.core.structured import DAYS, DayMatch, structured
from tests.support.calendars import calendar, due, utc


@pytest.mark.rule("CAL-09", "CUT-03")
def test_order_and_repetition_mean_nothing() -> None:
    one = structured(times=["14:00", "02:00", "14:00"], days=["FRI", "monday..tue", "mon"], dates=[], day_match=None)
    assert one == structured(times=["02:00", "14:00"], days=["mon", "tue", "fri"])
    assert one.canonical() == {"times": ["02:00", "14:00"], "days": ["mon", "tue", "fri"]}
    dated = structured(times=["02:00"], dates=["12-24", -1, 15, "02-29", -2, 1])
    assert dated.canonical()["dates"] == [1, 15, -1, -2, "02-29", "12-24"]


@pytest.mark.rule("CAL-09")
def test_days_and_dates_say_how_they_go_together() -> None:
    fires = {}
    for match in ("both", "either"):
        made = calendar(structured(times=["02:00"], days=["fri"], dates=[13], day_match=match))
        fires[match] = [text[:10] for text in due(made, "2026-02-01T00:00:00Z", "2026-03-14T00:00:00Z")]
    assert fires["both"] == ["2026-02-13", "2026-03-13"]
    assert fires["either"] == [
        "2026-02-06", "2026-02-13", "2026-02-20", "2026-02-27", "2026-03-06", "2026-03-13",
    ]  # fmt: skip
    with pytest.raises(BadCadence, match="need day_match"):
        structured(times=["02:00"], days=["fri"], dates=[13])
    with pytest.raises(BadCadence, match="both are not here"):
        structured(times=["02:00"], days=["fri"], day_match="both")
    with pytest.raises(BadCadence, match="must be"):
        structured(times=["02:00"], days=["fri"], dates=[13], day_match="any")


@pytest.mark.rule("CAL-09")
@pytest.mark.parametrize(
    ("times", "days", "dates", "piece"),
    [
        ([], [], [], "never fire"),
        (["2:30"], [], [], 'write "HH:MM"'),
        (["24:00"], [], [], "no time '24:00'"),
        (["02:00"], ["fri..mon"], [], "runs backwards"),
        (["02:00"], ["mond"], [], "not understood"),
        (["02:00"], [], [0], "no day of a month"),
        (["02:00"], [], [32], "no day of a month"),
        (["02:00"], [], ["02-30"], "no date '02-30' in any year"),
        (["02:00"], [], ["2026-02-03"], "without a year"),
    ],
)
def test_refusals(times: list[str], days: list[str], dates: list[int | str], piece: str) -> None:
    with pytest.raises(BadCadence) as refused:
        structured(times=times, days=days, dates=dates)
    assert piece in str(refused.value)


@pytest.mark.rule("CAL-13")
def test_what_surprises_is_said() -> None:
    def said(*dates: int | str) -> list[str]:
        return advise(calendar(structured(times=["02:00"], dates=dates)), utc("2026-01-01T00:00:00Z"))

    assert said(15, -1) == []
    assert "the last day of each month is -1 in dates" in said(31)[0]
    assert said("02-29") == ["February: no such day in some years, so no firing then"]


@pytest.mark.rule("CAL-12")
def test_every_date_is_what_a_look_at_each_date_finds() -> None:
    drawn = random.Random(9)
    begin = dt.date(1999, 11, 1)
    for _ in range(60):
        days = drawn.sample(DAYS, drawn.randrange(4))
        dates = drawn.sample([1, 15, 31, 30, -1, -2, -31, "02-29", "12-24", "01-01"], drawn.randrange(4))
        match: DayMatch | None = drawn.choice(("both", "either")) if days and dates else None
        made = calendar(structured(times=["12:00"], days=days, dates=dates, day_match=match))
        found = {text[:10] for text in due(made, "1999-11-01T00:00:00Z", "2004-04-01T00:00:00Z")}
        for ahead in range(1612):
            day = begin + dt.timedelta(ahead)
            left = (day.replace(day=28) + dt.timedelta(4)).replace(day=1) - day  # to the first of the next month
            by_date = day.day in dates or -left.days in dates or day.strftime("%m-%d") in dates
            by_week = DAYS[day.weekday()] in days
            each = [is_of for said, is_of in ((days, by_week), (dates, by_date)) if said]
            meant = any(each) if match == "either" else all(each)
            assert (day.isoformat() in found) == meant, (day, days, dates, match)
