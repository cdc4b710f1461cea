"""An exit code says what was found, whoever has stopped listening."""

import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from rich.console import Console

from switchover.cli import main
from switchover.cli.progress import Progress


@pytest.fixture
def unread() -> Iterator[io.TextIOWrapper]:
    """A stream whose reader has gone."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    stream = open(write_end, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    yield stream
    stream.close()


def test_the_exit_code_of_a_command_survives_a_broken_pipe(
    unread: io.TextIOWrapper, monkeypatch: pytest.MonkeyPatch
) -> None:
    def handler(_arguments: object) -> int:
        print("z" * 100_000)
        Console().print("z\n" * 5_000)
        return 1

    monkeypatch.setattr("switchover.cli.faults.run", handler)
    monkeypatch.setattr(sys, "stdout", unread)
    assert main.main(["faults"]) == 1


class Gone(io.StringIO):
    """A terminal that was closed."""

    def write(self, text: str) -> NoReturn:
        raise self.error

    error: OSError = OSError(5, "Input/output error")

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), BrokenPipeError(32, "Broken pipe")])
def test_progress_never_raises(error: OSError, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = Gone()
    gone.error = error
    monkeypatch.setattr(sys, "stderr", gone)
    with Progress() as progress:
        progress.phase("baseline", 1.0)
        progress.tick(0.5, None, frozenset({"lb1", "lb2"}))
        progress.note("fired")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a disk that is always full")
@pytest.mark.parametrize("length", [10, 100_000])
def test_what_a_full_disk_does_not_take_is_told(length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def handler(_arguments: object) -> int:
        print("z" * length)
        return 0

    said = io.StringIO()
    monkeypatch.setattr("switchover.cli.faults.run", handler)
    monkeypatch.setattr(sys, "stderr", said)
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert main.main(["faults"]) == 2
    assert said.getvalue().startswith("switchover: cannot print: No space left") and said.getvalue().count("\n") == 1
