"""A study's results as a repository keeps them: tables, charts, and the rows of both."""

from pathlib import Path

from switchover.model.errors import RunDirectoryError
from switchover.rundir.atomic_file import write_whole
from switchover.rundir.run_directory import write_json
from switchover.study.chart import draw_file
from switchover.study.panels import arrange
from switchover.study.results import StudyResults, rows_as_csv, to_markdown


def publish(directory: Path, collected: StudyResults) -> Path:
    """Write rows, charts and tables, in place of older ones, and return the path of the tables."""
    study = collected.study
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for old in directory.glob(f"{study.name}-[0-9]*.svg"):
            old.unlink()
    except OSError as error:
        raise RunDirectoryError(f"cannot write to {directory}: {error.strerror}") from error
    write_whole(directory / f"{study.name}.csv", rows_as_csv(collected.results).encode())
    write_json(
        directory / f"{study.name}.json",
        {
            "form": study.form.name,
            "repeats": study.repeats,
            "seed": study.seed,
            "environment": dict(collected.environment),
        },
    )
    for name, content in page_and_charts(collected).items():
        write_whole(directory / name, content.encode())
    return directory / f"{study.name}.txt"


def page_and_charts(collected: StudyResults) -> dict[str, str]:
    """Their texts by the names of their files."""
    files, pictures = {}, []
    name = collected.study.name
    for number, chart in enumerate(collected.study.charts, start=1):
        drawing = arrange(chart, collected)
        if any(points for panel in drawing.panels for points in panel.series.values()):
            files[f"{name}-{number}.svg"] = draw_file(drawing.title, drawing.panels, drawing.names)
            pictures.append((drawing.title, f"{name}-{number}.svg"))
    files[f"{name}.txt"] = to_markdown(collected, pictures)
    return files
