"""Kinds of ``import``: an item for each line of the foreign file, with its one answer."""

from __future__ import annotations

from spellweaver.cli.kinds.notation import Kind, array, integer, record, text, word

_ANSWER = word("kept", "changed", "dropped", "unreadable")
_NOTE = record(answer=_ANSWER, text=text())
_LINE = record(
    path=text(), line=integer(), text=text(), what=word("job", "setting", "comment", "blank"), answer=_ANSWER,
    schedules=array(text()), notes=array(_NOTE),
)  # fmt: skip

KINDS = {kind: Kind(_LINE, toml=text(), everywhere=array(_NOTE)) for kind in ("import_crontab", "import_systemd")}
