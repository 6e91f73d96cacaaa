"""The one family of errors. Each class is an exit status; each error has a stable code, fields and a next command.

"Decided not to" is a value with a reason and never an error. "Could not" is one of these. Whatever else is
raised is our bug: it stays a traceback, which ``cli/main.py`` writes to a file and reports as exit status 70.
"""

from __future__ import annotations


class SpellweaverError(Exception):
    """What was wrong (``message``), its stable ``code``, typed ``fields`` and a ``hint`` that is a next command.

    ``exit_status`` belongs to the class (cli.md, Exit status).
    """

    exit_status = 70

    def __init__(self, code: str, message: str, *, hint: str | None = None, **fields: object) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.fields = fields


class Usage(SpellweaverError):
    """The command line itself is wrong."""

    exit_status = 2


class Refused(SpellweaverError):
    """Refused by law; nothing was changed."""

    exit_status = 3


class NotFound(SpellweaverError):
    """The reference names nothing, or more than one thing."""

    exit_status = 4


class BadFile(SpellweaverError):
    """A file is wrong by itself. ``problems`` lists every one of them, in the order of their places."""

    exit_status = 65

    def __init__(
        self, code: str, message: str, *, problems: tuple[object, ...] = (), hint: str | None = None, **fields: object
    ) -> None:
        super().__init__(code, message, hint=hint, **fields)
        self.problems = problems


class NoInput(SpellweaverError):
    """A named file is not there or can't be opened."""

    exit_status = 66


class Unavailable(SpellweaverError):
    """A daemon is needed and can't be reached."""

    exit_status = 69


class DiskTrouble(SpellweaverError):
    """The disk refused: full, read-only, an I/O error, or a commit whose outcome is not known."""

    exit_status = 74


class TryAgain(SpellweaverError):
    """The same command can succeed later: ledger busy, another daemon, clock not settled."""

    exit_status = 75


class NotAuthorised(SpellweaverError):
    """The caller may not do this."""

    exit_status = 77


class Unusable(SpellweaverError):
    """The ledger or the host's policy can't be used as it is."""

    exit_status = 78
