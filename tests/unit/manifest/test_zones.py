"""The zone source: names in exact case, nothing of the host's own, and a clear word when there is no data."""

from __future__ import annotations

import builtins
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from spellweaver.manifest import zones
from spellweaver.manifest.zones import UnknownZone


@pytest.fixture(autouse=True)
def _fresh_source() -> Iterator[None]:
    zones._files.cache_clear()
    yield
    zones._files.cache_clear()


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A zone directory as an operator may have it."""
    data = zones.rules("Europe/Rome")
    for name in ("Europe/Rome", "UTC", "localtime", "Factory", "posixrules", "posix/Europe/Rome", "right/UTC"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (tmp_path / "Europe" / "Roma").symlink_to("Rome")
    (tmp_path / "zone.tab").write_text("IT\t+4154+01229\tEurope/Rome\n")
    (tmp_path / "tzdata.zi").write_text("# version 2026f\n")
    monkeypatch.setenv("SPELLWEAVER_ZONES", str(tmp_path))
    return tmp_path


def refusal(name: str) -> str:
    with pytest.raises(UnknownZone) as caught:
        zones.rules(name)
    return str(caught.value)


def test_the_package_is_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPELLWEAVER_ZONES", raising=False)
    assert zones.rules("Europe/Bratislava")[:4] == b"TZif"
    assert {"UTC", "America/New_York", "Europe/Bratislava"} <= set(zones.names())
    assert zones.source().startswith("tzdata 20")


@pytest.mark.rule("CAL-01")
@pytest.mark.parametrize("variable", ["America/Los_Angeles", "/etc/localtime", ""])
def test_the_hosts_own_zone_is_never_asked(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = zones.rules("Europe/Rome")
    monkeypatch.setenv("TZ", variable)
    assert zones.rules("Europe/Rome") == before
    for name in (
        "localtime",
        "posixrules",
        "Factory",
        "posix/UTC",
        "right/UTC",
        "/etc/localtime",
        "../UTC",
        "./UTC",
        "Europe/",
        ":UTC",
    ):
        assert name in refusal(name)


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("europe/bratislava", "Europe/Bratislava"),
        ("Europe/Bratislva", "Europe/Bratislava"),
        ("utc", "UTC"),
        ("Europe", "Europe/"),
    ],
)
def test_the_nearest_name_is_named_and_not_used(name: str, nearest: str) -> None:
    assert f"did you mean {nearest}" in refusal(name)


def test_rp_09_unknown_zone_is_refused_by_name() -> None:
    said = refusal("Mars/Olympus")
    assert "'Mars/Olympus' is unknown to tzdata" in said
    assert refusal("")


def test_a_directory_is_walked(directory: Path) -> None:
    assert zones.names() == ("Europe/Roma", "Europe/Rome", "UTC")
    assert zones.rules("Europe/Roma") == (directory / "Europe/Rome").read_bytes()
    assert zones.source() == f"{directory} (2026f)"
    assert "Europe/Rome" in refusal("europe/rome")
    refusal("America/New_York")
    refusal("zone.tab")
    refusal("localtime")


def test_rp_09_no_zone_data_at_all_is_said(directory: Path) -> None:
    shutil.rmtree(directory)
    said = refusal("Europe/Rome")
    assert f"no zone rules in {directory}" in said
    assert "install the tzdata package" in said


def test_rp_09_a_missing_package_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "tzdata":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.delenv("SPELLWEAVER_ZONES", raising=False)
    monkeypatch.setattr(builtins, "__import__", without)
    assert "install the tzdata package" in refusal("Europe/Rome")
    assert "missing" in zones.source()


def test_a_file_that_went_away_is_said(directory: Path) -> None:
    zones.names()
    (directory / "UTC").unlink()
    assert "can't be read" in refusal("UTC")
