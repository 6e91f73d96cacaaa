"""One pending Occurrence at one decision time: what is asked first, and what each answer leaves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spellweaver.core.admission import Admit, Decision, End, Facts, Wait, choose, decide
from spellweaver.core.instant import SECOND
from spellweaver.core.policy import ServiceClass
from spellweaver.core.window import Window

T = 1_000_000 * SECOND


def facts(
    occurrence: int = 1,
    *,
    schedule: int = 1,
    opens: int = T,
    closes: int | None = None,
    finish_by: int | None = None,
    reason: str = "not_yet",
    nominal: int = T,
    blockers: tuple[int, ...] = (),
    kept_back: tuple[tuple[int, int], ...] = (),
    bound: bool = True,
    stopped: bool = False,
) -> Facts:
    kind: ServiceClass = "foreground" if closes is None else "deadline_windowed"
    window = Window(opens, closes, finish_by)
    return Facts(occurrence, schedule, kind, window, reason, nominal, blockers, kept_back, bound, stopped)


def told(decision: Decision) -> tuple[str, str]:
    match decision:
        case Admit():
            return "admitted", decision.reason
        case Wait():
            return "pending", decision.reason
        case End():
            return decision.state, decision.reason


HOUR = 3600 * SECOND


@pytest.mark.rule("WIN-01", "WIN-05", "WIN-06")
@pytest.mark.parametrize(
    "at, finish_by, what",
    [
        (T - 1, None, ("pending", "not_yet")),
        (T, None, ("admitted", "window_open")),
        (T + HOUR - 1, None, ("admitted", "window_open")),
        (T + HOUR, None, ("missed", "latest_start")),
        (T + 9 * HOUR, None, ("missed", "latest_start")),
        (T + HOUR // 2 - 1, T + HOUR // 2, ("admitted", "window_open")),
        (T + HOUR // 2, T + HOUR // 2, ("missed", "finish_by")),
        (T + HOUR, T + HOUR // 2, ("missed", "latest_start")),
    ],
)
def test_a_window_is_half_open_and_a_bound_that_is_met_is_late(
    at: int, finish_by: int | None, what: tuple[str, str]
) -> None:
    assert told(decide(facts(closes=T + HOUR, finish_by=finish_by), at, free=4)) == what


@pytest.mark.rule("CLS-07")
def test_foreground_work_waits_for_its_due_instant_and_is_never_missed_by_time_alone() -> None:
    assert told(decide(facts(), T - 1, free=4)) == ("pending", "not_yet")
    assert told(decide(facts(), T, free=4)) == ("admitted", "foreground")
    assert told(decide(facts(), T + 10**6 * HOUR, free=4)) == ("admitted", "foreground")
    assert told(decide(facts(), T + 10**6 * HOUR, free=0)) == ("pending", "capacity")


@pytest.mark.rule("OVL-01")
def test_forbid_keeps_an_open_window_waiting_and_skips_what_has_none() -> None:
    waits = decide(facts(closes=T + HOUR, blockers=(7, 8)), T, free=4)
    assert isinstance(waits, Wait)
    assert (waits.reason, waits.wake_at, waits.blockers) == ("overlap", T + HOUR, (7, 8))
    skipped = decide(facts(blockers=(7,)), T, free=4)
    assert isinstance(skipped, End)
    assert (told(skipped), skipped.blockers) == (("skipped", "overlap"), (7,))
    assert told(decide(facts(closes=T + HOUR, blockers=(7,), reason="overlap"), T + HOUR, free=4)) == (
        "missed", "overlap",
    )  # fmt: skip


@pytest.mark.rule("OCC-18")
@pytest.mark.parametrize("last", ["overlap", "capacity", "stopped"])
def test_a_miss_names_the_last_obstacle_or_the_bound(last: str) -> None:
    assert told(decide(facts(closes=T + HOUR, reason=last), T + HOUR, free=0)) == ("missed", last)
    assert told(decide(facts(closes=T + HOUR), T + HOUR, free=0)) == ("missed", "latest_start")


@pytest.mark.rule("CAL-06")
def test_a_stopped_schedule_admits_nothing_and_its_windows_run() -> None:
    for closes in (None, T + HOUR):
        waits = decide(facts(closes=closes, stopped=True), T, free=4)
        assert isinstance(waits, Wait) and (waits.reason, waits.wake_at) == ("stopped", closes)


# the obstacles in the order of CAT-10, as far as this version has them
OBSTACLES = ["early", "closed", "stopped", "unbound", "blocked", "no worker"]
ANSWERS = {
    "early": ("pending", "not_yet"), "closed": ("missed", "latest_start"), "stopped": ("pending", "stopped"),
    "unbound": ("refused", "unavailable"), "blocked": ("pending", "overlap"), "no worker": ("pending", "capacity"),
}  # fmt: skip


@pytest.mark.rule("CAT-10")
@given(st.sets(st.sampled_from(OBSTACLES)).filter(lambda s: not {"early", "closed"} <= s))
def test_of_several_obstacles_the_first_in_order_is_the_reason(present: set[str]) -> None:
    at = T - 1 if "early" in present else T + HOUR if "closed" in present else T
    decision = decide(
        facts(
            closes=T + HOUR,
            stopped="stopped" in present,
            bound="unbound" not in present,
            blockers=(3,) if "blocked" in present else (),
        ),
        at,
        free=0 if "no worker" in present else 1,
    )
    first = next((o for o in OBSTACLES if o in present), None)
    assert told(decision) == (ANSWERS[first] if first else ("admitted", "window_open"))


@pytest.mark.rule("SEL-07", "OCC-16")
def test_workers_are_given_out_in_order_and_what_gets_none_holds_none() -> None:
    items = [facts(n, schedule=n, nominal=T + n) for n in range(1, 6)]
    assert [told(d) for d in choose(items, free=2, sample=lambda: T + HOUR)] == [
        ("admitted", "foreground"), ("admitted", "foreground"),
        ("pending", "capacity"), ("pending", "capacity"), ("pending", "capacity"),
    ]  # fmt: skip


@pytest.mark.rule("OVL-01")
def test_what_was_admitted_in_the_same_look_blocks_the_next_of_its_schedule() -> None:
    windowed = [facts(n, closes=T + HOUR, nominal=T + n) for n in (1, 2)]
    assert [told(d) for d in choose(windowed, free=4, sample=lambda: T)] == [
        ("admitted", "window_open"), ("pending", "overlap"),
    ]  # fmt: skip


@pytest.mark.rule("OVL-01")
def test_of_those_kept_back_by_capacity_without_a_window_only_the_newest_stays() -> None:
    items = [facts(n, nominal=T + n) for n in (1, 2, 3)]
    ends = [(d.occurrence, told(d)) for d in choose(items, free=0, sample=lambda: T + HOUR) if isinstance(d, End)]
    assert ends == [(1, ("skipped", "superseded")), (2, ("skipped", "superseded"))]
    earlier = facts(9, nominal=T + 9, kept_back=((T + 4, 4), (T + 9, 9)))
    ends = [(d.occurrence, told(d)) for d in choose([earlier], free=0, sample=lambda: T + HOUR) if isinstance(d, End)]
    assert ends == [(4, ("skipped", "superseded"))]


@pytest.mark.rule("OVL-01")
def test_one_that_jitter_made_due_later_is_still_the_older_firing() -> None:
    older = facts(1, nominal=T + 1, kept_back=((T + 5, 5),))
    ends = [(d.occurrence, told(d)) for d in choose([older], free=0, sample=lambda: T + HOUR) if isinstance(d, End)]
    assert ends == [(1, ("skipped", "superseded"))]


@pytest.mark.rule("OVL-01")
def test_windowed_ones_that_capacity_keeps_back_all_stay() -> None:
    items = [facts(n, closes=T + HOUR, nominal=T + n) for n in (1, 2, 3)]
    assert [told(d) for d in choose(items, free=0, sample=lambda: T)] == [("pending", "capacity")] * 3


@pytest.mark.rule("WIN-02", "WIN-03")
def test_each_item_is_decided_at_its_own_sample() -> None:
    samples = iter([T, T + HOUR - 1, T + HOUR, T + HOUR + 1])
    items = [facts(n, schedule=n, closes=T + HOUR) for n in range(1, 5)]
    decisions = choose(items, free=4, sample=lambda: next(samples))
    assert [(d.at - T - HOUR, told(d)[0]) for d in decisions] == [
        (-HOUR, "admitted"), (-1, "admitted"), (0, "missed"), (1, "missed"),
    ]  # fmt: skip


SCENES = st.lists(
    st.builds(
        facts,
        st.just(0),
        schedule=st.integers(1, 3),
        opens=st.integers(T - 3, T + 3),
        closes=st.one_of(st.none(), st.integers(T - 3, T + 5)),
        nominal=st.integers(T - 9, T),
        reason=st.sampled_from(["not_yet", "overlap", "capacity", "stopped"]),
        blockers=st.sampled_from([(), (), (4,)]),
        bound=st.booleans(),
        stopped=st.booleans(),
    ),
    max_size=8,
)


@pytest.mark.rule("WIN-01", "OVL-01", "SEL-07")
@given(SCENES, st.integers(0, 3), st.integers(T - 4, T + 6))
def test_whatever_is_admitted_is_in_its_window_unblocked_and_has_a_worker(
    items: list[Facts], free: int, now: int
) -> None:
    decisions = choose(items, free=free, sample=lambda: now)
    admitted = [d for d in decisions if isinstance(d, Admit)]
    assert len(admitted) <= free
    assert len({d.facts.schedule for d in admitted}) == len(admitted), "one of a Schedule"
    for d in admitted:
        assert d.facts.window.opens_at <= now
        assert d.facts.window.latest_start_at is None or now < d.facts.window.latest_start_at
        assert d.facts.bound and not d.facts.blockers and not d.facts.stopped
    own = [d for d in decisions if not (isinstance(d, End) and d.reason == "superseded")]
    for item, d in zip(items, own, strict=True):
        if item.window.opened(now) and item.window.closed_by(now):
            assert told(d)[0] == "missed", "at or past the bound, whatever else"


@given(SCENES, st.integers(0, 3), st.integers(T - 4, T + 6))
def test_the_decision_is_a_function_of_facts_time_and_capacity(items: list[Facts], free: int, now: int) -> None:
    assert choose(items, free=free, sample=lambda: now) == choose(items, free=free, sample=lambda: now)
