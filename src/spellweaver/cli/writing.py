"""The way of every writing command: open the ledger, decide in one transaction, close, and tell the daemon that there
is news.

With ``dry_run`` the whole decision is made and rolled back; the report is the same, with ``would``.
"""

from __future__ import annotations

import contextlib
import json
import os

from spellweaver import files
from spellweaver.cli.screens import daemon
from spellweaver.errors import NoInput
from spellweaver.ledger.opening import open_ledger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from spellweaver.cli.frame import Frame
    from spellweaver.ledger.decide import Transaction


@contextlib.contextmanager
def deciding(frame: Frame, *, dry_run: bool, unsettled: bool = False) -> Iterator[Transaction]:
    """A transaction of this ledger, with ``unsettled`` also while the clock settles. Raises what ``open_ledger`` and
    ``Ledger.decide`` raise.
    """
    ledger = open_ledger(frame.places.ledger, frame.clock, actor=frame.actor)
    with contextlib.closing(ledger), ledger.decide(dry_run=dry_run, unsettled=unsettled) as tx:
        yield tx
    if not dry_run:
        wake(frame)


def wake(frame: Frame) -> bool:
    """Tells the daemon of this ledger, if one is running. A wake that is lost costs it at most a second."""
    from spellweaver.host import door

    socket = daemon_socket(frame.places.lock)
    return socket is not None and door.wake(socket)


def daemon_socket(lock: str) -> str | None:
    """The socket that a lock file names; None without one."""
    try:
        said = json.loads(files.read_operator_file(lock, limit=daemon.LIMIT))
    except (NoInput, ValueError, RecursionError):
        return None
    socket = said.get("socket") if isinstance(said, dict) else None
    return socket if isinstance(socket, str) and os.path.isabs(socket) else None
