"""Kinds of the commands about the ledger as a whole."""

from __future__ import annotations

from spellweaver.cli.kinds.notation import Kind, array, integer, optional, record, text, truth, word

KINDS = {
    "ledger_check": Kind(
        record(id=text(), rule=text(), sentence=text(), hint=text()),
        events=integer(), witness_seq=optional(integer()), machine=word("this", "another"),
    ),
    "ledger_adopt": Kind(
        record(ledger=text(), status=word("adopted", "unchanged"), machine_before=optional(text()),
               machine_after=optional(text()), witness_seq=optional(integer()), seq=optional(integer()),
               contained=array(text()), set_aside=array(text()), dry_run=truth())
    ),
}  # fmt: skip
