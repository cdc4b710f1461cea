"""The page of a published study, made again of its rows."""

import csv
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from switchover.model.errors import RunDirectoryError
from switchover.study.results import collect, to_markdown
from switchover.study.state import CellResult, CellTurn
from switchover.study.study_file import read_study


def recompute(directory: Path, study_file: Path) -> dict[str, str]:
    """The name and the text of the page that the published rows of a study make.

    RunDirectoryError where no rows are published.
    """
    name = read_study(study_file).name
    rows, facts = directory / f"{name}.csv", directory / f"{name}.json"
    try:
        kept: Mapping[str, Any] = json.loads(facts.read_text(encoding="utf-8"))
        results = _read_rows(rows)
        study = replace(read_study(study_file, kept["form"]), repeats=kept["repeats"], seed=kept["seed"])
        return {f"{name}.txt": to_markdown(collect(study, results, kept["environment"]))}
    except OSError as error:
        raise RunDirectoryError(f"{error.filename}: {error.strerror}") from error
    except (ValueError, KeyError) as error:
        raise RunDirectoryError(f"{rows} and {facts.name} are not as they were published: {error!r}") from error


def _read_rows(path: Path) -> dict[CellTurn, CellResult]:
    """What `rows_as_csv` wrote. OSError, ValueError and KeyError where it is not so."""
    with path.open(encoding="utf-8", newline="") as file:
        results = {}
        for row in csv.DictReader(file):
            turn = CellTurn(row.pop("cell"), int(row.pop("repeat")))
            error = row.pop("error")
            results[turn] = CellResult(turn, {name: float(text) for name, text in row.items() if text}, error)
    return results
