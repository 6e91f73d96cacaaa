"""The folder of one attempt, and what its files mean.

    lock     held by the shim from before the command exists until its status is written
    status   how it ended (JSON, written whole): a free lock with a status is a result, without one no proof
    log      output (``ring``)        input    JSON for the job        result   where the job may write one JSON object
    result_note  why the result of another user's job was left where it was (``handover``)
    escaped  what lives on after KILL (JSON), while the shim waits for it
    cgroup   the path of the attempt's own, while there is one

Folder 0700, files 0600. Light on purpose: the keeper imports it.
"""

from __future__ import annotations

import json
import os

from spellweaver import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def prepare(folder: str, given: str) -> None:
    """Makes the folder, with ``given`` as the job's input.

    Raises OSError; FileExistsError when the attempt has one already.
    """
    os.mkdir(folder, 0o700)
    fd = os.open(f"{folder}/input", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "wb") as file:
        file.write(given.encode("utf-8", "surrogateescape"))


def take_lock(folder: str) -> int:
    """Makes and takes the lock; it is ours as long as the descriptor, and no copy of it, is open. Raises OSError."""
    fd = os.open(f"{folder}/lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    files.wait_lock(fd)
    return fd


def wait_until_free(folder: str) -> bool:
    """Returns when nobody holds the lock: the shim has ended. False at once when there is no lock to wait for."""
    return _judge(folder, wait=True) is not None


def lock_is_free(folder: str) -> bool:
    """Whether the shim has ended, or never began."""
    return _judge(folder, wait=False) is not False


def _judge(folder: str, *, wait: bool) -> bool | None:
    try:
        fd = os.open(f"{folder}/lock", os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        if wait:
            files.wait_lock(fd)
        return files.holds_lock(fd)
    finally:
        os.close(fd)


def write_status(folder: str, status: dict[str, Any]) -> None:
    """Written, synced, renamed, and the rename synced. Raises OSError."""
    files.write_whole(f"{folder}/status", json.dumps(status, sort_keys=True).encode())


def write_escaped(folder: str, left: list[tuple[int, str]]) -> None:
    """For a daemon that comes later: (pid, short name) of each. Raises OSError."""
    files.write_whole(f"{folder}/escaped", json.dumps(left).encode())


def read_escaped(folder: str) -> list[tuple[int, str]] | None:
    """What the shim said that it can't end; None where it has said nothing of the kind."""
    try:
        with open(f"{folder}/escaped", "rb") as file:
            return [(int(pid), str(name)) for pid, name in json.load(file)]
    except (OSError, ValueError, TypeError):
        return None


def read_status(folder: str) -> dict[str, Any] | None:
    """What the shim left; None when there is no status, or none that a shim of ours could have written."""
    try:
        with open(f"{folder}/status", "rb") as file:
            status = json.load(file)
    except (OSError, ValueError):
        return None
    return status if isinstance(status, dict) and "state" in status else None
