"""RP-49: the same environment under a bare service manager and under a login shell full of variables."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from spellweaver.core.identity import AttemptId
from spellweaver.host import attempt, logs, user
from spellweaver.jobs import environment

ROOT = Path(__file__).parents[2]
CANARY = "the-daemons-own-secret"


def environment_of_a_job(home: Path, extra: dict[str, str]) -> list[bytes]:
    home.mkdir()
    path = "import sys; sys.path[:0] = ['src', '.']; "
    program = path + "from tests.support.fake_daemon import main; main(*sys.argv[1:5], 1)"
    done = subprocess.run(
        [sys.executable, "-c", program, home / "attempts", home / "ledger", "never", "env; umask; pwd"],
        env=extra, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True,
    )  # fmt: skip
    assert done.stdout == b"ready\ndone\n"
    folder = str(home / "attempts" / str(AttemptId(1)))
    attempt.wait_until_free(folder)
    return sorted(logs.read(folder).head.replace(os.fsencode(home), b"HOME_OF_TEST").splitlines())


def test_rp_49_the_daemons_environment_does_not_matter(tmp_path: Path) -> None:
    full = {f"VARIABLE_{n}": CANARY for n in range(60)} | {
        "PATH": "/opt/odd", "HOME": "/nowhere", "LANG": "de_DE.UTF-8", "TZ": "Asia/Tokyo",
        "LD_LIBRARY_PATH": "/opt/odd", "USER": "x", "PYTHONPATH": "/opt/odd", "BASH_ENV": "/opt/odd", "ENV": "/opt/odd",
        "SSH_AUTH_SOCK": "/opt/odd", "SPELLWEAVER_RUN": CANARY,
    }  # fmt: skip
    bare, rich = (environment_of_a_job(tmp_path / name, extra) for name, extra in (("a", {}), ("b", full)))
    assert bare == rich
    me = user.account()
    expected = {
        "PATH": environment.PATH, "HOME": me.home, "USER": me.name, "LOGNAME": me.name,
        "SHELL": "/bin/sh", "LANG": "C.UTF-8", "TZ": "UTC",
        "SPELLWEAVER_OCCURRENCE": "occ_3001", "SPELLWEAVER_INVOCATION": "inv_2001", "SPELLWEAVER_RUN": "run_1001",
        "SPELLWEAVER_ATTEMPT": "att_1", "SPELLWEAVER_FENCE": "1", "SPELLWEAVER_SCHEDULE": "night",
        "SPELLWEAVER_NOMINAL": "2026-10-26T07:33:20Z", "SPELLWEAVER_FIRING": "c1:2026-10-26T09:33",
        "SPELLWEAVER_INPUT": "HOME_OF_TEST/attempts/att_1/input",
        "SPELLWEAVER_RESULT": "HOME_OF_TEST/attempts/att_1/result",
        "PWD": "/",  # the shell's own
    }  # fmt: skip
    assert bare == sorted([*(f"{name}={value}".encode() for name, value in expected.items()), b"0077", b"/"])
