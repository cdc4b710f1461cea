from switchover.lab.spec import LabSpec
from switchover.study.chart import Panel, draw_panel, round_up
from switchover.study.claims import ClaimWord
from switchover.study.comparison import RepeatSpread
from switchover.study.page import to_html
from switchover.study.results import collect, to_markdown
from switchover.study.state import CellResult, CellTurn
from switchover.study.study_file import Claim, Column, Knee, LoadSettings, Study, StudyCell, StudyChart


def cell(rate: float) -> StudyCell:
    name = f"{rate:g}"
    return StudyCell(
        f"lc/{name}", {"algorithm": "lc", "rate": name}, LabSpec(), LoadSettings(seconds=1, rate=rate), {}
    )


STUDY = Study(
    name="s",
    title="A <study>",
    source="w",
    question="q",
    cells=(cell(50), cell(100), cell(150)),
    repeats=2,
    seed=1,
    columns=(Column("good_rate", "good/s", "rps"),),
    charts=(StudyChart("good_rate", "Rate", "rate", "rps"),),
    claims=(
        Claim("C1", "twice the load is served", holds='good_rate("lc/50") < good_rate("lc/100")'),
        Claim("C2", "the knee is at 125", holds='within(knee("lc"), 125, 1)'),
        Claim("C3", "beauty", why="it cannot be measured"),
    ),
    published={"lc/50": {"rps": 48.5, "rps_sd": 2.0}},
    notes=("mind the <gap>",),
    objections=("'ours had more users'",),
    equal={"threads": "one"},
    knee=Knee("rate"),
    axes={"algorithm": ("lc",), "rate": ("50", "100", "150")},
)
RESULTS = {
    CellTurn(c.name, repeat): CellResult(
        CellTurn(c.name, repeat),
        {"good_rate": min(c.load.rate, 100.0), "mean": 10.0 if c.load.rate <= 100 else 500.0},
    )
    for c in STUDY.cells
    for repeat in (1, 2)
}


def test_the_page_has_claims_theirs_beside_ours_and_knees_and_escapes_what_it_shows() -> None:
    page = to_html(collect(STUDY, RESULTS))
    assert "A &lt;study&gt;" in page
    assert "mind the &lt;gap&gt;" in page
    assert "What the authors would object" in page
    assert page.count("<svg") == 2
    assert 'class="holds">holds' in page
    assert "it cannot be measured" in page
    assert "lc: between 100 and 150/s; between 100 and 150/s" in page
    assert "<script" not in page


def test_what_is_equal_and_what_the_authors_would_object_stand_on_both_pages_where_the_file_says_so() -> None:
    collected = collect(STUDY, RESULTS)
    markdown, page = to_markdown(collected), to_html(collected)
    assert "## What is equal\n\n| setting | here |" in markdown
    assert "| threads | one  |" in markdown
    assert "<td>threads</td><td>one</td>" in page
    assert "## What the authors would object\n\n- 'ours had more users'" in markdown
    assert "What is not equal" not in markdown + page


def test_a_knee_is_known_to_the_steps_around_it_and_no_better() -> None:
    judged = {one.claim.name: one.judgement for one in collect(STUDY, RESULTS).claims}
    assert judged["C2"].word is ClaimWord.CANNOT_BE_TOLD
    (comparison,) = judged["C2"].comparisons
    assert comparison.low is not None and comparison.low < -25


def test_a_study_without_any_result_still_has_a_page() -> None:
    page = to_html(collect(STUDY, {}))
    assert "6 not run" in page
    assert "there is no knee of lc" in page


def test_a_panel_draws_a_point_and_a_bar_for_each_spread() -> None:
    panel = Panel(
        "ours", "rate", ("50", "100"), {"lc": {"50": RepeatSpread(50, 1, 3), "100": RepeatSpread(90, None, 1)}}
    )
    drawn = draw_panel(panel, ["lc"])
    assert drawn.count("<circle") == 2
    assert "lc: 90" in drawn


def test_only_values_of_a_scale_are_joined_by_a_line() -> None:
    points = {"1K": RepeatSpread(1, None, 1), "10K": RepeatSpread(2, None, 1)}
    assert "<polyline" in draw_panel(Panel("Rate", "size", ("1K", "10K"), {"": points}), [""])
    words = {"leastconn": RepeatSpread(1, None, 1), "roundrobin": RepeatSpread(2, None, 1)}
    assert "<polyline" not in draw_panel(Panel("Rate", "algorithm", tuple(words), {"": words}), [""])


def test_axes_end_at_a_round_number() -> None:
    assert [round_up(value) for value in (0, 0.3, 7, 38023.9, 1000)] == [1, 0.4, 8, 40000, 1000]
