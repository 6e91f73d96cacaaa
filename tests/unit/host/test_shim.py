"""What a shim does when the disk refuses its last word, and when the daemon is no longer there to hear it."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from spellweaver.host import attempt, shim

STATUS = {"state": "exited", "code": 3}


def test_a_full_disk_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, refusals, pauses = attempt.write_status, [errno.ENOSPC, errno.EDQUOT], []

    def full_at_first(folder: str, status: dict[str, object]) -> None:
        if refusals:
            raise OSError(refusals.pop(0), "full")
        write(folder, status)

    monkeypatch.setattr(attempt, "write_status", full_at_first)
    monkeypatch.setattr(shim, "pause", pauses.append)
    shim._leave(str(tmp_path), STATUS)
    assert attempt.read_status(str(tmp_path)) == STATUS
    assert pauses == [500_000, 500_000]


def test_a_folder_that_is_gone_is_not_waited_for(tmp_path: Path) -> None:
    shim._leave(str(tmp_path / "gone"), STATUS)
    assert attempt.read_status(str(tmp_path / "gone")) is None


def test_a_word_to_a_dead_daemon_is_no_fault() -> None:
    read, write = os.pipe()
    os.close(read)
    shim.tell(write, {"escaped": []})
    os.close(write)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '"state"'])
def test_a_status_that_no_shim_wrote_is_no_status(tmp_path: Path, text: str) -> None:
    (tmp_path / "status").write_text(text)
    assert attempt.read_status(str(tmp_path)) is None
