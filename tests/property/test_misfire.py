"""What the counting judge says of every firing is what a judge says who reads the rules firing by firing."""

from __future__ import annotations

import os
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spellweaver.core import instant, misfire
from spellweaver.core.grammar import Every
from spellweaver.core.line import Candidate
from spellweaver.core.misfire import Drop, Keep, Offer, Settle, Stretch, Waiting
from spellweaver.core.policy import FOLDS, GAPS
from spellweaver.core.schedule import Jitter
from spellweaver.core.terms import Terms
from spellweaver.core.window import Window
from tests.support.calendars import calendar
from tests.support.judge import Firing, Pending, verdicts

EXAMPLES = int(os.environ.get("SPELLWEAVER_EXAMPLES", "300"))
S = instant.SECOND
# around the clock changes of Bratislava 2026, and a plain day
STARTS_S = (1_774_742_400, 1_792_886_400, 1_767_225_600)
CADENCES = ("*/5 * * * *", "0,30 * * * *", "*/20 1-3 * * *", "7 * * * *", "0 2 * * *")


@dataclass(frozen=True)
class Scene:
    stretches: list[Stretch]
    waiting: list[Waiting]
    now: int
    allowance: int


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    begin_s = draw(st.sampled_from(STARTS_S)) + draw(st.integers(0, 7200))
    spans = draw(st.lists(st.integers(0, 4 * 3600), min_size=1, max_size=3).filter(lambda all_: sum(all_) > 1800))
    fold, gap = draw(st.sampled_from(FOLDS)), draw(st.sampled_from(GAPS))
    cadence = draw(st.one_of(st.sampled_from(CADENCES), st.builds(Every, st.sampled_from((60, 300, 777)), st.just(0))))
    made = calendar(cadence, "Europe/Bratislava", fold=fold, gap=gap)
    stretches, after_s = [], begin_s
    for number, span in enumerate(spans, 1):
        delay_s = draw(st.one_of(st.none(), st.integers(1, 3600), st.integers(1, 4 * 3600)))
        spread = draw(st.one_of(st.just(0), st.just(0), st.integers(1, 3 * 3600 * S)))
        if delay_s is not None:
            spread = min(spread, delay_s * S - 1)  # CAL-08: a bound at or over the window is refused
        jitter = Jitter("deterministic", spread) if spread else Jitter()
        horizon = draw(st.one_of(st.just(0), st.integers(0, 3600 * S), st.integers(0, 6 * 3600 * S)))
        terms = Terms(number, 1, "local/s", made, jitter, delay_s * S if delay_s else None, horizon)
        stretches.append(Stretch(after_s, after_s + span, terms))
        after_s += span
    now = after_s * S + draw(st.integers(0, S - 1))
    if draw(st.booleans()):  # equality at a bound is where the faults are
        now = after_s * S
    allowance = draw(st.one_of(st.just(S), st.just(S), st.integers(0, 2 * 3600 * S)))
    waiting, at = [], begin_s * S
    for occurrence in range(1, 1 + draw(st.integers(0, 4))):
        at -= draw(st.integers(1, 3600 * S))
        due = at + draw(st.one_of(st.just(0), st.integers(0, 6 * 3600 * S)))
        closes = draw(st.one_of(st.none(), st.integers(1, 8 * 3600 * S)))
        window = Window(due, None if closes is None else due + closes)
        waiting.append(Waiting(occurrence, window, draw(st.integers(0, 6 * 3600 * S)), draw(st.booleans())))
    return Scene(stretches, list(reversed(waiting)), now, allowance)


def by_rule(scene: Scene) -> tuple[dict[tuple[int, int, int], str], dict[int, str]]:
    firings = [
        Firing(
            (part.terms.revision, found.instant_s, found.civil_s), found.fate, found.instant_s * S,
            part.terms.due_at(found), part.terms.allowed_delay_us, part.terms.horizon_us,
        )
        for part in scene.stretches for found in part.terms.calendar.walk(part.after_s, part.until_s)
    ]  # fmt: skip
    pending = [
        Pending(w.occurrence, w.window.opens_at, w.window.latest_start_at, w.horizon_us, not w.unjudged)
        for w in scene.waiting
    ]
    return verdicts(firings, pending, now=scene.now, allowance=scene.allowance)


def by_product(scene: Scene) -> tuple[dict[tuple[int, int, int], str], dict[int, str]]:
    said: dict[tuple[int, int, int], str] = {}
    waits = {w.occurrence: "stays" for w in scene.waiting}

    def say(terms: Terms, found: Candidate, what: str) -> None:
        key = terms.revision, found.instant_s, found.civil_s
        assert key not in said, f"{key} has two fates"
        said[key] = what

    for fate in misfire.judge(scene.stretches, scene.waiting, now=scene.now, allowance_us=scene.allowance):
        match fate:
            case Offer():
                assert fate.due_at == fate.terms.due_at(fate.found) and fate.late_us == scene.now - fate.due_at
                say(fate.terms, fate.found, f"offer {fate.mode}")
            case Settle():
                inside = misfire.members(fate)
                assert len(inside) == fate.count, "a range counts what it stands for"
                assert (inside[0], inside[-1]) == (fate.first, fate.last)
                for found in inside:
                    say(fate.terms, found, f"{fate.state} {fate.reason}")
            case Drop():
                assert waits[fate.occurrence] == "stays"
                waits[fate.occurrence] = f"{fate.state} {fate.reason}"
            case Keep():
                assert waits[fate.occurrence] == "stays"
                waits[fate.occurrence] = "caught up"
    return said, waits


@pytest.mark.rule("CAT-01", "CAT-02", "CAT-08")
@given(scenes())
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_firing_has_the_fate_that_the_rules_give_it(scene: Scene) -> None:
    expected, found = by_rule(scene), by_product(scene)
    assert found[0] == expected[0]
    assert found[1] == expected[1]


@pytest.mark.rule("OCC-13")
@given(scenes())
@settings(max_examples=EXAMPLES // 3, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_neighbours_of_one_fate_are_told_together_and_never_over_a_revision(scene: Scene) -> None:
    fates = misfire.judge(scene.stretches, scene.waiting, now=scene.now, allowance_us=scene.allowance)
    settled = [fate for fate in fates if isinstance(fate, Settle)]
    for before, after in zip(fates, fates[1:], strict=False):
        if isinstance(before, Settle) and isinstance(after, Settle):
            shared = [(one.terms.revision, one.state, one.reason) for one in (before, after)]
            assert shared[0] != shared[1], "two ranges where one would do"
    for one in settled:
        part = next(p for p in scene.stretches if p.terms is one.terms)
        assert part.after_s < one.first.instant_s <= one.last.instant_s <= part.until_s


@pytest.mark.rule("CAT-02")
@given(scenes())
@settings(max_examples=EXAMPLES // 3, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_one_missed_firing_at_most_is_offered_and_looking_again_finds_nothing(scene: Scene) -> None:
    fates = misfire.judge(scene.stretches, scene.waiting, now=scene.now, allowance_us=scene.allowance)
    caught_up = [f for f in fates if isinstance(f, Keep) or (isinstance(f, Offer) and f.mode == "catch_up")]
    assert len(caught_up) <= 1
    gone = {f.occurrence for f in fates if isinstance(f, Drop)}
    kept = {f.occurrence for f in fates if isinstance(f, Keep)}
    left = [
        Waiting(w.occurrence, w.window, w.horizon_us, w.unjudged and w.occurrence not in kept)
        for w in scene.waiting if w.occurrence not in gone
    ]  # fmt: skip
    assert misfire.judge([], left, now=scene.now, allowance_us=scene.allowance) == []
