"""The one place where whatever a command raised becomes words and an exit status. Nothing else in the program catches
to report.

Ours become a sentence and a next command (under ``--json`` one JSON object), on stderr. A pipe that closed is no
error: its reader has had enough. Ctrl-C is 130. All else is a fault of ours: the traceback goes into a file, its path
on stderr.
"""

from __future__ import annotations

import errno
import os
import sys

from spellweaver.errors import DiskTrouble, SpellweaverError, Unusable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from spellweaver.cli.frame import Frame

INTERRUPTED = 130
OUR_FAULT = 70
OF_THE_HOST = frozenset((  # no program can help these, wherever they come
    errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM,
))  # fmt: skip
OURS = "spellweaver "  # begins a command in a hint


class Handling:
    """Stands around everything that a command does; afterwards ``status`` is the exit status."""

    def __init__(self, frame: Frame, argv: list[str]) -> None:
        self.frame = frame
        self.argv = argv
        self.status = 0

    def __enter__(self) -> Handling:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if isinstance(error, SpellweaverError):
            self.status = error.exit_status
            self._tell(error)
        elif isinstance(error, BrokenPipeError):
            _forget_output()
        elif isinstance(error, KeyboardInterrupt):
            self.status = INTERRUPTED
        elif isinstance(error, OSError) and error.errno in OF_THE_HOST:
            trouble = _of_the_host(error)
            self.status = trouble.exit_status
            self._tell(trouble)
        elif isinstance(error, Exception):
            told = _damage(self.frame) or _fault(error, self.frame)
            self.status = told.exit_status
            self._tell(told)
        return not isinstance(error, SystemExit | GeneratorExit)

    def _tell(self, error: SpellweaverError) -> None:
        _flush_what_was_said(self.frame)
        hint = self._hint(error.hint)
        if self.frame.json or self.frame.jsonl or _asked_for_json(self.argv):
            self.frame.put_talk(_object(error, hint) + "\n")
            return
        for line in _sentences(error):
            self.frame.warn(line)
        if hint:
            self.frame.warn(f"{'next' if hint.startswith(self.frame.program) else 'hint'}: {hint}")

    def _hint(self, hint: str | None) -> str | None:
        """Each command of ours in a hint as it would have to be typed here."""
        if hint is None or OURS not in hint:
            return hint
        before, *commands = hint.split(OURS)
        said = [before]
        for command in commands:
            end = min((at for mark in ",;" if (at := command.find(mark)) >= 0), default=len(command))
            said.append(self.frame.typed(*command[:end].split()) + command[end:])
        return "".join(said)


def _asked_for_json(argv: list[str]) -> bool:
    """Whether a line that could not be read asked for JSON."""
    before = argv[: argv.index("--")] if "--" in argv else argv
    return "--json" in before or "--jsonl" in before


def _sentences(error: SpellweaverError) -> list[str]:
    """Every problem of every file with its place, line and caret; else the message."""
    problems = getattr(error, "problems", ())
    if not problems:
        return [error.message if error.code == "no_command" else f"spellweaver: {error.message}"]
    from spellweaver.manifest.problems import render

    return [line for problem in problems for line in render(problem)] + [f"spellweaver: {error.message}"]


def _object(error: SpellweaverError, hint: str | None) -> str:
    import json

    problems = [
        {"path": p.path, "line": p.line, "col": p.col, "key": p.key, "message": p.message, "hint": p.hint}
        for p in getattr(error, "problems", ())
    ]
    body = {
        "kind": "error", "v": 1, "code": error.code, "exit_status": error.exit_status, "message": error.message,
        "hint": hint, "fields": error.fields, "problems": problems,
    }  # fmt: skip
    return json.dumps(body, default=str)


def _of_the_host(error: OSError) -> DiskTrouble:
    said = (error.strerror or str(error)).lower()
    if error.filename is None:
        return DiskTrouble("host_trouble", f"this host refused: {said}", hint="df -h; ulimit -a")
    folder = os.path.dirname(os.fsdecode(error.filename)) or "."
    return DiskTrouble("host_trouble", f"{os.fsdecode(error.filename)}: {said}", hint=f"df -h {folder}; ulimit -a")


def _damage(frame: Frame) -> SpellweaverError | None:
    """What a command stumbled over, if it was the ledger: only a sound one makes it a fault of ours."""
    from spellweaver.ledger.audit import laws

    try:
        with frame.observe() as view:
            found = laws.audit(view.connection, full=False) or laws.audit(view.connection)
    except SpellweaverError as error:
        return error if error.code == "ledger_damaged" else None
    if not found:
        return None
    said = f"{frame.places.ledger} is damaged: {found[0].sentence} ({found[0].rule})"
    return Unusable("ledger_damaged", said, hint="spellweaver doctor --full", path=frame.places.ledger)


def _fault(error: Exception, frame: Frame) -> SpellweaverError:
    import traceback

    text = f"spellweaver {' '.join(sys.argv[1:2])}\n" + "".join(traceback.format_exception(error))
    what = f"a fault in spellweaver itself ({type(error).__name__}: {str(error)[:200]})"
    kept = _kept(text, frame)
    if kept is None:
        frame.put_talk(text)
        return SpellweaverError("fault", f"{what}; its traceback stands above, for it could be kept nowhere")
    return SpellweaverError("fault", what, hint=f"report it with the traceback in {kept}", traceback=kept)


def _kept(text: str, frame: Frame) -> str | None:
    """The file that holds the traceback: in the state directory, else in the one that nothing on the command line
    moved.
    """
    from spellweaver.core.instant import show
    from spellweaver.files import write_whole

    name = f"fault-{show(frame.as_of).replace(':', '')}-{os.getpid()}.txt"
    for ledger in dict.fromkeys((frame.places.ledger, frame.places.usual)):
        path = f"{os.path.dirname(ledger)}/{name}"
        try:
            write_whole(path, text.encode(errors="backslashreplace"))
        except OSError:
            continue
        return path
    return None


def _flush_what_was_said(frame: Frame) -> None:
    """Data before talk, as far as the output still takes it."""
    try:
        frame.out.flush()
    except BrokenPipeError:
        _forget_output()
    except OSError:
        pass


def _forget_output() -> None:
    """Whatever is still in the buffer goes nowhere, so that the interpreter says nothing at its end."""
    if sys.__stdout__ is not None and sys.stdout is sys.__stdout__:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno())
