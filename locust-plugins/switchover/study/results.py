"""The results of a study: all cells and repeats as CSV, and the published table and claims as Markdown."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from switchover.model.errors import RunDirectoryError
from switchover.rundir.atomic_file import write_whole
from switchover.rundir.run_directory import write_json
from switchover.study.claims import (
    ClaimWord,
    Figure,
    Judgement,
    RepeatSpread,
    holds_as_published,
    judge,
    parse_expression,
    spread_of,
)
from switchover.study.state import CellResult, CellTurn
from switchover.study.study_file import Claim, Study

COLUMNS_LIMIT = 10
ROW_HEAD = ("cell", "repeat", "error")
NOT_KNOWN = "-"
PUBLISHED_WORDS = {True: "holds", False: "does not hold", None: NOT_KNOWN}
BUSY_BEFORE, BUSY_DURING = "busy_before", "busy_during"
"""The names of the figures for the CPU utilisation of the machine before and during a cell."""
CROWDED_PERCENT = 25.0
"""The CPU utilisation of the machine, in percent, above which the results have a note."""


class JudgedClaim(NamedTuple):
    claim: Claim
    judgement: Judgement
    published: bool | None
    """True: the published figures support the claim. None: unknown."""


@dataclass(frozen=True, slots=True)
class StudyResults:
    study: Study
    results: Mapping[CellTurn, CellResult]
    spreads: Mapping[Figure, RepeatSpread]
    claims: Sequence[JudgedClaim]
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def failed(self) -> Sequence[CellResult]:
        return [result for result in self.results.values() if result.error]

    @property
    def missing(self) -> int:
        return len(self.study.cells) * self.study.repeats - len(self.results)


def collect(
    study: Study, results: Mapping[CellTurn, CellResult], environment: Mapping[str, str] = MappingProxyType({})
) -> StudyResults:
    values: dict[Figure, list[float]] = {}
    for result in results.values():
        for name, value in result.figures.items():
            values.setdefault((name, result.turn.cell), []).append(value)
    spreads = {figure: spread_of(numbers) for figure, numbers in values.items()}
    published = {
        (column.figure, cell): figures[column.published]
        for column in study.columns
        for cell, figures in study.published.items()
        if column.published in figures
    }
    busy = {cell: spread.mean for (name, cell), spread in spreads.items() if name == BUSY_DURING}
    claims = []
    for claim in study.claims:
        judgement, as_published = Judgement(ClaimWord.INCONCLUSIVE, reason=claim.why), None
        if claim.holds:
            expression = parse_expression(claim.holds)
            judgement = judge(expression, spreads, study.seed, study.left_out, busy)
            as_published = holds_as_published(expression, published)
        claims.append(JudgedClaim(claim, judgement, as_published))
    return StudyResults(study, results, spreads, claims, environment)


def rows_as_csv(results: Mapping[CellTurn, CellResult]) -> str:
    names = sorted({name for result in results.values() for name in result.figures})
    output = io.StringIO(newline="")
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow([*ROW_HEAD, *names])
    for turn, result in results.items():
        writer.writerow([turn.cell, turn.repeat, result.error, *(result.figures.get(name, "") for name in names)])
    return output.getvalue()


def write_results(directory: Path, collected: StudyResults) -> Path:
    """Write the rows and the tables into a folder, and return the path of the tables."""
    study = collected.study
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunDirectoryError(f"cannot write to {directory}: {error.strerror}") from error
    write_whole(directory / f"{study.name}.csv", rows_as_csv(collected.results).encode())
    facts = {"form": study.form.name, "repeats": study.repeats, "seed": study.seed}
    write_json(directory / f"{study.name}.json", {**facts, "environment": dict(collected.environment)})
    page = directory / f"{study.name}.txt"
    write_whole(page, to_markdown(collected).encode())
    return page


def to_markdown(collected: StudyResults) -> str:
    study = collected.study
    head = (f"# {study.title}", study.source, f"**Question.** {study.question}", situation(collected))
    lines = [line for paragraph in head for line in (paragraph, "")]
    claims = [["claim", "result", "result with the published figures", "right side minus left side, 95 % interval"]]
    claims += [
        [
            f"{judged.claim.name}: {judged.claim.text}",
            f"**{judged.judgement.word}**{judged.judgement.because}",
            PUBLISHED_WORDS[judged.published],
            differences(judged),
        ]
        for judged in collected.claims
    ]
    lines += ["## Claims", "", *_table(claims), ""] if collected.claims else []
    lines += ["## Figures", ""]
    for part in narrow_tables(table_rows(collected)):
        lines += [*_table(part), ""]
    for heading, settings in (("Equal settings", study.equal), ("Different settings", study.unequal)):
        if settings:
            lines += [f"## {heading}", "", *_table([["setting", "value"], *map(list, settings.items())]), ""]
    lines += _section("Notes", study.notes)
    lines += _section("Possible objections of the authors", study.objections)
    lines += _section("Environment", environment_lines(collected))
    lines += _section("Failed", [f"{r.turn.cell}, repeat {r.turn.repeat}: {r.error}" for r in collected.failed])
    return "\n".join(lines).rstrip("\n") + "\n"


def table_rows(collected: StudyResults) -> list[list[str]]:
    study = collected.study
    head = ["cell"]
    for column in study.columns:
        head += [f"{column.title}, published", f"{column.title}, here"] if column.published else [column.title]
    rows = [head]
    for cell in study.cells:
        words = [cell.name]
        for column in study.columns:
            if column.published:
                words.append(format_number(study.published.get(cell.name, {}).get(column.published)))
            words.append(format_spread(collected.spreads.get((column.figure, cell.name))))
        rows.append(words)
    return rows


def narrow_tables(rows: Sequence[Sequence[str]]) -> list[list[list[str]]]:
    """Split a table into tables of at most COLUMNS_LIMIT columns, without separating the columns of a figure."""
    parts: list[list[int]] = [[]]
    for column in range(1, len(rows[0])):
        pair = 2 if rows[0][column].endswith(", published") else 1
        if len(parts[-1]) + pair >= COLUMNS_LIMIT:
            parts.append([])
        parts[-1].append(column)
    return [[[row[column] for column in (0, *part)] for row in rows] for part in parts]


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a Markdown table with aligned columns. The first row is the header."""
    cells = [[word.replace("|", "\\|") for word in row] for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    lines = [
        "| " + " | ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)) + " |" for row in cells
    ]
    return [lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]]


def _section(heading: str, entries: Sequence[str]) -> list[str]:
    return [f"## {heading}", "", *(f"- {entry}" for entry in entries), ""] if entries else []


def environment_lines(collected: StudyResults) -> list[str]:
    lines = [f"{name}: {value}" for name, value in collected.environment.items()]
    before, during = (
        sorted(result.figures[name] for result in collected.results.values() if name in result.figures)
        for name in (BUSY_BEFORE, BUSY_DURING)
    )
    if before:
        note = "; this load distorts rates and times" if before[len(before) // 2] > CROWDED_PERCENT else ""
        lines.append(f"processors in use before a cell: {_median_and_maximum(before)}{note}")
    if during:
        lines.append(f"processors in use during a cell: {_median_and_maximum(during)}")
    return lines


def _median_and_maximum(percents: Sequence[float]) -> str:
    middle, highest = format_number(percents[len(percents) // 2]), format_number(percents[-1])
    return f"median {middle} %, maximum {highest} %"


def situation(collected: StudyResults) -> str:
    study = collected.study
    shortened = f" Form `{study.form.name}`: {study.form.says}" if study.form.says else ""
    times = "times" if study.repeats > 1 else "time"
    return (
        f"{len(study.cells)} cells, each {study.repeats} {times}, seed {study.seed}.{shortened} "
        f"Failed runs: {len(collected.failed)}; missing runs: {collected.missing}. "
        "Columns without `published` show this study: mean ± standard deviation over the repeats."
    )


def differences(judged: JudgedClaim) -> str:
    comparisons = [c for c in judged.judgement.comparisons if c.low is not None and c.high is not None]
    texts = [f"{format_number(c.low)} to {format_number(c.high)}{' %' if c.in_percent else ''}" for c in comparisons]
    return "; ".join(texts) or NOT_KNOWN


def format_spread(spread: RepeatSpread | None) -> str:
    if spread is None:
        return NOT_KNOWN
    return format_number(spread.mean) + ("" if spread.sd is None else f" ± {format_number(spread.sd)}")


def format_number(value: float | None) -> str:
    if value is None:
        return NOT_KNOWN
    if value == round(value) and abs(value) < 1e6:
        return f"{value:.0f}"
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.3g}"
