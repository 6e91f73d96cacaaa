"""The door of the program: one call in, one exit status out.

``__names`` answers a shell's TAB before anything dear is imported. Every other line goes to ``app``, inside the one
error handler.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

    from spellweaver.clock import Clock


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

    called = program(sys.argv[0], os.environ) if argv is None else "spellweaver"
    frame = Frame(program=called, environ=os.environ, out=_open(sys.stdout), talk=_open(sys.stderr), clock=clock)
    with Handling(frame, line) as handling:
        _never_choke(frame.out, frame.talk)
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
    sys.exit(main())
