"""Cadences as operators write them."""

from __future__ import annotations

import pytest

from spellweaver.core import grammar
from spellweaver.core.cadence import Cadence, cadence
from spellweaver.core.grammar import LAST_S, At, BadCadence, Every, parse_cron
from spellweaver.core.oncalendar import parse_oncalendar
from spellweaver.core.structured import structured


def refused(text: str) -> str:
    with pytest.raises(BadCadence) as caught:
        parse_cron(text)
    return str(caught.value)


def test_a_cron_text_is_normal_and_names_the_expression() -> None:
    cron = parse_cron("  */15\t2 * jan  mon-fri ")
    assert cron.text == "*/15 2 * JAN MON-FRI"
    assert cron == parse_cron("*/15 2 * JAN MON-FRI")
    assert hash(cron) == hash(parse_cron("*/15 2 * JAN MON-FRI"))
    assert cron.seconds_of_day == (7200, 8100, 9000, 9900)
    assert (cron.months, cron.has_seconds, cron.either) == ((1,), False, False)


def test_six_fields_begin_with_seconds() -> None:
    cron = parse_cron("30 0 2 * * *")
    assert cron.has_seconds
    assert cron.seconds_of_day == (7230,)


def test_macros_are_spelled_out() -> None:
    assert parse_cron("@Weekly") == parse_cron("0 0 * * 0")


@pytest.mark.parametrize(
    ("text", "week_days"),
    [
        ("* * * * 5-7", "056"), ("* * * * SAT-MON", "016"), ("* * * * 6-1/2", "16"), ("* * * * 3/2", "35"),
        ("* * * * 7/3", "036"), ("* * * * */3", "036"), ("* * * * 0-7", "0123456"),
    ],
)  # fmt: skip
def test_weekdays_go_round(text: str, week_days: str) -> None:
    assert "".join(parse_cron(text).week_days) == week_days


@pytest.mark.parametrize(
    ("text", "either"),
    [("0 0 13 * 5", True), ("0 0 */2 * 5", False), ("0 0 13 * *", False), ("0 0 ? * 5", False), ("0 0 1-31 * 5", True)],
)
def test_both_day_fields_restricted_is_the_either_rule(text: str, either: bool) -> None:
    assert parse_cron(text).either is either


@pytest.mark.parametrize(
    ("element", "length", "first_weekday", "days"),
    [
        ("L", 28, 0, (28,)), ("L-30", 30, 0, ()), ("31", 30, 0, ()), ("31W", 30, 0, ()),
        ("1W", 31, 6, (3,)),  # Saturday the 1st: Monday the 3rd, never the month before
        ("1W", 31, 0, (2,)), ("15W", 31, 0, (16,)), ("14W", 31, 0, (13,)),
        ("LW", 30, 6, (28,)),  # Sunday the 30th: Friday the 28th, never the next month
        ("L-1W", 31, 0, (30,)),
    ],
)  # fmt: skip
def test_day_elements(element: str, length: int, first_weekday: int, days: tuple[int, ...]) -> None:
    assert grammar.days_of(parse_cron(f"0 0 {element} 1,4,7 *"), length, first_weekday) == days


@pytest.mark.rule("CAL-09")
@pytest.mark.parametrize(
    ("text", "piece"),
    [
        ("0 0 30 2 *", "never fires"),
        ("0 0 31 4,6,9,11 *", "never fires"),
        ("CRON_TZ=UTC 0 0 * * *", "zone"),
        ("H * * * *", "jitter"),
        ("61 * * * *", "minute '61' is outside 0 to 59"),
        ("0 0 * *", "4 fields"),
        ("0 22-3 * * *", "runs backwards"),
        ("0 0 ? * ?", "both day fields"),
        ("@reboot", "@yearly"),
        ("", "0 fields"),
        ("0 0 * * FRI#6", "1 to 5"),
        ("0 \u0661 * * *", "ASCII"),
        ("0 0 " + "9" * 400 + " * *", "outside 1 to 31"),
    ],
)
def test_refusals_say_where_and_why(text: str, piece: str) -> None:
    assert piece in refused(text)


@pytest.mark.rule("CAL-01")
def test_every_needs_a_declared_anchor() -> None:
    with pytest.raises(BadCadence, match="needs an anchor"):
        grammar.every(900, None)


@pytest.mark.rule("CAL-09")
@pytest.mark.parametrize(("every_s", "anchor_s"), [(0, 0), (-60, 0), (60, -1), (60, LAST_S + 1)])
def test_every_refuses_what_can_not_be(every_s: int, anchor_s: int) -> None:
    with pytest.raises(BadCadence):
        grammar.every(every_s, anchor_s)
    assert grammar.every(60, LAST_S) == Every(60, LAST_S)


@pytest.mark.rule("CAL-09")
@pytest.mark.parametrize("instants_s", [[], [5, 5], [-1], [LAST_S + 1]])
def test_at_refuses_what_can_not_be(instants_s: list[int]) -> None:
    with pytest.raises(BadCadence):
        grammar.at(instants_s)
    assert grammar.at([9, 5]) == At((5, 9))


@pytest.mark.parametrize(
    "made",
    [
        parse_cron("0 30 2 L * *"),
        grammar.every(90, 30),
        grammar.at([7, 3]),
        parse_oncalendar("Mon *-*~7/1 2:30"),
        structured(times=["14:00", "02:30:05"]),
        structured(times=["02:30"], days=["fri", "mon..tue"], dates=[-1, "02-29", 9], day_match="either"),
    ],
)
def test_canonical_form_reads_back(made: Cadence) -> None:
    assert cadence(made.canonical()) == made


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"cron": 5},
        {"oncalendar": []},
        {"times": []},
        {"times": ["2:30"]},
        {"times": ["02:30:00"]},
        {"times": "02:30"},
        {"times": ["02:30"], "cron": "@daily"},
        {"every_s": 60},
        {"cron": "@daily", "at_s": [1]},
        {"at_s": ["1"]},
        {"at_s": 5},
    ],
)
def test_other_bodies_are_no_cadence(body: dict[str, object]) -> None:
    with pytest.raises(BadCadence, match="not a cadence|times is empty|not understood"):
        cadence(body)
