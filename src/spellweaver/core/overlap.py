"""Overlap ``forbid``: any Invocation of the Schedule that is not terminal keeps a later one out (OVL-01, ruling 1).

An Occurrence with an open window waits for the blocker; one without a window is skipped at once.
"""

from __future__ import annotations

from typing import Literal

from spellweaver.core.window import Window


def forbid(window: Window, *, blocked: bool) -> Literal["free", "wait", "skip"]:
    """What an Occurrence does whose window is open now."""
    if not blocked:
        return "free"
    return "wait" if window.closes_at is not None else "skip"
