"""The bounded search: answers, and how many steps they take (steps, not time)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from spellweaver.core.grammar import LAST_S, parse_cron
from spellweaver.core.instant import DAY_S, civil_text, parse_civil
from spellweaver.core.search import Search, search
from tests.support.calendars import calendar, shown, utc


def lines_run(question: Callable[[], object]) -> int:
    """How many lines of the product's code a question runs through."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        if "spellweaver" not in frame.f_code.co_filename:
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        question()
    finally:
        sys.settrace(before)
    return count


def texts(expression: str, begin: str, end: str) -> list[str]:
    return [
        civil_text(s, seconds=False)
        for s in search(parse_cron(expression)).seconds(parse_civil(begin), parse_civil(end))
    ]


def test_seconds_are_half_open() -> None:
    assert texts("0 */12 * * *", "2026-01-01T00:00", "2026-01-02T00:00") == ["2026-01-01T00:00", "2026-01-01T12:00"]
    assert texts("0 */12 * * *", "2026-01-01T00:01", "2026-01-01T12:00") == []


@pytest.mark.parametrize(
    "expression", ["* * * * *", "*/7 3 * * 1-5", "0 0 29 2 *", "0 6 31 1-8 *", "0 0 L-2,15W * 1#5"]
)
def test_count_last_and_match_agree_with_the_seconds(expression: str) -> None:
    found = Search(parse_cron(expression))
    for begin in range(parse_civil("2024-01-27T11:30"), parse_civil("2024-03-04T00:00"), 37 * 3600 + 60):
        end = begin + 3 * DAY_S + 11 * 60
        seconds = list(found.seconds(begin, end))
        assert found.count(begin, end) == len(seconds)
        assert found.last(begin, end) == (seconds[-1] if seconds else None)
        assert found.take(begin, end, 10, 5) == [second + 5 for second in seconds[:10]]
        assert all(found.matches(second) and not found.matches(second + 1) for second in seconds)


def test_the_table_ends_with_the_year_2200() -> None:
    assert texts("0 12 31 12 *", "2199-06-01", "2300-01-01") == ["2199-12-31T12:00", "2200-12-31T12:00"]
    assert list(Search(parse_cron("0 0 1 * *")).seconds(LAST_S + 40 * DAY_S, LAST_S + 400 * DAY_S)) == []


@pytest.mark.rule("CAL-11")
def test_29_february_over_a_century() -> None:
    made = calendar("0 0 29 2 *")
    assert [shown(at_s) for at_s in made.instants(utc("2096-03-01T00:00:00Z"), 2)] == [
        "2104-02-29T00:00:00Z",
        "2108-02-29T00:00:00Z",
    ]
    last = made.last(utc("2104-01-01T00:00:00Z"), 0)
    assert last is not None
    assert shown(last.instant_s) == "2096-02-29T00:00:00Z"
    assert made.first(utc("2196-03-01T00:00:00Z")) is None  # 2200 is no leap year
    assert made.count(0, LAST_S) == 56


@pytest.mark.rule("CAL-11")
@pytest.mark.parametrize("zone", ["UTC", "Europe/Bratislava"])
@pytest.mark.parametrize("expression", ["0 0 29 2 *", "0 0 29 2 */6", "* * * * *", "0 0 31 12 *", "59 59 23 31 12 ?"])
def test_searches_are_bounded_in_steps(expression: str, zone: str) -> None:
    made = calendar(expression, zone)
    century = utc("2096-03-01T00:00:00Z")
    made.count(0, LAST_S)  # shapes of months are looked up from now on
    assert lines_run(lambda: made.first(century)) < 2_000
    assert lines_run(lambda: made.last(century, 0)) < 2_000
    assert lines_run(lambda: made.instants(century, 1)) < 2_000
    assert lines_run(lambda: list(made.runs(century, century + 366 * DAY_S))) < 2_000
    assert lines_run(lambda: made.count(0, LAST_S)) < 300_000  # 231 years with 460 clock changes, by months


@pytest.mark.rule("CAL-11", "CAL-09")
def test_what_never_fires_is_refused_at_once() -> None:
    parse_cron.cache_clear()

    def ask() -> None:
        with pytest.raises(ValueError, match="never fires"):
            parse_cron("0 0 30 2 *")

    assert lines_run(ask) < 2_000
