"""A file that a command was asked to write: whole or not at all."""

from __future__ import annotations

from spellweaver.errors import DiskTrouble
from spellweaver.files import write_whole


def save(path: str, text: str) -> None:
    """As any program would, within the caller's umask. Raises DiskTrouble."""
    try:
        write_whole(path, text.encode(), mode=0o666)
    except OSError as error:
        said = (error.strerror or str(error)).lower()
        raise DiskTrouble("not_saved", f"{path} can't be written: {said}", path=path) from None
