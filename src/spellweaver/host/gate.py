"""The launch gate, from the command's side: between its fork and its exec it waits for one word.

    gate     a pipe whose only write end is the daemon's: the word GO, or end of file when the daemon closed it or died
    verdict  a close-on-exec pipe to the shim: PASSED just before the exec; then end of file means that exec happened,
             while ``SHUT`` or an errno means that it never will. End of file without PASSED: killed at the gate.

No exit code says any of this: a command may end with 125, 126 or 127 of its own (design, Running work).
"""

from __future__ import annotations

import errno
import os
import resource
import signal

from spellweaver.host import kernel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

GO = b"go\n"
PASSED = b"+"
SHUT = b"shut\n"


def wait_and_exec(request: dict[str, Any], *, gate: int, output: int, verdict: int, shim: int) -> NoReturn:
    """The whole life of the forked command until it is the command. Never returns, never raises."""
    try:
        _become_a_job(gate, output, verdict)
        if os.read(gate, len(GO)) != GO or os.getppid() != shim:  # a command without its shim would have no keeper
            os.write(verdict, SHUT)
        else:
            os.write(verdict, PASSED)
            os.close(gate)
            _exec(request, verdict)
    except OSError as error:  # before the gate: no descriptor or no memory left; to try again would not help
        os.write(verdict, PASSED + b"%d\n" % (error.errno or errno.EIO))
    finally:
        os._exit(0)  # the verdict pipe has told all, or says by its end that nothing passed


def _become_a_job(gate: int, output: int, verdict: int) -> None:
    """Own group, no input, one output, nothing else open, default signals, no cores, new files for the owner only."""
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
    os.umask(0o077)


def _exec(request: dict[str, Any], verdict: int) -> None:
    try:
        os.chdir(request["cwd"])
    except (OSError, ValueError) as error:
        _refuse(verdict, f"the directory {request['cwd']!r}", error)
        return
    try:
        os.execvpe(request["argv"][0], request["argv"], request["env"])
    except (OSError, ValueError) as error:  # ValueError: a NUL, or an empty name
        _refuse(verdict, f"{request['argv'][0]!r}", error)


def _refuse(verdict: int, what: str, error: OSError | ValueError) -> None:
    """Tells the operator by the log (standard error), the shim by the errno."""
    number = error.errno if isinstance(error, OSError) and error.errno else errno.EINVAL
    os.write(2, f"[spellweaver: {what} can't be used: {os.strerror(number)}]\n".encode("utf-8", "backslashreplace"))
    os.write(verdict, b"%d\n" % number)
