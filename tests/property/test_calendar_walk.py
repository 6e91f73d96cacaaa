"""CAL-12: in every zone, under every policy, around each clock change 1970 to 2200, the product says what a walk finds.

CI takes a sample of zones and changes. The whole of it takes about half an hour on one core, by hand:

    SPELLWEAVER_SWEEP=all python -m pytest tests/property/test_calendar_walk.py
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator

import pytest

from spellweaver.core.calendar import Calendar, Interpretation
from spellweaver.core.grammar import LAST_S, parse_cron
from spellweaver.core.oncalendar import parse_oncalendar
from spellweaver.core.policy import FOLDS, GAPS
from spellweaver.manifest import zones
from tests.support import walk
from tests.support.calendars import rules

WHOLE = os.environ.get("SPELLWEAVER_SWEEP") == "all"
SEED = int(os.environ.get("SPELLWEAVER_SEED", "12"))
HOURS_S = 24 * 3600
# half an hour, over midnight, a civil day, winter below standard time, Ramadan, odd seconds, two hours, no change
TELLING = (
    "Australia/Lord_Howe",
    "America/Sao_Paulo",
    "Pacific/Apia",
    "Pacific/Kwajalein",
    "Europe/Dublin",
    "Africa/Casablanca",
    "Africa/Monrovia",
    "Antarctica/Troll",
    "America/Scoresbysund",
    "Asia/Gaza",
    "Europe/Bratislava",
    "UTC",
)
EXPRESSIONS = (
    "* * * * *",
    "*/15 * * * *",
    "30 2 * * *",
    "0 0 * * *",
    "*/7 0-3,22-23 * * *",
    "59 23 L * *",
    "0 0,12 1-7,20-31/2 * *",
    "30 1 * * SUN",
    "15 2 LW * *",
    "0 3 ? * 0L",
    "20 0 * * 7#5",
    "45 */5 15W * 6",
    "1/13 23 * 3,4,10,11 *",
)


ALL_WEEK = "Mon,Tue,Wed,Thu,Fri,Sat,Sun"
EVENTS = (
    f"{ALL_WEEK} *-*-* *:0/15",
    f"{ALL_WEEK} *-*-* *:*",
    f"{ALL_WEEK} *-*-* 2:30",
    "Sat,Sun,Mon *-*-* 0..3,22..23:0/7",
    f"{ALL_WEEK} *-*~1..7 1,23:59",
    f"{ALL_WEEK} 1970..2199/2-3,4,9..11-20..31 0/2:15",
    "Sun *-*-1..7,20..31 0..3:0/30",
)


def distinct_zones() -> list[str]:
    """One name for each set of rules."""
    first = {zones.rules(name): name for name in reversed(zones.names())}
    return sorted(first.values())


def chosen() -> list[str]:
    if WHOLE:
        return distinct_zones()
    return [*TELLING, *random.Random(SEED).sample(distinct_zones(), 12)]


def changes_to_look_at(name: str) -> list[int]:
    every = list(walk.changes(name, 86_400 * 3, LAST_S - 86_400 * 3))
    if WHOLE:
        return every or [1_700_000_000]
    late = [at_s for at_s in every if at_s > 2_145_916_800]  # from 2038 on the footer speaks alone
    drawn = random.Random(f"{SEED} {name}")
    return drawn.sample(every, min(5, len(every))) + drawn.sample(late, min(3, len(late))) or [1_700_000_000]


def near(name: str, change_s: int) -> Iterator[str]:
    """An expression from the list, and one that names a time at the very edge of the change."""
    drawn = random.Random(f"{SEED} {name} {change_s}")
    yield drawn.choice(EXPRESSIONS)
    offset = walk.offset_of(name)
    edge = drawn.choice((offset(change_s - 1), offset(change_s)))
    minute = (change_s + edge) // 60 + drawn.choice((-1, 0, 1))
    yield f"{minute % 60} {minute // 60 % 24} * * *"


@pytest.mark.rule("CAL-12", "CAL-02", "CAL-03")
@pytest.mark.timeout(0 if WHOLE else 300)
@pytest.mark.parametrize("name", chosen())
def test_enumeration_equals_a_walk_over_minutes(name: str) -> None:
    kept = rules(name)
    offset = walk.offset_of(name)
    compared = 0
    for change_s in changes_to_look_at(name):
        days = walk.Days(offset, change_s - HOURS_S, change_s + HOURS_S)
        for expression in near(name, change_s):
            says = days.read(walk.matcher(expression))
            for fold in FOLDS:
                for gap in GAPS:
                    made = Calendar(Interpretation(name, kept.digest, parse_cron(expression), fold, gap), kept)
                    said = list(made.walk(days.after_s, days.until_s))
                    assert said == says(fold, gap), (name, change_s, expression, fold, gap)
                    assert made.count(days.after_s, days.until_s) == len(said)
                    firsts = {candidate.instant_s: candidate for candidate in reversed(said)}
                    for at_s in list(firsts)[:: len(firsts) // 20 + 1]:
                        assert made.first(at_s - 1) == firsts[at_s], (name, expression, fold, gap)
                    compared += 1
    print(f"{name}: {compared} calendars compared")
    assert compared


@pytest.mark.rule("CAL-12", "CAL-09")
@pytest.mark.timeout(0 if WHOLE else 300)
@pytest.mark.parametrize("name", chosen())
def test_calendar_events_equal_a_walk_over_minutes(name: str) -> None:
    kept = rules(name)
    offset = walk.offset_of(name)
    for change_s in changes_to_look_at(name)[: None if WHOLE else 3]:
        days = walk.Days(offset, change_s - HOURS_S, change_s + HOURS_S)
        expression = random.Random(f"{SEED} {name} {change_s}").choice(EVENTS)
        says = days.read(walk.event_matcher(expression))
        for fold in FOLDS:
            for gap in GAPS:
                made = Calendar(Interpretation(name, kept.digest, parse_oncalendar(expression), fold, gap), kept)
                said = list(made.walk(days.after_s, days.until_s))
                assert said == says(fold, gap), (name, change_s, expression, fold, gap)
                assert made.count(days.after_s, days.until_s) == len(said)
