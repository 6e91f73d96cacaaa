"""A state directory with everything in it, and proof that a command left it byte for byte as it was."""

from __future__ import annotations

import stat
from pathlib import Path

from tests.support.program import Done, call

Contents = dict[str, tuple[int, bytes]]


def state(folder: Path) -> Path:
    """A ledger with two active Schedules, as ``init --example`` makes it, in a private directory."""
    ledger = folder / "state" / "ledger.db"
    done = call("init", "--example", "--quiet", ledger=ledger)
    assert done.status == 0, done.err
    return ledger


def contents(folder: Path) -> Contents:
    """Mode and bytes of everything below, but for the shared memory of a ledger, where a reader marks itself, and an
    empty log, which SQLite makes where it looks.
    """
    found: Contents = {}
    for each in sorted(folder.rglob("*")):
        mode, size = each.lstat().st_mode, each.lstat().st_size
        if not each.name.endswith("-shm") and (size or not each.name.endswith("-wal")):
            found[str(each.relative_to(folder))] = mode, each.read_bytes() if stat.S_ISREG(mode) else b""
    return found


def refused(done: Done, status: int, *words: str) -> None:
    """It ended with that status, said these words and no data, and nothing of it is a fault of ours."""
    assert done.status == status, (done.status, done.err)
    assert done.out == ""
    said = done.err.casefold()
    missing = [word for word in words if word.casefold() not in said]
    assert not missing, (missing, done.err)
    assert "traceback" not in said and "fault in spellweaver" not in said
    assert "\x1b" not in done.err
