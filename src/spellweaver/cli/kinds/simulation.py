"""The kind of ``simulate``: firings as ``occurrence list`` has them, with their runs, and a summary."""

from __future__ import annotations

from spellweaver.cli.kinds.notation import Kind, array, instant, integer, optional, record, text, word
from spellweaver.core.lifecycle import REASONS

_RUN_STATES = tuple(REASONS["invocation"])
_STATES = tuple(REASONS["occurrence"])
_REASONS = tuple(sorted({reason for reasons in REASONS["occurrence"].values() for reason in reasons}))
_RUN_REASONS = tuple(sorted({reason for reasons in REASONS["invocation"].values() for reason in reasons}))

KINDS = {
    "simulate": Kind(
        record(
            id=optional(text()), schedule=text(), revision=integer(), firing=text(), nominal_at=instant(), civil=text(),
            zone=optional(text()), offset=optional(text()), fold=optional(integer()), due_at=optional(instant()),
            mode=optional(word("live", "catch_up", "backfill")), state=word(*_STATES), reason=word(*_REASONS),
            class_requested=text(), class_=text(), origin=word("operator", "schedule", "agent", "peer"),
            not_before=optional(instant()), latest_start_at=optional(instant()), finish_by=optional(instant()),
            decided_at=optional(instant()), invocation=optional(text()), carrier=optional(text()),
            blockers=array(text()), first=optional(text()), last=optional(text()), last_at=optional(instant()),
            count=optional(integer()),
            started_at=optional(instant()), ended_at=optional(instant()),
            outcome=word(*dict.fromkeys((*_STATES, *_RUN_STATES))),
            outcome_reason=word(*dict.fromkeys((*_REASONS, *_RUN_REASONS))),
        ),
        summary=record(
            from_at=instant(), until_at=instant(), firings=integer(),
            outcomes=array(record(state=word(*_STATES), reason=word(*_REASONS), count=integer())),
            runs=array(record(outcome=word(*_RUN_STATES), count=integer())),
            peak_workers=integer(), workers=integer(), longest_wait_us=integer(), found_open=integer(),
            scripted=array(text()), policy=array(text()),
            defined=array(
                record(
                    kind=word("pattern", "schedule"), name=text(), revision=text(),
                    status=word("new", "unchanged", "revision"), changes=array(text()),
                )
            ),
        ),
    ),
}  # fmt: skip
