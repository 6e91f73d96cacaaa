"""The label by which a cutover plan pairs firings: read off the nominal civil time, never a key."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spellweaver.core import zone as zones
from spellweaver.core.calendar import Calendar, Interpretation
from spellweaver.core.cycle import cycle_of
from spellweaver.core.grammar import Every, parse_cron
from spellweaver.core.instant import DAY_S, parse, parse_civil
from spellweaver.core.line import Candidate
from spellweaver.core.policy import Cycle
from spellweaver.core.schedule import definition, revise
from spellweaver.manifest import zones as host
from tests.support.engine import draft

ROME = zones.parse(host.rules("Europe/Rome"))
NIGHT = Calendar(Interpretation("Europe/Rome", ROME.digest, parse_cron("30 0 * * *")), ROME)


@pytest.mark.rule("CUT-07")
@pytest.mark.parametrize("cycle, label", [
    ("time", "2026-01-02T00:30:00"), ("date", "2026-01-02"), ("week", "2026-W01"), ("month", "2026-01"),
])  # fmt: skip
def test_a_cycle_is_read_off_the_civil_time_and_not_off_the_instant(cycle: Cycle, label: str) -> None:
    (found,) = NIGHT.find(parse_civil("2026-01-02T00:30"))
    assert found.instant_s * 1_000_000 == parse("2026-01-01T23:30:00Z")
    assert cycle_of(NIGHT, found, cycle) == label


@pytest.mark.rule("CUT-07")
def test_what_is_absolute_is_labelled_in_the_zone_that_it_is_shown_in() -> None:
    at_s = parse("2026-01-01T23:30:00Z") // 1_000_000
    for zone, label in ((ROME, "2026-01-02"), (None, "2026-01-01")):
        calendar = Calendar(Interpretation(None, None, Every(1800, 0)), zone)
        assert cycle_of(calendar, Candidate(at_s, at_s, -1, "fires"), "date") == label


@given(st.integers(0, 84_000))
def test_a_week_is_that_of_iso_8601(day: int) -> None:
    year, week, _ = (datetime.date(1970, 1, 1) + datetime.timedelta(days=day)).isocalendar()
    assert cycle_of(NIGHT, Candidate(0, day * DAY_S, -1, "fires"), "week") == f"{year:04d}-W{week:02d}"


@pytest.mark.rule("CUT-03")
def test_a_cycle_is_kept_and_is_no_part_of_the_reading() -> None:
    plain, dated = (
        revise(draft("s", "0 2 * * *", cycle=cycle), pattern_digest="p", zone_digest="z", horizon_us=0)
        for cycle in (None, "date")
    )
    assert definition(dated.body()) == dated and definition(plain.body()) == plain
    assert dated.digest() != plain.digest() and dated.interpretation() == plain.interpretation()
    assert "cycle" not in plain.body(), "a revision from before this key keeps its digest"
