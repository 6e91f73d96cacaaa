"""Kinds of the commands that act on what runs."""

from __future__ import annotations

from spellweaver.cli.kinds.notation import Kind, instant, integer, optional, record, text, truth, word
from spellweaver.core import lifecycle

_STATE = word(*lifecycle.TRANSITIONS["invocation"])
_ACT = record(invocation=text(), before=_STATE, after=_STATE, dry_run=truth())

KINDS = {
    "cancel": Kind(_ACT),
    "resolve": Kind(_ACT),
    "tick": Kind(
        record(
            schedules=integer(),
            decided=integer(),
            admitted=integer(),
            started=integer(),
            next_wake_at=optional(instant()),
        )
    ),
}
