"""What each sighting makes of an Invocation, in every state that it can be in."""

from __future__ import annotations

from itertools import product

import pytest

from spellweaver.core import lifecycle, settlement
from spellweaver.core.identity import AttemptId
from spellweaver.core.launch import Contained, Ended, Identity, Lost, NeverStarted, Sighting, Started
from spellweaver.core.settlement import Verdict

A = AttemptId(1)
WHO = Identity(1, 2, "boot", 3)
SIGHTINGS: list[Sighting] = [
    Started(A, WHO, WHO), Contained(A, "escaped", "x"), Lost(A, "other_boot"),
    NeverStarted(A, "gate"), NeverStarted(A, "exec", 2), NeverStarted(A, "spawn", 11),
    *(Ended(A, "exited", code=c) for c in (0, 1, 65, 75)),
    Ended(A, "signalled", signal=9), Ended(A, "timed_out", signal=15), Ended(A, "timed_out", code=0),
]  # fmt: skip


def settle(
    seen: Sighting, *, contained: bool = False, ground: str | None = None, success: tuple[int, ...] = (0,)
) -> Verdict:
    return settlement.settle(seen, contained=contained, ground=ground, success=success)


def outcome(seen: Sighting, **how: object) -> tuple[str, str]:
    verdict = settle(seen, **how)
    return verdict.invocation, verdict.reason


@pytest.mark.parametrize(
    "seen, success, what",
    [
        (Ended(A, "exited", code=0), (0,), ("completed", "none")),
        (Ended(A, "exited", code=3), (0,), ("failed", "exit")),
        (Ended(A, "exited", code=3), (0, 3), ("completed", "none")),
        (Ended(A, "exited", code=0), (3,), ("failed", "exit")),
        (Ended(A, "exited", code=75), (0,), ("failed", "upstream")),
        (Ended(A, "exited", code=65), (0,), ("failed", "guard")),
        (Ended(A, "exited", code=75), (75,), ("completed", "none")),
        (Ended(A, "signalled", signal=9), (0,), ("failed", "signal")),
        (Ended(A, "timed_out", signal=9), (0,), ("timed_out", "timeout")),
        (Ended(A, "timed_out", code=0), (0,), ("timed_out", "timeout")),
        (NeverStarted(A, "exec", 2), (0,), ("failed", "unavailable")),
        (Lost(A, "other_boot"), (0,), ("failed", "lost")),
    ],
)
def test_the_exit_status_is_the_outcome(seen: Sighting, success: tuple[int, ...], what: tuple[str, str]) -> None:
    assert outcome(seen, success=success) == what


def test_rp_50_output_plays_no_part() -> None:
    for output, dropped in product((0, 10**9), repeat=2):
        seen = Ended(A, "exited", code=0, output_bytes=output, dropped_bytes=dropped)
        assert outcome(seen) == ("completed", "none")


@pytest.mark.parametrize("ground", ["operator", "shutdown"])
def test_what_was_asked_to_cancel_ends_cancelled_with_that_ground_unless_it_was_done(ground: str) -> None:
    for seen in SIGHTINGS:
        if not isinstance(seen, Started | Contained):
            done = isinstance(seen, Ended) and seen.state == "exited" and seen.code == 0
            for contained in (False, True):
                expected = ("completed", "none") if done else ("cancelled", ground)
                assert outcome(seen, ground=ground, contained=contained) == expected, seen
    assert outcome(SIGHTINGS[0], ground=ground) == ("cancelling", ground)


@pytest.mark.rule("OCC-08")
def test_only_what_never_passed_its_gate_is_offered_again() -> None:
    for seen, contained, ground in product(SIGHTINGS, (False, True), (None, "operator")):
        again = settle(seen, contained=contained, ground=ground).delivery == "pending"
        assert again == (seen == NeverStarted(A, "gate") and not contained and ground is None)


@pytest.mark.rule("OVL-02")
def test_what_is_not_proved_gone_stays_open() -> None:
    for ground, contained in product((None, "operator"), (False, True)):
        verdict = settle(Contained(A, "shim_killed", "x"), ground=ground, contained=contained)
        assert verdict == Verdict("contained", "contained", "settling", "claimed")


@pytest.mark.rule("OCC-12", "OCC-18")
def test_every_verdict_is_a_move_and_a_reason_of_the_tables() -> None:
    states = ("queued", "running", "cancelling", "contained")
    for seen, before, ground in product(SIGHTINGS, states, (None, "operator")):
        if (before == "cancelling") != (ground is not None) and before != "contained":
            continue
        if isinstance(seen, Started) and before == "contained":
            continue  # a start is seen once, before anything else
        verdict = settle(seen, contained=before == "contained", ground=ground)
        after = lifecycle.TRANSITIONS["invocation"][before]
        assert verdict.invocation == before or verdict.invocation in after, (seen, before)
        assert verdict.reason in lifecycle.REASONS["invocation"][verdict.invocation]
        assert verdict.attempt in lifecycle.TRANSITIONS["attempt"]["launching"]
        settled = verdict.invocation in lifecycle.terminal("invocation")
        assert (verdict.delivery == "settled") == settled
