from switchover.lab.spec import LabSpec
from switchover.study.chart import Panel, draw_panel, round_up
from switchover.study.comparison import Spread
from switchover.study.page import to_html
from switchover.study.results import collect
from switchover.study.state import CellResult, Turn
from switchover.study.study_file import Cell, Chart, Claim, Column, Knee, LoadSettings, Study


def cell(rate: float) -> Cell:
    name = f"{rate:g}"
    return Cell(f"lc/{name}", {"algorithm": "lc", "rate": name}, LabSpec(), LoadSettings(seconds=1, rate=rate), {})


STUDY = Study(
    name="s",
    title="A <study>",
    source="w",
    question="q",
    cells=(cell(50), cell(100), cell(150)),
    repeats=2,
    seed=1,
    columns=(Column("good_rate", "good/s", "rps"),),
    charts=(Chart("good_rate", "Rate", "rate", "rps"),),
    claims=(
        Claim("C1", "the knee is at 125", holds='near(knee("lc"), 125, 1)'),
        Claim("C2", "beauty", why="it cannot be measured"),
    ),
    published={"lc/50": {"rps": 48.5, "rps_sd": 2.0}},
    notes=("mind the <gap>",),
    knee=Knee("rate"),
    axes={"algorithm": ("lc",), "rate": ("50", "100", "150")},
)
RESULTS = {
    Turn(c.name, repeat): CellResult(
        Turn(c.name, repeat), {"good_rate": min(c.load.rate, 100.0), "mean": 10.0 if c.load.rate <= 100 else 500.0}
    )
    for c in STUDY.cells
    for repeat in (1, 2)
}


def test_the_page_has_claims_theirs_beside_ours_and_knees_and_escapes_what_it_shows() -> None:
    page = to_html(collect(STUDY, RESULTS))
    assert "A &lt;study&gt;" in page
    assert "mind the &lt;gap&gt;" in page
    assert page.count("<svg") == 2
    assert 'class="holds">holds' in page
    assert "it cannot be measured" in page
    assert "lc: between 100 and 150/s; between 100 and 150/s" in page
    assert "<script" not in page


def test_a_study_without_any_result_still_has_a_page() -> None:
    page = to_html(collect(STUDY, {}))
    assert "6 not run" in page
    assert "there is no knee of lc" in page


def test_a_panel_draws_a_point_and_a_bar_for_each_spread() -> None:
    panel = Panel("ours", "rate", ("50", "100"), {"lc": {"50": Spread(50, 1, 3), "100": Spread(90, None, 1)}})
    drawn = draw_panel(panel, ["lc"])
    assert drawn.count("<circle") == 2
    assert "lc: 90" in drawn


def test_axes_end_at_a_round_number() -> None:
    assert [round_up(value) for value in (0, 0.3, 7, 38023.9, 1000)] == [1, 0.4, 8, 40000, 1000]
