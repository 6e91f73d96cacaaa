"""Kinds of the commands that act on Schedules and on what runs."""

from __future__ import annotations

from spellweaver.cli.kinds.notation import Kind, instant, integer, optional, record, text, truth, word
from spellweaver.core import lifecycle

_STATE = word(*lifecycle.TRANSITIONS["invocation"])
_ACT = record(invocation=text(), before=_STATE, after=_STATE, dry_run=truth())

KINDS = {
    "cancel": Kind(_ACT),
    "resolve": Kind(_ACT),
    "retire": Kind(
        record(schedule=text(), status=word("retired", "unchanged"), skipped=integer(), dry_run=truth())
    ),
    "occurrence_skip": Kind(
        record(
            occurrence=text(),
            before=word(*lifecycle.REASONS["occurrence"]["pending"]),
            state=word("skipped"),
            reason=word("operator"),
            dry_run=truth(),
        )
    ),
    "pause": Kind(
        record(
            schedule=text(),
            status=word("paused", "changed", "unchanged"),
            begins_at=instant(),
            until_at=optional(instant()),
            why=text(),
            dry_run=truth(),
        )
    ),
    "resume": Kind(
        record(schedule=text(), status=word("resumed", "unchanged"), next_at=optional(instant()), dry_run=truth())
    ),
    "trigger": Kind(
        record(
            schedule=text(), source=text(), event_id=text(), firing=text(), status=word("new", "known"),
            occurrence=text(), revision=integer(), state=word(*lifecycle.TRANSITIONS["occurrence"]), reason=text(),
            invocation=optional(text()), invocation_state=optional(_STATE),
        )  # fmt: skip
    ),
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
