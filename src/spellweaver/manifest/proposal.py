"""What an import proposes: one answer for each line of a foreign file, and the jobs made of those that can be kept.

An answer never stays away and never comes twice, so that nobody finds out by a missed backup what an import passed
over. A job is proposed only if the reader of our own files takes it (``write.fault_of_job``): a proposal can be defined
as it stands.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

WORDS = ("kept", "changed", "dropped", "unreadable")  # from the best answer to the worst
NAME_LENGTH = 50
TIMEOUT = "24h"  # what is imported has had no limit
UMASK = "022"  # what cron and systemd give, where ours is 077
RUN_NOTHING_MISSED = {"catch_up": "none"}

_WRAPPERS = frozenset((
    "chronic", "chrt", "env", "exec", "flock", "ionice", "nice", "nohup", "setsid", "sudo", "test", "time", "timeout",
    "[", "!", "(", "{",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Job:
    """One Schedule with a workflow of one station and its binding; the tables hold keys as a file writes them."""

    name: str
    binding: dict[str, object]
    calendar: dict[str, object]
    recovery: dict[str, object] = field(default_factory=lambda: dict(RUN_NOTHING_MISSED))


@dataclass(frozen=True, slots=True)
class Note:
    """What becomes of one thing that a line says: ``word`` is one of ``WORDS``."""

    word: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What becomes of one line. ``what``: job, setting, comment or blank, or unknown where it can't be told."""

    path: str
    line: int
    text: str
    what: str
    notes: tuple[Note, ...] = ()
    jobs: tuple[Job, ...] = ()

    @property
    def word(self) -> str:
        """The worst word of its notes."""
        return max((note.word for note in self.notes), key=WORDS.index, default="kept")


@dataclass(frozen=True, slots=True)
class Proposal:
    """Answers in the order of files and lines. ``everywhere`` holds what is true of every job and so said once."""

    source: str
    everywhere: tuple[Note, ...]
    answers: tuple[Answer, ...]

    @property
    def jobs(self) -> tuple[Job, ...]:
        return tuple(job for answer in self.answers for job in answer.jobs)

    def count(self, word: str) -> int:
        return sum(answer.word == word for answer in self.answers)


class Names:
    """Names of Schedules, each given once: the same lines in the same order get the same names."""

    def __init__(self) -> None:
        self._given: set[str] = set()

    def give(self, wanted: str) -> str:
        """``wanted`` as a Schedule's name, with the first free number behind it where it is taken."""
        base = re.sub(r"[^a-z0-9._-]+", "-", wanted.lower()).strip("._-")[:NAME_LENGTH].rstrip("._-") or "job"
        number, name = 1, base
        while name in self._given:
            number += 1
            name = f"{base}-{number}"
        self._given.add(name)
        return name


def program(command: str) -> str:
    """The word of a shell command that says what it is: the first program that only wraps no other, without its path.

    A guess for a name and nothing more: whoever reads the proposal may write another.
    """
    words = [word.strip("\"'`();") for word in command.split()]
    for at, word in enumerate(words):
        moves = at > 0 and words[at - 1] == "cd"
        if word in _WRAPPERS or word in ("cd", "&&", "||") or moves or word[:1] in ("-", "") or "=" in word:
            continue
        if not re.search(r"[A-Za-z]", word) or re.fullmatch(r"[0-9]+[smhd]?", word):
            continue
        return word.rstrip("/").rpartition("/")[2]
    return "job"
