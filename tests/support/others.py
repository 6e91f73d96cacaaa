"""Another user, another file system: a command of the program as somebody else, and scripts with a small disk of their
own.
"""

from __future__ import annotations

import functools
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.program import SRC, Done, call

NOBODY = 65534
OTHER = 65533


def _reachable() -> bool:
    """Whether another user could read the program where it lies."""
    return all(each.stat().st_mode & 0o001 for each in SRC.parents) and bool(SRC.stat().st_mode & 0o001)


as_root = pytest.mark.skipif(
    os.geteuid() != 0 or not _reachable(), reason="only root can act as somebody else, where he can read the program"
)


@contextmanager
def everybodys_place() -> Iterator[Path]:
    """A directory that every user can come to, unlike those of pytest."""
    made = Path(tempfile.mkdtemp(prefix="spellweaver-test-"))
    made.chmod(0o755)
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def as_user(uid: int, *words: str, ledger: Path | str | None = None, real: int | None = None) -> Done:
    """``call`` in a forked process of that user; ``real``: with another real uid, as a set-user-id program has."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid if real is None else real, uid, uid)
            os.write(write, pickle.dumps(call(*words, ledger=ledger)))
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as file:
        told = file.read()
    os.waitpid(pid, 0)
    found = pickle.loads(told)
    assert isinstance(found, Done)
    return found


@functools.cache
def _unshare() -> list[str]:
    """The words that give a script mounts of its own; none where that can't be had."""
    for words in (["unshare", "-m"], ["unshare", "-rm"]):
        try:
            done = subprocess.run([*words, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, timeout=20)
        except OSError:
            continue
        if done.returncode == 0:
            return words
    return []


@dataclass(frozen=True)
class Step:
    """One command of a script: what was typed, its status, what it said."""

    line: str
    status: int
    out: str
    err: str


def on_own_disk(folder: Path, script: str, *, size: str = "3m") -> list[Step]:
    """Runs a bash script over a tmpfs of that size at ``$M``, which goes with it. ``try WORDS`` in it runs the program
    on ``$M/s/ledger.db`` and becomes a Step.
    """
    if not _unshare():
        pytest.skip("needs a mount namespace")
    point, told = folder / "disk", folder / "told"
    point.mkdir()
    told.mkdir()
    head = f"""
        set -u; M={point} L={point}/s/ledger.db n=0
        program() {{ PYTHONPATH={SRC} {sys.executable} -m spellweaver.cli.main "$@" --ledger $L; }}
        try() {{
            n=$((n + 1)); k={told}/$(printf %03d $n); echo "$*" >$k.line
            program "$@" >$k.out 2>$k.err </dev/null; echo $? >$k.status
        }}
        mount -t tmpfs -o size={size},mode=755 none $M || exit 9
    """
    env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LANG": "C.UTF-8"}
    words = [*_unshare(), "bash", "-c", head + script]
    done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr

    def of(kind: str) -> list[str]:
        return [each.read_text(errors="replace") for each in sorted(told.glob(f"*.{kind}"))]

    parts = zip(of("line"), of("status"), of("out"), of("err"), strict=True)
    return [Step(line.strip(), int(status), out, err) for line, status, out, err in parts]
