"""Secrets by reference (CFG-5): read when a command is spawned, handed on in its environment, and kept nowhere.

    file:/absolute/path    a regular file, no link; of root, of the daemon's user or of the command's; not writable by
                           others
    credential:NAME        the file of that name in $CREDENTIALS_DIRECTORY, as systemd hands them to the daemon

One line end at the end is taken off, as editors and ``echo`` leave one. What is told of a failure names the variable
and the file, never what is in it.
"""

from __future__ import annotations

import os

from spellweaver import files
from spellweaver.errors import NoInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

LIMIT = 64 * 1024


class NoSecret(Exception):
    """Why there is no value: one sentence."""


def resolve(references: Iterable[tuple[str, str]], *, owners: Collection[int]) -> dict[str, str]:
    """The values by variable. Raises NoSecret for the first one that can't be had."""
    return {name: _value(name, reference, owners) for name, reference in references}


def _value(name: str, reference: str, owners: Collection[int]) -> str:
    try:
        data = files.read_secret(_path(name, reference), limit=LIMIT, owners=owners)
    except NoInput as error:
        raise NoSecret(f"env_from {name}: {error.message}") from None
    if b"\0" in data:
        raise NoSecret(f"env_from {name}: {reference} holds a NUL byte, which no variable can")
    return data.removesuffix(b"\n").decode("utf-8", "surrogateescape")


def _path(name: str, reference: str) -> str:
    kind, _, rest = reference.partition(":")
    if kind == "file":
        return rest
    directory = os.environ.get("CREDENTIALS_DIRECTORY")
    if not directory:
        raise NoSecret(f"env_from {name}: the daemon was handed no credentials (CREDENTIALS_DIRECTORY is not set)")
    return f"{directory}/{rest}"
