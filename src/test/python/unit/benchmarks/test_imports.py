"""Benchmarks are run seldom, and by hand: what they take of the product has to be there all the same."""

import ast
import importlib
from pathlib import Path

import pytest

from support.checkout import CHECKOUT

SCRIPTS = sorted((CHECKOUT / "benchmarks").rglob("*.py"))
PATCHES_THE_PROCESS = "switchover.locust"


def taken_by(script: Path) -> list[tuple[str, str]]:
    """Module and name of each import from the package."""
    tree = ast.parse(script.read_text(encoding="utf-8"))
    return [
        (node.module, one.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("switchover.")
        for one in node.names
    ]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_what_a_benchmark_imports_is_there(script: Path) -> None:
    for module, name in taken_by(script):
        if module.startswith(PATCHES_THE_PROCESS):
            continue
        if not hasattr(importlib.import_module(module), name):
            importlib.import_module(f"{module}.{name}")
