"""The house: imports go down only, rooms on one floor never meet, each tool has its room, no circles; lint and types
are clean.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src" / "spellweaver"
FLOORS = {
    "errors": 1, "core": 2, "clock": 3, "files": 3, "safety": 3, "ledger": 4, "manifest": 4, "host": 4,
    "engine": 5, "jobs": 6, "service": 7, "simulate": 7, "cli": 9, "__init__": 0,
}  # fmt: skip
TOOLS = {
    "typer": {"cli"}, "rich": {"cli"}, "apsw": {"ledger"}, "pydantic": {"manifest"}, "pydantic_core": {"manifest"},
    "tomllib": {"manifest"}, "tomli_w": {"manifest"}, "tzdata": {"manifest"}, "subprocess": {"host"},
    "socket": {"host"}, "ctypes": {"host"},
    "time": {"clock"}, "fcntl": {"files"}, "stat": {"files", "safety"},
    "threading": {"clock", "ledger.writer", "jobs", "service"},
    "signal": {"host", "service"}, "zoneinfo": set(), "sqlite3": set(),
}  # fmt: skip
CALLS = {"fork", "forkpty", "kill", "killpg", "posix_spawn", "posix_spawnp", "pidfd_open", "execve", "execvpe"}
SQL = re.compile(r"(SELECT|INSERT INTO|UPDATE|DELETE FROM|PRAGMA|CREATE) \S")
FORBIDDEN_NAMES = {"utils", "common", "helpers", "manager", "models"}


def modules() -> dict[str, ast.Module]:
    found = {}
    for path in sorted(SRC.rglob("*.py")):
        name = ".".join(path.relative_to(SRC).with_suffix("").parts)
        found[name.removesuffix(".__init__") if name != "__init__" else name] = ast.parse(
            path.read_text(encoding="utf-8"), str(path)
        )
    return found


def imports(tree: ast.Module) -> list[tuple[str, int]]:
    """Absolute names that are imported, with their line; a relative import counts as a fault of its own."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"relative import at line {node.lineno}"
            found += [(f"{node.module}.{alias.name}", node.lineno) for alias in node.names]
    return found


def faults(trees: dict[str, ast.Module]) -> list[str]:
    found = []
    for name, tree in trees.items():
        room = name.split(".")[0]
        for target, line in imports(tree):
            top, *rest = target.split(".")
            if top == "spellweaver":
                other = rest[0] if rest else "__init__"
                other = other if other in FLOORS else "__init__"
                if other != room and not FLOORS[other] < FLOORS[room]:
                    found.append(
                        f"{name}:{line} imports {target}: floor {FLOORS[room]} may not see floor {FLOORS[other]}"
                    )
            elif top in TOOLS and not any(name == at or name.startswith(at + ".") for at in TOOLS[top]):
                found.append(f"{name}:{line} imports {top}, which belongs to {sorted(TOOLS[top]) or 'nobody'}")
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in CALLS
                and room != "host"
            ):
                found.append(f"{name}:{node.lineno} calls {node.func.attr}, which belongs to host")
            text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
            if room != "ledger" and SQL.match(text):
                found.append(f"{name}:{node.lineno} writes SQL, which belongs to ledger")
        found += [f"{name} is named {part}" for part in name.split(".") if part in FORBIDDEN_NAMES]
    return found


def test_imports_go_down_and_tools_stay_in_their_rooms() -> None:
    assert faults(modules()) == []


def test_the_house_test_sees_each_kind_of_fault() -> None:
    planted = {
        "core.a": ast.parse("import apsw\nfrom spellweaver.engine import tick"),
        "engine.utils": ast.parse("import os\nos.kill(1, 9)"),
        "cli.c": ast.parse("view.row('SELECT 1 FROM ledger')"),
        "ledger.b": ast.parse("from spellweaver.host import keeper\nimport threading"),
    }
    text = "\n".join(faults(planted))
    for piece in (
        "imports apsw",
        "floor 2 may not see floor 5",
        "calls kill",
        "writes SQL",
        "is named utils",
        "floor 4 may not see floor 4",
        "imports threading",
    ):
        assert piece in text


def test_no_circles() -> None:
    trees = modules()
    graph: dict[str, set[str]] = {name: set() for name in trees}
    for name, tree in trees.items():
        top_level = ast.Module([n for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom)], [])
        for target, _ in imports(top_level):
            parts = target.removeprefix("spellweaver.").split(".")
            for size in range(len(parts), 0, -1):
                if target.startswith("spellweaver.") and (other := ".".join(parts[:size])) in trees and other != name:
                    graph[name].add(other)
                    break
    assert list(TopologicalSorter(graph).static_order())


def test_the_house_is_shown_as_it_is() -> None:
    shown = (SRC / "README.md").read_text(encoding="utf-8")
    missing = [
        name
        for name in modules()
        if name != "__init__" and not re.search(rf"(?<![\w.]){re.escape(name.split('.')[-1])}(\.py|/)?(?!\w)", shown)
    ]
    assert missing == []


@pytest.mark.parametrize("tool", [["ruff", "check", "src", "tests"], ["mypy", "--strict", "src"]], ids=["ruff", "mypy"])
def test_lint_and_types(tool: list[str]) -> None:
    done = subprocess.run([sys.executable, "-m", *tool], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
