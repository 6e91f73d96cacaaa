"""Cases of the calendar: the nights on which other schedulers went wrong, and what names a firing."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest

from spellweaver.core import grammar, instant, misfire, zone
from spellweaver.core.cadence import Cadence
from spellweaver.core.calendar import Calendar, Interpretation, parse_key
from spellweaver.core.grammar import LAST_S, Every
from spellweaver.core.instant import DAY_S
from spellweaver.core.line import Candidate, Run
from spellweaver.core.policy import Fold, Gap
from spellweaver.core.schedule import Jitter
from spellweaver.core.terms import Terms
from tests.support.calendars import calendar, candidates, due, shown, utc


@pytest.fixture
def host_zone() -> Iterator[object]:
    """Sets the zone of the process, and puts it back."""
    before = os.environ.get("TZ")

    def put(name: str) -> None:
        os.environ["TZ"] = name
        time.tzset()

    yield put
    if before is None:
        os.environ.pop("TZ", None)
    else:
        os.environ["TZ"] = before
    time.tzset()


def civil(text: str) -> int:
    return utc(f"{text}Z")


# Daylight saving


@pytest.mark.rule("CAL-02", "OCC-02")
@pytest.mark.parametrize(
    ("fold", "instants", "keys"),
    [
        ("earlier", ["2023-10-29T00:00:00Z"], ["c1:2023-10-29T02:00"]),
        ("later", ["2023-10-29T01:00:00Z"], ["c1:2023-10-29T02:00+1"]),
        ("both", ["2023-10-29T00:00:00Z", "2023-10-29T01:00:00Z"], ["c1:2023-10-29T02:00", "c1:2023-10-29T02:00+1"]),
    ],
)
def test_rp_01_the_repeated_hour(fold: Fold, instants: list[str], keys: list[str]) -> None:
    made = calendar("0 2 * * *", "Europe/Berlin", fold=fold)
    said = candidates(made, "2023-10-28T23:30:00Z", "2023-10-30T02:00:00Z")
    assert [shown(found.instant_s) for found in said] == [*instants, "2023-10-30T01:00:00Z"]
    assert [made.key(found, 1) for found in said] == [*keys, "c1:2023-10-30T02:00"]
    assert made.find(civil("2023-10-29T02:00:00")) == tuple(said[:-1])
    assert made.on_date(civil("2023-10-29T00:00:00") // DAY_S) == tuple(said[:-1])


@pytest.mark.rule("CAL-03")
@pytest.mark.parametrize(
    ("gap", "expected"),
    [
        ("skip", ("2026-03-08T07:00:00Z", "2026-03-08T02:30:00Z", "gap_skip")),
        ("advance", ("2026-03-08T07:00:00Z", "2026-03-08T02:30:00Z", "fires")),
        ("fail", ("2026-03-08T07:00:00Z", "2026-03-08T02:30:00Z", "gap_fail")),
    ],
)
def test_rp_02_the_missing_hour(gap: Gap, expected: tuple[str, str, str]) -> None:
    made = calendar("30 2 * * *", "America/New_York", gap=gap)
    said = [
        (shown(at_s), shown(named), fate)
        for at_s, named, _, fate in candidates(made, "2026-03-07T12:00:00Z", "2026-03-10T12:00:00Z")
    ]
    assert said == [
        expected,
        ("2026-03-09T06:30:00Z", "2026-03-09T02:30:00Z", "fires"),
        ("2026-03-10T06:30:00Z", "2026-03-10T02:30:00Z", "fires"),
    ]
    assert [found.fate for found in made.find(civil("2026-03-08T02:30:00"))] == [expected[2]]


@pytest.mark.rule("CAL-01")
@pytest.mark.parametrize("host", ["Europe/London", "UTC", "Pacific/Auckland"])
def test_rp_03_utc_on_a_host_that_changes_its_clock(host: str, host_zone) -> None:
    host_zone(host)
    fired = [
        due(calendar(f"{minute} {hour} * * *"), "2022-10-29T23:00:00Z", "2022-10-30T03:00:00Z")
        for hour, minute in ((0, 59), (1, 0), (1, 30), (1, 59), (2, 0))
    ]
    assert fired == [[f"2022-10-30T{clock}:00Z"] for clock in ("00:59", "01:00", "01:30", "01:59", "02:00")]


def test_rp_04_a_fold_that_crosses_midnight() -> None:
    made = calendar("0 0 * * *", "America/Sao_Paulo")
    expected = ["2018-02-18T03:00:00Z", "2018-02-19T03:00:00Z", "2018-02-20T03:00:00Z"]
    for after_s in range(utc("2018-02-17T02:05:00Z"), utc("2018-02-18T03:00:00Z"), 60):
        assert [shown(at_s) for at_s in made.instants(after_s, 3)] == expected
    late = calendar("30 23 * * *", "America/Sao_Paulo", fold="both")
    said = candidates(late, "2018-02-17T12:00:00Z", "2018-02-18T12:00:00Z")
    assert [shown(found.instant_s) for found in said] == ["2018-02-18T01:30:00Z", "2018-02-18T02:30:00Z"]
    assert [late.key(found, 1) for found in said] == ["c1:2018-02-17T23:30", "c1:2018-02-17T23:30+1"]


def test_rp_05_progress_after_the_change() -> None:
    made = calendar("*/15 6-22 * * *", "Europe/Brussels")
    said = due(made, "2023-10-28T18:00:00Z", "2023-10-31T00:00:00Z")
    assert said == sorted(set(said))
    assert said[said.index("2023-10-28T20:45:00Z") + 1] == "2023-10-29T05:00:00Z"
    of_day = [shown(found.instant_s) for found in made.on_date(civil("2023-10-29T00:00:00") // DAY_S)]
    assert (len(of_day), of_day[-1]) == (68, "2023-10-29T21:45:00Z")


def test_rp_06_the_first_working_day_after_the_change() -> None:
    made = calendar("0 8 * * MON", "Europe/Amsterdam")
    expected = ["2026-10-19T06:00:00Z", "2026-10-26T07:00:00Z", "2026-11-02T07:00:00Z"]
    assert due(made, "2026-10-19T00:00:00Z", "2026-11-03T00:00:00Z") == expected
    nightly = [
        at
        for day in range(15)
        for at in due(made, *(shown(utc("2026-10-19T00:00:00Z") + DAY_S * (day + n)) for n in (0, 1)))
    ]
    assert nightly == expected


def test_rp_07_noon_on_the_day_of_the_change() -> None:
    made = calendar("0 12 * * *", "Europe/Bratislava")
    assert due(made, "2026-10-24T00:00:00Z", "2026-10-26T00:00:00Z") == ["2026-10-24T10:00:00Z", "2026-10-25T11:00:00Z"]
    minutes = range(utc("2026-10-25T09:50:00Z"), utc("2026-10-25T11:10:00Z"), 60)
    assert sum(made.count(at_s, at_s + 60) for at_s in minutes) == 1


def test_rp_08_listed_hours_after_the_change() -> None:
    made = calendar("0 7,9 * * *", "America/Los_Angeles")
    assert due(made, "2020-03-07T00:00:00Z", "2020-03-10T00:00:00Z") == [
        f"2020-03-{at}:00:00Z" for at in ("07T15", "07T17", "08T14", "08T16", "09T14", "09T16")
    ]


# Months, weeks, leap days


@pytest.mark.parametrize(("day", "count"), [("31", 7), ("L", 12), ("30", 11)])
def test_rp_56_day_31(day: str, count: int) -> None:
    said = due(calendar(f"0 6 {day} * *"), "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z")
    assert len(said) == count
    assert ("2026-02-28T06:00:00Z" in said) is (day == "L")
    assert all(at[8:10] in ("28", "30", "31") for at in said)


@pytest.mark.rule("CAL-09")
def test_rp_58_day_of_month_and_day_of_week() -> None:
    year = "2026-01-01T00:00:00Z", "2026-12-31T23:59:59Z"
    assert len(due(calendar("0 0 13 * FRI"), *year)) == 61
    both = calendar("0 0 */12 * FRI")  # a star first: both must match
    assert due(both, *year)[:2] == ["2026-02-13T00:00:00Z", "2026-03-13T00:00:00Z"]


@pytest.mark.rule("CAL-11")
def test_rp_59_the_leap_day() -> None:
    made = calendar("0 6 29 2 *")
    assert [shown(at_s)[:10] for at_s in made.instants(utc("2027-03-01T00:00:00Z"), 5)] == [
        f"{year}-02-29" for year in (2028, 2032, 2036, 2040, 2044)
    ]
    last = calendar("0 6 L 2 *")
    assert due(last, "2028-02-28T00:00:00Z", "2028-03-01T00:00:00Z") == ["2028-02-29T06:00:00Z"]


def test_rp_23_the_first_of_the_month_around_the_leap_second() -> None:
    made = calendar("0 0 1 * *")
    assert due(made, "2016-12-31T23:59:58Z", "2016-12-31T23:59:59Z") == []
    assert due(made, "2016-12-31T23:59:59Z", "2017-01-01T00:00:00Z") == ["2017-01-01T00:00:00Z"]


# Gaps


@pytest.mark.rule("CAL-03")
def test_advance_makes_one_firing_named_by_the_first_missing_time() -> None:
    made = calendar("20,40 2 * * *", "Europe/Bratislava", gap="advance")
    end_s = utc("2026-03-29T01:00:00Z")
    taker = Candidate(end_s, civil("2026-03-29T02:20:00"), -1, "fires")
    assert list(made.walk(end_s - 60, end_s + 60)) == [taker]
    assert made.find(civil("2026-03-29T02:40:00")) == (taker,)
    assert made.key(taker, 2) == "c2:2026-03-29T02:20"


@pytest.mark.rule("CAL-03")
def test_a_nominal_firing_at_the_end_of_the_gap_takes_the_missing_times_in() -> None:
    made = calendar("*/20 2,3 * * *", "Europe/Bratislava", gap="advance")
    end_s = utc("2026-03-29T01:00:00Z")
    nominal = Candidate(end_s, civil("2026-03-29T03:00:00"), -1, "fires")
    assert list(made.walk(end_s - 60, end_s + 60)) == [nominal]
    assert made.find(civil("2026-03-29T02:20:00")) == (nominal,)


@pytest.mark.rule("CAL-03")
@pytest.mark.parametrize(("gap", "fate"), [("skip", "gap_skip"), ("fail", "gap_fail")])
def test_missing_times_surface_at_the_end_of_the_gap_in_civil_order(gap: Gap, fate: str) -> None:
    made = calendar("*/20 2,3 * * *", "Europe/Bratislava", gap=gap)
    end_s = utc("2026-03-29T01:00:00Z")
    said = list(made.walk(end_s - 60, end_s))
    assert [(found.instant_s, shown(found.civil_s)[11:16], found.fate) for found in said] == [
        (end_s, "02:00", fate),
        (end_s, "02:20", fate),
        (end_s, "02:40", fate),
        (end_s, "03:00", "fires"),
    ]
    assert made.count(end_s, end_s + 60) == 0


@pytest.mark.rule("CAL-03")
def test_a_gap_may_swallow_a_whole_day() -> None:
    made = calendar("0 6 * * *", "Pacific/Apia", gap="skip")
    said = candidates(made, "2011-12-28T00:00:00Z", "2012-01-01T00:00:00Z")
    assert [(shown(found.civil_s)[:10], found.fate) for found in said] == [
        ("2011-12-28", "fires"),
        ("2011-12-29", "fires"),
        ("2011-12-30", "gap_skip"),
        ("2011-12-31", "fires"),
        ("2012-01-01", "fires"),
    ]
    assert [found.fate for found in made.on_date(civil("2011-12-30T00:00:00") // DAY_S)] == ["gap_skip"]


@pytest.mark.rule("CAL-02")
def test_a_frequent_cadence_is_silent_in_one_showing() -> None:
    night = "2026-10-24T23:45:00Z", "2026-10-25T02:00:00Z"
    assert len(due(calendar("*/15 * * * *", "Europe/Bratislava", fold="both"), *night)) == 9
    assert due(calendar("*/15 * * * *", "Europe/Bratislava"), *night)[3:5] == [
        "2026-10-25T00:45:00Z",
        "2026-10-25T02:00:00Z",
    ]
    assert due(calendar("*/15 * * * *", "Europe/Bratislava", fold="later"), *night)[0] == "2026-10-25T01:00:00Z"


# Runs and names


def test_runs_of_a_year_are_counted() -> None:
    made = calendar("* * * * *", "Europe/Bratislava")
    runs = list(made.runs(utc("2025-12-31T23:59:59Z"), utc("2026-12-31T23:59:59Z")))
    assert [(run.fate, run.count) for run in runs] == [("fires", 125_340), ("gap_skip", 60), ("fires", 400_200)]
    assert sum(run.count for run in runs) + 60 == 365 * 1440 + 60  # 60 missing, 60 second showings left out
    assert runs[1].first.civil_s == civil("2026-03-29T02:00:00")
    assert runs[1].last.civil_s == civil("2026-03-29T02:59:00")


def test_intervals_and_lists_are_absolute() -> None:
    made = calendar(grammar.every(5400, utc("2026-10-25T00:00:00Z")), "Europe/Bratislava")
    assert due(made, "2026-10-24T00:00:00Z", "2026-10-25T03:00:00Z") == [
        f"2026-10-25T{at}:00Z" for at in ("00:00", "01:30", "03:00")
    ]
    bare = Calendar(Interpretation(None, None, grammar.at([50, 10, 90_000])), None)
    assert list(bare.walk(10, 90_000)) == [Candidate(50, 50, -1, "fires"), Candidate(90_000, 90_000, -1, "fires")]
    assert list(bare.runs(0, 60)) == [Run("fires", Candidate(10, 10, -1, "fires"), Candidate(50, 50, -1, "fires"), 2)]
    assert bare.last(60, 50) is None
    assert bare.find(50)
    assert not bare.find(51)
    assert [found.instant_s for found in bare.on_date(0)] == [10, 50]


def test_nothing_lies_past_the_year_2200() -> None:
    for made in (calendar("* * * * *"), calendar(grammar.every(60, 0))):
        assert list(made.walk(LAST_S - 30, LAST_S + 10**9)) == []
        assert made.first(LAST_S - 30) is None
        assert made.last(LAST_S + 10**9, LAST_S - 90) is not None
        assert made.instants(LAST_S - 90, 5) == [LAST_S - 59]


@pytest.mark.rule("OCC-02")
def test_keys_name_generation_civil_time_and_showing() -> None:
    late = Candidate(utc("2026-10-25T01:30:00Z"), civil("2026-10-25T02:30:00"), 1, "fires")
    assert calendar("30 2 * * *", "Europe/Bratislava").key(late, 1) == "c1:2026-10-25T02:30+1"
    assert calendar("0 30 2 * * *", "Europe/Bratislava").key(late._replace(fold=0), 12) == "c12:2026-10-25T02:30:00"
    every = calendar(grammar.every(60, 0))
    assert every.key(Candidate(7200, 7200, -1, "fires"), 1) == "c1:1970-01-01T02:00:00Z"


@pytest.mark.rule("OCC-02")
@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("c1:2026-10-25T02:30", (1, "2026-10-25T02:30:00", False, False)),
        ("c12:2026-10-25T02:30+1", (12, "2026-10-25T02:30:00", True, False)),
        ("c1:2026-10-25T02:30:15", (1, "2026-10-25T02:30:15", False, False)),
        ("c3:2026-12-01T02:00:00Z", (3, "2026-12-01T02:00:00", False, True)),
    ],
)
def test_keys_are_read_back(text: str, read: tuple[int, str, bool, bool]) -> None:
    generation, named, later, is_instant = read
    assert parse_key(text) == (generation, civil(named), later, is_instant)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "c1",
        "c1:",
        "c0:2026-10-25T02:30",
        "1:2026-10-25T02:30",
        "c1:2026-10-25",
        "c1:2026-02-30T02:30",
        "c1:2026-10-25T24:00",
        "c1:2026-10-25T02:30+2",
        "c1:2026-12-01T02:00:00Z+1",
        "c٣:2026-10-25T02:30",
        "c1:2026-10-25T02:30 ",
    ],
)
def test_other_texts_are_no_keys(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse_key(text)


@pytest.mark.rule("CAL-06")
def test_other_rules_are_another_zone_not_a_stand_in() -> None:
    """What a calendar says comes from the bytes that it was given alone."""
    summer = calendar("0 12 * * *", "Europe/Bratislava")
    assert summer.zone is not None
    without = zone.Zone(b"", [(zone.BEGINNING, 3600, "CET")])
    made = Calendar(
        Interpretation("Europe/Bratislava", b"", grammar.parse_cron("0 12 * * *"), "earlier", "skip"), without
    )
    assert due(made, "2026-07-01T00:00:00Z", "2026-07-02T00:00:00Z") == ["2026-07-01T11:00:00Z"]
    assert due(summer, "2026-07-01T00:00:00Z", "2026-07-02T00:00:00Z") == ["2026-07-01T10:00:00Z"]


@pytest.mark.rule("CAL-03")
def test_what_a_gap_took_is_judged_once() -> None:
    """The missing times and a firing at the gap's end share an instant; a look just then gives each one fate."""
    end_s = utc("2026-03-29T01:00:00Z")
    made = calendar("*/20 * * * *", "Europe/Bratislava")
    terms = Terms(1, 1, "local/probe", made, Jitter(), None, instant.DAY)
    stretch = misfire.Stretch(end_s - 60, end_s, terms)
    skipped, offered = misfire.judge([stretch], [], now=end_s * instant.SECOND, allowance_us=instant.SECOND)
    assert isinstance(skipped, misfire.Settle)
    assert (skipped.state, skipped.reason, skipped.count) == ("skipped", "gap", 3)
    assert isinstance(offered, misfire.Offer)
    assert offered.found == Candidate(end_s, civil("2026-03-29T03:00:00"), -1, "fires")


@pytest.mark.rule("CUT-04")
@pytest.mark.parametrize("cadence", ["30 0,12 * * *", Every(43_200, 84_600)])
def test_of_a_list_every_question_is_answered_as_of_the_whole_line(cadence: str | Cadence) -> None:
    """What is left of a calendar when a partition names some of its candidates, around a clock change too."""
    whole = calendar(cadence, "Europe/Rome")
    begin, end = utc("2026-03-27T00:00:00Z"), utc("2026-04-02T00:00:00Z")
    kept = list(whole.walk(begin, end))[1::2]
    some = whole.listed(kept)
    assert list(some.walk(begin, end)) == kept and some.instants(begin, 9) == [each.instant_s for each in kept]
    assert (some.first(begin), some.last(end, begin)) == (kept[0], kept[-1])
    assert some.first(kept[-1].instant_s) is None and some.last(begin, begin - 1) is None
    assert some.count(begin, end) == len(kept)
    for day in range(begin // 86_400, end // 86_400 + 1):
        assert list(some.on_date(day)) == [each for each in whole.on_date(day) if each in kept]
    for each in whole.walk(begin, end):
        assert some.find(each.civil_s) == ((each,) if each in kept else ())
