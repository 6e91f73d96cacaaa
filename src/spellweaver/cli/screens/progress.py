"""How far long work has come, on the terminal of the talk: one line that goes away."""

from __future__ import annotations

from spellweaver.core.instant import SECOND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

    from spellweaver.cli.frame import Frame
    from spellweaver.simulate.scenario import Scenario

EVERY_US = SECOND // 4


class Line:
    """Nothing is said before a quarter of a second, nor to what is no terminal."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._said_at = frame.clock.monotonic()
        self._heard = frame.talk.isatty() and not frame.quiet
        self._said = False

    def show(self, text: str) -> None:
        """How far it is now."""
        if self._heard and self._frame.clock.monotonic() - self._said_at >= EVERY_US:
            self._said_at, self._said = self._frame.clock.monotonic(), True
            self._write(text)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        if self._said:
            self._write("")

    def _write(self, text: str) -> None:
        self._frame.talk.write(f"\r\x1b[K{text}")
        self._frame.talk.flush()


class Progress(Line):
    """Of a simulation."""

    def __init__(self, frame: Frame, scenario: Scenario) -> None:
        super().__init__(frame)
        self._scenario = scenario

    def at(self, instant: int) -> None:
        """The simulation has come to ``instant`` (µs)."""
        done = instant - self._scenario.from_at
        share = done * 100 // (self._scenario.until_at - self._scenario.from_at)
        self.show(f"{min(100, share)}% simulated" if done >= 0 else "simulating the time until --from")
