"""Where a job that runs as somebody else finds its input and leaves its result: the state directory is closed to him.

    PLACE/var!lib!spellweaver!attempts!att_5          0700, the job's own; named after the attempt's folder
                                            /input    0400
                                            /result   made by the job, taken back into the attempt's folder at its end

PLACE is ``jobs`` in $RUNTIME_DIRECTORY, else ``/run/spellweaver.jobs``: root's, 0711. Only root comes here, since only
root runs commands as others. What a killed shim left behind goes with the next boot. Light on purpose: the shim
imports it.
"""

from __future__ import annotations

import contextlib
import os

from spellweaver import files
from spellweaver.errors import NoInput, Unusable
from spellweaver.safety import owners

_USUAL = "/run/spellweaver.jobs"
RESULT_LIMIT = 64 * 1024


def place() -> str:
    """The directory of all of them."""
    runtime = os.environ.get("RUNTIME_DIRECTORY", "").split(":")[0]
    return f"{runtime}/jobs" if runtime else _USUAL


def name(folder: str) -> str:
    """What the one of this attempt is called, in whatever place."""
    return folder.strip("/").replace("/", "!")


def make(folder: str, given: str, uid: int, gid: int) -> str:
    """Makes the one of this attempt, with ``given`` as the job's input, and returns its path.

    Raises OSError, and Unusable for a place that is not ours alone.
    """
    above = place()
    owners.make_private(above)
    os.chmod(above, 0o711)
    _require_passage(above)
    path = f"{above}/{name(folder)}"
    os.mkdir(path, 0o700)
    fd = os.open(f"{path}/input", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o400)
    with os.fdopen(fd, "wb") as file:
        file.write(given.encode("utf-8", "surrogateescape"))
        os.fchown(fd, uid, gid)
    os.chown(path, uid, gid)  # last: until now it was nobody else's
    return path


def _require_passage(path: str) -> None:
    """Raises Unusable where somebody else could not come as far as this."""
    while path != "/":
        path = os.path.dirname(path)
        mode = os.stat(path).st_mode & 0o777
        if not mode & 0o001:
            raise Unusable(
                "place_closed", f"{path} is closed to other users (mode {mode:04o}); their jobs' input is in it",
                hint=f"chmod o+x {path}", path=path,
            )  # fmt: skip


def take_back(path: str, folder: str, uid: int) -> None:
    """Moves the job's result to its attempt's folder, or says in ``result_note`` there why it is left, and removes the
    rest.

    Nothing of the job lives any more, but another process of its user may: so its file is not trusted to be one. A
    full disk costs the result: the exit status matters more.
    """
    with contextlib.suppress(OSError):
        try:
            data = files.read_written_by(f"{path}/result", limit=RESULT_LIMIT, owner=uid)
        except NoInput as error:
            if os.path.lexists(f"{path}/result"):
                files.write_whole(f"{folder}/result_note", error.message.encode("utf-8", "backslashreplace"))
        else:
            files.write_whole(f"{folder}/result", data)
    remove(path)


def remove(path: str) -> None:
    """With the files in it; what else a job put there stays until the next boot."""
    with contextlib.suppress(OSError):
        for entry in os.listdir(path):
            with contextlib.suppress(OSError):
                os.unlink(f"{path}/{entry}")
        os.rmdir(path)
