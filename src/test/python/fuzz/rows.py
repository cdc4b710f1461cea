"""The rows of the fuzzers, kept beside the page whose table they make."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from fuzz.run import Outcome
from proof.pages import write_between
from proof.results import DOCS

RESULTS = DOCS / "proof" / "fuzz.json"
Row = dict[str, Any]


def read_rows() -> list[Row]:
    return list(json.loads(RESULTS.read_text(encoding="utf-8"))) if RESULTS.exists() else []


def keep(target: str, language: str, seconds: int, outcome: Outcome) -> None:
    """In place of an older row of the same target; and the table made again."""
    row = {
        "target": target,
        "language": language,
        "day": datetime.now(UTC).date().isoformat(),
        "seconds": seconds,
        "processor_s": round(outcome.processor_s),
        "runs": outcome.runs,
        "covered": outcome.covered,
        "found": outcome.found,
    }
    rows = [one for one in read_rows() if (one["target"], one["language"]) != (target, language)] + [row]
    rows.sort(key=lambda one: (one["language"], one["target"]))
    RESULTS.write_text("[\n" + ",\n".join(json.dumps(one) for one in rows) + "\n]\n", encoding="utf-8")
    write_pages()


def write_pages() -> None:
    write_between(DOCS / "proof" / "fuzz.txt", "fuzz", table(read_rows()))


def table(rows: Sequence[Row]) -> str:
    lines = [
        "| reader of | language | day | seconds, of the processor | inputs tried | edges reached | found |",
        "|---|---|---|---|---|---|---|",
        *(
            f"| `{row['target']}` | {row['language']} | {row['day']} "
            f"| {row['seconds']:,}, {row.get('processor_s', '-')} | {row['runs']:,} "
            f"| {row['covered']:,} | {row['found'] or 'nothing'} |"
            for row in rows
        ),
    ]
    return "\n".join(lines)
