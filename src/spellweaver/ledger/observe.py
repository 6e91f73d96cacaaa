"""The reading door: a snapshot of the ledger that cannot decide. Light: apsw and errors only, rows as plain tuples.

Every open of a ledger, here and in ``decide``, goes through ``open_file``: it refuses what is not ours or not of this
version (78), and reads back what it set. A reader takes no write lock and works while the daemon writes.
"""

from __future__ import annotations

import os

import apsw

from spellweaver.errors import DiskTrouble, SpellweaverError, TryAgain, Unusable
from spellweaver.safety import ledger_file, volume

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

APPLICATION_ID = 0x53574C47  # "SWLG"
VERSION = 3
OLDEST = 1  # from which the ladder of ``migrate`` leads to this one
WAL_LIMIT = 4 << 20  # bytes the log is grown to beforehand (performance.md: 1.4 to 2 times the commits)

OPENING_MS = 10_000  # the first to open reads the whole log, the last to close copies it back; others wait for that

Row = tuple["apsw.SQLiteValue", ...]


def open_file(
    path: str, flags: int, *, any_file_system: bool = False, older: bool = False
) -> apsw.Connection:
    """Opens an existing ledger file, checked; on a network's file system only where that was accepted, of an earlier
    version only where that is meant. Raises NotFound, NotAuthorised, Unusable, DiskTrouble, TryAgain.
    """
    writes = flags & apsw.SQLITE_OPEN_READWRITE
    ledger_file.check_owned(path) if writes else ledger_file.check_ledger(path)
    network = volume.network(os.path.dirname(path) or ".")
    try:
        connection = apsw.Connection(path, flags=flags)
        try:
            # until it is accepted, a ledger is left byte for byte: closing it must not copy its log back
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            connection.set_busy_timeout(OPENING_MS)
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA synchronous = FULL")
            check_format(connection, path, older=older)
            if network is not None and not (any_file_system or accepted(connection, network)):
                raise volume.refuse_network(path, network)
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
            connection.set_busy_timeout(0)
            if writes:
                _keep_log(connection)
        except BaseException:
            connection.close()
            raise
    except apsw.SQLError as error:  # nothing of ours was asked yet
        raise damaged(path, str(error).split(": ")[-1]) from None
    except apsw.Error as error:
        raise trouble(error, path) from None
    return connection


def older(connection: apsw.Connection) -> bool:
    """Whether a ledger that may be opened is of an earlier version."""
    return _pragma(connection, "user_version") != VERSION


def check_format(connection: apsw.Connection, path: str, *, older: bool = False) -> None:
    """Refuses (Unusable) a file that is no ledger, is of another version, or whose safety settings did not take."""
    found = {
        name: _pragma(connection, name) for name in ("application_id", "user_version", "journal_mode", "synchronous")
    }
    if found["application_id"] != APPLICATION_ID:
        raise Unusable(
            "not_a_ledger", f"{path} is not a spellweaver ledger", hint="name another file with --ledger", path=path
        )
    version = found["user_version"]
    assert isinstance(version, int)
    newer = version > VERSION
    if version != VERSION and not (older and OLDEST <= version < VERSION):
        raise Unusable(
            "ledger_version",
            f"{path} has ledger version {version}; this program knows version {VERSION}. Nothing was written",
            hint="use the newer spellweaver that wrote it"
            if newer
            else "spellweaver run, or any command that writes, brings it to this version"
            if version >= OLDEST
            else "spellweaver init --ledger NEW, then move over",
            path=path,
            found=version,
            known=VERSION,
        )
    if found["journal_mode"] != "wal" or found["synchronous"] != 2:
        raise Unusable(
            "ledger_unsafe",
            f"{path}: journal_mode is {found['journal_mode']} and synchronous {found['synchronous']}; "
            "wal and 2 (FULL) are needed",
            hint="put the ledger on a local disk",
            path=path,
        )


def accepted(connection: apsw.Connection, network: str) -> bool:
    """Whether an operator took it upon himself to keep this ledger on such a file system (RP-61)."""
    found = connection.execute(
        "SELECT 1 FROM event WHERE type = 'ledger.network_accepted' AND data ->> 'file_system' = ? LIMIT 1", (network,)
    ).fetchone()
    return found is not None


def trouble(error: apsw.Error, path: str) -> SpellweaverError:
    """The house's own error for what SQLite said: what, where, and what to do next."""
    extended = getattr(error, "extendedresult", 0)
    said = str(error).split(": ")[-1]
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return TryAgain("ledger_busy", f"{path} is locked by another writer", hint="try again in a moment", path=path)
    if isinstance(error, apsw.FullError | apsw.IOError) and (room := volume.no_room(path)):
        return _no_room(path, room)
    if isinstance(error, apsw.FullError):
        return _no_room(path, "the disk is full")
    if isinstance(error, apsw.ReadOnlyError):
        why = ledger_file.obstacle(path) or said
        return DiskTrouble("ledger_read_only", f"{path} can't be written: {why}", hint=_look(path), path=path)
    if isinstance(error, apsw.CantOpenError):
        why = ledger_file.obstacle(path) or volume.no_room(path) or said
        return DiskTrouble("ledger_not_opened", f"{path} can't be opened: {why}", hint=_look(path), path=path)
    if isinstance(error, apsw.NotADBError | apsw.CorruptError):
        return damaged(path, said)
    if isinstance(error, apsw.IOError):
        return DiskTrouble(
            "disk_error", f"{path}: the disk refused ({said}, {extended})", hint="dmesg | tail", path=path
        )
    raise error


def damaged(path: str, how: str) -> Unusable:
    """The refusal of a ledger whose bytes can't be what was written."""
    return Unusable("ledger_damaged", f"{path} is damaged: {how}", hint="spellweaver doctor --full", path=path)


def _no_room(path: str, why: str) -> DiskTrouble:
    return DiskTrouble(
        "disk_full", f"{path}: {why}. Nothing was written", hint=f"df -h {os.path.dirname(path) or '.'}", path=path
    )


def _look(path: str) -> str:
    """What shows owner and mode of everything that an open needs; or what makes a copy where that can't help."""
    if not os.access(os.path.dirname(path) or ".", os.W_OK, effective_ids=True) and not os.path.exists(f"{path}-shm"):
        return f"mkdir -m 700 COPY && cp -p {path}* COPY, then read it with --ledger COPY/{os.path.basename(path)}"
    return f"ls -ld {os.path.dirname(path) or '.'} {path}*"


class View:
    """A snapshot: every query of one ``View`` sees the same committed state. Close it, or use it as a context
    manager.
    """

    def __init__(self, connection: apsw.Connection, path: str) -> None:
        self.connection = connection
        self.path = path
        connection.execute("BEGIN")

    def rows(self, sql: str, values: dict[str, object] | tuple[object, ...] = ()) -> Iterator[Row]:
        try:
            yield from self.connection.execute(sql, values)
        except apsw.Error as error:
            raise trouble(error, self.path) from None
        except UnicodeDecodeError:
            raise damaged(self.path, "a text in it is not UTF-8") from None

    def row(self, sql: str, values: dict[str, object] | tuple[object, ...] = ()) -> Row | None:
        return next(self.rows(sql, values), None)

    def head(self) -> tuple[str, int]:
        """(ledger id, last event seq)."""
        found = self.row("SELECT id, (SELECT max(seq) FROM event) FROM ledger")
        assert found is not None
        return str(found[0]), int(str(found[1]))

    def close(self) -> None:
        self.connection.close()

    def __enter__(self) -> View:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


def observe(path: str, *, older: bool = False) -> View:
    """A snapshot of the ledger at ``path``, of an ``older`` version where no table of it is asked. Raises NotFound,
    Unusable, DiskTrouble, TryAgain.
    """
    connection = open_file(path, apsw.SQLITE_OPEN_READONLY, older=older)
    try:
        connection.set_busy_timeout(2000)
        return View(connection, path)
    except apsw.Error as error:
        connection.close()
        raise trouble(error, path) from None


def require_whole(path: str) -> None:
    """Reads every page of a ledger before it is worked on for long: a millisecond for each MiB. Raises Unusable when
    one of them is damaged, and as ``observe``.
    """
    with observe(path, older=True) as view:
        row = view.row("PRAGMA quick_check(1)")
        if row != ("ok",):
            raise damaged(path, " ".join(str(row[0] if row else "it can't be read").split()))


def data_version(connection: apsw.Connection) -> int:
    """Changes when another connection has committed. The file control of this name only tells what the last read
    found; the pragma looks.
    """
    found = _pragma(connection, "data_version")
    assert isinstance(found, int)
    return found


def sqlite_version() -> str:
    """The version of the SQLite library in use."""
    return apsw.sqlite_lib_version()


def _pragma(connection: apsw.Connection, name: str) -> apsw.SQLiteValue:
    row = connection.execute(f"PRAGMA {name}").fetchone()
    return row[0] if row else None


def _keep_log(connection: apsw.Connection) -> None:
    """The grown log outlives the last connection (SQLITE_FCNTL_PERSIST_WAL wants the address of an int)."""
    from array import array  # dear, and a reader never gets here: it can't end the log

    on = array("i", [1])
    connection.file_control("main", apsw.SQLITE_FCNTL_PERSIST_WAL, on.buffer_info()[0])
