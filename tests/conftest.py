"""The ``rule`` marker: names the rules that a test proves, three at most, and only ids that stand in ``tests/law``.

Property tests try the same examples at each ordinary run; with SPELLWEAVER_EXAMPLES they search anew.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("steady", derandomize="SPELLWEAVER_EXAMPLES" not in os.environ, deadline=None)
settings.load_profile("steady")

LAW = Path(__file__).parent / "law"
RULES = {
    match[1]
    for path in LAW.glob("*.md")
    for line in path.read_text(encoding="utf-8").splitlines()
    if (match := re.match(r"(?:- )?([A-Z]{2,5}-\d{1,2})\b", line))
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for marker in item.iter_markers("rule"):
            unknown = [rule for rule in marker.args if rule not in RULES]
            if unknown or not 1 <= len(marker.args) <= 3:
                raise pytest.UsageError(f"{item.nodeid}: rule marker {marker.args}: ids of tests/law, one to three")
