"""Commands of the full design that this version does not have (RCP-03). They are absent from help; asking for one
says so.
"""

from __future__ import annotations

LATER: dict[tuple[str, ...], frozenset[str]] = {
    (): frozenset((
        "effect", "ctl", "backfill", "approve", "deny",
        "return", "approval", "authority", "budget", "gate", "capability", "heartbeat", "prove",
        "report", "metrics",
    )),
    ("invocation",): frozenset(("tree", "submit")),
    ("pattern",): frozenset(("check", "diff", "yield")),
    ("ledger",): frozenset(("prune", "restore")),
}  # fmt: skip


def is_later(path: tuple[str, ...], word: str) -> bool:
    return word in LATER.get(path, ())
