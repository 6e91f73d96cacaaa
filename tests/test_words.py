"""What the project says of itself: no promise that the law does not make, no command that is not there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SAID = [
    ROOT / "README.md",
    *sorted((ROOT / "man").glob("*")),
    *sorted((ROOT / "src" / "spellweaver" / "cli").rglob("*.py")),
    *sorted((ROOT / "examples").rglob("*.toml")),
]
PROMISE = re.compile(r"exactly[- ]once|\b(runs?|starts?|executes?|started|run) only once\b|guarante", re.I)


@pytest.mark.rule("OCC-09")
def test_nothing_claims_exactly_once_effects() -> None:
    claims = []
    for path in SAID:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if PROMISE.search(line) and "Not promised" not in line:
                claims.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    assert claims == []


@pytest.mark.rule("OCC-09")
def test_the_readme_says_that_it_is_not_promised() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.search(r"Not promised: exactly-once effects of your commands", text)


def test_the_readme_names_the_two_commands_and_ci_runs_the_second() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    demo = "python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/spellweaver demo"
    tests = "python3 -m venv .venv && .venv/bin/pip install -e '.[test]' && .venv/bin/python -m pytest"
    assert f"```sh\n{demo}\n```" in text and f"```sh\n{tests}\n```" in text
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for part in ("-m venv .venv", "-e '.[test]'", ".venv/bin/python -m pytest"):
        assert part in script


def test_the_repository_stands_alone() -> None:
    """Nothing reads a folder beside it, and nothing names the machine that it was made on."""
    found = []
    for path in sorted(ROOT.rglob("*")):
        if path.suffix not in (".py", ".md", ".toml", ".sql", ".sh", ".service", "") or not path.is_file():
            continue
        if any(part.startswith(".") and part != ".ci" for part in path.relative_to(ROOT).parts) or path == Path(
            __file__
        ):
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        found += [f"{path.relative_to(ROOT)}: {word}" for word in ("../shared", "/work/", "/tmp/v/") if word in text]
    assert found == []
