"""Read the names of earlier versions as present names; `tables/former_names.json` has both."""

import json
from pathlib import Path
from typing import Any

_TABLE = json.loads((Path(__file__).parents[1] / "tables" / "former_names.json").read_text())
FORMER_FILES: dict[str, str] = _TABLE["files"]
"""Former file names by the present stem, without numbers."""
FORMER_FIELDS: dict[str, str] = _TABLE["fields"]
FORMER_OPTIONS: dict[str, str] = _TABLE["options"]
_KEYS, _VALUES = _TABLE["keys"], _TABLE["values"]
_WITH_VALUES, _FREE = frozenset(_TABLE["values_of"]), frozenset(_TABLE["free"])


def renewed(values: Any, schema: int, without: int | None = None) -> Any:
    """Return a run.json or verdict.json with present names. `schema` is the present schema, `without` that of a
    file without one.

    A file with another than a former schema stays as it is.
    """
    former = range(1, schema)
    is_former = isinstance(values, dict) and values.get("schema", without) in former
    return with_present_names(values) | {"schema": schema} if is_former else values


def with_present_names(value: Any, key: str = "") -> Any:
    """Return the value with present names. Names that users chose, such as those of backends, stay as they are."""
    if isinstance(value, dict):
        return {
            (present := _KEYS.get(name, name)): one if present in _FREE else with_present_names(one, present)
            for name, one in value.items()
        }
    if isinstance(value, list):
        return [with_present_names(one, key) for one in value]
    return _VALUES.get(value, value) if key in _WITH_VALUES and isinstance(value, str) else value
