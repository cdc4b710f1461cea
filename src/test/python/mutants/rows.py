"""The rows of the mutants, kept beside the page whose table they make; and why a mutant may live."""

import json
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mutants.run import NO_TESTS, NOT_TRIED, Outcome
from proof.pages import write_between
from proof.results import DOCS

RESULTS = DOCS / "proof" / "mutants.json"
REASONS = Path(__file__).with_name("survivors.toml")
Row = dict[str, Any]


def read_rows() -> list[Row]:
    return list(json.loads(RESULTS.read_text(encoding="utf-8"))) if RESULTS.exists() else []


def read_reasons() -> Mapping[str, str]:
    """By mutant, why no test can notice it or none is to."""
    groups = tomllib.loads(REASONS.read_text(encoding="utf-8")).get("group", ())
    return {name: group["why"] for group in groups for name in group["mutants"]}


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
