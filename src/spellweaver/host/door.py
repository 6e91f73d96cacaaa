"""The daemon's one AF_UNIX socket (ruling 14): callers say a word, who they are is SO_PEERCRED.

A SEQPACKET connection each, so that a word is a message and can be answered. A wake is a hint, never a fact: the
caller sends it after its commit and forgets it; one that is lost costs at most the daemon's next look.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import struct
from typing import NamedTuple

from spellweaver.errors import TryAgain, Unusable

WAKE = b"wake"
LONGEST_PATH = 107  # sun_path, less its NUL
_LONGEST_WORD = 1 << 16
_MOST_CALLERS = 64
_MOST_WORDS = 16  # of one caller at once; who says more is dismissed
_CREDENTIALS = struct.Struct("3i")
_FILE_KIND, _SOCKET_KIND = 0o170000, 0o140000


class Request(NamedTuple):
    """A word that was said, and by whom."""

    word: bytes
    pid: int
    uid: int


class Door:
    """The listening side. ``fileno`` becomes readable when somebody comes or speaks; then ask for ``requests``."""

    def __init__(self, path: str) -> None:
        """Binds at ``path``, 0600, in place of a dead daemon's socket.

        Raises Unusable (path too long, taken by something else, can't be made) and TryAgain (in use).
        """
        self.path = path
        _refuse_long(path)
        _clear(path)
        self._poll = select.epoll()
        self._callers: dict[int, socket.socket] = {}
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._listener.setblocking(False)
        os.fchmod(self._listener.fileno(), 0o600)  # before the bind: the name is born with this mode
        try:
            self._listener.bind(path)
        except OSError as error:
            self.close()
            raise Unusable("socket_not_made", f"{path}: can't be made: {error.strerror}", path=path) from None
        self._made = os.stat(path).st_ino
        self._listener.listen(_MOST_CALLERS)
        self._poll.register(self._listener, select.EPOLLIN)

    def fileno(self) -> int:
        return self._poll.fileno()

    def requests(self) -> list[Request]:
        """What was said since the last call; never waits."""
        self._let_in()
        return [request for fd, _ in self._poll.poll(0) if fd in self._callers for request in self._hear(fd)]

    def _let_in(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while True:
                caller, _ = self._listener.accept()
                caller.setblocking(False)
                if len(self._callers) >= _MOST_CALLERS:  # the one that has been silent for longest goes
                    self._dismiss(next(iter(self._callers)))
                self._callers[caller.fileno()] = caller
                self._poll.register(caller, select.EPOLLIN)

    def _hear(self, fd: int) -> list[Request]:
        """Each of a caller's words until now; at the end of file he is dismissed."""
        caller = self._callers[fd]
        pid, uid, _ = _CREDENTIALS.unpack(caller.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))
        said: list[Request] = []
        try:
            while (word := caller.recv(_LONGEST_WORD)) and len(said) < _MOST_WORDS:
                said.append(Request(word, pid, uid))
        except BlockingIOError:
            return said
        except ConnectionError:
            pass
        self._dismiss(fd)
        return said

    def _dismiss(self, fd: int) -> None:
        self._poll.unregister(fd)
        self._callers.pop(fd).close()

    def close(self) -> None:
        """Stops listening, and takes the name away if it is still ours."""
        for fd in list(self._callers):
            self._dismiss(fd)
        self._listener.close()
        self._poll.close()
        with contextlib.suppress(OSError, AttributeError):
            if os.stat(self.path).st_ino == self._made:
                os.unlink(self.path)


def wake(path: str) -> bool:
    """Tells a daemon that there is something new. Never waits, never raises: False when nobody listens."""
    if len(os.fsencode(path)) > LONGEST_PATH:
        return False
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as door:
        door.setblocking(False)
        try:
            door.connect(path)
            door.send(WAKE)
        except OSError:
            return False
    return True


def _refuse_long(path: str) -> None:
    size = len(os.fsencode(path))
    if size > LONGEST_PATH:
        raise Unusable(
            "socket_path_long", f"{path}: a socket's path has {LONGEST_PATH} bytes at most; this one has {size}",
            hint="set RUNTIME_DIRECTORY to a short directory of your own, such as /run/user/UID/spellweaver", path=path,
        )  # fmt: skip


def _clear(path: str) -> None:
    """Removes a socket that nobody listens at.

    The daemon's lock is held already, so a living one is another ledger's.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as probe:
        probe.setblocking(False)
        try:
            probe.connect(path)
        except FileNotFoundError:
            return
        except ConnectionRefusedError:
            if not _is_socket(path):
                raise Unusable("socket_path_taken", f"{path} is not a socket", hint="move it away", path=path) from None
            os.unlink(path)
            return
        except OSError as error:
            raise Unusable("socket_not_made", f"{path}: {error.strerror}", path=path) from None
    raise TryAgain(
        "socket_in_use", f"another daemon listens at {path}",
        hint="give each ledger its own RUNTIME_DIRECTORY", path=path,
    )  # fmt: skip


def _is_socket(path: str) -> bool:
    return os.lstat(path).st_mode & _FILE_KIND == _SOCKET_KIND
