"""Processes that still carry the environment of an attempt of one ledger. An attempt's number alone names nothing, for
every ledger counts its own; the path of its input does.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from spellweaver.host import handover, kernel, process


class Carrier(NamedTuple):
    """A living process, its short name, and the number of the attempt that it comes of."""

    pid: int
    name: str
    attempt: int


def carriers(attempts: str) -> list[Carrier]:
    """Those of the ledger whose attempts lie in this directory, as far as this uid may look."""
    found = []
    for pid, value in process.having("SPELLWEAVER_INPUT"):
        folder, last = os.path.split(value)
        above, name = os.path.split(folder)
        number = name.rpartition("att_")[2]
        ours = above == attempts or name == handover.name(f"{attempts}/att_{number}")
        if last == "input" and ours and number.isdecimal():
            found.append(Carrier(pid, kernel.name(pid), int(number)))
    return found
