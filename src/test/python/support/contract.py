"""The vectors that Python and Java both read."""

import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "resources" / "contract"


def vectors(file: str, table: str) -> Any:
    return json.loads((FOLDER / file).read_text(encoding="utf-8"))[table]


def named(file: str, table: str) -> list[Any]:
    """Test parameters, one per case, under the case's name."""
    return [pytest.param(case, id=case["name"]) for case in vectors(file, table)]
