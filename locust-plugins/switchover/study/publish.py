"""A study's results as they stand in a repository: one Markdown file, and its charts as small pictures beside it."""

from pathlib import Path

from switchover.model.errors import RunDirectoryError
from switchover.rundir.atomic_file import write_whole
from switchover.study.chart import draw_file
from switchover.study.panels import arrange
from switchover.study.results import StudyResults, to_markdown


def publish(directory: Path, collected: StudyResults) -> Path:
    """The Markdown file. What an earlier call wrote of this study is replaced."""
    name = collected.study.name
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for old in directory.glob(f"{name}-[0-9]*.svg"):
            old.unlink()
    except OSError as error:
        raise RunDirectoryError(f"cannot write to {directory}: {error.strerror}") from error
    pictures = []
    for number, chart in enumerate(collected.study.charts, start=1):
        drawing = arrange(chart, collected)
        if not any(points for panel in drawing.panels for points in panel.series.values()):
            continue
        file = f"{name}-{number}.svg"
        write_whole(directory / file, draw_file(drawing.title, drawing.panels, drawing.names).encode())
        pictures.append((drawing.title, file))
    page = directory / f"{name}.md"
    write_whole(page, to_markdown(collected, pictures).encode())
    return page
