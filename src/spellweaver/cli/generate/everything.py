"""All generated files, by their path from the root of the repository."""

from __future__ import annotations

import os

from spellweaver.cli.generate import bash, fish, man, schemas, zsh
from spellweaver.cli.generate.walk import walk

FOLDERS = ("man", "completions", "src/spellweaver/cli/schemas")


def files() -> dict[str, str]:
    """Path and text of each."""
    top = walk()
    return {
        **{f"man/{name}": text for name, text in man.pages(top).items()},
        "completions/spellweaver.bash": bash.script(top),
        "completions/_spellweaver": zsh.script(top),
        "completions/spellweaver.fish": fish.script(top),
        **{f"src/spellweaver/cli/schemas/{kind}.json": text for kind, text in schemas.schemas().items()},
    }


def present(root: str) -> list[str]:
    """The generated files that are there."""
    return sorted(f"{folder}/{name}" for folder in FOLDERS for name in os.listdir(f"{root}/{folder}"))
