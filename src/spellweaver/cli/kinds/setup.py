"""Kinds of the commands that set things up."""

from __future__ import annotations

from spellweaver.cli.kinds.notation import Kind, array, instant, integer, optional, record, text, truth, word

_DEFINED = record(
    kind=word("pattern", "schedule"), name=text(), revision=text(), status=word("new", "unchanged", "revision"),
    changes=array(text()), notes=array(text()), dry_run=truth(),
)  # fmt: skip
_PLACED = record(
    pattern=text(), station=text(), status=word("bound", "unchanged", "unknown"), generation=integer(), dry_run=truth()
)
_ACTIVATED = record(
    schedule=text(), revision=integer(), status=word("activated", "unchanged"), replaced=optional(integer()),
    generation=integer(), decided_at=instant(), begins_at=optional(instant()), next_at=optional(instant()),
    skips=integer(), dry_run=truth(),
)  # fmt: skip
_POLICY = {
    "workers": integer(), "misfire_horizon_us": integer(), "clock_tick_us": integer(), "clock_step_us": integer(),
    "clock_settle_us": integer(),
}  # fmt: skip

KINDS = {
    "init": Kind(
        record(ledger=text(), why=text(), machine_from=text(), dry_run=truth()),
        defined=array(_DEFINED), placed=array(_PLACED), activated=array(_ACTIVATED),
    ),
    "check": Kind(record(kind=word("pattern", "binding", "schedule", "policy"), name=text(), detail=text())),
    "define": Kind(_DEFINED, placed=array(_PLACED), activated=array(_ACTIVATED)),
    "new": Kind(record(name=text(), toml=text())),
    "bind": Kind(_PLACED),
    "activate": Kind(_ACTIVATED),
    "policy_show": Kind(record(generation=integer(), applied_at=instant(), actor=text(), **_POLICY)),
    "policy_check": Kind(record(**_POLICY)),
    "policy_apply": Kind(
        record(status=word("applied", "unchanged"), generation=integer(), changes=array(text()), dry_run=truth())
    ),
    "backup": Kind(record(path=text(), seq=integer(), bytes=integer(), dry_run=truth())),
    "paths": Kind(record(what=text(), path=text(), there=optional(truth()), why=text())),
    "schema": Kind(record(kind=text())),
    "version": Kind(record(program=text(), ledger=integer(), sqlite=text(), zones=text())),
}  # fmt: skip
