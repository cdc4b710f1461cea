from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from switchover.study.publish import publish
from switchover.study.results import collect
from switchover.study.study_file import Chart
from unit.study.test_page import RESULTS, STUDY


def test_a_published_study_is_a_page_and_a_picture_for_each_chart_that_has_points(tmp_path: Path) -> None:
    empty = Chart("never", "Nothing", "rate")
    study = replace(STUDY, charts=(*STUDY.charts, empty))
    page = publish(tmp_path, collect(study, RESULTS, {"machine": "two processors"}))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s-1.svg", "s.md"]
    text = page.read_text(encoding="utf-8")
    assert "![Rate](s-1.svg)" in text
    assert "- machine: two processors" in text
    ElementTree.fromstring((tmp_path / "s-1.svg").read_text(encoding="utf-8"))


def test_pictures_of_an_earlier_result_do_not_stay(tmp_path: Path) -> None:
    (tmp_path / "s-9.svg").write_text("old", encoding="utf-8")
    publish(tmp_path, collect(STUDY, RESULTS))
    assert not (tmp_path / "s-9.svg").exists()


def test_what_is_published_together_stands_in_one_panel(tmp_path: Path) -> None:
    together = replace(STUDY, charts=(replace(STUDY.charts[0], together=True),))
    publish(tmp_path, collect(together, RESULTS))
    drawn = (tmp_path / "s-1.svg").read_text(encoding="utf-8")
    assert "lc (published)" in drawn
    assert drawn.count("<svg") == 2
