from dataclasses import replace

from switchover.lab.spec import LabSpec
from switchover.study.console import to_console
from switchover.study.form import Form
from switchover.study.results import StudyResults, collect
from switchover.study.state import CellResult, Turn
from switchover.study.study_file import Cell, Claim, Column, LoadSettings, Study

STUDY = Study(
    name="s",
    title="Weights",
    source="w",
    question="Do weights help?",
    cells=tuple(Cell(name, {"algorithm": name}, LabSpec(), LoadSettings(seconds=1), {}) for name in ("even", "odd")),
    repeats=2,
    seed=1,
    columns=(Column("good_rate", "good answers a second", "rps"), Column("mean", "mean ms"), Column("max", "max ms")),
    charts=(),
    claims=(Claim("C1", "odd is better", holds='good_rate("even") < good_rate("odd")'),),
    published={"even": {"rps": 80.0}},
    form=Form("quick", "the shape only."),
)


def collected() -> StudyResults:
    turns = [Turn(name, repeat) for name in ("even", "odd") for repeat in (1, 2)]
    figures = {"even": 80.0, "odd": 160.0}
    results = {
        turn: CellResult(
            turn, {"good_rate": figures[turn.cell] + turn.repeat, "mean": 5.0, "max": 9.0, "busy_before": 90.0}
        )
        for turn in turns
    }
    return collect(STUDY, results, {"machine": "two processors"})


def test_no_line_is_wider_than_the_terminal_and_no_column_is_lost() -> None:
    text = to_console(collected(), 60)
    assert max(map(len, text.splitlines())) <= 60
    for word in ("good answers a second, theirs", "mean ms", "max ms", "81.5"):
        assert word in text


def test_a_claim_has_its_word_and_its_interval() -> None:
    text = to_console(collected(), 100)
    assert "C1: holds. odd is better" in text
    assert "right side less left side, 95 %: " in text


def test_a_crowded_machine_is_said_beside_the_results() -> None:
    assert "crowded" in to_console(collected(), 200)
    quiet = replace(collected(), results={})
    assert "crowded" not in to_console(quiet, 200)
