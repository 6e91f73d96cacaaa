"""The host's own answer to how a station is done: its canonical form, and what is derived from it."""

from __future__ import annotations

import dataclasses

import pytest

from spellweaver.core.binding import Binding, binding
from spellweaver.core.instant import MINUTE, SECOND

ONE = Binding("night", "1", "main", ("/bin/echo", "a b"), env=(("A", "1"), ("B", "2")))
LIVED_IN = dataclasses.replace(
    ONE, user="backup", umask=0o027, nice=-5, env_from=(("T", "file:/s"), ("U", "credential:u"))
)


def test_a_stored_binding_reads_back_equal() -> None:
    for made in (ONE, dataclasses.replace(ONE, argv=(), shell="echo $A | cat", success=(0, 3), cwd="/tmp"), LIVED_IN):
        assert binding(made.body()) == made


def test_a_binding_stored_before_a_key_came_is_the_same_binding() -> None:
    """Body and digest as they were kept when neither user nor umask, nice or env_from could be said."""
    body = (
        '{"argv":["/bin/echo","a b"],"cwd":"/","env":{"A":"1","B":"2"},"pattern":"night@1","shell":null,'
        '"station":"main","success":[0],"timeout_us":1800000000}'
    )
    assert binding(body) == ONE
    assert ONE.body() == body
    assert ONE.digest() == "4b8f9c81ffcd11eb5cdac7a72eb3ad1142a82e26c71c097b2d4b32e5cf104907"


def test_the_digest_covers_every_field() -> None:
    others: dict[str, object] = {
        "pattern_key": "x", "pattern_revision": "2", "station": "x", "argv": ("/bin/echo", "a", "b"), "shell": "x",
        "timeout_us": 1, "success": (1,), "cwd": "/x", "env": (("A", "1"),),
        "user": "x", "umask": 0o022, "nice": 1, "env_from": (("T", "file:/x"),),
    }  # fmt: skip
    assert others.keys() == {field.name for field in dataclasses.fields(Binding)}
    digests = {dataclasses.replace(ONE, **{field: value}).digest() for field, value in others.items()}
    assert len(digests | {ONE.digest()}) == len(others) + 1


def test_a_shell_runs_only_where_it_is_asked_for() -> None:
    assert ONE.command == ("/bin/echo", "a b")
    assert dataclasses.replace(ONE, argv=(), shell="a % b").command == ("/bin/sh", "-c", "a % b")


@pytest.mark.parametrize(
    "timeout, grace",
    [
        (SECOND, 500_000), (5 * SECOND, 500_000), (6 * SECOND, 600_000), (5 * MINUTE, 30 * SECOND),
        (90 * MINUTE, 30 * SECOND),
    ],
)  # fmt: skip
def test_grace_is_a_tenth_of_the_timeout_within_half_a_second_and_thirty(timeout: int, grace: int) -> None:
    assert dataclasses.replace(ONE, timeout_us=timeout).grace_us == grace
