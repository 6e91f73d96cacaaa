"""The files of a ledger: each one regular file with one name, and what keeps this user from them.

Reading asks no more than that: under a second name, or through a link, its log would not be found. Who writes must own
the directory, the ledger and its log.
"""

from __future__ import annotations

import os
import stat

from spellweaver.errors import NotAuthorised, NotFound, Unusable, Usage
from spellweaver.safety import owners, volume


def check_name(path: str) -> None:
    """Refuses (Usage) a path that SQLite can't be given: it wants UTF-8."""
    try:
        path.encode()
    except UnicodeEncodeError:
        raise Usage("ledger_path", f"the path of the ledger, {path!a}, is not UTF-8") from None
    if "\0" in path:
        raise Usage("ledger_path", f"the path of the ledger, {path!a}, holds a NUL")


def check_ledger(path: str) -> None:
    """Refuses what can't be opened as a ledger without harm: a link, another kind of file, a file with two names, a
    rollback journal beside it.

    Raises NotFound, NotAuthorised (out of reach), Unusable, Usage.
    """
    check_name(path)
    facts = _looked_at(path)
    if facts is None:
        raise NotFound("no_ledger", f"there is no ledger at {path}", hint="spellweaver init", path=path)
    _check_one_file(path, facts)
    for beside in (f"{path}-wal", f"{path}-shm"):
        if (found := _looked_at(beside)) is not None:
            _check_one_file(beside, found)
    journal = f"{path}-journal"
    if _looked_at(journal) is not None:
        raise Unusable(
            "ledger_journal", f"{journal}: a rollback journal, which a ledger never has; SQLite would undo pages by it",
            hint=f"mv {journal} {journal}.away", path=journal,
        )  # fmt: skip


def check_owned(path: str) -> None:
    """The same, and refuses (Unusable) to write a ledger whose directory, file or log is not ours alone."""
    check_ledger(path)
    owners.check_state(os.path.dirname(path) or ".")
    for each in (path, f"{path}-wal", f"{path}-shm"):
        if os.path.lexists(each):
            owners.check_private(each)


def obstacle(path: str) -> str | None:
    """What keeps this user from a ledger that is there, in words: the first of its files that may not be read, that is
    missing and can't be made, or that may not be written.
    """
    folder, files = os.path.dirname(path) or ".", (path, f"{path}-wal", f"{path}-shm")
    if not os.path.isdir(folder):
        return None
    there = [each for each in files if os.path.lexists(each)]
    closed = next((each for each in there if not os.access(each, os.R_OK, effective_ids=True)), None)
    if closed is None and len(there) < len(files) and not os.access(folder, os.W_OK, effective_ids=True):
        missing = next(each for each in files if each not in there)
        return f"{missing} is missing, and nothing can be made in {folder}: {_closed(folder)}. A copy can be read"
    closed = closed or next((each for each in there if not os.access(each, os.W_OK, effective_ids=True)), None)
    return None if closed is None else _closed(closed)


def _closed(path: str) -> str:
    said = volume.no_room(path)
    if said is not None and "read-only" in said:
        return said
    return owners.owner_and_mode(path)


def _looked_at(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError:
        raise NotAuthorised(
            "ledger_out_of_reach", f"{path} can't be reached by uid {os.geteuid()}: {_barred(path)}",
            hint="run as the owner of the ledger", path=path,
        ) from None  # fmt: skip
    except OSError as error:
        said = (error.strerror or str(error)).lower()
        raise NotFound("no_ledger", f"there can be no ledger at {path}: {said}", path=path) from None


def _barred(path: str) -> str:
    """The first directory on the way that may not be entered."""
    for above in reversed(list(owners.above(path))):
        if not os.access(above, os.X_OK, effective_ids=True):
            return _closed(above)
    return "permission denied"


def _check_one_file(path: str, facts: os.stat_result) -> None:
    if stat.S_ISLNK(facts.st_mode):
        raise Unusable("state_is_link", f"{path} is a symbolic link; name the place itself", path=path)
    if not stat.S_ISREG(facts.st_mode):
        raise Unusable(
            "ledger_not_regular", f"{path} is not a regular file", hint="name another file with --ledger", path=path
        )
    if facts.st_nlink > 1 + _left_over(path, facts):
        raise Unusable(
            "ledger_linked",
            f"{path} has {facts.st_nlink} names (hard links); under another one its log would not be found",
            hint=f"find {os.path.dirname(path) or '.'} -xdev -samefile {path}, then rm all names but one",
            path=path, links=facts.st_nlink,
        )  # fmt: skip


def _left_over(path: str, facts: os.stat_result) -> int:
    """Names that the making of this ledger left when it was killed; nobody opens them."""
    folder, name = os.path.dirname(path) or ".", os.path.basename(path)
    halves = [each for each in os.listdir(folder) if each.startswith(f"{name}.") and each.endswith(".new")]
    return sum(os.path.samestat(os.lstat(f"{folder}/{half}"), facts) for half in halves)
