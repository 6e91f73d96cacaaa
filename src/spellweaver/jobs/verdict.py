"""What may be said of an attempt whose shim has ended: by its status, else by the boot, else by its cgroup, else only
that nothing is proved.

    status            lock free and a status          its real result; the shim wrote it after ECHILD
    no status         no identity was ever committed  never started: the gate died with the daemon that held it
                      another boot                    lost
                      this boot, an empty cgroup      lost, if no process has its environment either
                      this boot                       contained: a dead shim proves nothing (OVL-02, RCV-02)
"""

from __future__ import annotations

from spellweaver.core.launch import Contained, Ended, Lost, NeverStarted
from spellweaver.host import attempt, cgroup, kernel, process
from spellweaver.jobs import environment

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
    return _without_status(which, folder, shim, command)


def wait_for_the_last(which: AttemptId, folder: str) -> Lost | None:
    """Of a contained attempt: waits until its cgroup is empty and whoever left it has ended. None where there is none,
    or nothing can be learned of it.
    """
    group = cgroup.of(folder)
    if group is None:
        return None
    while (empty := cgroup.is_empty(group)) is not None:
        if not empty:
            cgroup.wait_until_empty(group)
        elif left := environment.carriers(which, folder):
            process.wait_for(left)
        else:
            return _gone(which, folder, group)
    return None


def _without_status(which: AttemptId, folder: str, shim: Identity, command: Identity | None) -> Sighting:
    group = cgroup.of(folder)
    if group is not None and (gone := _gone(which, folder, group)):
        return gone
    return Contained(which, "shim_killed", _what_is_left(which, folder, shim, command, group))


def _gone(which: AttemptId, folder: str, group: str) -> Lost | None:
    """One that moved itself to another cgroup still has its environment, unless it hid on purpose."""
    if not cgroup.is_empty(group) or environment.carriers(which, folder):
        return None
    cgroup.remove(group)
    return Lost(which, "cgroup")


def escaped(which: AttemptId, left: list[tuple[int, str]]) -> Contained:
    """The shim sent KILL and these live on: in the kernel's hands, or another user's now."""
    names = ", ".join(f"{pid} ({name})" for pid, name in left)
    return Contained(which, "escaped", f"These processes did not end after KILL: {names}. The shim waits for them.")


def _result(which: AttemptId, status: dict[str, Any]) -> Sighting:
    if status["state"] == "never_started":
        return NeverStarted(which, status["why"], status["errno"], status.get("detail"))
    return Ended(
        which,
        status["state"],
        code=status["code"],
        signal=status["signal"],
        asked=status["asked"],
        output_bytes=status["output_bytes"],
        dropped_bytes=status["dropped_bytes"],
    )


def _what_is_left(which: AttemptId, folder: str, shim: Identity, command: Identity | None, group: str | None) -> str:
    """The evidence, in sentences."""
    sentences = [f"The shim (pid {shim.pid}) ended without leaving a status."]
    if command is not None:
        sentences.append(f"Its command (pid {command.pid}) {'still runs' if process.alive(command) else 'is gone'}.")
    if carriers := environment.carriers(which, folder):
        sentences.append(f"Processes with its environment: {_named(carriers)}.")
    elif group is None:
        sentences.append("No process was found with its environment; one that dropped it may still run.")
    else:
        sentences.append("No process was found with its environment.")
    if group is not None:
        sentences.append(_of_group(group))
    return " ".join(sentences)


def _of_group(group: str) -> str:
    if cgroup.is_empty(group):
        return "Its cgroup is empty; these left it."
    held = cgroup.members(group)
    return f"Its cgroup holds {_named(held)}." if held else "Its cgroup can't be seen to be empty."


def _named(pids: list[int]) -> str:
    return ", ".join(f"{pid} ({kernel.name(pid)})" for pid in pids)
