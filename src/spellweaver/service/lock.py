"""One daemon for each ledger (RCV-03, ruling 2): an flock on ``<ledger>.lock``, never on the ledger itself.

The file says who holds it: pid, start ticks and boot id, by which others judge a daemon without trying the lock, and
the socket it listens at. A killed daemon's lock is free at once.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator

from spellweaver import files
from spellweaver.errors import TryAgain, Unusable
from spellweaver.host import process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from spellweaver.clock import Clock


@contextlib.contextmanager
def held(path: str, *, socket: str | None, clock: Clock, program: str) -> Iterator[None]:
    """Holds the lock at ``path``. Raises TryAgain naming the daemon that has it, and Unusable for a file that isn't
    ours.
    """
    if os.path.lexists(path):
        files.check_private(path)
    try:
        with files.locked(path) as fd:
            _write(fd, socket, clock, program)
            yield
            os.ftruncate(fd, 0)
    except TryAgain as error:
        if error.code != "locked":
            raise
        raise TryAgain("other_daemon", _holder(path), hint="spellweaver status", path=path) from None


def _write(fd: int, socket: str | None, clock: Clock, program: str) -> None:
    me = process.identity(os.getpid())
    facts = {
        "pid": me.pid, "start_ticks": me.start_ticks, "boot_id": me.boot_id, "socket": socket,
        "started_at": clock.now(), "version": program,
    }  # fmt: skip
    data = json.dumps(facts).encode() + b"\n"
    os.ftruncate(fd, 0)
    if os.pwrite(fd, data, 0) != len(data):
        raise Unusable("lock_not_written", "the lock file can't be written whole")


def _holder(path: str) -> str:
    """Who holds the ledger, as a sentence."""
    try:
        facts = json.loads(files.read_operator_file(path, limit=4096) or b"{}")
    except ValueError:
        facts = {}
    who = f"pid {facts['pid']}" if "pid" in facts else "another process"
    return f"{who} is running on this ledger already ({path})"
