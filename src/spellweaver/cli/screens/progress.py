"""How far long work has come, on the terminal of the talk: one line that goes away."""

from __future__ import annotations

from spellweaver.core.instant import SECOND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from spellweaver.cli.frame import Frame
    from spellweaver.simulate.scenario import Scenario

EVERY_US = SECOND // 4


class Progress:
    """Nothing is said before a quarter of a second, nor to what is no terminal."""

    def __init__(self, frame: Frame, scenario: Scenario) -> None:
        self._frame = frame
        self._scenario = scenario
        self._said_at = frame.clock.monotonic()
        self._heard = frame.talk.isatty() and not frame.quiet
        self._said = False

    def at(self, instant: int) -> None:
        """The simulation has come to ``instant`` (µs)."""
        if not self._heard or self._frame.clock.monotonic() - self._said_at < EVERY_US:
            return
        self._said_at, self._said = self._frame.clock.monotonic(), True
        done = instant - self._scenario.from_at
        share = done * 100 // (self._scenario.until_at - self._scenario.from_at)
        self._write(f"{min(100, share)}% simulated" if done >= 0 else "simulating the time until --from")

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *raised: object) -> None:
        if self._said:
            self._write("")

    def _write(self, text: str) -> None:
        self._frame.talk.write(f"\r\x1b[K{text}")
        self._frame.talk.flush()
