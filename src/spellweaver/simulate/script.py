"""How long scripted work takes and how it ends: what stands in for commands where nothing is run.

A script is any function of a ``Job``. ``Runtimes`` is the one that the command line writes; the most exact name wins:
``nightly@3.snapshot``, then ``snapshot``, then ``*``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from spellweaver.core.instant import SECOND

DEFAULT_US = SECOND


@dataclass(frozen=True, slots=True)
class Job:
    """What a script may go by. ``pattern`` is key@revision; ``ends_within_us`` the timeout of its binding."""

    schedule: str
    nominal_at: int
    pattern: str
    station: str
    ends_within_us: int


@dataclass(frozen=True, slots=True)
class Takes:
    """The command runs for ``runs_us`` and then exits with ``code``; its timeout may come first."""

    runs_us: int = DEFAULT_US
    code: int = 0


Script = Callable[[Job], Takes]


@dataclass(frozen=True, slots=True)
class Runtime:
    """What is said of the stations of one name: how long, or that they fail. None: not said."""

    station: str
    runs_us: int | None = None
    fails: bool = False


class Runtimes:
    """Said by station; what is not said takes ``DEFAULT_US`` and exits with 0. Of two that name the same, both count:
    a time and a failure go together, of two times the later is meant.
    """

    def __init__(self, said: Iterable[Runtime] = ()) -> None:
        self._said: dict[str, Takes] = {}
        for each in said:
            before = self._said.get(each.station, Takes())
            runs_us = before.runs_us if each.runs_us is None else each.runs_us
            self._said[each.station] = Takes(runs_us, 1 if each.fails else before.code)

    def __call__(self, job: Job) -> Takes:
        for name in (f"{job.pattern}.{job.station}", job.station, "*"):
            if name in self._said:
                return self._said[name]
        return Takes()
