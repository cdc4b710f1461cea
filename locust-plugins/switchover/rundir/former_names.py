"""Replace names that earlier versions wrote with present names, as listed in `tables/former_names.json`."""

import json
from pathlib import Path
from typing import Any

_TABLE = json.loads((Path(__file__).parents[1] / "tables" / "former_names.json").read_text())
FORMER_FILES: dict[str, str] = _TABLE["files"]
"""Former file names. The key is the present name without number and extension."""
FORMER_FIELDS: dict[str, str] = _TABLE["fields"]
FORMER_OPTIONS: dict[str, str] = _TABLE["options"]
FORMER_VALUES: dict[str, str] = _TABLE["values"]
_KEYS = _TABLE["keys"]
_WITH_VALUES, _FREE = frozenset(_TABLE["values_of"]), frozenset(_TABLE["free"])


def renewed(values: Any, schema: int, without: int | None = None) -> Any:
    """If `values` is a run.json or verdict.json of a former schema, return it with present names, otherwise
    unchanged. `without`: the assumed schema of a file that has no schema."""
    former = range(1, schema)
    is_former = isinstance(values, dict) and values.get("schema", without) in former
    return with_present_names(values) | {"schema": schema} if is_former else values


def with_present_names(value: Any, key: str = "") -> Any:
    """Return the value with present names. Names that users chose, such as names of backends, do not change."""
    if isinstance(value, dict):
        return {
            (present := _KEYS.get(name, name)): nested if present in _FREE else with_present_names(nested, present)
            for name, nested in value.items()
        }
    if isinstance(value, list):
        return [with_present_names(item, key) for item in value]
    return FORMER_VALUES.get(value, value) if key in _WITH_VALUES and isinstance(value, str) else value
