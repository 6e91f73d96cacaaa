"""systemd's calendar events as operators write them."""

from __future__ import annotations

import pytest

from spellweaver.core.grammar import BadCadence
from spellweaver.core.oncalendar import WORDS, parse_oncalendar
from spellweaver.core.search import search
from tests.support.calendars import calendar, due, utc


@pytest.mark.rule("CAL-09", "CUT-03")
@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("daily", "*-*-* 00:00:00"),
        ("  Mon-Wed\t5:00 ", "Mon..Wed *-*-* 05:00:00"),
        ("sunday,saturday, *:7", "Sat,Sun *-*-* *:07:00"),
        ("Mon..Sun 1:2:3", "*-*-* 01:02:03"),
        ("70..72-1~3,1", "1970..1972-01~01,03 00:00:00"),
        ("*-*-1..10/4 12..13/9:00", "*-*-01..09/4 12:00:00"),
        ("5:6,7,7,6", "*-*-* 05:06,07:00"),
        ("*:*:*", "*-*-* *:*:*"),
        ("Semi-Annually", "*-01,07-01 00:00:00"),
        ("*-*~* 0:0", "*-*-* 00:00:00"),
    ],
)
def test_a_text_is_kept_in_normal_form(written: str, normal: str) -> None:
    made = parse_oncalendar(written)
    assert made.text == normal
    assert made == parse_oncalendar(normal)
    assert hash(made) == hash(parse_oncalendar(normal))


def test_every_word_has_its_firings() -> None:
    for word in WORDS:
        assert due(calendar(parse_oncalendar(word)), "2026-12-01T00:00:00Z", "2028-12-31T00:00:00Z"), word
    assert due(calendar(parse_oncalendar("quarterly")), "2026-01-01T00:00:00Z", "2026-12-31T00:00:00Z") == [
        "2026-04-01T00:00:00Z", "2026-07-01T00:00:00Z", "2026-10-01T00:00:00Z",
    ]  # fmt: skip


@pytest.mark.rule("CAL-09")
@pytest.mark.parametrize(
    ("text", "piece"),
    [
        ("10:00 Europe/Bratislava", "take 'Europe/Bratislava' out and give it as zone"),
        ("daily UTC", "take 'UTC' out and give it as zone"),
        ("10:00:00.5", "has a fraction"),
        ("*:*/5", "write 0/5"),
        ("*:50/15", "leave the step out"),
        ("*-*~5/9", "leave the step out"),
        ("@1700000000", "write it as at = "),
        ("Fri..Mon 10:00", "runs backwards"),
        ("22..6:00", "runs backwards"),
        ("Mond 10:00", "not a weekday"),
        ("10", "write [year-]month-day"),
        ("10:00 2026-01-01", "'2026-01-01' too many"),
        ("2200-01-01", "outside 1970 to 2199"),
        ("*-*~29", "outside 1 to 28"),
        ("10:60", "outside 0 to 59"),
        ("2023-02-29", "never fires: no year that it names"),
        ("Mon 2026-12-01", "never fires"),
        ("*:" + ",".join(["5"] * 241), "lists more than 240"),
        ("１０:00", "ASCII"),
    ],
)
def test_what_is_refused_is_told_with_the_way_out(text: str, piece: str) -> None:
    with pytest.raises(BadCadence) as refused:
        parse_oncalendar(text)
    assert piece in str(refused.value)


@pytest.mark.rule("OCC-02")
def test_a_firing_is_named_to_the_second_where_seconds_are_said() -> None:
    for text, key in (("2:30", "c1:2026-12-02T02:30"), ("2:30:15", "c1:2026-12-02T02:30:15")):
        made = calendar(parse_oncalendar(text))
        found = made.first(utc("2026-12-02T00:00:00Z"))
        assert found is not None
        assert made.key(found, 1) == key


@pytest.mark.rule("CAL-11")
def test_named_years_bound_the_search() -> None:
    made = search(parse_oncalendar("2028,2032..2036/4-02-29 12:00"))
    years = [utc(f"{year}-02-29T12:00:00Z") for year in (2028, 2032, 2036)]
    begin, end = utc("1950-01-01T00:00:00Z"), utc("2200-12-31T00:00:00Z")
    assert list(made.seconds(begin, end)) == years
    assert made.first(years[0] + 1, end) == years[1]
    assert made.first(years[2] + 1, end) is None
    assert made.last(begin, years[1]) == years[0]
    assert made.last(begin, years[0]) is None
    assert made.count(begin, end) == 3
    assert made.count(years[0] + 1, end) == 2
