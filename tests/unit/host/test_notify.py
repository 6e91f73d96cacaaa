"""sd_notify, the journal, and the account: what the host's managers tell and hear."""

from __future__ import annotations

import os
import pwd
import socket
from pathlib import Path

import pytest

from spellweaver.host import notify, user


@pytest.mark.parametrize("abstract", [False, True])
def test_the_supervisor_hears(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, abstract: bool) -> None:
    path = f"{tmp_path}/notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as supervisor:
        supervisor.bind(f"\0{path}" if abstract else path)
        supervisor.settimeout(10)
        monkeypatch.setenv("NOTIFY_SOCKET", f"@{path}" if abstract else path)
        assert notify.notify("READY=1\nSTATUS=é")
        assert supervisor.recv(100) == "READY=1\nSTATUS=é".encode()


@pytest.mark.parametrize("address", ["", "relative", "/nowhere/at/all", "vsock:1:2"])
def test_nobody_to_notify(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", address)
    assert not notify.notify("READY=1")


def test_the_journal_is_known_by_device_and_inode(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = os.fstat(2)
    for value, expected in ((f"{facts.st_dev}:{facts.st_ino}", True), (f"{facts.st_dev}:0", False), ("", False)):
        monkeypatch.setenv("JOURNAL_STREAM", value)
        assert notify.stderr_is_journal() is expected


def test_a_uid_without_an_account_is_named_by_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    me = pwd.getpwuid(os.geteuid())
    assert user.account()[:4] == (os.geteuid(), os.getegid(), me.pw_name, me.pw_dir)

    def unknown(_: int) -> None:
        raise KeyError

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    assert user.account()[:4] == (os.geteuid(), os.getegid(), str(os.geteuid()), "/")
