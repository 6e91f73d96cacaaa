"""Safe files: opened without following links, written whole or not at all, locked. Only here: ``fcntl``; ``stat`` here
and in ``safety``.

A file that an operator names is opened with O_NOFOLLOW|O_NONBLOCK and must be regular (a FIFO would hang the reader).
A file of ours is replaced by write, fsync, rename, fsync of the directory: after a power cut there is the old or the
new one.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat

from spellweaver.errors import NoInput, TryAgain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator


def read_operator_file(path: str, *, limit: int, fault: Callable[[os.stat_result], str | None] | None = None) -> bytes:
    """The bytes of a regular file that an operator named, at most ``limit`` of them.

    Raises NoInput when it is not there, not regular or can't be opened, when it is larger or changes meanwhile, and
    when ``fault`` of the open file says what is wrong with it.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        why = "is a symbolic link; name the file itself" if error.errno == errno.ELOOP else _reason(error)
        raise NoInput("file_missing", f"{path}: {why}", path=path) from None
    try:
        facts = os.fstat(fd)
        if not stat.S_ISREG(facts.st_mode):
            raise NoInput("file_not_regular", f"{path}: is not a regular file", path=path)
        if fault is not None and (said := fault(facts)):
            raise NoInput("file_not_trusted", f"{path}: {said}", path=path)
        if facts.st_size > limit:
            raise NoInput(
                "file_too_large",
                f"{path}: has {-(-facts.st_size // 1024)} KiB; the limit is {limit // 1024} KiB",
                path=path,
            )
        data = b""
        try:
            while chunk := os.read(fd, limit + 1 - len(data)):
                data += chunk
        except OSError as error:
            raise NoInput("file_missing", f"{path}: can't be read: {_reason(error)}", path=path) from None
        if len(data) > limit:
            raise NoInput("file_too_large", f"{path}: grew over the limit of {limit // 1024} KiB", path=path)
        now = os.fstat(fd)
        if (now.st_size, now.st_mtime_ns) != (facts.st_size, facts.st_mtime_ns) or len(data) != now.st_size:
            raise NoInput("file_changed", f"{path}: was changed while it was read; try again", path=path)
        return data
    finally:
        os.close(fd)


def read_secret(path: str, *, limit: int, owners: Collection[int]) -> bytes:
    """A file whose content is believed and told to nobody. Raises NoInput as ``read_operator_file``, and for a file
    that belongs to none of the uids ``owners`` or that others than its owner may write.
    """

    def fault(facts: os.stat_result) -> str | None:
        if facts.st_uid not in owners:
            return f"belongs to uid {facts.st_uid}, who may not decide what a command is told"
        if facts.st_mode & 0o022:
            return f"is writable by others (mode {stat.S_IMODE(facts.st_mode):04o}); chmod go-w {path}"
        return None

    return read_operator_file(path, limit=limit, fault=fault)


def read_written_by(path: str, *, limit: int, owner: int) -> bytes:
    """A file that a process of ``owner`` made for us. Raises NoInput as ``read_operator_file``, and for a file of
    somebody else's or with a second name: it may be one that he may not read, which we would read for him.
    """

    def fault(facts: os.stat_result) -> str | None:
        if facts.st_uid != owner or facts.st_nlink != 1:
            return f"is not a file that uid {owner} wrote there"
        return None

    return read_operator_file(path, limit=limit, fault=fault)


def write_whole(path: str, data: bytes, *, mode: int = 0o600) -> None:
    """Replaces ``path`` by ``data``: write, fsync, rename, fsync of the directory. Raises OSError."""
    temporary = f"{path}.{os.getpid()}.new"
    with contextlib.suppress(FileNotFoundError):
        os.unlink(temporary)  # of a process that was killed, or put there by somebody else
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(fd, view) :]
            os.fsync(fd)
        finally:
            os.close(fd)
        os.rename(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise
    sync_directory(os.path.dirname(path) or ".")


def sync_directory(path: str) -> None:
    """Makes the names in a directory durable."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


@contextlib.contextmanager
def locked(path: str, *, wait: bool = False) -> Iterator[int]:
    """Holds an exclusive flock on ``path`` (made 0600) and yields its descriptor; TryAgain when another process has
    it.
    """
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            raise TryAgain("locked", f"{path} is held by another process", path=path) from None
        yield fd
    finally:
        os.close(fd)


@contextlib.contextmanager
def in_turn(directory: str, wait: Callable[[], bool]) -> Iterator[None]:
    """Stands in line with the others who do this: an flock on the directory is the turn, held for the body. ``wait`` is
    called, again and again, while somebody else has it, until it returns False: then the body goes first all the same.
    Where a directory can't be locked there is no line.
    """
    try:
        fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        yield
        return
    try:
        with contextlib.suppress(OSError):
            while not holds_lock(fd) and wait():
                pass
        yield
    finally:
        os.close(fd)


def holds_lock(fd: int) -> bool:
    """Tries the exclusive flock of an open descriptor without waiting; True if it is ours now."""
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def wait_lock(fd: int) -> None:
    """Waits until the exclusive flock of an open descriptor is ours."""
    fcntl.flock(fd, fcntl.LOCK_EX)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
