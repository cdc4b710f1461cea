from pathlib import Path

from support.published_study import recompute
from switchover.lab.spec import LabSpec
from switchover.study.results import collect, write_results
from switchover.study.state import CellResult, CellTurn
from switchover.study.study_file import Claim, Column, LoadSettings, Study, StudyCell, read_study


def cell(rate: float) -> StudyCell:
    name = f"{rate:g}"
    return StudyCell(f"lc/{name}", LabSpec(), LoadSettings(seconds=1, rate=rate), {})


STUDY = Study(
    name="s",
    title="A <study>",
    source="w",
    question="q",
    cells=(cell(50), cell(100), cell(150)),
    repeats=2,
    seed=1,
    columns=(Column("good_rate", "good/s", "rps"),),
    claims=(
        Claim("C1", "twice the load is served", holds='good_rate("lc/50") < good_rate("lc/100")'),
        Claim("C3", "beauty", why="it cannot be measured"),
    ),
    published={"lc/50": {"rps": 48.5, "rps_sd": 2.0}},
    notes=("mind the <gap>",),
    objections=("'ours had more users'",),
    equal={"threads": "one"},
)
RESULTS = {
    CellTurn(c.name, repeat): CellResult(
        CellTurn(c.name, repeat),
        {"good_rate": min(c.load.rate, 100.0), "mean": 10.0 if c.load.rate <= 100 else 500.0},
    )
    for c in STUDY.cells
    for repeat in (1, 2)
}

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

[[claim]]
name = "C1"
text = "Weights help"
holds = 'good_rate("weighted") > good_rate("even")'
"""


def test_a_published_study_is_its_rows_and_a_page_with_claims_and_both_figures(tmp_path: Path) -> None:
    page = write_results(tmp_path, collect(STUDY, RESULTS, {"machine": "two processors"}))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s.csv", "s.json", "s.txt"]
    text = page.read_text(encoding="utf-8")
    assert "- machine: two processors" in text
    assert "| C1: twice the load is served |" in text and "**holds**" in text
    assert "(it cannot be measured)" in text
    assert "48.5" in text, "the published figure stands beside ours"
    assert "## Possible objections of the authors" in text


def test_the_page_is_made_again_of_the_published_rows_and_a_changed_row_shows(tmp_path: Path) -> None:
    file = tmp_path / "made.toml"
    file.write_text(MADE, encoding="utf-8")
    study = read_study(file)
    results = {
        turn: CellResult(turn, {"good_rate": 100.0 + turn.repeat, "failed": 0.0})
        for cell in study.cells
        for turn in (CellTurn(cell.name, 1), CellTurn(cell.name, 2))
    }
    write_results(tmp_path, collect(study, results, {"machine": "two processors"}))

    def differing() -> list[str]:
        made = recompute(tmp_path, file)
        return [name for name, text in made.items() if (tmp_path / name).read_text(encoding="utf-8") != text]

    assert differing() == []
    rows = tmp_path / "made.csv"
    rows.write_text(rows.read_text(encoding="utf-8").replace("101.0", "109.0", 1), encoding="utf-8")
    assert "made.txt" in differing()
