"""`python -m support.option_vectors`: writes contract/options.json anew from the table of a drill's options."""

import json
from typing import Any

from support.contract import FOLDER
from switchover.drill.options import OPTIONS, read_duration
from switchover.model.errors import UsageError

FILE = "options.json"
DURATIONS = ("250ms", "5s", "1.5", "2min", "1h", " 3 s ", "soon", "2 days", "-1s", "")


def option_vectors() -> dict[str, Any]:
    return {
        "fields": [
            {
                "name": option.name if len(option.jmeter) == 1 else f"{option.name}, {field['field']}",
                "field": field["field"],
                "property": field["property"],
                "default": "false" if option.is_switch else option.default,
            }
            for option in OPTIONS.values()
            for field in option.jmeter
        ],
        "durations": [{"text": text, "seconds": _seconds(text)} for text in DURATIONS if text],
    }


def _seconds(text: str) -> float | None:
    """None for a text that is refused."""
    try:
        return read_duration(text)
    except UsageError:
        return None


if __name__ == "__main__":
    (FOLDER / FILE).write_text(json.dumps(option_vectors(), indent=2) + "\n", encoding="utf-8")
