"""Which cgroup is ours to divide: read from what /proc says, and never more than was given."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from spellweaver.host import cgroup

V1 = "12:pids:/user.slice\n"
UNIT = "0::/system.slice/spellweaver.service\n"
MOUNT = "29 23 0:26 {root} {place} rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
OTHER = "28 23 0:25 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"


@pytest.mark.parametrize(
    ("membership", "mounts", "expected"),
    [
        (UNIT, MOUNT.format(root="/", place="/sys/fs/cgroup"), "/sys/fs/cgroup/system.slice/spellweaver.service"),
        (V1 + "0::/\n", OTHER + MOUNT.format(root="/", place="/sys/fs/cgroup/unified"), "/sys/fs/cgroup/unified"),
        ("0::/docker/ab/c\n", MOUNT.format(root="/docker/ab", place="/sys/fs/cgroup"), "/sys/fs/cgroup/c"),
        ("0::/docker/ab\n", MOUNT.format(root="/docker/ab", place="/sys/fs/cgroup"), "/sys/fs/cgroup"),
        ("0::/docker/abc\n", MOUNT.format(root="/docker/ab", place="/sys/fs/cgroup"), None),
        ("0::/../outside\n", MOUNT.format(root="/", place="/sys/fs/cgroup"), None),
        (UNIT, MOUNT.format(root="/", place="/mnt/a\\040b"), None),
        (V1, MOUNT.format(root="/", place="/sys/fs/cgroup"), None),
        (UNIT, OTHER, None),
        ("", "", None),
    ],
    ids=["unit", "hybrid", "below", "root", "beside", "out of sight", "odd path", "version 1", "unmounted", "none"],
)  # fmt: skip
def test_our_own_is_found_or_honestly_not(membership: str, mounts: str, expected: str | None) -> None:
    assert cgroup._own(membership, mounts) == expected


@pytest.fixture
def ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A directory that stands for our cgroup."""
    (tmp_path / "cgroup.procs").touch()
    monkeypatch.setattr(cgroup, "_own", lambda *_: str(tmp_path))
    monkeypatch.setattr(cgroup, "_MANAGED", str(tmp_path / "no systemd"))
    cgroup.base.cache_clear()
    yield tmp_path
    cgroup.base.cache_clear()


def test_a_writable_one_is_ours(ours: Path) -> None:
    assert cgroup.base() == str(ours)


def test_one_without_procs_to_write_is_not(ours: Path) -> None:
    (ours / "cgroup.procs").unlink()
    assert cgroup.base() is None


@pytest.mark.parametrize(("uid", "marked", "is_ours"), [(0, False, False), (0, True, True), (1000, False, True)])
def test_under_systemd_root_takes_only_what_was_delegated(
    ours: Path, monkeypatch: pytest.MonkeyPatch, uid: int, marked: bool, is_ours: bool
) -> None:
    """Root may write to all of them; a user only to what he was given."""
    monkeypatch.setattr(cgroup, "_MANAGED", str(ours))
    monkeypatch.setattr(os, "geteuid", lambda: uid)

    def mark(path: str, name: str) -> bytes:
        if marked and name == "trusted.delegate":
            return b"1"
        raise OSError

    monkeypatch.setattr(os, "getxattr", mark)
    assert (cgroup.base() is not None) is is_ours


def test_one_that_is_gone_was_empty_unless_all_is_out_of_sight(tmp_path: Path) -> None:
    assert cgroup.is_empty(str(tmp_path / "gone")) is True
    assert cgroup.is_empty(str(tmp_path / "no mount" / "gone")) is None
    (tmp_path / "cgroup.events").write_text("populated 1\nfrozen 0\n")
    assert cgroup.is_empty(str(tmp_path)) is False
    (tmp_path / "cgroup.events").write_text("populated 0\nfrozen 0\n")
    assert cgroup.is_empty(str(tmp_path)) is True
    (tmp_path / "cgroup.events").unlink()
    (tmp_path / "cgroup.events").mkdir()
    assert cgroup.is_empty(str(tmp_path)) is None


def test_a_kernel_without_kill_gives_none(ours: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Before Linux 5.14 there is no cgroup.kill; nothing is left behind then."""
    folder = tmp_path_factory.mktemp("att_1")
    assert cgroup.make(str(folder)) is None
    assert cgroup.of(str(folder)) is None
    assert [path.name for path in ours.iterdir()] == ["cgroup.procs"]
