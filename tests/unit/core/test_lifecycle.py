"""The tables of states, as tables. That the database holds the same is tested in ledger/test_schema.py."""

from __future__ import annotations

import pytest

from spellweaver.core import lifecycle


@pytest.mark.rule("OCC-12")
def test_an_occurrence_is_pending_and_then_exactly_one_thing_for_ever() -> None:
    ends = ("admitted", "missed", "skipped", "refused", "coalesced")
    assert lifecycle.TRANSITIONS["occurrence"] == {"pending": ends, **dict.fromkeys(ends, ())}
    assert lifecycle.terminal("occurrence") == ends


@pytest.mark.rule("OVL-04")
def test_the_open_states_of_an_invocation_are_those_that_something_follows() -> None:
    assert lifecycle.open_states("invocation") == ("queued", "running", "suspended", "cancelling", "contained")
    assert set(lifecycle.terminal("invocation")) == {"completed", "failed", "cancelled", "timed_out"}


@pytest.mark.parametrize("machine", lifecycle.TRANSITIONS)
def test_every_state_can_be_reached_and_every_open_one_can_end(machine: str) -> None:
    table = lifecycle.TRANSITIONS[machine]
    first = next(iter(table))
    reached, new = {first}, {first}
    while new:
        new = {after for state in new for after in table[state]} - reached
        reached |= new
    assert reached >= set(table) - {"held"}
    ends = set(lifecycle.terminal(machine))
    for state in lifecycle.open_states(machine):
        seen, new = {state}, {state}
        while new and not seen & ends:
            new = {after for one in new for after in table[one]} - seen
            seen |= new
        assert seen & ends, f"{machine} {state} never ends"


@pytest.mark.rule("OCC-18")
def test_every_state_has_reasons_and_none_is_empty() -> None:
    for machine, reasons in lifecycle.REASONS.items():
        assert set(reasons) == set(lifecycle.TRANSITIONS[machine])
        assert all(words and all(words) and len(set(words)) == len(words) for words in reasons.values())
    obstacles = set(lifecycle.REASONS["occurrence"]["pending"]) - {"not_yet", "quiet_window"}
    assert obstacles <= set(lifecycle.REASONS["occurrence"]["missed"]), "an obstacle can be the last one"
