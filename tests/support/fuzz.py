"""Rounds of random input with a seed that is told: ``for chance in rounds(): …``.

They last SPELLWEAVER_FUZZ_S seconds, from a new seed each time; if it is not set, 5 seconds from the same one.
SPELLWEAVER_FUZZ_SEED=BASE:ROUND plays one round again, BASE alone all that begin with it.
"""

from __future__ import annotations

import contextlib
import os
import random
from collections.abc import Iterator

from spellweaver.clock import SystemClock
from spellweaver.core.instant import SECOND

CLOCK = SystemClock()
TOO_LONG_US = 20 * SECOND  # a hang; how quick it is depends on who else is at work


class Chance(random.Random):
    """The dice of one round; ``name`` plays it again."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    def mutated(self, data: bytes, pieces: list[bytes], *, most: int = 8) -> bytes:
        """``data`` with a few random changes: bits, bytes, stretches that go, come twice or change places, and pieces
        of the grammar put in.
        """
        body = bytearray(data)
        for _ in range(self.randint(1, most)):
            at, size = self.randrange(len(body) + 1), self.choice((1, 1, 2, 5, 20, 200))
            match self.randrange(6):
                case 0 if body:
                    body[self.randrange(len(body))] ^= 1 << self.randrange(8)
                case 1:
                    body[at:at] = self.randbytes(self.choice((1, 1, 2, 8)))
                case 2:
                    del body[at : at + size]
                case 3:
                    body[at:at] = body[at : at + size] * self.choice((1, 1, 2, 50))
                case 4:
                    body[at : at + self.choice((0, 1, 3))] = self.choice(pieces)
                case _:
                    other = self.randrange(len(body) + 1)
                    body[at : at + size], body[other : other + size] = body[other : other + size], body[at : at + size]
        return bytes(body)


def rounds() -> Iterator[Chance]:
    """Each has its own dice, so that it can be played again alone."""
    base, _, only = os.environ.get("SPELLWEAVER_FUZZ_SEED", "").partition(":")
    by_hand = os.environ.get("SPELLWEAVER_FUZZ_S")
    base = base or (str(random.SystemRandom().randrange(10**9)) if by_hand else "1")
    ends = CLOCK.monotonic() + int(float(by_hand or "5") * SECOND)
    count = 0
    while (only and not count) or (not only and CLOCK.monotonic() < ends):
        chance = Chance(f"{base}:{only or count}")
        yield chance
        count += 1
    print(f"{count} rounds, SPELLWEAVER_FUZZ_SEED={base}")


def one_alone() -> bool:
    """Whether a single round is played again: what only many rounds can show can't be asked of it."""
    return ":" in os.environ.get("SPELLWEAVER_FUZZ_SEED", "")


@contextlib.contextmanager
def told(chance: Chance, what: object) -> Iterator[None]:
    """What escapes from the body, or a body that hangs, fails the test with what was put in and the seed."""
    began = CLOCK.monotonic()
    try:
        yield
    except Exception as error:
        raise AssertionError(f"SPELLWEAVER_FUZZ_SEED={chance.name}: {what!r:.2000}") from error
    took = CLOCK.monotonic() - began
    assert took < TOO_LONG_US, f"SPELLWEAVER_FUZZ_SEED={chance.name}: took {took / SECOND:.1f} s: {what!r:.2000}"
