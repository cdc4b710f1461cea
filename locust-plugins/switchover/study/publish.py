"""A study's results as they stand in a repository: the page, its charts, and the rows that both are made of."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from switchover.model.errors import RunDirectoryError
from switchover.rundir.atomic_file import write_whole
from switchover.rundir.run_directory import write_json
from switchover.study.chart import draw_file
from switchover.study.panels import arrange
from switchover.study.results import StudyResults, collect, read_rows, rows_as_csv, to_markdown
from switchover.study.study_file import read_study


def publish(directory: Path, collected: StudyResults) -> Path:
    """The Markdown file. What an earlier call wrote of this study is replaced."""
    study = collected.study
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for old in directory.glob(f"{study.name}-[0-9]*.svg"):
            old.unlink()
    except OSError as error:
        raise RunDirectoryError(f"cannot write to {directory}: {error.strerror}") from error
    rows, facts, page = _files(directory, study.name)
    write_whole(rows, rows_as_csv(collected.results).encode())
    write_json(
        facts,
        {
            "form": study.form.name,
            "repeats": study.repeats,
            "seed": study.seed,
            "environment": dict(collected.environment),
        },
    )
    files = _files_of(collected)
    for name, content in files.items():
        write_whole(directory / name, content.encode())
    return page


def recompute(directory: Path, study_file: Path) -> dict[str, str]:
    """By name the text of every file that the published rows of a study make: the page and its charts.

    RunDirectoryError where no rows are published.
    """
    name = read_study(study_file).name
    rows, facts, _ = _files(directory, name)
    try:
        kept: Mapping[str, Any] = json.loads(facts.read_text(encoding="utf-8"))
        results = read_rows(rows)
        study = replace(read_study(study_file, kept["form"]), repeats=kept["repeats"], seed=kept["seed"])
        return _files_of(collect(study, results, kept["environment"]))
    except OSError as error:
        raise RunDirectoryError(f"{error.filename}: {error.strerror}") from error
    except (ValueError, KeyError) as error:
        raise RunDirectoryError(f"{rows} and {facts.name} are not as they were published: {error!r}") from error


def _files(directory: Path, name: str) -> tuple[Path, Path, Path]:
    """Rows, what they are of, and the page."""
    return directory / f"{name}.csv", directory / f"{name}.json", directory / f"{name}.md"


def _files_of(collected: StudyResults) -> dict[str, str]:
    files, pictures = {}, []
    name = collected.study.name
    for number, chart in enumerate(collected.study.charts, start=1):
        drawing = arrange(chart, collected)
        if any(points for panel in drawing.panels for points in panel.series.values()):
            files[f"{name}-{number}.svg"] = draw_file(drawing.title, drawing.panels, drawing.names)
            pictures.append((drawing.title, f"{name}-{number}.svg"))
    files[f"{name}.md"] = to_markdown(collected, pictures)
    return files
