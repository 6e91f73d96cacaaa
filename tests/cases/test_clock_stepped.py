"""RP-21: the clock is set two hours forward and back; firing goes on by the right time, and nothing runs twice."""

from __future__ import annotations

import pytest

from tests.support.engine import draft, us
from tests.support.simulated import simulated, text


@pytest.mark.rule("WIN-11", "CAT-05")
def test_rp_21_a_wrong_clock_that_comes_right_while_it_settles_decides_nothing() -> None:
    seen = simulated(
        draft("probe", "* * * * *"), begin="2026-03-01T14:58:30Z", length="10m",
        steps=[("2026-03-01T15:00:30Z", "+2h"), ("2026-03-01T15:00:40Z", "-2h")],
    )  # fmt: skip
    due = [us(text(item["nominal_at"])) for item in seen.of("probe")]
    assert due == [
        us(f"2026-03-01T{hour}:{minute:02d}:00Z") for hour, minute in [(14, 59), *((15, m) for m in range(9))]
    ]
    assert {(item["state"], item["reason"]) for item in seen.of("probe")} == {("admitted", "foreground")}


@pytest.mark.rule("WIN-11", "CAT-05")
def test_rp_21_a_wrong_clock_that_was_believed_is_on_record_and_fires_nothing_again() -> None:
    seen = simulated(
        draft("probe", "* * * * *"), begin="2026-03-01T14:58:30Z", length="130m",
        steps=[("2026-03-01T15:00:30Z", "+2h"), ("2026-03-01T15:02:30Z", "-2h")],
    )  # fmt: skip
    firings = [item["firing"] for item in seen.of("probe")]
    assert len(firings) == len(set(firings))
    runs = [at for at, _ in seen.runs("probe")]
    assert us("2026-03-01T17:01:00Z") in runs, "by the wrong clock it was 17:01 once"
    assert runs.count(us("2026-03-01T17:01:00Z")) == 1
    recorded = seen.done.ledger.connection.execute("SELECT count(*) FROM event WHERE type = 'clock_stepped'").fetchone()
    assert recorded == (2,)
