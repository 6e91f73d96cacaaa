"""What a calendar answers by counting and by lookup is what it answers by walking."""

from __future__ import annotations

from itertools import groupby

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spellweaver.core import grammar
from spellweaver.core.cadence import CIVIL, Cadence
from spellweaver.core.cadence import cadence as read_back
from spellweaver.core.calendar import Calendar, parse_key
from spellweaver.core.grammar import LAST_S
from spellweaver.core.instant import DAY_S
from spellweaver.core.line import Candidate, Run
from spellweaver.core.oncalendar import parse_oncalendar
from spellweaver.core.policy import FOLDS, GAPS
from spellweaver.core.schedule import date_range_text, date_ranges
from spellweaver.core.search import Excluded
from spellweaver.core.structured import structured
from tests.support.calendars import calendar, rules

ZONES = (
    "Europe/Bratislava",
    "America/New_York",
    "Australia/Lord_Howe",
    "America/Sao_Paulo",
    "Pacific/Apia",
    "Africa/Monrovia",
    "Antarctica/Troll",
    "UTC",
)


LAST_DAY = LAST_S // DAY_S


@st.composite
def fields(draw: st.DrawFn, low: int, high: int) -> str:
    value = st.integers(low, high)
    first, last = sorted((draw(value), draw(value)))
    return draw(st.sampled_from(("*", f"*/{max(1, last - first)}", str(first), f"{first},{last}", f"{first}-{last}")))


@st.composite
def crons(draw: st.DrawFn) -> Cadence:
    days = draw(st.sampled_from(("*", "*", "L", "15W", "L-2,1-7", "29", "31", "LW")))
    weekdays = draw(st.sampled_from(("*", "*", "SUN", "MON-FRI", "5L", "2#5", "SAT-MON")))
    clock = f"{draw(fields(0, 59))} {draw(fields(0, 23))}"
    months = draw(st.sampled_from(("*", "*", "3,4,10,11", "1/5")))
    seconds = draw(st.sampled_from(("", "", "", "30 ", "0,45 ")))
    return grammar.parse_cron(f"{seconds}{clock} {days} {months} {weekdays}")


@st.composite
def events(draw: st.DrawFn) -> Cadence:
    """Calendar events of systemd's."""
    weekdays = draw(st.sampled_from(("", "", "Mon..Fri ", "Sat,Sun ", "Wed ")))
    years = draw(st.sampled_from(("*", "*", "*", "1980..2190/2", "2027,2028,2030")))
    days = draw(st.sampled_from(("*-*", "*-*", "*~1", "*~7/1", "3,4,9..11-20..31", "*~2..9/3", "1/2-1/5")))
    clock = draw(st.sampled_from(("2:30", "*:0/20", "0..3:59", "*:15:5/25", "0/5:0", "23:*")))
    return parse_oncalendar(f"{weekdays}{years}-{days} {clock}")


@st.composite
def keys(draw: st.DrawFn) -> Cadence:
    """Calendars said in keys."""
    days = draw(st.sampled_from(((), ("mon..fri",), ("sun", "wed"))))
    dates = draw(st.sampled_from(((), (-1, 15), ("02-29", "10-25", "03-29"), (31, -31, "03-08"))))
    match = draw(st.sampled_from(("both", "either"))) if days and dates else None
    times = draw(st.sampled_from((("02:30",), ("00:00", "01:15", "23:59"), ("02:00:30", "14:00"))))
    return structured(times=times, days=days, dates=dates, day_match=match)


@st.composite
def calendars(draw: st.DrawFn) -> tuple[Calendar, int, int]:
    """A calendar and a stretch of up to 40 days, more often than not around a clock change."""
    name = draw(st.sampled_from(ZONES))
    changes = rules(name).cuts[1:] or (1_700_000_000,)
    before = st.one_of(st.just(-2 * 3600), st.integers(-3 * DAY_S, DAY_S))
    begin = draw(st.sampled_from(changes)) + draw(before)
    begin = min(max(begin, 0), LAST_S - DAY_S)
    length = draw(st.sampled_from((3600, 5 * 3600, DAY_S, 40 * DAY_S)))
    intervals = st.builds(grammar.every, st.integers(60, 100_000), st.integers(max(0, begin - DAY_S), begin + DAY_S))
    lists = st.builds(grammar.at, st.sets(st.integers(begin, begin + length), min_size=1, max_size=9))
    cadence = draw(st.one_of(crons(), crons(), events(), events(), keys(), intervals, lists))
    excluded = draw(st.sampled_from((False, False, True))) and draw(exclusions(begin // DAY_S))
    policies = {"fold": draw(st.sampled_from(FOLDS)), "gap": draw(st.sampled_from(GAPS))}
    made = calendar(cadence, name, **policies, excluded=excluded or ())
    return made, begin, begin + length


@st.composite
def exclusions(draw: st.DrawFn, day: int) -> Excluded:
    """Dates near a day, written as an operator might: in any order, over one another."""
    near = st.integers(max(0, day - 2), day + 30)
    ranges = draw(st.lists(st.tuples(near, st.sampled_from((0, 0, 1, 5))), min_size=1, max_size=4))
    within = [(min(first, LAST_DAY), min(first + more, LAST_DAY)) for first, more in ranges]
    return date_ranges(date_range_text(first, last) for first, last in within)


def walked_runs(made: Calendar, after_s: int, until_s: int) -> list[Run]:
    found = []
    for fate, members in groupby(made.walk(after_s, until_s), key=lambda candidate: candidate.fate):
        run = list(members)
        found.append(Run(fate, run[0], run[-1], len(run)))
    return found


@pytest.mark.rule("CAL-12")
@settings(max_examples=250, deadline=None)
@given(calendars())
def test_counting_agrees_with_walking(case: tuple[Calendar, int, int]) -> None:
    made, after_s, until_s = case
    said = list(made.walk(after_s, until_s))
    assert made.count(after_s, until_s) == len(said)
    assert made.last(until_s, after_s) == (said[-1] if said else None)
    assert list(made.runs(after_s, until_s)) == walked_runs(made, after_s, until_s)
    first = made.first(after_s)
    if said:
        assert first == said[0]
    else:
        assert first is None or first.instant_s > until_s
    firing = [found.instant_s for found in said if found.fate == "fires"]
    assert made.instants(after_s, len(firing)) == firing
    assert firing == sorted(set(firing))


@pytest.mark.rule("CAL-12")
@settings(max_examples=150, deadline=None)
@given(calendars(), st.data())
def test_a_stretch_is_the_sum_of_its_parts(case: tuple[Calendar, int, int], data: st.DataObject) -> None:
    made, after_s, until_s = case
    middle = data.draw(st.integers(after_s, until_s))
    parts = [*made.walk(after_s, middle), *made.walk(middle, until_s)]
    assert parts == list(made.walk(after_s, until_s))


@pytest.mark.rule("CAL-10", "CAL-12")
@settings(max_examples=200, deadline=None)
@given(calendars(), st.data())
def test_what_is_excluded_lies_on_those_civil_dates(case: tuple[Calendar, int, int], data: st.DataObject) -> None:
    plain, after_s, until_s = case
    reading = plain.interpretation
    made = Calendar(reading, plain.zone, data.draw(exclusions(after_s // DAY_S)))
    whole = list(made.whole().walk(after_s, until_s))
    kept = [found for found in whole if not made.excludes(found)]
    said = list(made.walk(after_s, until_s))
    days = {day for first, last in made.excluded for day in range(first, last + 1)}
    offset = {True: lambda at_s: 0, False: made.zone.offset if made.zone else lambda at_s: 0}[
        isinstance(reading.cadence, CIVIL)
    ]
    assert not [found for found in said if (found.civil_s + offset(found.instant_s)) // DAY_S in days]
    if reading.gap != "advance":  # there a missing time may take the place of an excluded firing at the gap's end
        assert said == kept
    else:
        assert set(kept) <= set(said)
    assert made.whole().interpretation == reading


@pytest.mark.rule("OCC-02", "CAL-03")
@settings(max_examples=150, deadline=None)
@given(calendars())
def test_every_candidate_is_found_by_its_own_name(case: tuple[Calendar, int, int]) -> None:
    made, after_s, until_s = case
    said = list(made.walk(after_s, min(until_s, after_s + 3 * DAY_S)))[:600]
    named = [made.key(found, 3) for found in said]
    assert len(set(named)) == len(said)
    is_civil = isinstance(made.interpretation.cadence, CIVIL)
    by_date: dict[int, list[Candidate]] = {}
    for found, text in zip(said, named, strict=True):
        assert parse_key(text) == (3, found.civil_s, found.fold == 1, not is_civil)
        assert found in made.find(found.civil_s)
        assert made.zone is not None
        civil_s = found.civil_s if is_civil else found.instant_s + made.zone.offset(found.instant_s)
        by_date.setdefault(civil_s // DAY_S, []).append(found)
    for day, of_date in by_date.items():
        assert set(of_date) <= set(made.on_date(day))
        assert list(made.on_date(day)) == sorted(made.on_date(day))


@settings(max_examples=60, deadline=None)
@given(st.one_of(crons(), events(), keys()))
def test_canonical_form_reads_back(cadence: Cadence) -> None:
    assert read_back(cadence.canonical()) == cadence
