"""The witness: which ledger this is and what its last event was, in a file of its own beside it (``ledger.witness``).

SQLite does not notice that a log was deleted or that an older copy stands in a ledger's place: what is left is whole.
The witness does. It is written after a commit, never before, and made durable; so it may lag behind its ledger, and
one that is ahead, or that names an event which the ledger does not have, shows that the ledger is not the newest
(ruling 6). It catches accidents: whoever can write the ledger can write it too.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass

import apsw

from spellweaver import files
from spellweaver.errors import DiskTrouble, NoInput, Unusable
from spellweaver.ledger import journal

LIMIT = 4096  # bytes of the file
ADOPT = "spellweaver ledger adopt"


@dataclass(frozen=True, slots=True)
class Witness:
    """``ledger`` is a ledger's id, ``seq`` and ``hash`` (hex) are of the last event that was seen in it."""

    ledger: str
    seq: int
    hash: str


def beside(ledger: str) -> str:
    """The path of the witness of the ledger at a path."""
    return f"{os.path.splitext(ledger)[0]}.witness"


def of(connection: apsw.Connection) -> Witness:
    """What a witness of this ledger has to say now."""
    row = connection.execute("SELECT id FROM ledger").fetchone()
    seq, hash_ = journal.head(connection)
    return Witness(str(row[0]) if row else "", seq, _hex(hash_))


def write(path: str, said: Witness) -> None:
    """Replaces the witness at ``path``. Raises DiskTrouble."""
    body = {"ledger": said.ledger, "seq": said.seq, "hash": said.hash}
    try:
        files.write_whole(path, json.dumps(body).encode() + b"\n")
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise DiskTrouble("witness_not_written", f"{path} can't be written: {why}", path=path) from None


def read(path: str) -> Witness | None:
    """The witness at ``path``; None where there is none. Raises Unusable for one that can't be read."""
    try:
        return parse(files.read_operator_file(path, limit=LIMIT))
    except NoInput as error:
        if not os.path.lexists(path):
            return None
        said = error.message
    except ValueError:
        said = f"{path}: is not what a witness looks like"
    raise Unusable("witness_damaged", f"{said}; whether the ledger is the newest is not known", hint=ADOPT, path=path)


def parse(data: bytes) -> Witness:
    """The witness that a file's bytes are. Raises ValueError."""
    try:
        body = json.loads(data)
        said = Witness(body["ledger"], body["seq"], body["hash"])
    except (KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"no witness: {error}") from None
    if not (isinstance(said.ledger, str) and isinstance(said.hash, str) and type(said.seq) is int):
        raise ValueError("no witness: a key has the wrong type")
    return said


def compare(connection: apsw.Connection, said: Witness, path: str) -> None:
    """Refuses (Unusable) the ledger at ``path`` that is another one, an older one, or has gone another way than its
    witness saw.
    """
    now = of(connection)
    if now.ledger != said.ledger:
        raise Unusable(
            "ledger_exchanged",
            f"{path} is ledger {now.ledger[:8]}, and its witness was written for ledger {said.ledger[:8]}: another one "
            "was put in its place",
            hint=ADOPT, path=path, found=now.ledger, known=said.ledger,
        )  # fmt: skip
    if now.seq < said.seq:
        raise Unusable(
            "ledger_older",
            f"{path} ends at evt_{now.seq}, and its witness saw evt_{said.seq}: {said.seq - now.seq} events are "
            "missing. An older copy was put in its place, or its log is gone",
            hint=ADOPT, path=path, found=now.seq, known=said.seq,
        )  # fmt: skip
    row = connection.execute("SELECT hash FROM event WHERE seq = ?", (said.seq,)).fetchone()
    if row is None or _hex(row[0]) != said.hash:
        raise Unusable(
            "ledger_diverged",
            f"evt_{said.seq} of {path} is not the event that its witness saw: an older copy was put in its place and "
            "written on, or the journal was altered",
            hint=ADOPT, path=path, seq=said.seq,
        )  # fmt: skip


def _hex(hash_: object) -> str:
    """Empty for what is none: a page may be damaged."""
    return hash_.hex() if isinstance(hash_, bytes) else ""
