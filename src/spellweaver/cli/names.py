"""``spellweaver __names KIND PREFIX``: what a shell offers on TAB. Read-only, silent, exit status 0 whatever is wrong.

It runs on every TAB, so it loads the ledger's reading door and nothing else: no typer, no rendering, no error words.
"""

from __future__ import annotations

import os
import sys

from spellweaver.safety import owners

KINDS = ("schedules", "occurrences", "invocations", "patterns", "references", "kinds")
MOST = 200


class _Silence:
    """A shell that completes a word has no use for a complaint, whatever it is about."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, *raised: object) -> bool:
        return True


def answer(words: list[str]) -> int:
    """``KIND PREFIX [--ledger PATH]``: prints the matching names, one a line."""
    with _Silence():
        owners.refuse_borrowed_identity()
        kind, prefix, *rest = words
        if kind in KINDS and not any(character in prefix for character in "*?["):
            said = rest[1] if rest[:1] == ["--ledger"] else None
            sys.stdout.write("".join(f"{name}\n" for name in _names(kind, prefix, said)))
            sys.stdout.flush()
    return 0


def _names(kind: str, prefix: str, said: str | None) -> list[str]:
    if kind == "kinds":
        files = os.listdir(f"{os.path.dirname(__file__)}/schemas")
        return sorted(name.removesuffix(".json") for name in files if name.startswith(prefix))
    from spellweaver.cli.places import Places
    from spellweaver.ledger.observe import observe
    from spellweaver.ledger.queries import load

    with observe(Places(said, os.environ, os.geteuid()).ledger) as view:
        return [str(row[0]) for row in view.rows(load("names")[kind], {"like": f"{prefix}*", "most": MOST})]
