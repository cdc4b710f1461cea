"""The rows of the cases that were played, kept beside the page whose table they make."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from chaos.play import Outcome
from proof.pages import write_between
from proof.results import DOCS

RESULTS = DOCS / "proof" / "chaos.json"
SERIES = 1000
Row = dict[str, Any]


def read_rows() -> list[Row]:
    return list(json.loads(RESULTS.read_text(encoding="utf-8"))) if RESULTS.exists() else []


def keep(outcome: Outcome) -> None:
    """In place of an older row of the same seed; and the table made again."""
    rows = [row for row in read_rows() if row["seed"] != outcome.case.seed] + [outcome.as_row()]
    rows.sort(key=lambda row: int(row["seed"]))
    RESULTS.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n", encoding="utf-8")
    write_pages()


def write_pages() -> None:
    write_between(DOCS / "proof" / "chaos.txt", "chaos", table(read_rows()))


def table(rows: Sequence[Row]) -> str:
    """By misfortune; a case of two stands in two lines."""
    lines = ["| misfortune | cases | verdicts | held |", "|---|---|---|---|"]
    for name in sorted({name for row in rows for name in row["misfortunes"]}):
        of_it = [row for row in rows if name in row["misfortunes"]]
        lines.append(f"| `{name}` | {len(of_it)} | {_words(of_it)} | {_held(of_it)} |")
    return "\n".join([*lines, "", f"{len(rows)} cases, {_held(rows)} held: {'; '.join(_series(rows))}."])


def _series(rows: Sequence[Row]) -> Iterator[str]:
    """Each thousand of seeds is one."""
    for _, group in groupby(sorted(row["seed"] for row in rows), key=lambda seed: int(seed) // SERIES):
        seeds = list(group)
        held = _held([row for row in rows if row["seed"] in seeds])
        yield f"seeds {seeds[0]} to {seeds[-1]}, {held} of {len(seeds)}"


def _words(rows: Sequence[Row]) -> str:
    statuses = Counter(status for row in rows for status in row["statuses"] or ["no verdict"])
    return ", ".join(f"{number} {status}" for status, number in statuses.most_common())


def _held(rows: Sequence[Row]) -> int:
    return sum(not row["problems"] for row in rows)


def not_held(rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        if row["problems"]:
            yield f"seed {row['seed']}, {' and '.join(row['misfortunes'])}: {'; '.join(row['problems'])}"
