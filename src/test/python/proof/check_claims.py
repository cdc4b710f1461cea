"""`make check-claims`: make every table and chart of docs/ again from the committed rows, and name what differs."""

import importlib
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from chaos import rows as chaos
from fuzz import rows as fuzz
from proof import (
    both_generators,
    captured_changes,
    hitless,
    kept_captures,
    loaded_drills,
    lost_captures,
    own_pair,
    predictions,
    reload_promises,
    retrying_clients,
    service_away,
    soak_rows,
    streaming,
)
from proof.claim_words import word_table
from proof.coverage_rows import coverage_section, make_drill_table, read_rows
from proof.pages import faults_table, read_between, truth_section
from proof.results import DOCS, exit_status
from support.published_study import recompute
from switchover.model.errors import RunDirectoryError

STUDIES, BENCHMARKS = DOCS.parent / "testplans" / "studies", DOCS.parent / "benchmarks"
SOAKS = (soak_rows.PLAIN, soak_rows.FAST)


@dataclass(frozen=True, slots=True)
class Table:
    """A table between two marks of a page, and how it is made of committed rows."""

    page: str
    mark: str
    make: Callable[[], str]


def _rows(name: str, docs: Path = DOCS) -> Any:
    return json.loads((docs / "proof" / f"{name}.json").read_text(encoding="utf-8"))


def _soak_table(name: str) -> str:
    return soak_rows.as_table(name, soak_rows.read_result(name))


TABLES = (
    Table("proof/faults.txt", "measured", lambda: faults_table(_rows("drills")["cases"])),
    Table("proof/truth.txt", "truth", lambda: truth_section(_rows("drills")["cases"])),
    Table("proof/coverage.txt", "coverage", coverage_section),
    Table("proof/service-away.txt", service_away.NAME, lambda: service_away.table(read_rows(service_away.NAME))),
    Table("proof/make-drill.txt", "make-drill", lambda: make_drill_table(read_rows("make-drill"))),
    Table("proof/loaded.txt", "loaded", lambda: loaded_drills.as_table(_rows("loaded_drills"))),
    Table("proof/streaming.txt", "streaming", lambda: streaming.as_table(_rows("streaming"))),
    Table("proof/both.txt", "both", lambda: both_generators.as_table(_rows("both_generators"))),
    Table("proof/predictions.txt", "predictions", lambda: predictions.as_table(_rows("predictions"))),
    Table(reload_promises.PAGE, reload_promises.NAME, lambda: reload_promises.as_table(reload_promises.read_rows())),
    Table(captured_changes.PAGE, "captured", lambda: captured_changes.as_table(_rows(captured_changes.NAME))),
    Table(captured_changes.PAGE, "losses", lambda: lost_captures.as_table(_rows(lost_captures.NAME))),
    Table("hitless.md", hitless.PAGE, lambda: hitless.as_table(hitless.read_rows())),
    Table(
        retrying_clients.PAGE, retrying_clients.NAME, lambda: retrying_clients.as_table(_rows(retrying_clients.NAME))
    ),
    Table("../README.md", hitless.PAGE, lambda: hitless.as_short_table(hitless.read_rows())),
    Table("proof/chaos.txt", "chaos", lambda: chaos.table(chaos.read_rows())),
    Table("proof/fuzz.txt", "fuzz", lambda: fuzz.table(fuzz.read_rows())),
    Table(f"proof/{own_pair.NAME}.txt", own_pair.NAME, lambda: own_pair.as_table(own_pair.read_rows())),
    Table("proof/words.txt", "words", word_table),
    *(Table("proof/scale.txt", name, partial(_soak_table, name)) for name in SOAKS),
)


def differences() -> Iterator[str]:
    """A line for each table, chart or page that its rows do not make."""
    for table in TABLES:
        yield from table_differences(table, DOCS)
    yield from service_away.differences()
    yield from kept_captures.differences()
    yield from lost_captures.differences()
    yield from (problem for row in own_pair.read_rows() for problem in own_pair.broken(row))
    yield from judge_differences(DOCS)
    yield from _scale_differences()
    for study_file in sorted(STUDIES.glob("*.toml")):
        yield from study_differences(study_file, DOCS / "studies")


def table_differences(table: Table, pages: Path) -> Iterator[str]:
    """At most one, of the page in this folder."""
    if read_between(pages / table.page, table.mark).strip() != table.make().strip():
        yield f"docs/{table.page}: the table {table.mark!r} is not what its rows make"


def judge_differences(docs: Path) -> Iterator[str]:
    """Of the pages about other tools in this folder, and of the rows below it."""
    tables = _of_benchmarks("judges_tables")
    result = _rows("judges", docs)
    yield from table_differences(Table("proof/judges.txt", "judges", lambda: tables.as_table(result)), docs)
    if tables.draw(result) != (docs / "images" / "judges.svg").read_text(encoding="utf-8"):
        yield "docs/images/judges.svg is not what the rows of docs/proof/judges.json make"
    asked = _of_benchmarks("judges_asked")
    for place, text in asked.tables(_rows(asked.NAME, docs)).items():
        yield from table_differences(Table(f"proof/{asked.PAGE.name}", place, partial(str, text)), docs)


def _of_benchmarks(name: str) -> ModuleType:
    """Their folder is looked into last: it has a locust.py, and a test that starts a process hands its path on."""
    if str(BENCHMARKS) not in sys.path:
        sys.path.append(str(BENCHMARKS))
    return importlib.import_module(name)


def _scale_differences() -> Iterator[str]:
    tables = _of_benchmarks("scale_tables")
    result = json.loads((BENCHMARKS / "scale.json").read_text(encoding="utf-8"))
    for place, text in tables.tables(result).items():
        yield from table_differences(Table("proof/scale.txt", place, partial(str, text)), DOCS)
    if tables.draw(result) != (DOCS / "images" / "scale.svg").read_text(encoding="utf-8"):
        yield "docs/images/scale.svg is not what the rows of benchmarks/scale.json make"


def study_differences(study_file: Path, folder: Path) -> Iterator[str]:
    """Of a study's page and charts in this folder, which has its rows."""
    try:
        files = recompute(folder, study_file)
    except RunDirectoryError as error:
        yield str(error)
        return
    for name, text in files.items():
        if not (folder / name).exists() or (folder / name).read_text(encoding="utf-8") != text:
            yield f"docs/studies/{name} is not what its rows make"


if __name__ == "__main__":
    sys.exit(exit_status(differences()))
