"""Kinds of the commands that read a ledger."""

from __future__ import annotations

from spellweaver.cli.kinds.notation import (
    Kind,
    Shape,
    anything,
    array,
    instant,
    integer,
    optional,
    record,
    table,
    text,
    truth,
    word,
)  # fmt: skip
from spellweaver.core import lifecycle, policy


def _words(machine: str) -> Shape:
    """The reasons that may stand beside any state of a machine."""
    return word(*dict.fromkeys(reason for reasons in lifecycle.REASONS[machine].values() for reason in reasons))


_OCCURRENCE = word(*lifecycle.TRANSITIONS["occurrence"])
_INVOCATION = word(*lifecycle.TRANSITIONS["invocation"])
_ATTEMPT = word(*lifecycle.TRANSITIONS["attempt"])
_SCHEDULE = word(*lifecycle.TRANSITIONS["schedule"])
_RESULT = word(*dict.fromkeys((*lifecycle.TRANSITIONS["occurrence"], *lifecycle.TRANSITIONS["invocation"])))
_RESULT_REASON = word(*dict.fromkeys((*_words("occurrence")["enum"], *_words("invocation")["enum"])))  # type: ignore[misc]
_CLASS = word(*policy.CLASSES)
_OVERLAP = word("forbid", "hold", "coalesce", "parallel", "replace")

# how a wall clock reads an instant; a time that it never shows has neither offset nor fold
_CIVIL = {"civil": text(), "zone": optional(text()), "offset": optional(text()), "fold": optional(integer())}
_MOMENT = record(instant=optional(instant()), **_CIVIL)

_FIRING = {
    "id": optional(text()), "schedule": text(), "revision": integer(), "firing": text(), "nominal_at": instant(),
    **_CIVIL, "due_at": optional(instant()), "mode": optional(word("live", "catch_up", "backfill")),
    "state": _OCCURRENCE, "reason": _words("occurrence"), "class_requested": _CLASS, "class_": _CLASS,
    "origin": word("operator", "schedule", "agent", "peer"), "not_before": optional(instant()),
    "latest_start_at": optional(instant()), "finish_by": optional(instant()), "decided_at": optional(instant()),
    "invocation": optional(text()), "carrier": optional(text()), "blockers": array(text()),
    "first": optional(text()), "last": optional(text()), "last_at": optional(instant()), "count": optional(integer()),
}  # fmt: skip
_BOUND = {
    **_FIRING, "source": optional(text()), "event_id": optional(text()), "principal": optional(text()),
    "content_digest": optional(text()), "revision_digest": text(), "zone_rules": optional(text()), "pattern": text(),
    "pattern_digest": text(), "overlap": _OVERLAP, "catch_up": word("none", "newest", "all"),
    "misfire_horizon_us": integer(), "input": text(), "labels": text(), "policy_generation": optional(integer()),
    "authority_generation": optional(integer()), "created_at": optional(instant()),
}  # fmt: skip

_RUN = {
    "id": text(), "occurrence": text(), "schedule": text(), "pattern": text(), "state": _INVOCATION,
    "reason": _words("invocation"), "disposition": word(*lifecycle.DISPOSITIONS), "admitted_at": instant(),
    "started_at": optional(instant()), "ended_at": optional(instant()), "took_us": optional(integer()),
    "exit": optional(integer()), "signal": optional(integer()), "attempts": integer(), "last_attempt": optional(text()),
}  # fmt: skip
_PROOF = record(
    kind=word("status", "echild", "cgroup", "other_boot", "operator"), detail=text(), at=instant(), actor=text()
)  # fmt: skip
_TRY = record(
    attempt=text(), station=text(), nth=integer(), state=_ATTEMPT, granted_at=instant(),
    launched_at=optional(instant()), started_at=optional(instant()),
    ended_at=optional(instant()), took_us=optional(integer()), exit=optional(integer()),
    signal=optional(integer()), errno=optional(integer()), output_bytes=optional(integer()),
    dropped_bytes=optional(integer()), pid=optional(integer()), command=optional(array(text())),
    binding=optional(text()), proof=optional(_PROOF), log=optional(text()),
)  # fmt: skip
_RUN_SHOWN = record(**_RUN, tries=array(_TRY), result=optional({"type": "object"}), result_note=optional(text()))

_EVENT = {
    "seq": integer(), "at": instant(), "type": text(), "invocation": optional(text()), "actor": text(),
    "data": anything(),
}  # fmt: skip
_TOLD = record(**_EVENT, sentence=text())
_VERDICT = word(
    "waits", "did_not_run", "coalesced", "starts", "runs", "suspended", "stopping", "contained", "ran", "failed",
    "cancelled", "timed_out",
)  # fmt: skip

_LISTED = {
    "schedule": text(), "state": _SCHEDULE, "why": optional(text()), "paused_until": optional(instant()),
    "revision": optional(integer()), "newest_revision": integer(), "next": optional(_MOMENT),
    "cadence": text(), "zone": optional(text()),
    "class_": _CLASS, "overlap": _OVERLAP, "pattern": text(), "skipped_last_day": integer(),
    "firings_last_day": integer(), "host_rules_differ_at": optional(instant()),
}  # fmt: skip
_REVISION = record(
    revision=integer(), in_force=truth(), generation=text(), digest=text(), pattern=text(), defined_at=instant(),
    activated_at=optional(instant()), replaced_at=optional(instant()),
)  # fmt: skip

_STATUS = record(
    schedule=text(), state=_SCHEDULE, paused_until=optional(instant()),
    revision=optional(integer()), next=optional(_MOMENT), last=optional(_MOMENT),
    firing=optional(text()), result=optional(_RESULT), reason=optional(_RESULT_REASON), took_us=optional(integer()),
    occurrence=optional(text()), invocation=optional(text()), why=optional(text()), skipped_last_day=integer(),
    firings_last_day=integer(),
)  # fmt: skip
_DAEMON = record(
    state=word("running", "down"), pid=optional(integer()), started_at=optional(instant()), program=optional(text()),
    socket=optional(text()),
)  # fmt: skip
_WAIT = record(
    ref=text(), schedule=text(), state=_RESULT, reason=_RESULT_REASON, since=instant(), until=optional(instant()),
    blockers=array(text()), why=text(),
)  # fmt: skip
_WARNING = record(
    code=word("daemon_down", "contained", "stopped", "failed", "timed_out", "missed", "refused"),
    schedule=optional(text()), ref=optional(text()), message=text(),
)  # fmt: skip

_BINDING = record(
    command=array(text()), timeout_us=integer(), success=array(integer()), cwd=text(), env=table(text()),
    env_from=table(text()), user=optional(text()), umask=text(), nice=integer(),
    generation=integer(), digest=text(), bound_at=instant(),
)  # fmt: skip
_STATION = record(key=text(), label=text(), kind=word("task", "gate", "delegate", "end"), binding=optional(_BINDING))
_RELATION = word("next", "fail", "approve", "refuse", "return")

KINDS = {
    "zones_list": Kind(
        record(
            zone=text(),
            rules=text(),
            host=word("same", "equal", "differs", "none", "unreadable"),
            differs_at=optional(instant()),
            schedules=array(text()),
        )  # fmt: skip
    ),
    "zones_drift": Kind(
        record(
            schedule=text(),
            revision=integer(),
            civil=text(),
            zone=text(),
            kept_at=optional(instant()),
            host_at=optional(instant()),
            moves_us=optional(integer()),
        )  # fmt: skip
    ),
    "doctor": Kind(record(id=text(), state=word("ok", "note", "wrong"), sentence=text(), next=optional(text()))),
    "status": Kind(
        record(
            daemon=_DAEMON,
            running=integer(),
            network_file_system=optional(text()),
            schedules=array(_STATUS),
            waits=array(_WAIT),
            warnings=array(_WARNING),
        )  # fmt: skip
    ),
    "next": Kind(
        record(
            schedule=optional(text()),
            revision=optional(integer()),
            firing=text(),
            instant=optional(instant()),
            **_CIVIL,
            due_at=optional(instant()),
            latest_start_at=optional(instant()),
            note=optional(text()),
        )  # fmt: skip
    ),
    "explain": Kind(
        record(
            **_BOUND,
            asked=text(),
            alias=optional(text()),
            missing=truth(),
            verdict=_VERDICT,
            sentence=text(),
            events=array(_TOLD),
            run=optional(_RUN_SHOWN),
        )  # fmt: skip
    ),
    "events": Kind(record(**_EVENT, txn=integer(), schedule=optional(text()), occurrence=optional(text()))),
    "logs": Kind(
        record(
            invocation=text(),
            attempt=text(),
            station=text(),
            nth=integer(),
            state=_ATTEMPT,
            output_bytes=integer(),
            dropped_bytes=integer(),
            head=text(),
            tail=text(),
        )  # fmt: skip
    ),
    "schedule_list": Kind(record(**_LISTED)),
    "schedule_history": Kind(
        record(seq=integer(), at=instant(), type=text(), actor=text(), data=anything(), sentence=text())
    ),
    "schedule_diff": Kind(record(key=text(), before=anything(), after=anything())),
    "schedule_show": Kind(
        record(
            **_LISTED,
            settled_to=optional(instant()),
            owner=text(),
            authority_generation=integer(),
            shown_revision=integer(),
            generation=text(),
            digest=text(),
            zone_rules=optional(text()),
            defined_at=instant(),
            definition={"type": "object"},
            revisions=array(_REVISION),
        )  # fmt: skip
    ),
    "occurrence_list": Kind(record(**_FIRING)),
    "occurrence_show": Kind(record(**_BOUND)),
    "invocation_list": Kind(record(**_RUN)),
    "invocation_show": Kind(_RUN_SHOWN),
    "pattern_list": Kind(
        record(
            pattern=text(),
            key=text(),
            revision=text(),
            stations=integer(),
            schedules=integer(),
            digest=text(),
            defined_at=instant(),
        )  # fmt: skip
    ),
    "pattern_show": Kind(
        record(
            pattern=text(),
            key=text(),
            revision=text(),
            digest=text(),
            implementation_revision=text(),
            checkpoint_schema=text(),
            entry=text(),
            defined_at=instant(),
            stations=array(_STATION),
            edges=array(record(source=text(), target=text(), relation=_RELATION)),
            schedules=array(text()),
        )  # fmt: skip
    ),
    "pattern_digest": Kind(record(pattern=text(), digest=text(), source=text())),
}
