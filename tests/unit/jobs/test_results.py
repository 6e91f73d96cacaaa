"""A job's result file is somebody else's writing: one JSON object counts, anything else is a note."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from spellweaver.jobs import results


def test_an_object_is_taken_and_nothing_is_nothing(tmp_path: Path) -> None:
    path = tmp_path / "result"
    assert results.read(str(tmp_path)) == results.Result(None, None)
    path.write_text('{"outcome": "ok", "outputs": {"n": 1}}')
    assert results.read(str(tmp_path)) == results.Result({"outcome": "ok", "outputs": {"n": 1}}, None)


@pytest.mark.parametrize(
    ("written", "why"),
    [
        (b"", "not JSON"), (b"[1]", "not one JSON object"), (b'{"a": NaN}', "NaN is not a JSON number"),
        (b"{} {}", "not JSON"), (b"\xff{}", "not JSON"), (b"[" * 60_000, "not JSON"),
        (b'{"a": "' + b"x" * 65_536 + b'"}', "the limit is 64 KiB"),
        (b'{"a": 1e999}', "1e999 is larger than any number"),
        (b'{"a":' * 33 + b"1" + b"}" * 33, "nested deeper than 32"), (b'{"a":' + b"9" * 5000 + b"}", "not JSON"),
    ],
    ids=["empty", "list", "nan", "two", "bytes", "deep", "large", "infinite", "nested", "digits"],
)  # fmt: skip
def test_anything_else_is_a_note(tmp_path: Path, written: bytes, why: str) -> None:
    path = tmp_path / "result"
    path.write_bytes(written)
    value, note = results.read(str(tmp_path))
    assert value is None
    assert note is not None
    assert note.startswith("result ignored: ")
    assert why in note


def test_links_and_pipes_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("{}")
    (tmp_path / "link").symlink_to(tmp_path / "other")
    os.mkfifo(tmp_path / "pipe")
    for name, why in (("link", "symbolic link"), ("pipe", "not a regular file")):
        os.rename(tmp_path / name, tmp_path / "result")
        value, note = results.read(str(tmp_path))
        assert value is None
        assert note is not None
        assert why in note
