"""Identity: this very process, or nobody."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from spellweaver.core.launch import Identity
from spellweaver.host import kernel, process


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    program = [sys.executable, "-S", "-c", "input()"]
    with subprocess.Popen(program, stdin=subprocess.PIPE, env={"MARK": "of this test"}) as one:
        yield one
        one.kill()


def test_a_living_process_is_itself(sleeper: subprocess.Popen[bytes]) -> None:
    who = process.identity(sleeper.pid)
    assert who == Identity(sleeper.pid, kernel.start_ticks(sleeper.pid), process.boot_id(), who.pidfd_inode)
    assert process.alive(who)


@pytest.mark.parametrize("change", [{"start_ticks": 1}, {"boot_id": "b"}, {"pidfd_inode": 1}, {"pid": 2**22 + 1}])
def test_one_fact_off_is_somebody_else(sleeper: subprocess.Popen[bytes], change: dict[str, object]) -> None:
    who = dataclasses.replace(process.identity(sleeper.pid), **change)
    assert not process.alive(who)
    assert not process.send(who, signal.SIGKILL)
    assert sleeper.poll() is None


def test_without_a_pidfd_inode_the_ticks_decide(sleeper: subprocess.Popen[bytes]) -> None:
    who = dataclasses.replace(process.identity(sleeper.pid), pidfd_inode=0)
    assert process.alive(who)
    assert not process.alive(dataclasses.replace(who, start_ticks=who.start_ticks + 1))


def test_a_zombie_is_not_alive(sleeper: subprocess.Popen[bytes]) -> None:
    who = process.identity(sleeper.pid)
    sleeper.kill()
    os.waitid(os.P_PID, sleeper.pid, os.WEXITED | os.WNOWAIT)
    assert not process.alive(who)
    with pytest.raises(ProcessLookupError):
        process.identity(sleeper.pid)
    process.wait(who)


def test_signals_arrive(sleeper: subprocess.Popen[bytes]) -> None:
    assert process.ask_to_end(process.identity(sleeper.pid))
    assert sleeper.wait(30) == -signal.SIGTERM


def test_the_environment_tells_who_carries_a_mark(sleeper: subprocess.Popen[bytes]) -> None:
    assert process.carriers(exactly="MARK=of this test", name="MARK", ends=("test",)) == [sleeper.pid]
    assert process.carriers(exactly="MARK=of this test", name="MARK", ends=("no", "this test")) == [sleeper.pid]
    for exactly, name, ending in (("MARK=of this", "MARK", "test"), ("MARK=of this test", "MARK", "this"),
                                  ("MARK=of this test", "OTHER", "test")):  # fmt: skip
        assert process.carriers(exactly=exactly, name=name, ends=(ending,)) == []


def test_names_with_brackets_and_spaces() -> None:
    program = "import ctypes; ctypes.CDLL(None).prctl(15, b') R 1 (x', 0, 0, 0); print(flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as odd:
        assert odd.stdout is not None
        odd.stdout.readline()
        assert kernel.name(odd.pid) == ") R 1 (x"
        assert kernel.start_ticks(odd.pid) > 1000
        odd.kill()
