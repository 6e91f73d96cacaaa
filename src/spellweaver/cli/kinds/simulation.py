"""The kinds of ``simulate`` and ``timeline``: firings as ``occurrence list`` has them, with their runs."""

from __future__ import annotations

from spellweaver.cli.kinds.notation import Kind, Shape, array, instant, integer, optional, record, text, word
from spellweaver.cli.kinds.reads import KINDS as READS
from spellweaver.core.lifecycle import REASONS


def _reasons(*machines: str) -> Shape:
    found = (reason for machine in machines for reasons in REASONS[machine].values() for reason in reasons)
    return word(*dict.fromkeys(found))


_FIRING = READS["occurrence_list"].item["properties"]
_STATES, _RUN_STATES = tuple(REASONS["occurrence"]), tuple(REASONS["invocation"])

_COMING = ("coming", "unresolved")  # no ledger holds these: a calendar names the firing, nothing was decided yet

KINDS = {
    "timeline": Kind(
        record(
            **{key: _FIRING[key] for key in (  # type: ignore[index]
                "schedule", "revision", "firing", "nominal_at", "due_at", "latest_start_at", "decided_at", "invocation",
                "last_at", "count",
            )},
            state=word(*_STATES, "coming"), reason=word(*_reasons("occurrence")["enum"], *_COMING),  # type: ignore[misc]
            started_at=optional(instant()), ended_at=optional(instant()),
            outcome=word(*dict.fromkeys((*_STATES, *_RUN_STATES, "coming"))),
            outcome_reason=word(*dict.fromkeys((*_reasons("occurrence", "invocation")["enum"], *_COMING))),  # type: ignore[misc]
        ),
    ),
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
