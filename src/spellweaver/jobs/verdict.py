"""What may be said of an attempt whose shim has ended: by its status, else by the boot, else only that nothing is
proved.

    status            lock free and a status          its real result
    no status         no identity was ever committed  never started: the gate died with the daemon that held it
                      another boot                    lost
                      this boot                       contained: a dead shim proves nothing (OVL-02, RCV-02)
"""

from __future__ import annotations

from spellweaver.core.launch import Contained, Ended, Lost, NeverStarted
from spellweaver.host import attempt, process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from spellweaver.core.identity import AttemptId
    from spellweaver.core.launch import Identity, Sighting


def wait_and_judge(which: AttemptId, folder: str, *, shim: Identity | None, command: Identity | None) -> Sighting:
    """Waits for the attempt's lock, and for the shim where the lock was lost; then says what is known."""
    attempt.wait_until_free(folder)
    status = attempt.read_status(folder)
    if status is None and shim is not None:
        process.wait(shim)
        status = attempt.read_status(folder)
    if status is not None:
        return _result(which, status)
    if shim is None:
        return NeverStarted(which, "gate")
    if shim.boot_id != process.boot_id():
        return Lost(which, "other_boot")
    return Contained(which, "shim_killed", _what_is_left(folder, shim, command))


def escaped(which: AttemptId, left: list[tuple[int, str]]) -> Contained:
    """The shim sent KILL and these live on: in the kernel's hands, or another user's now."""
    names = ", ".join(f"{pid} ({name})" for pid, name in left)
    return Contained(which, "escaped", f"These processes did not end after KILL: {names}. The shim waits for them.")


def _result(which: AttemptId, status: dict[str, Any]) -> Sighting:
    if status["state"] == "never_started":
        return NeverStarted(which, status["why"], status["errno"])
    return Ended(
        which,
        status["state"],
        code=status["code"],
        signal=status["signal"],
        asked=status["asked"],
        output_bytes=status["output_bytes"],
        dropped_bytes=status["dropped_bytes"],
    )


def _what_is_left(folder: str, shim: Identity, command: Identity | None) -> str:
    sentences = [f"The shim (pid {shim.pid}) ended without leaving a status."]
    if command is not None:
        sentences.append(f"Its command (pid {command.pid}) {'still runs' if process.alive(command) else 'is gone'}.")
    carriers = process.carriers(f"SPELLWEAVER_INPUT={folder}/input")
    if carriers:
        sentences.append(f"Processes with its environment: {', '.join(map(str, carriers))}.")
    else:
        sentences.append("No process was found with its environment; one that dropped it may still run.")
    return " ".join(sentences)
