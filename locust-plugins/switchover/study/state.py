"""The folder of a study, so that an interrupted study can continue. cells/CELL-rN is a run directory, and a cell is
finished when results/CELL-rN.json exists."""

import fcntl
import json
import os
import random
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from switchover.model.errors import RunDirectoryError, UsageError
from switchover.rundir.run_directory import write_json


class CellTurn(NamedTuple):
    """One repeat of one cell. Repeats are counted from 1."""

    cell: str
    repeat: int

    @property
    def file_name(self) -> str:
        """The file name. It is unique, because the parts of a cell's name have no underscore (study_file.py)."""
        return f"{self.cell.replace('/', '_')}-r{self.repeat}"


def order_turns(cells: Sequence[str], repeats: int, seed: int) -> list[CellTurn]:
    """Return a random order that depends on the cells and the seed. More repeats add turns at the end."""
    chance = random.Random(seed)
    turns = []
    for repeat in range(1, repeats + 1):
        shuffled = list(cells)
        chance.shuffle(shuffled)
        turns += [CellTurn(cell, repeat) for cell in shuffled]
    return turns


STATE_FILE = "study.json"
COPY_FILE = "study.toml"
ENVIRONMENT_FILE = "environment.json"


@dataclass(frozen=True, slots=True)
class CellResult:
    """The result of one repeat of one cell: its figures, or the reason for its failure."""

    turn: CellTurn
    figures: dict[str, float]
    error: str = ""
    notes: tuple[str, ...] = ()


class StudyFolder:
    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def opened(self, file: Path, matrix: Mapping[str, Any]) -> Iterator[None]:
        """Make or open the folder. Raises UsageError if the folder is in use, or has results of another matrix."""
        try:
            (self.path / "results").mkdir(parents=True, exist_ok=True)
            lock = os.open(self.path / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise RunDirectoryError(f"cannot work in {self.path}: {error.strerror}") from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            known = _read(self.path / STATE_FILE)
            for key, value in matrix.items() if known is not None else ():
                if known.get(key) != value:
                    what = "another matrix" if key == "cells" else f"{key} = {known.get(key)}"
                    raise UsageError(f"{self.path} has results of {what}: set another folder with --out")
            write_json(self.path / STATE_FILE, dict(matrix))
            (self.path / COPY_FILE).write_bytes(file.read_bytes())
            yield
        except BlockingIOError:
            advice = "set another folder with --out"
            raise UsageError(f"{self.path}: another 'switchover study' uses this folder; {advice}") from None
        finally:
            os.close(lock)

    def write_environment(self, facts: Mapping[str, str]) -> None:
        write_json(self.path / ENVIRONMENT_FILE, dict(facts))

    def read_environment(self) -> Mapping[str, str]:
        """Return the recorded environment. Empty: no cell has run."""
        return _read(self.path / ENVIRONMENT_FILE) or {}

    def clear(self, turn: CellTurn) -> Path:
        """Return the path of a cell's run directory, after removing an interrupted run."""
        directory = self.path / "cells" / turn.file_name
        shutil.rmtree(directory, ignore_errors=True)
        directory.parent.mkdir(parents=True, exist_ok=True)
        return directory

    def write_result(self, result: CellResult) -> None:
        values = asdict(result) | result.turn._asdict()
        del values["turn"]
        write_json(self.path / "results" / f"{result.turn.file_name}.json", values)

    def read_result(self, turn: CellTurn) -> CellResult | None:
        values = _read(self.path / "results" / f"{turn.file_name}.json")
        if values is None:
            return None
        return CellResult(turn, values["figures"], values["error"], tuple(values["notes"]))


def _read(path: Path) -> Any:
    """Return the JSON value in a file. None: the file does not exist, or is incomplete."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
