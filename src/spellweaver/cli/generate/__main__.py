"""Rewrites every generated file of the repository, and removes those that nothing makes any more."""

from __future__ import annotations

import os
import sys

from spellweaver.cli.generate import everything

ROOT = os.path.abspath(f"{os.path.dirname(__file__)}/../../../..")


def main() -> int:
    made = everything.files()
    for path, text in made.items():
        whole = f"{ROOT}/{path}"
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "w", encoding="utf-8") as file:
            file.write(text)
    for path in everything.present(ROOT):
        if path not in made:
            os.unlink(f"{ROOT}/{path}")
    sys.stdout.write("".join(f"{path}\n" for path in made))
    return 0


if __name__ == "__main__":
    sys.exit(main())
