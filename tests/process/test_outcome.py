"""The exit status is the outcome, the command is the binding's byte for byte, and exec is known by its pipe alone."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from spellweaver.core.launch import NeverStarted, Started
from spellweaver.host import logs
from spellweaver.jobs.workers import Workers
from tests.support.processes import Reports, launch, outcome, run


def said(workers: Workers, which: int) -> bytes:
    return logs.text(logs.read(workers.place(launch(which).attempt)))


@pytest.mark.parametrize("code", [0, 3, 75, 125, 126, 127, 255])
def test_an_exit_code_is_just_an_exit_code(workers: Workers, code: int) -> None:
    _, ended = run(workers, launch(1, shell=f"exit {code}"))
    assert outcome(ended) == ("exited", code)
    assert not ended.asked


def test_rp_50_output_plays_no_part(workers: Workers) -> None:
    cases = {
        "echo warning >&2; exit 0": ("exited", 0),
        "exit 3": ("exited", 3),
        "kill -9 $$": ("signalled", -9),
        ":": ("exited", 0),
    }
    for which, (shell, expected) in enumerate(cases.items(), 1):
        _, ended = run(workers, launch(which, shell=shell))
        assert outcome(ended) == expected, shell


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        ("missing", errno.ENOENT), ("mode", errno.EACCES), ("format", errno.ENOEXEC),
        ("directory", errno.EACCES), ("nul", errno.EINVAL),
    ],
)
def test_what_cannot_be_executed_never_started(workers: Workers, tmp_path: Path, make: str, expected: int) -> None:
    program = tmp_path / "program"
    if make in ("mode", "format"):
        program.write_bytes(b"\x00\x01no program\n")
        program.chmod(0o700 if make == "format" else 0o600)
    elif make == "directory":
        program.mkdir()
    reports = Reports()
    workers.start(launch(1, str(program) + ("\0" if make == "nul" else "")), reports)
    reports.next(Started)
    seen = reports.next(NeverStarted)
    assert (seen.why, seen.errno) == ("exec", expected)
    assert seen.detail is not None
    assert seen.detail.endswith(f"' can't be used: {os.strerror(expected)}")
    assert f"[spellweaver: {seen.detail}]\n".encode() in said(workers, 1)


def test_a_missing_directory_is_named(workers: Workers, tmp_path: Path) -> None:
    reports = Reports()
    workers.start(launch(1, "/bin/true", cwd=str(tmp_path / "nowhere")), reports)
    reports.next(Started)
    seen = reports.next(NeverStarted)
    assert (seen.why, seen.errno) == ("exec", errno.ENOENT)
    assert seen.detail == f"the directory '{tmp_path}/nowhere' can't be used: No such file or directory"
    assert b"the directory '" + os.fsencode(tmp_path / "nowhere") in said(workers, 1)


def test_an_argument_list_longer_than_a_message_arrives(workers: Workers) -> None:
    words = ["x" * 1000] * 400
    run(workers, launch(1, "/bin/sh", "-c", 'echo "$# $1"', "sh", *words))
    assert said(workers, 1) == b"400 " + b"x" * 1000 + b"\n"


def test_rp_48_a_percent_sign_is_a_percent_sign(workers: Workers) -> None:
    shells = [
        """printf "%s|%s" "$(date -u +%Y)" "a b" """,
        """printf "%s|%s" \\\n  "$(date -u +%Y)" \\\n  "a b"\n""",
        """printf '%s|%s' "$(date -u +%Y)" 'a b' #\n# 100%\n""",
    ]
    for which, shell in enumerate(shells, 1):
        run(workers, launch(which, shell=shell))
        year, bar, rest = said(workers, which).partition(b"|")
        assert (len(year), year.isdigit(), bar, rest) == (4, True, b"|", b"a b")
    run(workers, launch(9, "/usr/bin/printf", "%s", "%d\n $HOME `x` * é \udcff"))
    assert said(workers, 9) == b"%d\n $HOME `x` * \xc3\xa9 \xff"


def test_rp_51_odd_bytes_are_kept(workers: Workers) -> None:
    _, ended = run(workers, launch(1, shell=r"printf '\300\262\377\000\033]0;x\007\r\n'"))
    assert outcome(ended) == ("exited", 0)
    assert said(workers, 1) == b"\xc0\xb2\xff\x00\x1b]0;x\x07\r\n"


def test_what_a_job_finds(workers: Workers) -> None:
    """No input, nothing open but the three, own process group, default signals, files for the owner only, ``/``."""
    shell = """
        cat; umask; pwd; ulimit -c
        [ "$(cut -d' ' -f5 /proc/$$/stat)" = $$ ] && echo own group
        for fd in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do [ -e /proc/$$/fd/$fd ] && printf "$fd "; done; echo
        touch "$SPELLWEAVER_RESULT"
        grep -E 'Sig(Blk|Ign)' /proc/self/status
    """
    run(workers, launch(1, shell=shell))
    *facts, blocked, ignored, end = said(workers, 1).split(b"\n")
    assert facts == [b"0077", b"/", b"0", b"own group", b"0 1 2 "]
    assert blocked == b"SigBlk:\t0000000000000000"
    assert int(ignored.split()[1], 16) & 0x7FFFFFFF == 0, "above are the C library's own"
    folder = Path(workers.place(launch(1).attempt))
    assert {path.name for path in folder.iterdir()} == {"lock", "status", "log", "input", "result"}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
