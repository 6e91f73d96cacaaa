"""All laws of a ledger in one list, and the audit that asks them. It reads and never writes.

A function gives at most one finding, which names the rows that break its law. They are independent of each other, and
of the queries that the engine decides by: they say what must hold, not how it came about. What the database itself
enforces is asked all the same, since a ledger may have been altered by other hands.

They run inside SQLite, in time linear in the rows. Row by row go only the digests and, in a full audit, the journal's
chain; the calendars are counted Schedule by Schedule.
"""

from __future__ import annotations

from collections.abc import Callable

import apsw

from spellweaver.ledger.audit import (
    accounted,
    admission,
    definitions,
    external,
    identity,
    journal,
    pauses,
    processes,
    readings,
    resources,
    storage,
    terminality,
)
from spellweaver.ledger.audit.finding import RESTORE, Finding

Law = Callable[[apsw.Connection], list[Finding]]

QUICK: tuple[Law, ...] = (
    *storage.LAWS, *definitions.LAWS, *identity.LAWS, *readings.LAWS, *admission.LAWS, *terminality.LAWS,
    *resources.LAWS, *journal.LAWS, *pauses.LAWS, *processes.LAWS, *external.LAWS,
)  # fmt: skip
FULL: tuple[Law, ...] = (*storage.WHOLE_FILE, *QUICK, *journal.WHOLE_CHAIN, *accounted.LAWS)


def audit(
    connection: apsw.Connection, *, full: bool = True, on_law: Callable[[int, int], None] = lambda done, of: None
) -> list[Finding]:
    """What is wrong with a ledger; nothing in a healthy one. Without ``full`` the file's pages, the journal's chain and
    the calendars are taken on trust. Of damaged pages nothing more is read: that is then all that is said. ``on_law``
    hears how many laws have been asked, and how many there are.
    """
    found: list[Finding] = []
    laws = FULL if full else QUICK
    for done, law in enumerate(laws):
        on_law(done, len(laws))
        try:
            found += law(connection)
        except (apsw.Error, UnicodeDecodeError) as error:  # said, and the other laws are asked
            sentence = f"{law.__name__} can't be judged: {error}"
            found.append(Finding("unreadable", "RCV-04", sentence, RESTORE))
        if found and law in storage.WHOLE_FILE:
            break
    return found
