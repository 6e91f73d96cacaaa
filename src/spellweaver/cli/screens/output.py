"""What a job said, as it was kept: bytes. A terminal never gets one of them raw that it would obey, and JSON gets
text (RP-51).
"""

from __future__ import annotations

import codecs

from spellweaver.cli.values import State
from spellweaver.host import logs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.values import Item

LOOK_US = 200_000  # between two looks of -f


class Attempt:
    """One attempt's log; ``folder`` is where its files are."""

    def __init__(self, tried: Item, attempts_at: str) -> None:
        self.name = str(tried["attempt"])
        self.tried = tried
        self.folder = f"{attempts_at}/{self.name}"
        self.open = tried["state"] in ("granted", "launching", "running", "contained")

    def item(self, invocation: str) -> Item:
        """The whole log for JSON: bytes that are not UTF-8 stand as escapes, as ``\\xff``."""
        kept = logs.read(self.folder)
        return {
            "invocation": invocation,
            "attempt": self.name,
            "station": self.tried["station"],
            "nth": self.tried["nth"],
            "state": State(str(self.tried["state"])),
            "output_bytes": kept.total,
            "dropped_bytes": kept.dropped,
            "head": kept.head.decode("utf-8", "backslashreplace"),
            "tail": kept.tail.decode("utf-8", "backslashreplace"),
        }

    def whole(self) -> bytes:
        return logs.text(logs.read(self.folder))

    def follow(self) -> Iterator[bytes]:
        """What it says, piece by piece, until its attempt is over."""
        from spellweaver.clock import pause

        offset = 0
        while True:
            piece = logs.follow(self.folder, offset)
            offset = piece.offset
            if piece.skipped:
                yield logs.marker(piece.skipped)
            if piece.data:
                yield piece.data
            elif piece.ended:
                return
            else:
                pause(LOOK_US)


class Sink:
    """Where the bytes of one attempt go: as they are behind a pipe, harmless on a terminal. Pieces may end inside a
    character.
    """

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._raw = None if frame.out.isatty() else getattr(frame.out, "buffer", None)
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
        self._at_line_start = True
        self.taken = 0

    def take(self, data: bytes, *, final: bool = False) -> None:
        self.taken += len(data)
        if self._raw is not None:
            self._frame.write("", now=True)
            self._raw.write(data)
            self._raw.flush()
            return
        from spellweaver.cli.words import plain_lines

        text = self._decoder.decode(data, final)
        if text:
            self._at_line_start = text.endswith("\n")
            self._frame.write(plain_lines(text) if self._frame.out.isatty() else text, now=True)

    def end(self) -> None:
        """The next thing on a terminal begins on a line of its own."""
        self.take(b"", final=True)
        if self._frame.out.isatty() and not self._at_line_start:
            self._frame.write("\n", now=True)
