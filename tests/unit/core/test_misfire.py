"""Misfire and catch-up in plain cases; the property test compares whole scenes with a brute-force judge."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from spellweaver.core import misfire
from spellweaver.core.calendar import Calendar
from spellweaver.core.instant import DAY, HOUR, MINUTE, SECOND, show
from spellweaver.core.line import Candidate
from spellweaver.core.misfire import Drop, Fate, Keep, Offer, Settle, Stretch, Waiting
from spellweaver.core.policy import Gap
from spellweaver.core.schedule import Jitter
from spellweaver.core.terms import Terms
from spellweaver.core.window import Window
from tests.support.calendars import calendar, utc
from tests.support.engine import us

T = "2026-01-10T00:00:00Z"


def terms(
    cadence: str = "* * * * *", *, zone: str = "UTC", gap: Gap = "skip", delay: str | None = None, horizon: str = "1d",
    jitter: str | None = None, revision: int = 1,
) -> Terms:  # fmt: skip
    bound = Jitter("deterministic", us(jitter)) if jitter else Jitter()
    made = calendar(cadence, zone, gap=gap)
    return Terms(revision, 1, "local/s", made, bound, us(delay) if delay else None, us(horizon))


def judge(
    after: str, now: str, of: Terms | None = None, waiting: list[Waiting] | None = None, *, allowance_us: int = SECOND
) -> list[str]:
    """What becomes of everything between two instants, in words."""
    part = Stretch(utc(after), us(now) // SECOND, of or terms())
    return [word(f) for f in misfire.judge([part], waiting or [], now=us(now), allowance_us=allowance_us)]


def word(fate: Fate) -> str:
    match fate:
        case Offer():
            return f"{clock(fate.found)} offered {fate.mode}"
        case Settle():
            span = clock(fate.first) if fate.count == 1 else f"{clock(fate.first)}..{clock(fate.last)}*{fate.count}"
            return f"{span} {fate.state} {fate.reason}"
        case Drop():
            return f"#{fate.occurrence} {fate.state} {fate.reason}"
        case Keep():
            return f"#{fate.occurrence} kept"


def clock(found: Candidate) -> str:
    return show(found.instant_s * SECOND)[8:16].replace("T", " ")


def pending(
    occurrence: int, due: str, *, closes: str | None = None, horizon: str = "1d", unjudged: bool = False
) -> Waiting:
    return Waiting(occurrence, Window(us(due), us(closes) if closes else None), us(horizon), unjudged)


def test_what_is_found_within_the_allowance_is_ordinary_each_firing_of_it() -> None:
    found = judge(T, "2026-01-10T00:02:01Z", allowance_us=70 * SECOND)
    assert found == ["10 00:01 offered live", "10 00:02 offered live"]


@pytest.mark.rule("CAT-08")
def test_the_allowance_itself_is_still_ordinary_and_a_microsecond_more_was_missed() -> None:
    part = Stretch(utc(T), utc(T) + 60, terms())
    due = (utc(T) + 60) * SECOND
    (fate,) = misfire.judge([part], [], now=due + SECOND, allowance_us=SECOND)
    assert isinstance(fate, Offer) and (fate.mode, fate.late_us) == ("live", SECOND)
    (fate,) = misfire.judge([part], [], now=due + SECOND + 1, allowance_us=SECOND)
    assert isinstance(fate, Offer) and (fate.mode, fate.late_us) == ("catch_up", SECOND + 1)


@pytest.mark.rule("CAT-02")
def test_after_an_outage_the_newest_is_offered_and_the_older_ones_are_superseded() -> None:
    assert judge(T, "2026-01-10T01:00:30Z") == ["10 00:01..10 00:59*59 skipped superseded", "10 01:00 offered catch_up"]


@pytest.mark.rule("CAT-02")
def test_an_ordinary_firing_of_the_same_look_is_newer_than_every_missed_one() -> None:
    assert judge(T, "2026-01-10T01:00:00Z") == ["10 00:01..10 00:59*59 skipped superseded", "10 01:00 offered live"]


@pytest.mark.rule("CAT-01")
def test_what_is_older_than_the_horizon_is_skipped_and_equal_age_is_not_older() -> None:
    assert judge(T, "2026-01-10T03:00:00Z", terms("0 * * * *", horizon="1h"), allowance_us=0) == [
        "10 01:00 skipped horizon", "10 02:00 skipped superseded", "10 03:00 offered live",
    ]  # fmt: skip
    assert judge(T, "2026-01-10T02:00:01Z", terms("0 * * * *", horizon="0s"), allowance_us=SECOND - 1) == [
        "10 01:00..10 02:00*2 skipped horizon",
    ]  # fmt: skip


@pytest.mark.rule("CAT-10")
def test_too_old_and_past_its_window_is_too_old() -> None:
    of = terms("0 * * * *", delay="30m", horizon="2h")
    assert judge(T, "2026-01-10T05:10:00Z", of) == [
        "10 01:00..10 03:00*3 skipped horizon", "10 04:00 missed latest_start", "10 05:00 offered catch_up",
    ]  # fmt: skip


@pytest.mark.rule("CAT-02", "WIN-05")
def test_where_no_missed_one_can_start_any_more_none_is_offered_and_pending_ones_stay() -> None:
    of = terms("0 * * * *", delay="30m")
    found = judge(T, "2026-01-10T02:40:00Z", of, [pending(1, T, closes="2026-01-10T09:00:00Z", horizon="1h")])
    assert found == ["10 01:00..10 02:00*2 missed latest_start"], "too old to be the one, and nothing newer is offered"
    assert judge(T, "2026-01-10T02:40:00Z", of, [pending(1, T, closes="2026-01-10T09:00:00Z")])[1:] == found[1:]


@pytest.mark.rule("CAT-02")
def test_a_pending_one_is_superseded_by_what_is_offered_and_only_after_an_outage() -> None:
    waits = [pending(1, "2026-01-09T22:00:00Z"), pending(2, "2026-01-09T23:00:00Z")]
    hourly = terms("0 * * * *")
    assert judge(T, "2026-01-10T01:00:00Z", hourly, waits) == ["10 01:00 offered live"], "nothing was missed"
    assert judge(T, "2026-01-10T02:30:00Z", hourly, waits) == [
        "#1 skipped superseded", "#2 skipped superseded", "10 01:00 skipped superseded", "10 02:00 offered catch_up",
    ]  # fmt: skip


@pytest.mark.rule("CAT-02", "CAT-01")
def test_of_pending_ones_alone_the_newest_stays_when_what_was_missed_is_too_old() -> None:
    waits = [pending(1, "2026-01-10T00:10:00Z"), pending(2, "2026-01-10T00:20:00Z")]
    assert judge(T, "2026-01-10T02:30:00Z", terms("0 * * * *", horizon="5m"), waits) == [
        "#1 skipped superseded", "10 01:00..10 02:00*2 skipped horizon",
    ]  # fmt: skip


@pytest.mark.rule("CAT-01", "CAT-10")
@pytest.mark.parametrize(
    "now, closes, said",
    [
        ("2026-01-10T00:20:00Z", None, "#1 kept"),
        ("2026-01-10T02:00:00Z", None, "#1 skipped horizon"),
        ("2026-01-10T00:20:00Z", "2026-01-10T00:15:00Z", "#1 missed latest_start"),
        ("2026-01-10T02:00:00Z", "2026-01-10T00:15:00Z", "#1 skipped horizon"),
    ],
)
def test_one_stored_before_its_due_instant_is_judged_when_it_is_found_late(
    now: str, closes: str | None, said: str
) -> None:
    waits = pending(1, "2026-01-10T00:10:00Z", closes=closes, horizon="1h", unjudged=True)
    assert judge(now, now, terms("0 0 1 1 *"), [waits]) == [said]


@pytest.mark.rule("OCC-14")
def test_one_that_is_not_due_yet_is_left_alone() -> None:
    waits = pending(1, "2026-01-10T03:00:00Z", unjudged=True)
    assert judge(T, "2026-01-10T01:30:00Z", terms("0 * * * *"), [waits]) == ["10 01:00 offered catch_up"]


@pytest.mark.rule("CAL-03", "CAT-10")
@pytest.mark.parametrize(
    "gap, said",
    [
        ("skip", ["29 01:00..29 01:00*2 skipped gap", "29 01:00 skipped superseded", "29 01:30 offered catch_up"]),
        ("fail", ["29 01:00..29 01:00*2 refused gap", "29 01:00 skipped superseded", "29 01:30 offered catch_up"]),
        ("advance", ["29 01:00 skipped superseded", "29 01:30 offered catch_up"]),
    ],
)
def test_missing_times_are_settled_by_the_gap_policy_and_never_by_catch_up(gap: Gap, said: list[str]) -> None:
    """2026-03-29 in Bratislava: 02:00 and 02:30 do not exist; 03:00 is 01:00Z."""
    of = terms("0,30 2-3 * * *", zone="Europe/Bratislava", gap=gap)
    assert judge("2026-03-29T00:59:59Z", "2026-03-29T01:40:00Z", of) == said


@pytest.mark.rule("CAL-03")
def test_an_advanced_firing_can_be_missed_like_any_other() -> None:
    of = terms("30 2 * * *", zone="Europe/Bratislava", gap="advance")
    assert judge("2026-03-29T00:59:59Z", "2026-03-29T01:40:00Z", of) == ["29 01:00 offered catch_up"]


@pytest.mark.rule("CUT-03")
def test_each_stretch_is_judged_by_its_own_revision_and_the_newest_is_chosen_over_all() -> None:
    old = Stretch(utc(T), utc(T) + 3 * 3600, terms("0 * * * *", horizon="90m", revision=1))
    new = Stretch(old.until_s, old.until_s + 2 * 3600, terms("0 * * * *", delay="10m", revision=2))
    now = new.until_s * SECOND + 20 * MINUTE
    fates = misfire.judge([old, new], [], now=now, allowance_us=SECOND)
    assert [word(f) for f in fates] == [
        "10 01:00..10 03:00*3 skipped horizon", "10 04:00..10 05:00*2 missed latest_start",
    ]  # fmt: skip
    assert [f.terms.revision for f in fates if isinstance(f, Settle)] == [1, 2]


@pytest.mark.rule("OCC-13")
def test_a_year_of_minutes_is_told_in_few_words_and_few_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work done, not time: candidates that were made one by one."""
    walked = []
    walk = Calendar.walk

    def counted(self: Calendar, after_s: int, until_s: int) -> Iterator[Candidate]:
        for found in walk(self, after_s, until_s):
            walked.append(found)
            yield found

    monkeypatch.setattr(Calendar, "walk", counted)
    of = terms(zone="Europe/Bratislava", delay="10m")
    fates = misfire.judge(
        [Stretch(utc(T), utc(T) + 365 * 86_400, of)], [], now=us(T) + 365 * DAY + 30 * SECOND, allowance_us=SECOND
    )
    told = sum(f.count if isinstance(f, Settle) else 1 for f in fates)
    assert told == 365 * 1440, "60 missing times in spring are told too, 60 second showings in autumn are none"
    assert (len(fates), len(walked)) == (6, 0), [word(f) for f in fates]


def test_jitter_makes_only_a_strip_as_wide_as_itself_uncertain(monkeypatch: pytest.MonkeyPatch) -> None:
    walked = []
    walk = Calendar.walk

    def counted(self: Calendar, after_s: int, until_s: int) -> Iterator[Candidate]:
        for found in walk(self, after_s, until_s):
            walked.append(found)
            yield found

    monkeypatch.setattr(Calendar, "walk", counted)
    now = us(T) + 90 * DAY
    misfire.judge([Stretch(utc(T), now // SECOND, terms(jitter="1h", horizon="1d"))], [], now=now, allowance_us=SECOND)
    assert len(walked) <= 2 * HOUR // MINUTE + 2, "at the horizon and at now"
