"""What an operator may write for one thing: ``occ_12``, ``inv_12``, ``run_12``, ``evt_12``, ``SCHEDULE@REV``,
``SCHEDULE@2026-12-01``, ``SCHEDULE@2026-12-01T02:00``, ``SCHEDULE@latest``. Only read here; ``screens`` look it
up.

``+1`` marks the second showing of a time that the clock shows twice, a ``Z`` the UTC instant by which firings of
``every`` and ``at`` are named. A key as it stands in JSON (``c1:2026-12-01T02:00``) is taken too.
"""

from __future__ import annotations

from spellweaver.core.instant import DAY_S, parse_civil
from spellweaver.errors import NotFound

PREFIXES = {"occ": "occurrence", "inv": "invocation", "run": "run", "evt": "event", "att": "attempt"}
HINT = "write occ_12, inv_12, run_12, evt_12, SCHEDULE@latest, SCHEDULE@2026-12-01 or SCHEDULE@2026-12-01T02:00"
_NAME = frozenset("abcdefghijklmnopqrstuvwxyz0123456789._-/")


class Reference:
    """``kind`` is one of PREFIXES' values (then ``id``), or of a Schedule ``latest``, ``revision`` (``id`` its
    number), ``date`` (``id`` days since 1970-01-01) or ``time`` (``id`` the civil second).
    """

    __slots__ = ("generation", "id", "kind", "schedule", "second", "utc")

    def __init__(
        self, kind: str, id_: int = 0, *,
        schedule: str = "", second: bool = False, utc: bool = False, generation: int | None = None,
    ) -> None:  # fmt: skip
        self.kind = kind
        self.id = id_
        self.schedule = schedule
        self.second = second
        self.utc = utc
        self.generation = generation


def parse(text: str) -> Reference:
    """Raises NotFound for what can't name anything."""
    schedule, at, which = text.partition("@")
    if at:
        return _of_schedule(text, schedule, which)
    prefix, _, number = text.partition("_")
    if prefix in PREFIXES and _is_number(number):
        return Reference(PREFIXES[prefix], int(number))
    if text and _NAME.issuperset(text) and not text.startswith(tuple(f"{known}_" for known in PREFIXES)):
        raise NotFound(
            "no_reference",
            f"{text} names a Schedule, not one of its firings",
            hint=f"spellweaver explain {text}@latest",
        )
    raise _unknown(text)


def parse_id(text: str, kind: str) -> int:
    """The number of an id of one ``kind``, as ``occ_12``. Raises NotFound for any other text."""
    reference = parse(text)
    if reference.kind != kind or reference.schedule:
        prefix = next(prefix for prefix, named in PREFIXES.items() if named == kind)
        raise NotFound("wrong_kind", f"{text} names no {kind}", hint=f"write an id of it, as {prefix}_12")
    return reference.id


def parse_revision(text: str) -> tuple[str, int | None]:
    """(Schedule, revision number) of ``SCHEDULE[@REV]``. Raises NotFound for what names no revision."""
    name, at, revision = text.partition("@")
    if not at:
        return name, None
    if not (revision.isascii() and revision.isdecimal()) or len(revision) > 9:
        raise NotFound("no_revision", f"{text!r} names no revision", hint=f"write a number, as {name}@3")
    return name, int(revision)


def _of_schedule(text: str, schedule: str, which: str) -> Reference:
    if not schedule or not _NAME.issuperset(schedule):
        raise _unknown(text)
    if which == "latest":
        return Reference("latest", schedule=schedule)
    if _is_number(which):
        return Reference("revision", int(which), schedule=schedule)
    generation = None
    if which[:1] == "c" and which.partition(":")[0][1:].isdecimal():
        generation, which = int(which.partition(":")[0][1:]), which.partition(":")[2]
    second, utc = which.endswith("+1"), which.endswith("Z")
    bare = which.removesuffix("+1").removesuffix("Z")
    try:
        civil = parse_civil(bare)
    except ValueError as error:
        raise NotFound("no_reference", f"{text}: {error}", hint=HINT) from None
    if "T" not in bare:
        return Reference("date", civil // DAY_S, schedule=schedule, generation=generation)
    return Reference("time", civil, schedule=schedule, second=second, utc=utc, generation=generation)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 18 and int(text) > 0


def _unknown(text: str) -> NotFound:
    return NotFound("no_reference", f"{text!r} is no reference", hint=HINT)
