"""What a report is doing while its logs are large: on a terminal as long as it lasts, elsewhere a line each."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

from switchover.analysis.requests.files import FORMS, text_bytes

LARGE_BYTES = 64 << 20
"""Smaller ones are read before anybody wonders."""


class Busy:
    """Tells on standard error. `paths`: the logs, or the directories in which they are."""

    def __init__(self, paths: Iterable[Path], console: Console | None = None) -> None:
        self._bytes = text_bytes(log for path in paths for log in _logs(path))
        self._console = console or Console(stderr=True)

    @contextmanager
    def reading(self) -> Iterator[None]:
        with self._telling(f"reading {self._bytes / 1e9:,.1f} GB of sample logs"):
            yield

    @contextmanager
    def judging(self, requests: int) -> Iterator[None]:
        with self._telling(f"judging {requests:,} requests"):
            yield

    @contextmanager
    def _telling(self, what: str) -> Iterator[None]:
        if self._bytes < LARGE_BYTES:
            yield
        elif self._console.is_terminal:
            with self._console.status(what):
                yield
        else:
            self._console.print(what, soft_wrap=True, highlight=False)
            yield


def _logs(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path] if path.is_file() else []
    return [log for form in FORMS for log in path.glob(f"*{form}") if log.is_file()]
