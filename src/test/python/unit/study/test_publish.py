from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from support.published_study import recompute
from switchover.model.errors import RunDirectoryError
from switchover.study.publish import publish
from switchover.study.results import collect
from switchover.study.state import CellResult, CellTurn
from switchover.study.study_file import StudyChart, read_study
from unit.study.test_page import RESULTS, STUDY

MADE = """
[study]
name = "made"
title = "Made"
source = "us"
question = "Which?"
repeats = 2
seed = 1

[load]
generator = "locust"
users = 1
seconds = 1

[axis.algorithm]
even = {}
weighted = { lab = { weights = [2, 1, 1] } }

[[column]]
figure = "good_rate"
title = "good/s"

[[chart]]
figure = "good_rate"
title = "Rate"
x = "algorithm"

[[claim]]
name = "C1"
text = "Weights help"
holds = 'good_rate("weighted") > good_rate("even")'
"""


def test_a_published_study_is_a_page_and_a_picture_for_each_chart_that_has_points(tmp_path: Path) -> None:
    empty = StudyChart("never", "Nothing", "rate")
    study = replace(STUDY, charts=(*STUDY.charts, empty))
    page = publish(tmp_path, collect(study, RESULTS, {"machine": "two processors"}))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s-1.svg", "s.csv", "s.json", "s.txt"]
    text = page.read_text(encoding="utf-8")
    assert "![Rate](s-1.svg)" in text
    assert "- machine: two processors" in text
    ElementTree.fromstring((tmp_path / "s-1.svg").read_text(encoding="utf-8"))


def test_pictures_of_an_earlier_result_do_not_stay(tmp_path: Path) -> None:
    (tmp_path / "s-9.svg").write_text("old", encoding="utf-8")
    publish(tmp_path, collect(STUDY, RESULTS))
    assert not (tmp_path / "s-9.svg").exists()


def test_page_and_charts_are_made_again_of_the_published_rows_and_a_changed_row_shows(tmp_path: Path) -> None:
    file = tmp_path / "made.toml"
    file.write_text(MADE, encoding="utf-8")
    study = read_study(file)
    results = {
        turn: CellResult(turn, {"good_rate": 100.0 + turn.repeat, "failed": 0.0})
        for cell in study.cells
        for turn in (CellTurn(cell.name, 1), CellTurn(cell.name, 2))
    }
    publish(tmp_path, collect(study, results, {"machine": "two processors"}))

    def differing() -> list[str]:
        made = recompute(tmp_path, file)
        return [name for name, text in made.items() if (tmp_path / name).read_text(encoding="utf-8") != text]

    assert differing() == []
    rows = tmp_path / "made.csv"
    rows.write_text(rows.read_text(encoding="utf-8").replace("101.0", "109.0", 1), encoding="utf-8")
    assert "made.txt" in differing()


def test_a_study_without_published_rows_says_so(tmp_path: Path) -> None:
    file = tmp_path / "made.toml"
    file.write_text(MADE, encoding="utf-8")
    with pytest.raises(RunDirectoryError, match=r"made\.json: No such file"):
        recompute(tmp_path, file)


def test_what_is_published_together_stands_in_one_panel(tmp_path: Path) -> None:
    together = replace(STUDY, charts=(replace(STUDY.charts[0], together=True),))
    publish(tmp_path, collect(together, RESULTS))
    drawn = (tmp_path / "s-1.svg").read_text(encoding="utf-8")
    assert "lc (published)" in drawn
    assert drawn.count("<svg") == 2
