"""CSV in which no name can become a formula of a spreadsheet."""

import csv
import io
from collections.abc import Iterable

from switchover.model.redaction import escape_controls

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What makes a spreadsheet take a text for a formula (OWASP, CSV Injection); an apostrophe before it disarms it."""


def write_table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """RFC 4180; texts are quoted, numbers are not. Control characters have no effect on a terminal."""
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(list(head))
    for row in rows:
        writer.writerow([_harmless(cell) if isinstance(cell, str) else cell for cell in row])
    return out.getvalue()


def _harmless(text: str) -> str:
    return escape_controls(f"'{text}" if text.lstrip(" ").startswith(FORMULA_STARTS) else text)
