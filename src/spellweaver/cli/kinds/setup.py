"""Kinds of the commands that set things up."""

from __future__ import annotations

from spellweaver.cli.kinds.notation import Kind, record, text, truth

KINDS = {
    "paths": Kind(record(what=text(), path=text(), there=truth(), why=text())),
}
