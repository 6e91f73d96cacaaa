"""Half-open bounds: equality at an upper bound is late (WIN-01, WIN-06)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spellweaver.core.window import Window

INSTANTS = st.integers(0, 1000)


@pytest.mark.rule("WIN-01", "WIN-06")
@given(INSTANTS, INSTANTS, st.one_of(st.none(), INSTANTS), INSTANTS)
def test_open_means_at_or_after_the_first_bound_and_before_every_other(
    opens: int, latest: int, finish: int | None, at: int
) -> None:
    window = Window(opens, latest, finish)
    inside = opens <= at < latest and (finish is None or at < finish)
    assert inside == (window.opened(at) and window.closed_by(at) is None)
    assert window.closes_at == (latest if finish is None else min(latest, finish))
    assert (window.closed_by(at) is None) == (window.closes_at is not None and at < window.closes_at)


@pytest.mark.rule("WIN-06")
def test_the_bound_that_closed_it_is_named_and_a_finish_that_comes_first_counts() -> None:
    assert Window(0, 10, 5).closed_by(4) is None
    assert Window(0, 10, 5).closed_by(5) == "finish_by"
    assert Window(0, 10, 5).closed_by(10) == "latest_start"
    assert Window(0, 10, 20).closed_by(10) == "latest_start"


@pytest.mark.rule("CLS-05")
def test_without_bounds_it_never_closes_and_a_finish_needs_a_start() -> None:
    assert Window(7).closes_at is None
    assert Window(7).closed_by(10**18) is None and not Window(7).opened(6)
    with pytest.raises(AssertionError, match="CLS-05"):
        Window(7, None, 9)
