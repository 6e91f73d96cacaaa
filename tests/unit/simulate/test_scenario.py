"""What a scenario may say."""

from __future__ import annotations

import pytest

from spellweaver.errors import Usage
from spellweaver.simulate.scenario import Outage
from tests.support.engine import us
from tests.support.simulated import scenario

DAY = "2026-03-01T00:00:00Z"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("empty_span", {"length": "0s"}),
        ("span_too_long", {"length": "100000d"}),
        ("empty_outage", {"outages": [("2026-03-01T02:00:00Z", "2026-03-01T02:00:00Z")]}),
        ("empty_outage", {"outages": [("2026-03-01T02:00:00Z", "2026-03-01T01:00:00Z")]}),
        ("outside_span", {"outages": [("2026-02-28T23:00:00Z", "2026-03-01T01:00:00Z")]}),
        ("outside_span", {"outages": [("2026-03-02T00:00:00Z", "2026-03-02T01:00:00Z")]}),
        ("outside_span", {"steps": [("2026-03-02T00:00:00Z", "+1h")]}),
        ("clock_out_of_range", {"steps": [("2026-03-01T01:00:00Z", "-25000d")]}),
        ("clock_out_of_range", {"steps": [("2026-03-01T01:00:00Z", "+70000d")]}),
    ],
)
def test_what_could_not_happen_is_refused(code: str, said: dict[str, object]) -> None:
    with pytest.raises(Usage) as refused:
        scenario(DAY, **{"length": "1d", **said})
    assert refused.value.code == code


def test_outages_that_touch_are_one() -> None:
    def at(hour: int) -> str:
        return f"2026-03-01T{hour:02d}:00:00Z"

    outages = [(at(a), at(b)) for a, b in ((9, 10), (1, 3), (3, 4), (2, 3), (5, 6))]
    said = scenario(DAY, "1d", outages=outages)
    merged = [(1, 4), (5, 6), (9, 10)]
    assert said.merged_outages() == tuple(Outage(us(at(a)), us(at(b))) for a, b in merged)
