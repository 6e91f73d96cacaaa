"""The kind of ``simulate``: firings as ``occurrence list`` has them, with their runs, and a summary."""

from __future__ import annotations

from spellweaver.cli.kinds.notation import Kind, Shape, array, instant, integer, optional, record, text, word
from spellweaver.cli.kinds.reads import KINDS as READS
from spellweaver.core.lifecycle import REASONS


def _reasons(*machines: str) -> Shape:
    found = (reason for machine in machines for reasons in REASONS[machine].values() for reason in reasons)
    return word(*dict.fromkeys(found))


_FIRING = READS["occurrence_list"].item["properties"]
_STATES, _RUN_STATES = tuple(REASONS["occurrence"]), tuple(REASONS["invocation"])

KINDS = {
    "simulate": Kind(
        record(
            **_FIRING,  # type: ignore[arg-type]
            started_at=optional(instant()), ended_at=optional(instant()),
            outcome=word(*dict.fromkeys((*_STATES, *_RUN_STATES))),
            outcome_reason=_reasons("occurrence", "invocation"),
        ),
        summary=record(
            from_at=instant(), until_at=instant(), firings=integer(),
            outcomes=array(record(state=word(*_STATES), reason=_reasons("occurrence"), count=integer())),
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
