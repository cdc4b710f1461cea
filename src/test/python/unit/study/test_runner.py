"""The runner of a study: its turns, what it does again, and what its cells showed."""

import re
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

import synthetic
from support.request_tables import run_data
from switchover.lab.spec import LabSpec
from switchover.model.errors import RunDirectoryError, UsageError
from switchover.model.failure_kind import FailureKind
from switchover.rundir.run_directory import Run
from switchover.rundir.sample_log import Sample
from switchover.study import runner
from switchover.study.figures import request_figures, require_load_at_fault
from switchover.study.results import collect, to_markdown, write_results
from switchover.study.runner import read_results, run_study
from switchover.study.state import CellResult, CellTurn, StudyFolder, order_turns
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


NAMES = [f"cell-{number}" for number in range(20)]


def test_repeats_have_orders_of_their_own_and_more_repeats_change_none_before() -> None:
    turns = order_turns(NAMES, 3, seed=1)
    assert [turn.cell for turn in turns[:20]] != [turn.cell for turn in turns[20:40]]
    assert turns[:40] == order_turns(NAMES, 2, seed=1)


def sample(start_ms: int, ms: int, error: FailureKind | None = None) -> Sample:
    return synthetic.sample(start_ms * 1000, (start_ms + ms) * 1000, success=error is None, error=error)


def figures_of(*samples: Sample, ramp_up_s: float = 0.0, planned_s: float = 0.0) -> dict[str, float]:
    return request_figures(run_data(Run("r", "r"), samples=samples).tables(), ramp_up_s, planned_s)


def test_good_and_failed_answers_are_never_one_rate_and_times_are_those_of_good_ones() -> None:
    figures = figures_of(sample(0, 100), sample(500, 300), sample(990, 10, error=FailureKind.REFUSED))
    assert (figures["good"], figures["failed"]) == (2, 1)
    assert (figures["good_rate"], figures["failed_rate"], figures["all_rate"]) == (2.0, 1.0, 3.0)
    assert figures["mean"] == 200.0
    assert figures["mean_all"] == pytest.approx(136.667, abs=0.001)
    assert figures["failed_share"] == pytest.approx(33.333, abs=0.001)


def test_rates_are_taken_between_the_ramp_up_and_the_planned_end() -> None:
    even = [sample(100 * number, 50) for number in range(100)]
    late = [sample(10_000, 5_000)]
    figures = figures_of(sample(0, 1_500), *even, *late, ramp_up_s=2, planned_s=10)
    assert figures["good_rate"] == 10.0
    assert figures["max"] == 50.0
    assert figures["requests"] == 102


@pytest.mark.parametrize(("fired_ms", "over"), [(1_500, True), (900, False)])
def test_a_load_that_was_over_before_the_fault_tells_nothing_of_it(fired_ms: int, over: bool) -> None:
    run = Run("r", "r")
    run.plan.fired_to_us = fired_ms * 1000
    data = run_data(run, samples=[sample(0, 1_000)])
    with pytest.raises(RunDirectoryError, match="ended before the fault") if over else nullcontext():
        require_load_at_fault(data)
