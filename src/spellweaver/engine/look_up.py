"""A Schedule by its name: bare where one authority has it, else ``authority/name``."""

from __future__ import annotations

from difflib import get_close_matches

from spellweaver.errors import NotFound
from spellweaver.ledger import definitions
from spellweaver.ledger.decide import Transaction


def schedule(tx: Transaction, name: str) -> tuple[str, definitions.Known]:
    """(full name, row). Raises NotFound for a name that no Schedule has, or that several authorities have."""
    authority, _, bare = name.rpartition("/")
    if not authority:
        having = definitions.named(tx, bare)
        if len(having) > 1:
            names = ", ".join(f"{a}/{bare}" for _, a in having)
            raise NotFound(
                "ambiguous_schedule",
                f"several authorities have a Schedule {bare}: {names}",
                hint="name one of them whole",
                name=name,
            )
        authority = having[0][1] if having else "local"
    known = definitions.schedule(tx, authority, bare)
    if known is None:
        near = get_close_matches(f"{authority}/{bare}", definitions.names(tx), n=3, cutoff=0.6)
        like = f"; near it: {', '.join(near)}" if near else ""
        raise NotFound(
            "no_schedule",
            f"there is no Schedule {name} in this ledger{like}",
            hint="spellweaver schedule list",
            name=name,
        )
    return f"{authority}/{bare}", known
