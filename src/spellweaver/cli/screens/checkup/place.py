"""The place: who owns it and who may write it, the file system, the room that is left, the files of the ledger."""

from __future__ import annotations

import os

from spellweaver.cli.screens.checkup.finding import Finding, guarded
from spellweaver.safety import ledger_file, owners, volume

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from spellweaver.cli.frame import Frame

LOW_BYTES = 64 << 20
LOW_INODES = 1000
LOG_BYTES = 64 << 20  # an idle daemon copies the log back long before


def look(frame: Frame) -> Iterator[Finding]:
    """Every finding of the place. Raises nothing of its own for what is wrong."""
    places = frame.places
    yield from guarded("state_directory", lambda: _state(places.state))
    yield from guarded("ledger_files", lambda: _files(places.ledger, places.witness, places.lock))
    if os.path.lexists(places.attempts):
        yield from guarded("attempts_directory", lambda: _attempts(places.attempts))
    yield from _file_system(places.state)
    yield from _room(places.state)
    yield from _log(f"{places.ledger}-wal")
    yield from _surroundings(frame)


def _state(path: str) -> Iterator[Finding]:
    owners.check_state(path)
    yield Finding("state_directory", "ok", owners.owner_and_mode(path))


def _files(ledger: str, witness: str, lock: str) -> Iterator[Finding]:
    ledger_file.check_owned(ledger)
    for each in (witness, lock):
        if os.path.lexists(each):
            owners.check_private(each)
    there = [each for each in (ledger, f"{ledger}-wal", f"{ledger}-shm", witness, lock) if os.path.lexists(each)]
    names = ", ".join(os.path.basename(each) for each in there)
    yield Finding("ledger_files", "ok", f"{names}: regular, one name each, nobody else may write them")


def _attempts(path: str) -> Iterator[Finding]:
    owners.check_private(path)
    yield Finding("attempts_directory", "ok", owners.owner_and_mode(path))


def _file_system(path: str) -> Iterator[Finding]:
    found, network = volume.file_system(path), volume.network(path)
    if found is None:
        yield Finding("file_system", "note", f"the kernel does not say which file system {path} is on")
    elif network is not None:
        said = f"{path} is on {network}, mounted at {found[1]}: the locks of a ledger can't be relied on there"
        yield Finding("file_system", "wrong", said, "put the ledger on a local disk")
    else:
        yield Finding("file_system", "ok", f"{path} is on {found[0]}, mounted at {found[1]}")


def _room(path: str) -> Iterator[Finding]:
    try:
        facts = os.statvfs(path)
    except OSError as error:
        yield Finding("room", "wrong", f"{path}: {(error.strerror or str(error)).lower()}")
        return
    free = facts.f_bavail * facts.f_frsize
    inodes = f", {facts.f_favail} inodes" if facts.f_files else ""
    low = free < LOW_BYTES or (facts.f_files and facts.f_favail < LOW_INODES)
    yield Finding("room", "wrong" if low else "ok", f"{free >> 20} MiB{inodes} free", f"df -h {path}" if low else None)
    if (why := volume.no_room(f"{path}/ledger.db")) is not None:
        yield Finding("writable", "wrong", f"nothing can be written: {why}", f"df -h {path}")


def _log(path: str) -> Iterator[Finding]:
    try:
        size = os.path.getsize(path)
    except OSError:
        yield Finding("log_size", "note", f"there is no {os.path.basename(path)}: nobody has written since it was made")
        return
    if size > LOG_BYTES:
        said = f"the log has {size >> 20} MiB and is not copied back: a reader holds it up, or the disk refuses"
        yield Finding("log_size", "wrong", said, f"fuser -v {path}")
    else:
        yield Finding("log_size", "ok", f"the log has {size >> 10} KiB")


def _surroundings(frame: Frame) -> Iterator[Finding]:
    """What could make this very process lie."""
    from spellweaver.host import surroundings

    if preload := frame.environ.get("LD_PRELOAD"):
        yield Finding("preload", "note", f"LD_PRELOAD is set ({preload}): foreign code runs in this program")
    if tracer := surroundings.tracer():
        yield Finding("traced", "note", f"process {tracer} traces this program")
