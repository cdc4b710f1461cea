"""`run.json` as both languages write it."""

import json
from pathlib import Path
from typing import Any

import pytest

from support.contract import FOLDER
from switchover.model.errors import RunDirectoryError
from switchover.rundir.run_directory import RUN_FILE, CutPhase, Run, read_run, write_run

CUT_PHASES = json.loads((FOLDER / "cut_phases.json").read_text(encoding="utf-8"))


def test_a_run_is_read_and_written_as_java_writes_it(tmp_path: Path) -> None:
    agreed = (FOLDER / RUN_FILE).read_bytes()
    (tmp_path / RUN_FILE).write_bytes(agreed)
    write_run(tmp_path, read_run(tmp_path))
    assert (tmp_path / RUN_FILE).read_bytes() == agreed


def cut_phase(case: dict[str, Any]) -> CutPhase:
    return CutPhase(**{name: value for name, value in case.items() if name != "text"})


def run_that_was_cut(directory: Path, truncated: list[object]) -> Path:
    """A run.json with these cut phases, of a version without checksums."""
    values: dict[str, object] = {"id": "id", "name": "name", "plan": {}, "fault": None, "truncated": truncated}
    (directory / RUN_FILE).write_text(json.dumps(values), encoding="utf-8")
    return directory


@pytest.mark.parametrize("case", CUT_PHASES["cases"], ids=lambda case: case["text"])
def test_a_phase_that_was_cut_short_is_a_code_with_figures_and_one_line(case: dict[str, Any], tmp_path: Path) -> None:
    write_run(tmp_path, Run("id", "name", truncated=[cut_phase(case)]))
    (cut,) = read_run(tmp_path).truncated
    assert cut == cut_phase(case)
    assert cut.text == case["text"]


@pytest.mark.parametrize("text", CUT_PHASES["refused"])
def test_another_sentence_is_refused_in_one_line(text: str, tmp_path: Path) -> None:
    with pytest.raises(RunDirectoryError, match="truncated"):
        read_run(run_that_was_cut(tmp_path, [text]))
