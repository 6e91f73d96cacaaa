"""The invariants of a ledger, as queries (``audit.sql``) that are independent of the engine's own, and its journal's
chain.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import apsw

from spellweaver.errors import Unusable
from spellweaver.ledger import journal
from spellweaver.ledger.audit import laws

_BLOCKS = Path(__file__).with_name("audit.sql").read_text(encoding="utf-8").split("-- name: ")[1:]
LAWS = {name: sql for name, _, sql in (block.partition("\n") for block in _BLOCKS)}


def audit(connection: apsw.Connection) -> list[str]:
    """What is wrong with a ledger, in words: by the queries here, and by the program's own audit."""
    connection.create_scalar_function("sha256", lambda body: sha256(str(body).encode()).hexdigest(), 1)
    found = [f"{name}: {rows[:5]}" for name, sql in LAWS.items() if (rows := connection.execute(sql).fetchall())]
    try:
        journal.verify(connection)
    except Unusable as broken:
        found.append(broken.message)
    return found + [f"{f.id} ({f.rule}): {f.sentence}" for f in laws.audit(connection)]
