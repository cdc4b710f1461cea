"""The verdict that a report wrote."""

import json
from pathlib import Path
from typing import Any


def verdict_of(directory: Path) -> Any:
    return json.loads((directory / "verdict.json").read_text(encoding="utf-8"))
