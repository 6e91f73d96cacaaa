"""A disk in memory that SQLite and ``spellweaver.files`` write to, and that notes every operation in order.

No method for shared memory is there, so WAL needs ``PRAGMA locking_mode = EXCLUSIVE`` before the first access: one
connection at a time. What several connections do to each other is for tests on the real file system.

    ("create", inode, name)   ("rename", old, new)   ("unlink", name)   ("sync names",)
    ("write", inode, offset, data)   ("truncate", inode, size)   ("sync", inode)   ("failed sync", inode)
"""

from __future__ import annotations

import ctypes
import itertools
import os
from collections.abc import Callable, Mapping
from typing import Any

import apsw

Operation = tuple[Any, ...]
Files = dict[str, bytes]


class MemoryDisk:
    """Names, contents and the log of operations. ``hook`` hears of each before it is done, and may raise."""

    def __init__(self, files: Mapping[str, bytes] | None = None) -> None:
        self.log: list[Operation] = []
        self.names: dict[str, int] = {}
        self.contents: dict[int, bytearray] = {}
        self.hook: Callable[[Operation], None] = lambda operation: None
        self._inodes = itertools.count(1)
        for name, data in (files or {}).items():
            self.contents[inode := next(self._inodes)] = bytearray(data)
            self.names[name] = inode

    def files(self) -> Files:
        return {name: bytes(self.contents[inode]) for name, inode in self.names.items()}

    def do(self, *operation: Any) -> None:
        try:
            self.hook(operation)
        except apsw.Error:
            if operation[0] == "sync":
                self.log.append(("failed sync", operation[1]))
            raise
        self.log.append(operation)

    def create(self, name: str) -> int:
        inode = next(self._inodes)
        self.do("create", inode, name)
        self.contents[inode] = bytearray()
        self.names[name] = inode
        return inode

    def write(self, inode: int, offset: int, data: bytes) -> None:
        self.do("write", inode, offset, data)
        put(self.contents[inode], offset, data)

    def truncate(self, inode: int, size: int) -> None:
        self.do("truncate", inode, size)
        del self.contents[inode][size:]

    def rename(self, old: str, new: str) -> None:
        self.do("rename", old, new)
        self.names[new] = self.names.pop(old)

    def unlink(self, name: str) -> None:
        self.do("unlink", name)
        del self.names[name]


def put(content: bytearray, offset: int, data: bytes) -> None:
    """Writes into a file's content; what lies between its end and the offset reads as zeros."""
    if len(content) < offset:
        content.extend(bytes(offset - len(content)))
    content[offset : offset + len(data)] = data


class MemoryVFS(apsw.VFS):
    """SQLite's door to the disk that is in ``disk``."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.disk = MemoryDisk()
        super().__init__(name, base="")

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> _File:
        name = name.filename() if isinstance(name, apsw.URIFilename) else name
        assert name is not None, "no temporary file is expected here"
        inode = self.disk.names.get(name)
        if inode is None:
            if not flags[0] & apsw.SQLITE_OPEN_CREATE:
                raise apsw.CantOpenError(name)
            inode = self.disk.create(name)
        flags[1] = flags[0]
        return _File(self.disk, inode, named=bool(flags[0] & apsw.SQLITE_OPEN_MAIN_DB))

    def xAccess(self, pathname: str, flags: int) -> bool:
        return pathname in self.disk.names

    def xFullPathname(self, name: str) -> str:
        return name

    def xDelete(self, filename: str, syncdir: bool) -> None:
        if filename not in self.disk.names:
            raise apsw.exception_for(apsw.SQLITE_IOERR_DELETE_NOENT)
        self.disk.unlink(filename)
        if syncdir:
            self.disk.do("sync names")

    def xRandomness(self, numbytes: int) -> bytes:
        return bytes(range(256))[:numbytes]

    def xSleep(self, microseconds: int) -> int:
        return microseconds

    def xCurrentTimeInt64(self) -> int:
        return 212_000_000_000_000


class _File:
    """An open file. A log's name is made durable by its first sync, as the unix VFS does; a database's is."""

    def __init__(self, disk: MemoryDisk, inode: int, *, named: bool) -> None:
        self._disk, self._inode, self._named = disk, inode, named

    def xRead(self, amount: int, offset: int) -> bytes:
        return bytes(self._disk.contents[self._inode][offset : offset + amount])

    def xWrite(self, data: bytes, offset: int) -> None:
        self._disk.write(self._inode, offset, bytes(data))

    def xTruncate(self, newsize: int) -> None:
        self._disk.truncate(self._inode, newsize)

    def xSync(self, flags: int) -> None:
        self._disk.do("sync", self._inode)
        if not self._named:
            self._disk.do("sync names")
            self._named = True

    def xFileSize(self) -> int:
        return len(self._disk.contents[self._inode])

    def xLock(self, level: int) -> None: ...
    def xUnlock(self, level: int) -> None: ...

    def xCheckReservedLock(self) -> bool:
        return False

    def xFileControl(self, op: int, ptr: int) -> bool:
        """The log is kept when the ledger is closed, as on the real disk (``observe``)."""
        if op != apsw.SQLITE_FCNTL_PERSIST_WAL:
            return False
        ctypes.c_int.from_address(ptr).value = 1
        return True

    def xSectorSize(self) -> int:
        return 4096

    def xDeviceCharacteristics(self) -> int:
        return apsw.SQLITE_IOCAP_POWERSAFE_OVERWRITE

    def xClose(self) -> None: ...


class DiskOS:
    """The functions of ``os`` by which ``spellweaver.files`` writes a file whole, on a disk in memory: put it in the
    place of that module's ``os``. ``synced`` False is a program that forgot to sync.
    """

    def __init__(self, disk: Callable[[], MemoryDisk], *, synced: bool = True) -> None:
        self._disk = disk
        self._synced = synced
        self._open: dict[int, int | None] = {}  # descriptor -> inode; None is the directory
        self._descriptors = itertools.count(1000)

    def __getattr__(self, name: str) -> object:
        return getattr(os, name)

    def open(self, path: str, flags: int, mode: int = 0o777) -> int:
        descriptor, disk = next(self._descriptors), self._disk()
        if flags & os.O_DIRECTORY:
            self._open[descriptor] = None
            return descriptor
        inode = disk.names.get(path)
        if inode is None:
            inode = disk.create(path)
        elif flags & os.O_EXCL:
            raise FileExistsError(path)
        elif flags & os.O_TRUNC:
            disk.truncate(inode, 0)
        self._open[descriptor] = inode
        return descriptor

    def write(self, descriptor: int, data: bytes) -> int:
        inode, disk = self._open[descriptor], self._disk()
        assert inode is not None
        disk.write(inode, len(disk.contents[inode]), bytes(data))
        return len(data)

    def fsync(self, descriptor: int) -> None:
        if self._synced:
            inode = self._open[descriptor]
            self._disk().do(*(("sync names",) if inode is None else ("sync", inode)))

    def close(self, descriptor: int) -> None:
        del self._open[descriptor]

    def rename(self, old: str, new: str) -> None:
        self._disk().rename(old, new)

    def unlink(self, path: str) -> None:
        if path not in self._disk().names:
            raise FileNotFoundError(path)
        self._disk().unlink(path)
