"""What crosses the seam between the engine and whatever runs commands: ``Launch`` goes down, ``Sighting`` comes up.

A ``Handler`` never touches the ledger. It is given ``report``, which settles a sighting through the driver's write
door and returns after the commit; only then may a launch gate open.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from spellweaver.core.binding import Binding
from spellweaver.core.identity import AttemptId, InvocationId, OccurrenceId, RunId


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a process is: pid, start time in clock ticks since boot, boot id, inode of its pidfd (0 where the kernel
    gives none).
    """

    pid: int
    start_ticks: int
    boot_id: str
    pidfd_inode: int


@dataclass(frozen=True, slots=True)
class Launch:
    """One attempt to be started. ``firing`` is the key as text; ``nominal_at`` an instant; ``input`` what the job
    reads: canonical JSON, or the content of an outside event, whose bytes may be surrogate escapes.
    """

    attempt: AttemptId
    run: RunId
    invocation: InvocationId
    occurrence: OccurrenceId
    schedule: str
    firing: str
    nominal_at: int
    station: str
    pattern: str
    nth: int
    binding: Binding
    input: str
    finish_by: int | None = None


@dataclass(frozen=True, slots=True)
class Started:
    """Shim and command exist and wait at the gate. ``running`` means that these identities are committed, not that
    exec was seen.
    """

    attempt: AttemptId
    shim: Identity
    command: Identity


@dataclass(frozen=True, slots=True)
class Ended:
    """The command ended and nothing of it is left: ``code`` for ``exited``, ``signal`` for ``signalled``; a timed-out
    one has either.

    ``asked`` is true when a cancel was passed on to the command; ``output_bytes`` counts all output,
    ``dropped_bytes`` what the cap left out.
    """

    attempt: AttemptId
    state: Literal["exited", "signalled", "timed_out"]
    code: int | None = None
    signal: int | None = None
    asked: bool = False
    output_bytes: int = 0
    dropped_bytes: int = 0


@dataclass(frozen=True, slots=True)
class NeverStarted:
    """No instruction of the command ran. ``gate``: the gate closed, the delivery is offered again. Else the Run fails:
    ``exec`` and ``spawn`` with errno; ``user``, ``nice`` and ``secret`` where the binding asks for what this host does
    not give. ``detail`` is a sentence for a person, and never holds a secret.
    """

    attempt: AttemptId
    why: Literal["gate", "exec", "spawn", "user", "nice", "secret"]
    errno: int | None = None
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class Contained:
    """Not proved gone. Only proof or a named operator ends it. ``why`` is a short word, ``detail`` a sentence for a
    person.
    """

    attempt: AttemptId
    why: Literal["shim_killed", "escaped", "other_machine"]
    detail: str


@dataclass(frozen=True, slots=True)
class Lost:
    """Proved gone without a result: the machine has been booted since, or the attempt's own cgroup is empty."""

    attempt: AttemptId
    why: Literal["other_boot", "cgroup"]


Sighting = Started | Ended | NeverStarted | Contained | Lost
Report = Callable[[Sighting], None]


@dataclass(frozen=True, slots=True)
class OpenAttempt:
    """An attempt that the ledger holds open at start: ``launching`` has no identities yet."""

    attempt: AttemptId
    state: Literal["launching", "running", "contained"]
    shim: Identity | None
    command: Identity | None


class Handler(Protocol):
    """Implemented by ``jobs`` over ``host``, and by ``simulate``. No method waits for a command."""

    def start(self, launch: Launch, report: Report) -> None: ...
    def adopt(self, left: OpenAttempt, report: Report) -> None: ...
    def cancel(self, attempt: AttemptId) -> None: ...
