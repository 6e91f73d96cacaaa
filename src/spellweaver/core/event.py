"""What an outside event is known by: its source, the id that the source gave it, and the digest of what it sent
(OCC-02, OCC-06).

JSON is compared by its canonical text, so neither spaces nor the order of keys make another content; all else by its
bytes. JSON that does not say one thing, as a key that stands twice, is bytes too.
"""

from __future__ import annotations

import json
import re
from hashlib import sha256

from spellweaver.core.schedule import canonical_json

INBOX = 10_000  # events of all Schedules that may pend at once
CONTENT_BYTES = 1 << 20
EVENT_ID_LENGTH = 200
RESERVED = "backfill"

_SOURCE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_CALENDAR = re.compile(r"c[0-9]+")


def fault_of_source(source: str) -> str | None:
    """What keeps a text from naming a source, as the rest of a sentence; None where nothing does. A source is never
    spelled like a calendar generation, so no firing key reads as one of another kind.
    """
    if _SOURCE.fullmatch(source) is None:
        return "must be letters, digits, dots, dashes and underscores, at most 64, beginning with a letter or digit"
    if source == RESERVED:
        return "is kept for backfills"
    if _CALENDAR.fullmatch(source):
        return "is how the firings of a calendar are named"
    return None


def fault_of_id(event_id: str) -> str | None:
    """As ``fault_of_source``, of an event id."""
    if not 0 < len(event_id) <= EVENT_ID_LENGTH:
        return f"must have 1 to {EVENT_ID_LENGTH} characters"
    return None if event_id.isprintable() else "has a character in it that can't be shown"


def key(source: str, event_id: str) -> str:
    """The firing key as text: ``shop:order-9``."""
    return f"{source}:{event_id}"


def kept(content: bytes) -> bytes:
    """What is kept of a content: JSON in its canonical form, else the bytes."""
    try:
        return canonical_json(json.loads(content, object_pairs_hook=_once)).encode()
    except (ValueError, RecursionError):
        return content


def digest(content: bytes) -> bytes:
    """SHA-256 of a content as it is kept."""
    return sha256(content).digest()


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found
