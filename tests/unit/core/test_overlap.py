"""The forbid row of OVL-01."""

from __future__ import annotations

import pytest

from spellweaver.core import overlap
from spellweaver.core.window import Window


@pytest.mark.rule("OVL-01")
@pytest.mark.parametrize(
    "window, blocked, answer",
    [
        (Window(0), False, "free"), (Window(0), True, "skip"),
        (Window(0, 9), False, "free"), (Window(0, 9), True, "wait"), (Window(0, 9, 5), True, "wait"),
    ],
)  # fmt: skip
def test_a_window_waits_and_what_has_none_is_skipped(window: Window, blocked: bool, answer: str) -> None:
    assert overlap.forbid(window, blocked=blocked) == answer
