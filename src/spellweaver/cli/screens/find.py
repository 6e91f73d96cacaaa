"""From what an operator wrote to the row that is meant: the ledger's side of references.

What names several things, or none, is refused with status 4, listing them or what is near. Firings have their own
module.
"""

from __future__ import annotations

from spellweaver.errors import NotFound
from spellweaver.ledger.queries import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from spellweaver.cli.references import Reference
    from spellweaver.cli.screens.firings import Found
    from spellweaver.ledger.observe import View

LISTS = {"invocation": "spellweaver invocation list"}


def schedule(view: View, name: str) -> tuple[int, str]:
    """(row number, authority/name) of a Schedule, by its full name or by a bare one that one authority has. Raises
    NotFound.
    """
    authority, _, bare = name.rpartition("/")
    sql = load("schedule")
    found = [
        (int(str(id_)), str(full))
        for id_, full in view.rows(sql["named"], {"name": bare, "authority": authority or None})
    ]
    if len(found) == 1:
        return found[0]
    if found:
        listed = ", ".join(full for _, full in found)
        raise NotFound(
            "ambiguous_schedule",
            f"{name} is a Schedule of several authorities: {listed}",
            hint="name one of them whole",
        )
    known = [str(row[0]) for row in view.rows(sql["names"])]
    hint = "spellweaver schedule list" if known else "spellweaver define FILE --bind --activate"
    raise NotFound("no_schedule", f"there is no Schedule {name}{near(name, known)}", hint=hint, name=name)


def revision(view: View, schedule_: int, full: str, number: int) -> int:
    """The row number of SCHEDULE@REV. Raises NotFound."""
    row = view.row(load("schedule")["numbered"], (schedule_, number))
    if row is None:
        raise NotFound("no_revision", f"{full} has no revision {number}", hint=f"spellweaver schedule show {full}")
    return int(str(row[0]))


def pattern(view: View, name: str) -> int:
    """The row number of KEY@REVISION, or of a key that has one version. Raises NotFound."""
    key, _, wanted = name.partition("@")
    sql = load("pattern")
    found = [
        (int(str(id_)), str(each)) for id_, each in view.rows(sql["named"], {"key": key, "revision": wanted or None})
    ]
    if len(found) == 1:
        return found[0][0]
    if found:
        listed = ", ".join(f"{key}@{each}" for _, each in found)
        raise NotFound("ambiguous_pattern", f"{key} has several revisions: {listed}", hint="name one of them")
    known = [str(row[0]) for row in view.rows(sql["names"])]
    raise NotFound("no_pattern", f"there is no pattern {name}{near(name, known)}", hint="spellweaver pattern list")


def firing(view: View, reference: Reference) -> Found:
    """The firing that a reference means: itself, or the one that its invocation, run, attempt or event comes of.
    Raises NotFound.
    """
    from spellweaver.cli.screens import firings

    if reference.schedule:
        return firings.of_schedule(view, *schedule(view, reference.schedule), reference)
    row = view.row(load("occurrence")[f"of_{reference.kind}"], (reference.id,))
    if row is None:
        prefix = {"occurrence": "occ", "invocation": "inv", "run": "run", "event": "evt", "attempt": "att"}[
            reference.kind
        ]
        hint = LISTS.get(reference.kind, "spellweaver occurrence list")
        if reference.kind == "event":
            hint = f"spellweaver events --after-seq {reference.id - 1} -n 1"
        raise NotFound(
            "no_row", f"there is no {prefix}_{reference.id} in this ledger, or no firing that it comes of", hint=hint
        )
    return firings.found("occurrence", row)


def invocation(view: View, reference: Reference) -> int | None:
    """The row number of the Invocation that a reference means or led to; None where its firing made none. Raises
    NotFound.
    """
    meant = firing(view, reference)
    row = view.row(load("invocation")["of_occurrence"], (meant.id,)) if meant.kind == "occurrence" else None
    return None if row is None else int(str(row[0]))


def near(name: str, known: list[str]) -> str:
    """``; near it: local/nightly``, empty where nothing is."""
    from difflib import get_close_matches

    bare = {each.rpartition("/")[2]: each for each in known}
    alike = dict.fromkeys(
        [*get_close_matches(name, known, n=3), *(bare[each] for each in get_close_matches(name, bare, n=3))]
    )
    return f"; near it: {', '.join(alike)}" if alike else ""
