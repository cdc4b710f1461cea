"""The study's folder: what is done, so that a study that was interrupted goes on without losing or repeating a cell.

study.json is the matrix that was asked for, study.toml the file as it was read last; cells/CELL-rN is a run
directory; results/CELL-rN.json is written last, whole, and only then is the cell done.
"""

import fcntl
import json
import os
import random
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from switchover.model.errors import RunDirectoryError, UsageError
from switchover.rundir.run_directory import write_json


class CellTurn(NamedTuple):
    """One cell at one repeat, counted from 1."""

    cell: str
    repeat: int


def order_turns(cells: Sequence[str], repeats: int, seed: int) -> list[CellTurn]:
    """A fixed order for the same cells and seed. More repeats only add turns at the end."""
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
    turn: CellTurn
    figures: dict[str, float]
    error: str = ""
    notes: tuple[str, ...] = ()
    seconds: float = 0.0


class StudyFolder:
    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def opened(self, file: Path, matrix: Mapping[str, Any]) -> Iterator[None]:
        """Make it, or go on with it. UsageError where it holds another matrix or another process works in it."""
        try:
            (self.path / "results").mkdir(parents=True, exist_ok=True)
            lock = os.open(self.path / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise RunDirectoryError(f"cannot work in {self.path}: {error.strerror}") from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._claim(file, matrix)
            yield
        except BlockingIOError:
            raise UsageError(
                f"{self.path}: another 'switchover study' works there; name another folder by --out"
            ) from None
        finally:
            os.close(lock)

    def _claim(self, file: Path, matrix: Mapping[str, Any]) -> None:
        state = self.path / STATE_FILE
        if state.exists():
            known = json.loads(state.read_text(encoding="utf-8"))
            for key, value in matrix.items():
                if known.get(key) != value:
                    what = "another matrix" if key == "cells" else f"{key} = {known.get(key)}"
                    raise UsageError(f"{self.path} holds results of {what}: name another folder by --out")
        else:
            write_json(state, dict(matrix))
        (self.path / COPY_FILE).write_bytes(file.read_bytes())

    def write_environment(self, facts: Mapping[str, str]) -> None:
        write_json(self.path / ENVIRONMENT_FILE, dict(facts))

    def read_environment(self) -> Mapping[str, str]:
        file = self.path / ENVIRONMENT_FILE
        return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}

    def clear(self, turn: CellTurn) -> Path:
        """The run directory for a cell, without what an interruption left of it."""
        directory = self.path / "cells" / _file_name(turn)
        shutil.rmtree(directory, ignore_errors=True)
        directory.parent.mkdir(parents=True, exist_ok=True)
        return directory

    def write_result(self, result: CellResult) -> None:
        values = {
            "cell": result.turn.cell,
            "repeat": result.turn.repeat,
            "figures": result.figures,
            "error": result.error,
            "notes": list(result.notes),
            "seconds": round(result.seconds, 3),
        }
        write_json(self.path / "results" / f"{_file_name(result.turn)}.json", values)

    def read_result(self, turn: CellTurn) -> CellResult | None:
        try:
            values = json.loads((self.path / "results" / f"{_file_name(turn)}.json").read_text(encoding="utf-8"))
            return CellResult(turn, values["figures"], values["error"], tuple(values["notes"]), values["seconds"])
        except (OSError, ValueError, KeyError):
            return None


def _file_name(turn: CellTurn) -> str:
    """Parts of a cell's name hold no underscore (study_file.py), so no two cells share a file."""
    return f"{turn.cell.replace('/', '_')}-r{turn.repeat}"
