"""The rows of the mutants, kept beside the page whose table they make."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from mutants.reasons import read_reasons
from mutants.run import NO_TESTS, NOT_TRIED, Outcome
from proof.pages import write_between
from proof.results import DOCS

RESULTS = DOCS / "proof" / "mutants.json"
Row = dict[str, Any]


def read_rows() -> list[Row]:
    return list(json.loads(RESULTS.read_text(encoding="utf-8"))) if RESULTS.exists() else []


def keep(module: str, outcome: Outcome) -> None:
    """In place of an older row of the same module; and the table made again."""
    row = {
        "module": module,
        "day": datetime.now(UTC).date().isoformat(),
        "mutants": outcome.total,
        "noticed": outcome.noticed,
        "not_tried": outcome.counts[NOT_TRIED],
        "without_tests": outcome.counts[NO_TESTS],
        "survivors": list(outcome.survivors),
    }
    rows = [one for one in read_rows() if one["module"] != module] + [row]
    rows.sort(key=lambda one: str(one["module"]))
    RESULTS.write_text("[\n" + ",\n".join(json.dumps(one) for one in rows) + "\n]\n", encoding="utf-8")
    write_pages()


def write_pages() -> None:
    write_between(DOCS / "proof.md", "mutants", table(read_rows(), read_reasons()))


def table(rows: Sequence[Row], reasons: Mapping[str, str]) -> str:
    lines = [
        "| module | day | mutants | noticed | of those tried | survived, explained | without a test | not tried |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        tried = row["mutants"] - row["not_tried"]
        share = f"{row['noticed'] / tried:.0%}" if tried else ""
        said = sum(name in reasons for name in row["survivors"])
        lines.append(
            f"| `{row['module']}` | {row['day']} | {row['mutants']:,} | {row['noticed']:,} | {share} "
            f"| {len(row['survivors'])}, {said} | {row['without_tests']} | {row['not_tried']} |"
        )
    explained = [
        f"| `{row['module']}` | {count} | {why} |"
        for row in rows
        for why, count in Counter(reasons[name] for name in row["survivors"] if name in reasons).items()
    ]
    if explained:
        lines += ["", "| of | survivors | why they may live |", "|---|---|---|", *explained]
    return "\n".join(lines)
