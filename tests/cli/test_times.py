"""How times are written."""

from __future__ import annotations

import pytest

from spellweaver.cli import times
from spellweaver.core import instant
from spellweaver.core import zone as zones
from spellweaver.manifest import zones as source

S, M, H, D = instant.SECOND, instant.MINUTE, instant.HOUR, instant.DAY


def zone(name: str) -> zones.Zone:
    return zones.parse(source.rules(name))


@pytest.mark.parametrize(
    ("at", "name", "said"),
    [
        ("2026-12-01T01:00:00Z", "Europe/Bratislava", "Tue 2026-12-01 02:00 CET"),
        ("2026-10-25T00:30:00Z", "Europe/Bratislava", "Sun 2026-10-25 02:30 CEST 1st"),
        ("2026-10-25T01:30:00Z", "Europe/Bratislava", "Sun 2026-10-25 02:30 CET 2nd"),
        ("2026-10-25T02:00:07Z", "Europe/Bratislava", "Sun 2026-10-25 03:00:07 CET"),
        ("2026-06-01T00:00:00Z", "Asia/Kolkata", "Mon 2026-06-01 05:30 IST"),
        ("2026-06-01T00:00:00Z", "America/Sao_Paulo", "Sun 2026-05-31 21:00 -03"),
    ],
)
def test_a_reading_carries_its_abbreviation_and_showing(at: str, name: str, said: str) -> None:
    assert times.reading(instant.parse(at), zone(name)) == said


def test_json_has_the_civil_reading_with_offset_and_fold() -> None:
    later = times.civil(instant.parse("2026-10-25T01:30:00Z"), zone("Europe/Bratislava"))
    assert later == {"civil": "2026-10-25T02:30:00", "offset": "+01:00", "fold": 1}
    assert times.civil(instant.parse("2026-10-25T00:30:00Z"), zone("Europe/Bratislava"))["fold"] == 0
    assert times.offset(-12_600) == "-03:30"
    assert times.offset(3_661) == "+01:01:01"


@pytest.mark.parametrize(
    ("us", "said"),
    [
        (0, "0s"), (1, "0ms"), (400_000, "400ms"), (S, "1s"), (42 * S + 1, "42s"), (M, "1min"),
        (27 * M + 3 * S, "27min 3s"),
        (4 * H + 27 * M + 59 * S, "4h 27min"), (H, "1h"), (D + 2 * H, "1d 2h"), (59 * D + H, "59d 1h"),
        (400 * D + H, "400d"),
    ],
)  # fmt: skip
def test_a_length_has_its_two_largest_units(us: int, said: str) -> None:
    assert times.length(us) == said


def test_relative_times_say_which_way() -> None:
    assert times.left(5 * H, 0) == "5h"
    assert times.left(0, 19 * H) == "19h ago"
    assert times.left(10, 20) == "now"


@pytest.mark.parametrize(
    ("us", "said"),
    [(0, "0s"), (1, "0.000001s"), (90_500_000, "1min 30.5s"), (D + 5, "1d 0.000005s"), (-S, "-1s"), (2 * D, "2d")],
)
def test_exact_rounds_nothing(us: int, said: str) -> None:
    assert times.exact(us) == said
