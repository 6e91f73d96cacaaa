"""``logs``: bytes stay bytes, a terminal gets none that it would obey, JSON stays JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from spellweaver.host import attempt
from spellweaver.host.ring import HEAD, TAIL, CappedLog
from tests.support.engine import World, draft
from tests.support.program import SRC, Done, at_terminal, call

ODD = b"plain\n\xc0\xb2\xff nul\x00 \x1b[2J\x1b]0;title\x07 over\rwritten \xe2\x80\xae end\n"


@pytest.fixture
def world(tmp_path: Path) -> World:
    """One run whose command is under way."""
    made = World(tmp_path, now="2026-01-01T00:30:00Z")
    made.add(draft("job", "0 * * * *"))
    made.at("2026-01-01T01:00:00Z")
    made.start(made.launches[0])
    os.mkdir(tmp_path / "attempts", 0o700)
    attempt.prepare(str(tmp_path / "attempts" / "att_1"), "{}")
    return made


def folder(world: World) -> str:
    return f"{os.path.dirname(str(world.path))}/attempts/att_1"


def over(world: World, *chunks: bytes) -> None:
    """The command said these, and ended with 0."""
    log = CappedLog(f"{folder(world)}/log")
    for chunk in chunks:
        for at in range(0, len(chunk), 1 << 16):
            log.write(chunk[at : at + (1 << 16)])
    attempt.write_status(folder(world), {"state": "exited", "code": 0, "output_bytes": log.total})
    world.end(world.launches[0])


def logs(world: World, *words: str) -> Done:
    return call("logs", *words, ledger=world.path, clock=world.clock)


def test_rp_51_odd_bytes_are_kept_and_move_no_terminal(world: World) -> None:
    over(world, ODD)
    shown = at_terminal("logs", "job@latest", ledger=world.path, clock=world.clock)
    assert shown.status == 0
    assert not set("\x00\x07\x1b\r\u202e") & set(shown.out)
    assert shown.out.splitlines() == [
        "plain",
        r"\xc0\xb2\xff nul\x00 \x1b[2J\x1b]0;title\x07 over\x0dwritten \u202e end",
    ]
    (found,) = logs(world, "inv_1", "--json").items
    assert str(found["head"]).startswith("plain\n\\xc0\\xb2\\xff nul\x00 \x1b[2J") and found["tail"] == ""
    assert (found["output_bytes"], found["dropped_bytes"], found["attempt"], found["state"]) == (
        len(ODD),
        0,
        "att_1",
        "exited",
    )


@pytest.mark.parametrize("locale", ["C", "POSIX", "C.UTF-8"])
def test_rp_51_the_viewer_survives_every_locale_and_hands_a_pipe_the_bytes(world: World, locale: str) -> None:
    over(world, ODD)
    environ = {"PYTHONPATH": str(SRC), "PATH": os.environ["PATH"], "LC_ALL": locale, "HOME": "/nonexistent"}
    words = [sys.executable, "-m", "spellweaver.cli.main", "--ledger", str(world.path), "logs", "occ_1"]
    done = subprocess.run(words, env=environ, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, ODD, b"")
    as_json = subprocess.run([*words, "--json"], env=environ, capture_output=True, timeout=60)
    assert json.loads(as_json.stdout)["items"][0]["output_bytes"] == len(ODD)


def test_what_was_left_out_is_marked_where_it_was(world: World) -> None:
    middle = 3 * TAIL
    over(world, b"a" * HEAD + b"b" * middle + b"c" * TAIL)
    done = logs(world, "att_1")
    assert done.out == "a" * HEAD + f"\n[spellweaver: {middle} bytes dropped here]\n" + "c" * TAIL
    (found,) = logs(world, "run_1", "--json").items
    assert (found["dropped_bytes"], len(str(found["head"])), len(str(found["tail"]))) == (middle, HEAD, TAIL)


def test_following_shows_what_comes_until_the_attempt_is_over(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    held = attempt.take_lock(folder(world))
    log = CappedLog(f"{folder(world)}/log")
    log.write("one \u20ac".encode()[:-1])  # a piece may end inside a character
    seen = threading.Event()
    done: list[Done] = []

    def pause(us: int) -> None:
        """Between two looks the reader says that it has seen all there is."""
        seen.set()
        threading.Event().wait(0.01)

    monkeypatch.setattr("spellweaver.clock.pause", pause)
    follower = threading.Thread(target=lambda: done.append(logs(world, "job@latest", "-f")))
    follower.start()
    assert seen.wait(30) and not done
    log.write("\u20ac".encode()[-1:] + b"\ntwo\n")
    seen.clear()
    assert seen.wait(30) and not done
    log.write(b"three\n")
    os.close(held)
    follower.join(30)
    assert done[0].out == "one \u20ac\ntwo\nthree\n"


def test_nothing_said_and_no_run_at_all_are_told_apart(world: World) -> None:
    over(world)
    assert (logs(world, "inv_1").out, logs(world, "inv_1").err) == ("", "att_1 has said nothing\n")
    world.at("2026-01-01T02:00:00Z")
    world.at("2026-01-01T03:00:00Z")
    done = logs(world, "occ_3")
    assert done.status == 4 and "occ_3 made no run, so nothing was said" in done.err
    assert "next: spellweaver explain occ_3" in done.err
    assert logs(world, "inv_1", "-f", "--json").status == 2
