"""The numbers of a report's page, held against verdict.json."""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from switchover.model.redaction import escape_controls

_NUMBER = re.compile(r"-?\d[\d,]*(?:\.(\d+))?")


def verdict_of(directory: Path) -> Any:
    return json.loads((directory / "verdict.json").read_text(encoding="utf-8"))


def at_pointer(document: Any, pointer: str) -> Any:
    """RFC 6901; a page has control characters in names as `\\x1b`."""
    found = document
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        found = (
            found[int(key)]
            if isinstance(found, Sequence)
            else {escape_controls(one): found[one] for one in found}[key]
        )
    return found


def disagreements(shown: Iterable[tuple[str, str]], verdict: Any) -> list[str]:
    """`shown`: pointers and the texts that stand on the page. What does not say the same, to the digits shown."""
    found = []
    for pointer, text in shown:
        value = at_pointer(verdict, pointer)
        if not isinstance(value, int | float) or not _says(text, value):
            found.append(f"{pointer}: {value} is shown as {text!r}")
    return found


def _says(text: str, value: float) -> bool:
    number = _NUMBER.search(text)
    if number is None:
        return False
    said = float(number[0].replace(",", ""))
    unit = 10.0 ** -len(number[1] or "")  # ends of intervals are rounded outwards
    after = text[number.end() :].lstrip()
    scale = 100 if after.startswith("%") else 0.001 if re.match(r"s\b", after) else 1
    return abs(said - value * scale) < unit + 1e-6
