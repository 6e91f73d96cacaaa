"""A simulation against one that was saved: firing by firing, by Schedule and firing key, never by row numbers.

Only the keys that the saved document has are compared, so that it outlives a version that shows more.
"""

from __future__ import annotations

import json

from spellweaver.errors import BadFile
from spellweaver.files import read_operator_file

LIMIT = 256 << 20
ROW_NUMBERS = ("id", "invocation", "carrier", "blockers")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Firings = dict[tuple[str, str], dict[str, object]]


def read(path: str) -> Firings:
    """The items of a saved document. Raises NoInput, and BadFile for what is none."""
    try:
        body = json.loads(read_operator_file(path, limit=LIMIT))
    except ValueError as error:
        raise _not_one(path, f": {error}") from None
    if not isinstance(body, dict) or body.get("kind") != "simulate" or not isinstance(body.get("items"), list):
        raise _not_one(path)
    return firings(body)


def _not_one(path: str, why: str = "") -> BadFile:
    return BadFile("bad_expectation", f"{path}: is not a saved simulation{why}", hint="write one with --save")


def firings(body: dict[str, object]) -> Firings:
    """The items of a document by (schedule, firing)."""
    found = body["items"]
    assert isinstance(found, list)
    return {(str(item.get("schedule")), str(item.get("firing"))): item for item in found if isinstance(item, dict)}


def differences(expected: Firings, found: Firings) -> Iterator[str]:
    """One sentence for each firing that differs, in the order of names."""
    for schedule, firing in sorted(expected.keys() | found.keys()):
        name = f"{schedule} {firing}"
        before, after = expected.get((schedule, firing)), found.get((schedule, firing))
        if before is None:
            yield f"{name}: not expected, and {_outcome(after)}"
        elif after is None:
            yield f"{name}: expected {_outcome(before)}, and not there"
        else:
            keys = [key for key in before if key not in ROW_NUMBERS and before[key] != after.get(key)]
            if keys:
                yield f"{name}: {', '.join(f'{key} was {before[key]}, is {after.get(key)}' for key in keys)}"


def _outcome(item: dict[str, object] | None) -> str:
    assert item is not None
    return f"{item.get('outcome')} ({item.get('reason')})"
