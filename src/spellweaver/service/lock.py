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
from spellweaver.errors import DiskTrouble, TryAgain
from spellweaver.host import process
from spellweaver.safety import owners, volume

TYPE_CHECKING = False
if TYPE_CHECKING:
    from spellweaver.clock import Clock


@contextlib.contextmanager
def held(path: str, *, socket: str | None, clock: Clock, program: str) -> Iterator[None]:
    """Holds the lock at ``path``. Raises TryAgain naming the daemon that has it, and Unusable for a file that isn't
    ours.
    """
    if os.path.lexists(path):
        owners.check_private(path)
    try:
        with _opened(path) as fd:
            _write(path, fd, socket, clock, program)
            yield
            os.ftruncate(fd, 0)
    except TryAgain as error:
        if error.code != "locked":
            raise
        raise TryAgain("other_daemon", _holder(path), hint="spellweaver status", path=path) from None


@contextlib.contextmanager
def _opened(path: str) -> Iterator[int]:
    """The lock; its taking only, not the work under it, may be told as trouble of the disk."""
    with contextlib.ExitStack() as stack:
        try:
            fd = stack.enter_context(files.locked(path))
        except OSError as error:
            raise _not_written(path, error) from None
        yield fd


def _not_written(path: str, error: OSError) -> DiskTrouble:
    why = volume.no_room(path) or (error.strerror or str(error)).lower()
    hint = f"df -h {os.path.dirname(path) or '.'}; ls -l {path}"
    return DiskTrouble("lock_not_written", f"{path} can't be written: {why}", hint=hint, path=path)


def _write(path: str, fd: int, socket: str | None, clock: Clock, program: str) -> None:
    me = process.identity(os.getpid())
    facts = {
        "pid": me.pid, "start_ticks": me.start_ticks, "boot_id": me.boot_id, "socket": socket,
        "started_at": clock.now(), "version": program,
    }  # fmt: skip
    data = json.dumps(facts).encode() + b"\n"
    try:
        os.ftruncate(fd, 0)
        written = os.pwrite(fd, data, 0)
    except OSError as error:
        raise _not_written(path, error) from None
    if written != len(data):
        raise DiskTrouble("lock_not_written", f"{path} can't be written whole", hint=f"df -h {path}", path=path)


def _holder(path: str) -> str:
    """Who holds the ledger, as a sentence."""
    try:
        facts = json.loads(files.read_operator_file(path, limit=4096) or b"{}")
    except (ValueError, RecursionError):
        facts = {}
    who = f"pid {facts['pid']}" if isinstance(facts, dict) and "pid" in facts else "another process"
    return f"{who} is running on this ledger already ({path})"
