"""``[[schedule]]``: the refusals and readings of CLS-01, 02, 05, CAL-01, 08, 09, CAT-01, WIN-05 and the names."""

from __future__ import annotations

import json

import pytest

from spellweaver.core import instant
from spellweaver.core.grammar import At, Cron, Every, days_of
from spellweaver.core.instant import days_from_civil
from spellweaver.core.schedule import Jitter, date_range_text
from spellweaver.manifest import words, zones
from tests.support.calendars import calendar as walk
from tests.support.calendars import utc
from tests.support.operator_files import CRON, accepted, draft, problems, refused, schedule, whole

EVERY = 'every = "50m"\nanchor = "2026-12-01T09:00:00Z"'
AT = 'at = ["2026-12-01T02:00:00Z", 2026-12-01T01:00:00+02:00]'


def only(said: dict[str, str], key: str) -> str:
    assert list(said) == [f"schedule.nightly.{key}"]
    return said[f"schedule.nightly.{key}"]


def test_all_that_a_schedule_says() -> None:
    made = draft(
        'authority = "ops"\nclass = "deadline_windowed"\nallowed_delay = "3h"\noverlap = "forbid"\n'
        'input = { profile = "full", n = [1, 0.5, true] }\nlabels = { team = "ops ✓" }\n'
        "from = 2026-12-01T01:00:00+01:00",
        calendar=CRON
        + '\nfold = "both"\ngap = "advance"'
        + '\nzone_rules = "host"\njitter = { mode = "deterministic", max = "600s" }',
        recovery='misfire_horizon = "0s"\ncatch_up = "newest"',
    )
    assert (made.full_name, made.pattern_key, made.pattern_revision) == ("ops/nightly", "nightly", "1")
    assert (made.service_class, made.allowed_delay_us) == ("deadline_windowed", 3 * instant.HOUR)
    assert made.input == '{"n":[1,0.5,true],"profile":"full"}'
    assert json.loads(made.labels) == {"team": "ops ✓"}
    assert made.from_at is not None and instant.show(made.from_at) == "2026-12-01T00:00:00Z"
    assert (made.misfire_horizon_us, made.catch_up) == (0, "newest")
    calendar = made.calendar
    assert calendar is not None
    assert (calendar.zone, calendar.fold, calendar.gap, calendar.zone_rules) == (
        "Europe/Rome",
        "both",
        "advance",
        "host",
    )
    assert calendar.jitter == Jitter("deterministic", 10 * instant.MINUTE)
    assert calendar.host_rules == zones.rules("Europe/Rome")


def test_what_is_left_out() -> None:
    made = draft()
    assert (made.authority, made.service_class, made.allowed_delay_us, made.overlap) == (
        "local",
        "foreground",
        None,
        "forbid",
    )
    assert (made.input, made.labels, made.from_at, made.misfire_horizon_us, made.catch_up) == (
        "{}",
        "{}",
        None,
        None,
        "newest",
    )
    calendar = made.calendar
    assert calendar is not None
    assert (calendar.fold, calendar.gap, calendar.jitter, calendar.zone_rules) == ("earlier", "skip", Jitter(), "keep")


@pytest.mark.rule("CLS-01")
@pytest.mark.parametrize(
    ("word", "right"),
    [
        ("immediate", "foreground"),
        ("cron", "foreground"),
        ("opportunistic", "spare_capacity"),
        ("remote", "deadline_windowed"),
    ],
)
def test_class_names_of_other_tools(word: str, right: str) -> None:
    assert (
        only(refused(schedule(f'class = "{word}"')), "class")
        == f"'{word}' is no class; the one that is meant is '{right}'"
    )


@pytest.mark.rule("CLS-01")
@pytest.mark.parametrize("word", ["Foreground", "", "deadline", "foreground "])
def test_class_names_are_exact(word: str) -> None:
    assert only(refused(schedule(f'class = "{word}"')), "class").startswith(
        "must be 'foreground' or 'deadline_windowed'"
    )


@pytest.mark.rule("CLS-02")
@pytest.mark.parametrize("calendar", [CRON, EVERY, AT])
@pytest.mark.parametrize("keys", ['class = "foreground"', 'class = "deadline_windowed"\nallowed_delay = "1h"'])
def test_any_calendar_may_carry_any_class(calendar: str, keys: str) -> None:
    assert draft(keys, calendar=calendar).service_class == keys.split('"')[1]


@pytest.mark.rule("CLS-05")
def test_the_window_is_for_the_windowed_class_alone_and_required_there() -> None:
    assert "is required by class" in only(refused(schedule('class = "deadline_windowed"')), "allowed_delay")
    for keys in ('allowed_delay = "1h"', 'class = "foreground"\nallowed_delay = "1h"'):
        assert 'class = "foreground" has no window' in only(refused(schedule(keys)), "allowed_delay")
    assert draft('class = "foreground"').allowed_delay_us is None


@pytest.mark.rule("CLS-05")
@pytest.mark.parametrize("key", ["not_before", "latest_start", "finish_by"])
def test_other_window_keys_are_refused_by_name(key: str) -> None:
    for keys in ("", 'class = "deadline_windowed"\nallowed_delay = "1h"\n'):
        said = only(refused(schedule(f'{keys}{key} = "05:00"')), key)
        assert said.startswith(f"`{key}` is not available in this version: ")


@pytest.mark.rule("CAL-01")
@pytest.mark.parametrize("zone", [None, "Europe/Rome", "America/Los_Angeles", ":/etc/localtime"])
def test_a_missing_zone_is_refused_whatever_tz_says(monkeypatch: pytest.MonkeyPatch, zone: str | None) -> None:
    if zone is None:
        monkeypatch.delenv("TZ", raising=False)
    else:
        monkeypatch.setenv("TZ", zone)
    assert only(refused(schedule(calendar='cron = "0 2 * * *"')), "calendar.zone").startswith("is required by cron")


@pytest.mark.rule("CAL-01")
@pytest.mark.parametrize("calendar", [EVERY, AT], ids=["every", "at"])
@pytest.mark.parametrize(("key", "word"), [("fold", "both"), ("gap", "skip")])
def test_absolute_calendars_take_no_fold_and_no_gap(calendar: str, key: str, word: str) -> None:
    said = only(refused(schedule(calendar=f'{calendar}\n{key} = "{word}"')), f"calendar.{key}")
    assert "names absolute instants" in said
    made = draft(calendar=calendar + '\nzone = "Asia/Tokyo"').calendar
    assert made is not None and made.zone == "Asia/Tokyo"
    bare = draft(calendar=calendar).calendar
    assert bare is not None and (bare.zone, bare.host_rules) == (None, None)


def test_rp_09_zone_named_or_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    said = only(refused(schedule(calendar='cron = "0 2 * * *"\nzone = "Mars/Olympus"')), "calendar.zone")
    assert "Mars/Olympus" in said
    (problem,) = problems(whole(schedule(calendar='cron = "0 2 * * *"')))
    assert (problem.key, problem.line) == ("schedule.nightly.calendar.zone", 6)
    monkeypatch.setenv(zones.VARIABLE, str(tmp_path))
    said = only(refused(schedule()), "calendar.zone")
    assert "no zone rules" in said
    monkeypatch.delenv(zones.VARIABLE)
    assert draft().calendar is not None


@pytest.mark.parametrize(
    "zone", ["localtime", "posixrules", "Europe", "europe/rome", "/etc/localtime", "../x", "", "UTC "]
)
def test_what_is_no_zone(zone: str) -> None:
    assert only(refused(schedule(calendar=f'cron = "0 2 * * *"\nzone = "{zone}"')), "calendar.zone")


def test_damaged_zone_bytes_are_no_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zones, "rules", lambda name: b"TZif2 cut short")
    assert "'Europe/Rome' can't be used" in only(refused(schedule()), "calendar.zone")


@pytest.mark.rule("CAL-08")
def test_the_jitter_bound_stays_inside_the_window() -> None:
    windowed = 'class = "deadline_windowed"\nallowed_delay = "10m"'
    for bound in ("10m", "11m"):
        calendar = f'{CRON}\njitter = {{ mode = "deterministic", max = "{bound}" }}'
        assert "must be less than allowed_delay (10m)" in only(
            refused(schedule(windowed, calendar=calendar)), "calendar.jitter.max"
        )
    calendar = CRON + '\njitter = { mode = "deterministic", max = "599s" }'
    assert draft(windowed, calendar=calendar).calendar.jitter == Jitter("deterministic", 599 * instant.SECOND)


@pytest.mark.rule("CAL-08")
@pytest.mark.parametrize(
    ("jitter", "key", "word"),
    [
        ('{ mode = "random", max = "1m" }', "mode", "is not available in this version"),
        ('{ mode = "Deterministic", max = "1m" }', "mode", "must be 'none' or 'deterministic'"),
        ('{ mode = "deterministic" }', "max", "is required by"),
        ('{ mode = "deterministic", max = "0s" }', "max", "must be from 1s to 30d"),
        ('{ mode = "none", max = "1m" }', "max", "is refused with"),
        ('{ max = "1m" }', "mode", "is required here"),
        ('{ mode = "none", min = "1m" }', "min", "its keys are mode, max"),
    ],
)
def test_jitter_tables_that_are_refused(jitter: str, key: str, word: str) -> None:
    assert word in refused(schedule(calendar=f"{CRON}\njitter = {jitter}"))[f"schedule.nightly.calendar.jitter.{key}"]


@pytest.mark.rule("CAL-09")
@pytest.mark.parametrize(
    ("calendar", "key", "word"),
    [
        ("", "calendar", "says no calendar"),
        (CRON + "\n" + EVERY, "calendar.every", "cron and every exclude each other"),
        (EVERY + "\n" + AT, "calendar.at", "every and at exclude each other"),
        ('every = "5m"', "calendar.anchor", "is required by every"),
        (CRON + '\nanchor = "2026-01-01T00:00:00Z"', "calendar.anchor", "only every counts from an anchor"),
        ('zone = "UTC"\ncron = "0 0 30 2 *"', "calendar.cron", "never fires"),
        ('zone = "UTC"\ncron = "*/0 * * * *"', "calendar.cron", "step"),
        ('zone = "UTC"\ncron = "R * * * *"', "calendar.cron", "not understood"),
        ('zone = "UTC"\ncron = "@reboot"', "calendar.cron", "unknown"),
        ('zone = "UTC"\ncron = "99 * * * *"', "calendar.cron", "outside 0 to 59"),
        ('zone = "UTC"\ncron = 5', "calendar.cron", "must be a string in quotes, not 5"),
        ("at = []", "calendar.at", "lists no instant"),
        ('at = ["2026-12-01T02:00:00Z", 2026-12-01T03:00:00+01:00]', "calendar.at", "twice"),
        ('at = ["2026-12-01T02:00:00"]', "calendar.at.1", "needs an offset or Z"),
        ('at = "2026-12-01T02:00:00Z"', "calendar.at", "must be an array"),
        ('every = "0s"\nanchor = "2026-01-01T00:00:00Z"', "calendar.every", "must be from 1s"),
        (CRON + '\nzone_rules = "2026b"', "calendar.zone_rules", 'must be "keep", "host" or "sha256:"'),
        (EVERY + '\nzone_rules = "host"', "calendar.zone_rules", "no zone here"),
        (CRON + '\nfold = "first"', "calendar.fold", "must be 'earlier', 'later' or 'both', not 'first'"),
        (CRON + '\ncycle = "day"', "calendar.cycle", "must be 'time', 'date', 'week' or 'month', not 'day'"),
        (CRON + '\ngap = "shift"', "calendar.gap", "must be 'skip', 'advance' or 'fail', not 'shift'"),
    ],
)
def test_calendars_that_are_refused(calendar: str, key: str, word: str) -> None:
    assert word in only(refused(schedule(calendar=calendar)), key)


@pytest.mark.parametrize(
    "instant_",
    ['"2026-12-01T02:00:00.5Z"', "2026-12-01T02:00:00.000001Z", '"1969-12-31T23:59:59Z"', "2201-01-01T00:00:00Z"],
)
def test_instants_are_whole_seconds_of_1970_to_2200(instant_: str) -> None:
    for keys, calendar, key in (
        (f"from = {instant_}", CRON, "from"),
        ("", f'every = "5m"\nanchor = {instant_}', "calendar.anchor"),
        ("", f"at = [{instant_}]", "calendar.at.1"),
    ):
        said = only(refused(schedule(keys, calendar=calendar)), key)
        assert "whole second" in said or "1970 to 2200" in said


def test_cadences_as_the_core_reads_them() -> None:
    cron, every, at = (draft(calendar=calendar).calendar for calendar in (CRON, EVERY, AT))
    assert cron is not None and every is not None and at is not None
    assert isinstance(cron.cadence, Cron) and cron.cadence.text == "0 2 * * *"
    assert every.cadence == Every(3000, 1_796_115_600)
    assert at.cadence == At((1_796_079_600, 1_796_090_400))


@pytest.mark.rule("CAT-01")
def test_the_misfire_horizon_may_be_zero_and_never_unlimited() -> None:
    assert draft(recovery='misfire_horizon = "0s"').misfire_horizon_us == 0
    assert draft(recovery='misfire_horizon = "3650d"').misfire_horizon_us == 3650 * instant.DAY
    for word in ("unlimited", "infinity", "never"):
        said = only(refused(schedule(recovery=f'misfire_horizon = "{word}"')), "recovery.misfire_horizon")
        assert said.startswith("can't be unlimited")
    for value in ('"3651d"', '"-1s"', "0", '"1w"', '"999999999d"', "inf"):
        assert only(refused(schedule(recovery=f"misfire_horizon = {value}")), "recovery.misfire_horizon")


@pytest.mark.rule("WIN-05")
@pytest.mark.parametrize("key", ["admit_late", "late", "grace", "allow_late_start", "run_if_missed", "on_late"])
def test_no_key_asks_for_late_admission(key: str) -> None:
    for keys in (f"{key} = true", f'class = "deadline_windowed"\nallowed_delay = "1h"\n{key} = "1h"'):
        assert only(refused(schedule(keys)), key).startswith("is no key of this table")
    assert only(refused(schedule(recovery=f"{key} = true")), f"recovery.{key}").startswith("is no key of this table")
    assert refused(f"[policy]\n{key} = true")[f"policy.{key}"].startswith("is no key of this table")


LATER = [
    *((schedule(f"{key} = 1"), key) for key in words.SCHEDULE),
    *((schedule(calendar=f"{CRON}\n{key} = 1"), f"calendar.{key}") for key in words.CALENDAR),
    *((schedule(recovery=f"{key} = 1"), f"recovery.{key}") for key in words.RECOVERY),
    (schedule('class = "spare_capacity"'), "class"),
    *((schedule(f'overlap = "{word}"'), "overlap") for word in ("hold", "coalesce", "parallel", "replace")),
    *((schedule(recovery=f'catch_up = "{word}"'), "recovery.catch_up") for word in ("all",)),
    (schedule(calendar=None), "calendar"),
]


@pytest.mark.parametrize(("text", "key"), LATER)
def test_what_this_version_lacks_is_refused_by_name(text: str, key: str) -> None:
    said = only(refused(text), key)
    assert "is not available in this version: " in said


def test_the_refused_keys_are_all_those_of_the_format() -> None:
    assert set(words.SCHEDULE) == {
        "latest_start",
        "not_before",
        "finish_by",
        "priority",
        "estimate",
        "gate",
        "delegate",
        "max_parallel",
        "max_held",
        "budget",
    }
    assert set(words.CALENDAR) == set()
    assert set(words.RECOVERY) == {"max_age", "max_count", "max_concurrency", "budget"}
    assert set(words.PATTERN) == {"inputs"}
    assert set(words.BINDING) == {
        "needs",
        "effect",
        "cancel",
        "retries",
        "yields",
        "finish_proof",
        "callable",
        "inline",
        "guards",
    }
    assert set(words.POLICY) == {
        "catch_up_runs",
        "inbox",
        "hop_cap",
        "aging",
        "memory",
        "callables",
        "account",
        "capability",
        "quiet",
        "admit",
        "gate",
        "retention",
        "notify",
    }


@pytest.mark.parametrize("key", words.POLICY)
def test_policy_keys_of_later_versions(key: str) -> None:
    assert f"`{key}` is not available in this version: " in refused(f"[policy]\n{key} = 1")[f"policy.{key}"]


def test_rp_53_long_and_strange_names() -> None:
    for name in ("a", "a" * 63, "0", "a.b_c-d"):
        assert [s.name for s in accepted(schedule(name=name)).schedules] == [name]
    for name in (
        "",
        "a" * 64,
        "a" * 128,
        "a" * 300,
        " ",
        "   ",
        "..",
        ".",
        "-a",
        "_a",
        "Nightly",
        "nächtlich",
        "а",
        "a\\n",
        "a b",
        "'); DROP",
    ):
        (problem,) = problems(whole(schedule(name=name)))
        assert problem.message.startswith("must be 1 to 63 of a-z, 0-9")
    (problem,) = problems(whole(schedule(name="ops/nightly")))
    assert "write the authority apart" in problem.message
    (problem,) = problems(whole(schedule('authority = "ops/x"')))
    assert problem.key == "schedule.nightly.authority"


def test_rp_57_a_step_is_no_interval() -> None:
    made = draft(calendar=EVERY).calendar
    assert made is not None and isinstance(made.cadence, Every)
    fires = [made.cadence.anchor_s + n * made.cadence.every_s for n in range(5)]
    assert [instant.civil_text(s, seconds=False)[11:] for s in fires] == ["09:00", "09:50", "10:40", "11:30", "12:20"]


def test_rp_58_both_or_either() -> None:
    keys = 'times = ["00:00"]\ndates = [13]\ndays = ["fri"]\nzone = "UTC"\n'
    assert "is required" in only(refused(schedule(calendar=keys)), "calendar.day_match")
    for match, fires in (("both", 3), ("either", 61)):
        said = draft(calendar=f'{keys}day_match = "{match}"').calendar
        assert said is not None
        assert walk(said.cadence).count(utc("2025-12-31T23:59:59Z"), utc("2026-12-31T23:59:59Z")) == fires
    made = draft(calendar='cron = "0 0 13 * FRI"\nzone = "UTC"').calendar
    assert made is not None and isinstance(made.cadence, Cron)
    starts = [days_from_civil(2026, month, 1) for month in range(1, 13)] + [days_from_civil(2027, 1, 1)]
    days = [
        len(days_of(made.cadence, starts[month] - starts[month - 1], (starts[month - 1] + 4) % 7))
        for month in range(1, 13)
    ]
    assert sum(days) == 61


def test_labels_and_input() -> None:
    made = draft('labels = { x = "\'); DROP TABLE schedule; --" }\ninput = { b = 1, a = { d = [], c = "é" } }')
    assert json.loads(made.labels) == {"x": "'); DROP TABLE schedule; --"}
    assert made.input == '{"a":{"c":"é","d":[]},"b":1}'
    for keys, key in (
        ("labels = { x = 1 }", "labels.x"),
        ('labels = { "a b" = "x" }', "labels.a b"),
        ('labels = { x = "\\u001b" }', "labels.x"),
        ('labels = { x = "\\u202e" }', "labels.x"),
        ("labels = []", "labels"),
        ("input = 3", "input"),
        ("input = { at = 2026-01-01T00:00:00Z }", "input.at"),
        ("input = { a = [{ at = 2026-01-01T00:00:00Z }] }", "input.a.1.at"),
    ):
        assert only(refused(schedule(keys)), key)


@pytest.mark.parametrize(
    "value", ["3", "true", '"3 h"', '"3H"', '"1.5h"', '"-3h"', '""', '"0s"', '"3651d"', '"1000000000000s"', "{ h = 3 }"]
)
def test_durations(value: str) -> None:
    said = only(refused(schedule(f'class = "deadline_windowed"\nallowed_delay = {value}')), "allowed_delay")
    assert ("window is empty" in said) == (value == '"0s"')


def test_one_wrong_value_hides_no_other_problem() -> None:
    said = refused(
        schedule(
            'class = "deadline_windowed"\nfrom = "soon"\nlabels = { x = 1 }',
            calendar='cron = "99 * * * *"\nfold = "first"\nanchor = "x"\njitter = { mode = "random", max = 3 }',
            recovery="misfire_horizon = 3",
        )
    )
    assert set(said) == {
        f"schedule.nightly.{key}"
        for key in (
            "from",
            "allowed_delay",
            "labels.x",
            "calendar.cron",
            "calendar.zone",
            "calendar.fold",
            "calendar.anchor",
            "calendar.jitter.mode",
            "calendar.jitter.max",
            "recovery.misfire_horizon",
        )
    }


@pytest.mark.rule("CAL-09", "CAL-01")
def test_a_calendar_event_needs_its_zone_and_is_refused_where_it_stands() -> None:
    made = draft(calendar='oncalendar = "mon..FRI 9:0"\nzone = "Europe/Rome"\nfold = "both"').calendar
    assert made is not None
    assert made.cadence.canonical() == {"oncalendar": "Mon..Fri *-*-* 09:00:00"}
    assert "is required by oncalendar" in only(refused(schedule(calendar='oncalendar = "daily"')), "calendar.zone")
    said = refused(schedule(calendar='oncalendar = "*-04-31"\nzone = "UTC"'))
    assert "never fires" in only(said, "calendar.oncalendar")
    both = refused(schedule(calendar=f'{CRON}\noncalendar = "daily"'))
    assert "cron and oncalendar exclude each other" in only(both, "calendar.oncalendar")


@pytest.mark.rule("CAL-09", "CAL-01")
def test_a_calendar_in_keys() -> None:
    said = 'times = ["02:30"]\ndays = ["mon..fri"]\ndates = [-1, "12-24"]\nday_match = "both"\nzone = "UTC"'
    made = draft(calendar=said)
    assert made.calendar is not None
    assert made.calendar.cadence.canonical() == {
        "times": ["02:30"], "days": ["mon", "tue", "wed", "thu", "fri"], "dates": [-1, "12-24"], "day_match": "both",
    }  # fmt: skip
    for calendar, key, piece in (
        ('times = ["02:30"]', "zone", "is required by times"),
        ('times = []\nzone = "UTC"', "times", "must be an array"),
        ('times = ["2:30"]\nzone = "UTC"', "times", "is not understood"),
        ('times = ["02:30"]\ndays = ["x"]\nzone = "UTC"', "days", "is not understood"),
        ('times = ["02:30"]\ndates = [true]\nzone = "UTC"', "dates", "is not understood"),
        ('times = ["02:30"]\ndates = [1]\ndays = ["mon"]\nzone = "UTC"', "day_match", "is required by days with dates"),
        ('times = ["02:30"]\ndates = [1]\nday_match = "both"\nzone = "UTC"', "day_match", "both are not here"),
        (f'{CRON}\ndays = ["mon"]', "days", "cron says its days itself"),
        ('days = ["mon"]\nzone = "UTC"', "", "says no calendar"),
    ):
        assert piece in only(refused(schedule(calendar=calendar)), f"calendar.{key}".rstrip(".")), calendar


@pytest.mark.rule("CAL-10", "CAL-09")
def test_dates_that_are_left_out() -> None:
    dates = 'except = ["2027-01-02", "2026-12-24..2026-12-26", "2026-12-27", "2027-01-01"]'
    made = draft(calendar=f"{CRON}\n{dates}").calendar
    assert made is not None
    assert [date_range_text(*ends) for ends in made.excluded] == ["2026-12-24..2026-12-27", "2027-01-01..2027-01-02"]
    for value, piece in (
        ("[]", "must be an array of dates"),
        ('"2026-12-24"', "must be an array of dates"),
        ("[20261224]", "must be an array of dates"),
        ('["2026-02-30"]', "there is no date 2026-02-30"),
        ('["2026-12-24T02:00"]', "has a time of day"),
        ('["2026-12-26..2026-12-24"]', "runs backwards"),
        ('["1969-12-31"]', "outside the years 1970 to 2200"),
        ('["1970-01-01..2200-12-31"]', "leaves out every date there is"),
    ):
        assert piece in only(refused(schedule(calendar=f"{CRON}\nexcept = {value}")), "calendar.except"), value
    once = 'at = ["2026-12-24T23:30:00Z"]\nzone = "Europe/Rome"\nexcept = ["2026-12-2{}"]'
    assert draft(calendar=once.format(4)).calendar is not None
    assert "leaves out every date" in only(refused(schedule(calendar=once.format(5))), "calendar.except")
