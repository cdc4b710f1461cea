import re
from dataclasses import replace
from pathlib import Path

import pytest

from switchover.lab.spec import LabSpec
from switchover.model.errors import UsageError
from switchover.study import runner
from switchover.study.results import collect, to_markdown, write_results
from switchover.study.runner import read_results, run_study
from switchover.study.state import CellResult, CellTurn, StudyFolder
from switchover.study.study_file import Claim, Column, LoadSettings, Study, StudyCell

CELLS = tuple(StudyCell(name, LabSpec(), LoadSettings(seconds=1), {}) for name in ("RR", "LC", "WRR"))
STUDY = Study(
    name="s",
    title="t",
    source="w",
    question="q",
    cells=CELLS,
    repeats=2,
    seed=3,
    columns=(Column("good_rate", "good/s", "rps"),),
    claims=(Claim("C1", "text", holds='good_rate("RR") < good_rate("LC")'),),
    published={"RR": {"rps": 80.0}},
)


class FakeCells:
    """Stands for labs: counts what ran, fails and interrupts where it is told to."""

    def __init__(self) -> None:
        self.ran: list[CellTurn] = []
        self.fails: set[str] = set()
        self.interrupt_after = 1_000

    def run_turn(self, study: Study, cell: StudyCell, turn: CellTurn, folder: StudyFolder) -> CellResult:
        folder.clear(turn).mkdir()
        if len(self.ran) == self.interrupt_after:
            raise KeyboardInterrupt
        self.ran.append(turn)
        if turn.cell in self.fails:
            return CellResult(turn, {}, "it broke")
        return CellResult(turn, {"good_rate": 80.0 + turn.repeat if turn.cell == "RR" else 190.0 + turn.repeat})


@pytest.fixture
def cells(monkeypatch: pytest.MonkeyPatch) -> FakeCells:
    fake = FakeCells()
    monkeypatch.setattr(runner, "run_turn", fake.run_turn)
    monkeypatch.setattr(runner, "busy_percent", lambda: 0.0)
    return fake


def run(folder: Path, only: str | None = None, study: Study = STUDY) -> list[str]:
    notes: list[str] = []
    file = folder / "file.toml"
    file.write_text("x", encoding="utf-8")
    study_folder = StudyFolder(folder / "out")
    with study_folder.opened(file, study.matrix):
        run_study(study, study_folder, only=only, note=notes.append)
    return notes


def test_an_interrupted_study_goes_on_without_repeating_or_losing_a_cell(tmp_path: Path, cells: FakeCells) -> None:
    cells.interrupt_after = 4
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path)
    cells.interrupt_after = 1_000
    notes = run(tmp_path)
    assert notes[0] == "4 of 6 cells are already done"
    assert len(cells.ran) == len(set(cells.ran)) == 6


def test_a_failed_cell_is_named_and_can_be_run_alone(tmp_path: Path, cells: FakeCells) -> None:
    cells.fails = {"LC"}
    notes = run(tmp_path)
    assert "  failed: it broke; repeat it with --only 'LC'" in notes
    cells.fails, cells.ran = set(), []
    run(tmp_path, only="LC")
    assert {turn.cell for turn in cells.ran} == {"LC"}
    assert len(cells.ran) == 2


def test_a_folder_with_another_matrixs_results_is_refused(tmp_path: Path, cells: FakeCells) -> None:
    run(tmp_path)
    slower = replace(CELLS[0], load=LoadSettings(seconds=2))
    with pytest.raises(UsageError, match="has results of another matrix: set another folder with --out"):
        run(tmp_path, study=replace(STUDY, cells=(slower, *CELLS[1:])))
    with pytest.raises(UsageError, match="has results of seed = 3"):
        run(tmp_path, study=replace(STUDY, seed=4))


def test_the_tables_have_theirs_ours_and_a_word_on_each_claim(tmp_path: Path, cells: FakeCells) -> None:
    study_folder = StudyFolder(tmp_path / "out")
    run(tmp_path)
    collected = collect(STUDY, read_results(STUDY, study_folder))
    write_results(tmp_path, collected)
    text = to_markdown(collected)
    assert re.search(r"\| RR +\| 80 +\| 81.5 ± 0.707 +\|", text)
    assert "C1: text | **holds**" in text
    assert (tmp_path / "s.csv").read_text(encoding="utf-8").splitlines()[
        0
    ] == "cell,repeat,error,busy_before,good_rate"
