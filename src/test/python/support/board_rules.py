"""The committed boards as rules ask about them: one panel by its title, what an override sets, which words it has."""

from pathlib import Path
from typing import Any

import pytest

from support.grafana import BOARDS, FOLDER, Json, load, panels

DRILL, BALANCERS, COMPARE, FLEET, HISTORY = (
    FOLDER / "grafana" / f"switchover-{name}.json" for name in ("drill", "balancers", "compare", "fleet", "history")
)
DOCS = FOLDER.parent / "docs"
ALL = [
    pytest.param(path, panel, id=f"{path.stem}: {panel['title']}") for path in BOARDS for panel in panels(load(path))
]
every_panel = pytest.mark.parametrize(("path", "panel"), ALL)


def panel_of(path: Path, title: str) -> Json:
    (panel,) = (one for one in panels(load(path)) if one["title"] == title)
    return panel


def words_of(mappings: list[Json]) -> dict[str, tuple[str, str]]:
    """What is written for each value or pattern, and in which colour."""
    found: dict[str, tuple[str, str]] = {}
    for one in mappings:
        options = one["options"]
        if one["type"] == "value":
            found |= {value: (shown.get("text", ""), shown["color"]) for value, shown in options.items()}
        else:
            bounds = f"{options['from']:g}..{options['to']:g}" if "from" in options else ""
            key = bounds or options.get("pattern") or options["match"]
            found[key] = (options["result"].get("text", ""), options["result"]["color"])
    return found


def overrides(panel: Json) -> dict[str, dict[str, Any]]:
    """By the name or pattern of a column or series."""
    found: dict[str, dict[str, Any]] = {}
    for one in panel["fieldConfig"]["overrides"]:
        settings = {item["id"]: item["value"] for item in one["properties"]}
        found.setdefault(one["matcher"]["options"], {}).update(settings)
    return found
