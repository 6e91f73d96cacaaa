"""What a disk may hold after the power went, operation by operation.

What was synced stays. Of the rest any part may be there: data and names apart, sector by sector, in any order, or
noise in the place of a sector that was being written.

    kept     everything, as if it had been synced        lost     nothing of it
    prefix   what was done first, whole                  torn     any sectors of 512 bytes, old and new, in any order
    noise    the same, some sectors being neither old nor new

After a sync that failed the system forgets that anything was to be written, so no later one makes up for it: what was
not synced by then is on the disk or never will be.
"""

from __future__ import annotations

from random import Random

from tests.crash.memory import Files, Operation, put

SECTOR = 512
CERTAIN = ("kept", "lost")  # one image each, whatever the seed
CHANCE = ("prefix", "torn", "noise")
MODELS = (*CERTAIN, *CHANCE)


class Disk:
    """The durable state and what is not synced yet, after a prefix of a log."""

    def __init__(self, files: Files | None = None, *, failed_sync_wrote: bool = False) -> None:
        """``files`` are durable. They have the numbers that a ``MemoryDisk`` gives them."""
        self._failed_sync_wrote = failed_sync_wrote
        self._names = {name: number for number, name in enumerate(files or {}, 1)}
        self._durable = {self._names[name]: bytearray(data) for name, data in (files or {}).items()}
        self._data: dict[int, list[tuple[int, Operation]]] = {inode: [] for inode in self._durable}
        self._moves: list[tuple[int, Operation]] = []
        self._now = 0

    def step(self, operation: Operation) -> None:
        self._now += 1
        match operation:
            case ("create", inode, _):
                self._durable[inode], self._data[inode] = bytearray(), []
                self._moves.append((self._now, operation))
            case ("rename" | "unlink", *_):
                self._moves.append((self._now, operation))
            case ("write" | "truncate", inode, *_):
                self._data[inode].append((self._now, operation))
            case ("sync" | "failed sync" as which, inode):
                for _, done in self._data[inode]:
                    if which == "sync" or self._failed_sync_wrote:
                        _apply(self._durable[inode], done)
                self._data[inode] = []
            case ("sync names",):
                for _, done in self._moves:
                    _move(self._names, done)
                self._moves = []

    def image(self, model: str, random: Random) -> Files:
        """One state that the disk may be in now."""
        times = [at for at, _ in self._moves] + [at for done in self._data.values() for at, _ in done]
        until = {"kept": self._now, "lost": 0, "prefix": random.choice([0, *sorted(times)])}.get(model)
        names = dict(self._names)
        moved = [done for at, done in self._moves if until is None or at <= until]
        for done in moved[: len(moved) if until is not None else random.randint(0, len(moved))]:
            _move(names, done)
        found: Files = {}
        for name, inode in names.items():
            content = bytearray(self._durable[inode])
            if until is None:
                _scatter(content, [done for _, done in self._data[inode]], random, noise=model == "noise")
            else:
                for at, done in self._data[inode]:
                    if at <= until:
                        _apply(content, done)
            found[name] = bytes(content)
        return found


def _apply(content: bytearray, operation: Operation) -> None:
    if operation[0] == "write":
        put(content, operation[2], operation[3])
    else:
        del content[operation[2] :]


def _move(names: dict[str, int], operation: Operation) -> None:
    match operation:
        case ("create", inode, name):
            names[name] = inode
        case ("rename", old, new) if old in names:
            names[new] = names.pop(old)
        case ("unlink", name):
            names.pop(name, None)


def _scatter(content: bytearray, operations: list[Operation], random: Random, *, noise: bool) -> None:
    """Some of the sectors of these writes arrive, in any order: most of them, or half. The file may have grown without
    its data.
    """
    arrives = random.choice((0.5, 0.9, 0.99))
    for operation in operations:
        if operation[0] == "truncate" and random.random() < 0.5:
            _apply(content, operation)
    pieces = [piece for operation in operations if operation[0] == "write" for piece in _sectors(operation)]
    random.shuffle(pieces)
    for offset, data in pieces:
        chance = random.random()
        if chance < arrives:
            put(content, offset, data)
        elif noise and random.random() < 0.5:
            put(content, offset, random.randbytes(len(data)))
        elif random.random() < 0.1 and len(content) < offset + len(data):
            content.extend(bytes(offset + len(data) - len(content)))


def _sectors(write: Operation) -> list[tuple[int, bytes]]:
    _, _, offset, data = write
    cuts = [offset, *range((offset // SECTOR + 1) * SECTOR, offset + len(data), SECTOR), offset + len(data)]
    return [(begin, data[begin - offset : end - offset]) for begin, end in zip(cuts, cuts[1:], strict=False)]
