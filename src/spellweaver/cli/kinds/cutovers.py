"""Kinds of the commands about cutovers."""

from __future__ import annotations

from spellweaver.cli.kinds.notation import Kind, instant, integer, optional, record, text, word

_SWITCH = {"schedule": text(), "old": integer(), "new": integer()}

KINDS = {
    "cutover_plan": Kind(
        record(**_SWITCH, cycle=optional(word("time", "date", "week", "month")), open=integer(), entries=integer(),
               toml=text())
    ),
    "cutover_check": Kind(
        record(**_SWITCH, status=word("holds", "unchanged"), same=integer(), distinct=integer(), skip=integer())
    ),
    "cutover_show": Kind(
        record(firing=text(), instant=optional(instant()), fate=word("owned", "skipped", "alias"),
               revision=optional(integer()), **{"is": optional(text())}),
        **_SWITCH, decided_at=instant(), span_end=instant(), old_last=text(), new_first=text(),
    ),
}  # fmt: skip
