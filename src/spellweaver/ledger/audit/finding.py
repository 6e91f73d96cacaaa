"""What an audit says of a ledger: a law that is broken, and the rows that break it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

import apsw

from spellweaver.core import lifecycle

NAMED = 3  # rows that a finding names
RESTORE = "restore a backup"


@dataclass(frozen=True, slots=True)
class Finding:
    """``id`` is the check's stable word, ``rule`` the law that is broken, ``hint`` a next command or act."""

    id: str
    rule: str
    sentence: str
    hint: str


def broken(connection: apsw.Connection, id_: str, rule: str, what: str, sql: str, *, prefix: str = "") -> list[Finding]:
    """One finding if the query gives any row. Its first column names what is wrong: a row number, shown with
    ``prefix``, or a text.
    """
    rows = connection.execute(sql)
    return finding(id_, rule, what, (f"{prefix}_{row[0]}" if isinstance(row[0], int) else str(row[0]) for row in rows))


def finding(id_: str, rule: str, what: str, names: Iterable[str]) -> list[Finding]:
    """One finding if there is any name; the first few are said, the others counted."""
    rest = iter(names)
    first = list(islice(rest, NAMED))
    if not first:
        return []
    more = sum(1 for _ in rest)
    hint = f"spellweaver explain {first[0]}" if first[0].startswith(("occ_", "inv_")) else RESTORE
    return [Finding(id_, rule, f"{what}: {', '.join(first)}{f' and {more} more' if more else ''}", hint)]


def open_words(machine: str) -> str:
    """The states of a machine that something may follow, as a list for SQL."""
    return "({})".format(", ".join(f"'{state}'" for state in lifecycle.open_states(machine)))
