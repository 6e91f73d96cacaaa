"""The launch gate, from the command's side: between its fork and its exec it waits for one word.

    gate     a pipe whose only write end is the daemon's: the word GO, or end of file when the daemon closed it or died
    verdict  a close-on-exec pipe to the shim: PASSED just before the exec; then end of file means that exec happened,
             while ``SHUT``, or an errno and a sentence, means that it never will. End of file without PASSED: killed
             at the gate.

No exit code says any of this: a command may end with 125, 126 or 127 of its own (design, Running work).
"""

from __future__ import annotations

import errno
import os
import resource
import signal

from spellweaver.host import kernel, privileges

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

GO = b"go\n"
PASSED = b"+"
SHUT = b"shut\n"
_LONGEST = 1000  # bytes of a sentence to the shim


def wait_and_exec(request: dict[str, Any], *, gate: int, output: int, verdict: int, shim: int) -> NoReturn:
    """The whole life of the forked command until it is the command. Never returns, never raises."""
    try:
        _become_a_job(gate, output, verdict, request["umask"])
        if os.read(gate, len(GO)) != GO or os.getppid() != shim:  # a command without its shim would have no keeper
            os.write(verdict, SHUT)
        else:
            os.write(verdict, PASSED)
            os.close(gate)
            _exec(request, verdict)
    except OSError as error:  # before the gate: no descriptor or no memory left; to try again would not help
        os.write(verdict, PASSED + _word(error.errno or errno.EIO, "it could not be prepared"))
    finally:
        os._exit(0)  # the verdict pipe has told all, or says by its end that nothing passed


def _become_a_job(gate: int, output: int, verdict: int, umask: int) -> None:
    """Own group, no input, one output, nothing else open, default signals, no cores, new files as the mask says."""
    os.setpgid(0, 0)
    signal.set_wakeup_fd(-1)
    kernel.default_signals()
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    kernel.close_all_but(0, 1, 2, gate, verdict)
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    os.umask(umask)


def _exec(request: dict[str, Any], verdict: int) -> None:
    """As whom, where, what: each step is the last one that its predecessor's rights are needed for. A directory that
    only root may enter is not entered for somebody else.
    """
    user, nice = request["user"], request["nice"]
    steps: list[tuple[str, Callable[[], None]]] = [
        (f"the directory {request['cwd']!r}", lambda: os.chdir(request["cwd"])),
        (f"{request['argv'][0]!r}", lambda: os.execvpe(request["argv"][0], request["argv"], request["env"])),
    ]
    if user is not None:
        steps.insert(0, (f"the user {user[0]!r}", lambda: privileges.drop(*user[1:])))
    if nice:
        steps.insert(0, (f"nice = {nice}", lambda: os.setpriority(os.PRIO_PROCESS, 0, nice)))
    for what, take in steps:
        try:
            take()
        except (OSError, ValueError) as error:  # ValueError: a NUL, or an empty name
            _refuse(verdict, what, error)
            return


def _refuse(verdict: int, what: str, error: OSError | ValueError) -> None:
    """Tells the operator by the log (standard error) and by the shim."""
    number = error.errno if isinstance(error, OSError) and error.errno else errno.EINVAL
    said = f"{what} can't be used: {os.strerror(number)}"
    os.write(2, f"[spellweaver: {said}]\n".encode("utf-8", "backslashreplace"))
    os.write(verdict, _word(number, said))


def _word(number: int, said: str) -> bytes:
    """At most what a pipe takes whole."""
    return b"%d " % number + said.encode("utf-8", "backslashreplace")[:_LONGEST]
