"""A disk that fails when a test says so: a VFS over the real one. And a process that dies at its nth statement."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator

import apsw


class FailingDisk(apsw.VFS):
    """While it stands, every new connection is opened through it. ``failing`` are the methods of the log's file that
    fail, each as often as it says.
    """

    def __init__(self) -> None:
        self.failing: dict[str, int] = {}
        super().__init__("failing-disk", "unix", makedefault=True)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        return _File(self, name, flags)

    def fail(self, method: str) -> None:
        if self.failing.get(method, 0) > 0:
            self.failing[method] -= 1
            raise apsw.IOError(f"planted fault in {method}")


class _File(apsw.VFSFile):
    def __init__(self, disk: FailingDisk, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        self._disk = disk
        self._log = bool(flags[0] & apsw.SQLITE_OPEN_WAL)
        super().__init__("unix", name, flags)

    def xSync(self, flags: int) -> None:
        if self._log:
            self._disk.fail("xSync")
        super().xSync(flags)

    def xWrite(self, data: bytes, offset: int) -> None:
        if self._log:
            self._disk.fail("xWrite")
        super().xWrite(data, offset)


@contextlib.contextmanager
def failing_disk() -> Iterator[FailingDisk]:
    disk = FailingDisk()
    try:
        yield disk
    finally:
        disk.unregister()


def statements(connection: apsw.Connection, work: Callable[[], None]) -> list[str]:
    """The statements that ``work`` gives to SQLite, in order."""
    seen: list[str] = []

    def note(_cursor: apsw.Cursor, sql: str, _values: object) -> bool:
        seen.append(sql)
        return True

    connection.exec_trace = note
    try:
        work()
    finally:
        connection.exec_trace = None
    return seen


class Undone(Exception):
    """Raised in place of a statement."""


def refuse_statement(connection: apsw.Connection, nth: int) -> None:
    """The nth statement from now on, COMMIT and ROLLBACK left out, is not executed: ``Undone`` is raised."""
    left = [nth]

    def count(_cursor: apsw.Cursor, sql: str, _values: object) -> bool:
        if sql not in ("COMMIT", "ROLLBACK"):
            left[0] -= 1
            if left[0] == 0:
                raise Undone
        return True

    connection.exec_trace = count


def die_at_statement(connection: apsw.Connection, nth: int) -> None:
    """This process gets a SIGKILL before its nth statement from now on."""
    left = [nth]

    def count(_cursor: apsw.Cursor, _sql: str, _values: object) -> bool:
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return True

    connection.exec_trace = count


def in_child(work: Callable[[], object]) -> int:
    """Does the work in a forked process and returns its wait status: 9 when it was killed. ``work`` opens what it
    needs itself.
    """
    return os.waitpid(_forked(work), 0)[1]


def race(*works: Callable[[], object]) -> None:
    """Does each work in a process of its own, all let go at the same moment; each must end well."""
    read, write = os.pipe()

    def when_let_go(work: Callable[[], object]) -> Callable[[], object]:
        def begin() -> None:
            os.close(write)
            os.read(read, 1)  # returns when the last writing end is closed
            work()

        return begin

    pids = [_forked(when_let_go(work)) for work in works]
    os.close(read)
    os.close(write)
    assert [os.waitpid(pid, 0)[1] for pid in pids] == [0] * len(pids)


def _forked(work: Callable[[], object]) -> int:
    pid = os.fork()
    if pid == 0:
        status = 70
        try:
            work()
            status = 0
        except BaseException:  # noqa: BLE001  # shown by pytest with the parent's failure
            traceback.print_exc()
            sys.stderr.flush()
        finally:
            os._exit(status)
    return pid
