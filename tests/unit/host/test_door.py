"""The wake socket: a hint that never waits, a name that survives a dead daemon, callers known by the kernel's word."""

from __future__ import annotations

import os
import select
import socket
import stat
from pathlib import Path

import pytest

from spellweaver.errors import TryAgain, Unusable
from spellweaver.host.door import LONGEST_PATH, WAKE, Door, Request, wake


def test_a_wake_is_seen_once_and_its_caller_known(tmp_path: Path) -> None:
    path = str(tmp_path / "socket")
    door = Door(path)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert not select.select([door], [], [], 0)[0]
    assert wake(path)
    assert select.select([door], [], [], 10)[0]
    assert door.requests() == [Request(WAKE, os.getpid(), os.geteuid())]
    assert not select.select([door], [], [], 0)[0]
    door.close()
    assert not os.path.exists(path)


def test_a_word_may_come_later_than_its_caller(tmp_path: Path) -> None:
    door = Door(str(tmp_path / "socket"))
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as caller:
        caller.connect(door.path)
        assert door.requests() == []
        caller.send(b"one")
        caller.send(b"two")
        assert [request.word for request in door.requests()] == [b"one", b"two"]
    assert door.requests() == []
    door.close()


def test_silent_callers_do_not_pile_up(tmp_path: Path) -> None:
    door = Door(str(tmp_path / "socket"))
    callers = []
    for _ in range(200):
        caller = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        caller.connect(door.path)
        callers.append(caller)
        door.requests()
    assert wake(door.path)
    assert [request.word for request in door.requests()] == [WAKE]
    for caller in callers:
        caller.close()
    door.close()


def test_a_dead_daemons_socket_is_replaced(tmp_path: Path) -> None:
    path = str(tmp_path / "socket")
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as dead:
        dead.bind(path)
    assert not wake(path)
    door = Door(path)
    assert wake(path)
    door.close()


def test_what_is_not_ours_is_left(tmp_path: Path) -> None:
    path = str(tmp_path / "socket")
    door = Door(path)
    with pytest.raises(TryAgain) as taken:
        Door(path)
    assert taken.value.code == "socket_in_use"
    door.close()
    Path(path).write_text("precious")
    with pytest.raises(Unusable) as other:
        Door(path)
    assert other.value.code == "socket_path_taken"
    assert Path(path).read_text() == "precious"
    with pytest.raises(Unusable):
        Door(str(tmp_path / "missing" / "socket"))


def test_a_path_too_long_is_refused_with_the_remedy(tmp_path: Path) -> None:
    longest = f"{tmp_path}/".ljust(LONGEST_PATH, "x")
    Door(longest).close()
    with pytest.raises(Unusable, match="107 bytes at most; this one has 108") as refused:
        Door(longest + "x")
    assert refused.value.hint is not None
    assert "RUNTIME_DIRECTORY" in refused.value.hint
    assert not wake(longest + "x")


def test_a_wake_without_a_daemon_is_nothing(tmp_path: Path) -> None:
    assert not wake(str(tmp_path / "nobody"))


def test_a_wake_to_a_daemon_that_does_not_listen_does_not_wait(tmp_path: Path) -> None:
    door = Door(str(tmp_path / "socket"))
    answers = [wake(door.path) for _ in range(200)]
    assert answers[0]
    assert not answers[-1]
    door.close()
