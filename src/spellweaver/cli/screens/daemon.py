"""Whether a daemon runs on this ledger, judged by the identity in its lock file (ruling 2). The lock itself is never
tried: a reader that held it for a moment would keep a daemon from starting.
"""

from __future__ import annotations

from spellweaver.cli.values import At, State
from spellweaver.errors import NoInput
from spellweaver.ledger.queries import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from spellweaver.cli.values import Item
    from spellweaver.ledger.observe import View

LIMIT = 4096  # bytes of a lock file


def of(view: View, lock: str) -> Item:
    """``state`` is ``running`` or ``down``; the rest is of a running one."""
    said = _said(view, lock)
    if said is None or not _lives(said):
        return {"state": State("down"), "pid": None, "started_at": None, "program": None, "socket": None}
    pid, _, _, socket, started_at, program = said
    return {
        "state": State("running"), "pid": pid, "started_at": At(started_at) if isinstance(started_at, int) else None,
        "program": program, "socket": socket,
    }  # fmt: skip


def _said(view: View, lock: str) -> tuple[object, ...] | None:
    from spellweaver import files  # other screens load this module and look at no lock

    try:
        text = files.read_operator_file(lock, limit=LIMIT).decode("utf-8", "replace")
    except NoInput:
        return None
    return view.row(load("status")["lock"], {"text": text})


def _lives(said: tuple[object, ...]) -> bool:
    """The same process on the same boot: a pid alone comes back."""
    from spellweaver.host import kernel

    pid, ticks, boot = said[:3]
    if not isinstance(pid, int) or boot != kernel.boot_id():
        return False
    try:
        return kernel.start_ticks(pid) == ticks
    except ProcessLookupError:
        return False
