"""The door of the program: one call in, one exit status out.

``__names`` answers a shell's TAB before anything dear is imported. Every other line goes to ``app``, inside the one
error handler.
"""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn, TextIO

    from spellweaver.clock import Clock


GARBAGE = 50_000  # objects made between two looks for cycles: a start makes thousands and leaves none


def start() -> NoReturn:
    """The console script: one command line, and out.

    The interpreter's farewell is a seventh of a reading command, and nothing of ours needs it: files and connections
    are closed where they were opened. Only a thread that still runs is waited for.
    """
    gc.set_threshold(GARBAGE)
    status = main()
    threads = sys.modules.get("threading")
    if threads is not None and threads.active_count() > 1:
        sys.exit(status)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, AttributeError):
            continue  # closed by the caller, or its reader has gone
    os._exit(status)


def main(argv: list[str] | None = None, *, clock: Clock | None = None) -> int:
    """Runs one command line and returns its exit status. ``clock`` is another one than the host's in tests alone."""
    line: list[str] = sys.argv[1:] if argv is None else argv
    if line[:1] == ["__names"]:
        from spellweaver.cli.names import answer

        return answer(line[1:])
    if line in (["--version"], ["-V"]):
        line = ["version"]
    from spellweaver.cli.errors import Handling
    from spellweaver.cli.frame import Frame
    from spellweaver.cli.typed import program
    from spellweaver.safety import owners

    called = program(sys.argv[0], os.environ) if argv is None else "spellweaver"
    frame = Frame(program=called, environ=os.environ, out=_open(sys.stdout), talk=_open(sys.stderr), clock=clock)
    with Handling(frame, line) as handling:
        _never_choke(frame.out, frame.talk)
        owners.refuse_borrowed_identity()
        from spellweaver.cli.app import run

        handling.status = run(line, frame)
        frame.flush()
    return handling.status


def _open(stream: TextIO | None) -> TextIO:
    """A stream that the caller had closed is None; what is written there goes nowhere."""
    return stream or open(os.devnull, "w", encoding="utf-8")


def _never_choke(*streams: object) -> None:
    """A character that the locale can't write becomes an escape, not an error."""
    for stream in streams:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


if __name__ == "__main__":
    start()
