"""A copy of a ledger that is being used: whole, verified, on the disk, and never in the place of another file.

SQLite's backup copies a snapshot a few hundred pages at a time, so a daemon goes on deciding. The copy is opened
again and read to its end (structure, foreign keys, the chain of the journal) before it gets its name.
"""

from __future__ import annotations

import contextlib
import os

import apsw

from spellweaver import files
from spellweaver.errors import DiskTrouble, Refused, Unusable
from spellweaver.ledger import journal, observe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

PAGES = 512  # copied in one step


def backup(path: str, target: str, *, progress: Callable[[int, int], None]) -> tuple[int, int]:
    """Copies the ledger at ``path`` to ``target`` (0600): (seq of its last event, bytes). ``progress`` hears pages
    done and all.

    Raises Refused where ``target`` is there already, Unusable when the copy does not verify, DiskTrouble, NotFound,
    TryAgain.
    """
    if os.path.lexists(target):
        raise Refused(
            "target_exists",
            f"{target} is there already; a backup replaces nothing",
            hint="name another file",
            path=target,
        )
    half = f"{target}.{os.getpid()}.new"
    try:
        os.close(os.open(half, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600))
        _copy(path, half, progress)
        seq = _verified(half)
        _to_disk(half)
        os.link(half, target)  # fails where a file has come in the meantime; rename would take its place
        files.sync_directory(os.path.dirname(target) or ".")
    except FileExistsError:
        raise Refused("target_exists", f"{target} is there already; a backup replaces nothing", path=target) from None
    except OSError as error:
        raise DiskTrouble(
            "backup_not_made", f"{target} can't be made: {(error.strerror or str(error)).lower()}", path=target
        ) from None
    except apsw.Error as error:
        raise observe.trouble(error, target) from None
    finally:
        for leftover in (half, f"{half}-wal", f"{half}-shm"):
            with contextlib.suppress(OSError):
                os.unlink(leftover)
    return seq, os.path.getsize(target)


def _copy(path: str, half: str, progress: Callable[[int, int], None]) -> None:
    with (
        observe.observe(path) as view,
        contextlib.closing(apsw.Connection(half)) as copy,
        copy.backup("main", view.connection, "main") as copying,
    ):
        view.head()  # begins the snapshot: without one, each commit of the daemon would begin the copy again
        while not copying.done:
            copying.step(PAGES)
            progress(copying.page_count - copying.remaining, copying.page_count)


def _to_disk(path: str) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _verified(half: str) -> int:
    """The seq of the copy's last event. Raises Unusable with what is wrong."""
    with contextlib.closing(apsw.Connection(half)) as copy:
        for pragma in ("integrity_check", "foreign_key_check"):
            row = copy.execute(f"PRAGMA {pragma}").fetchone()
            if row not in (None, ("ok",)):
                raise Unusable(
                    "copy_damaged",
                    f"the copy does not verify: {pragma} says {row}; the ledger itself may be damaged",
                    row=row,
                )
        seq = journal.verify(copy)
        copy.execute("PRAGMA journal_mode = DELETE").fetchone()  # one file, to be carried anywhere
        copy.execute("PRAGMA journal_mode = WAL").fetchone()
    return seq
