"""report.html in headless Chromium, opened as a file: what a reader sees of it is what the run measured."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, ViewportSize, expect

from support.browsing import PATIENCE_MS, Browser, chromium
from support.many_runs import make_run, make_runs, real_run
from support.pages import verdict_of
from support.report_runs import RUNS
from support.run_directories import written
from switchover.cli.main import main
from switchover.evidence.run_data import RunData
from switchover.model.identity import AnsweredBy, Identity
from switchover.report.documents import judged_of
from switchover.report.make_report import make_report
from switchover.report.summary import summarize
from switchover.rundir.run_records import TargetFacts
from switchover.rundir.sample_log import Sample
from switchover.verdict.record import Status
from synthetic import drill, probes, simulate, vrrp

pytestmark = pytest.mark.beside

DESKTOP, PHONE = ViewportSize(width=1280, height=900), ViewportSize(width=390, height=844)
HOSTILE = (
    "</script><script>window.hacked = 1</script>",
    '<img src=x onerror="window.hacked = 1">',
    "<a href='javascript:window.hacked = 1'>web1</a>",
    "%{x} $\\alpha$ {{ 7*7 }} <b>bold</b>",
    "\u202egnp.exe\u202c \u0639\u0631\u0628\u064a",
    "w" * 5_000,
)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    expect.set_options(timeout=PATIENCE_MS)
    with chromium(tmp_path_factory.mktemp("browser")) as running:
        yield running


@pytest.fixture
def browser(opened: Browser) -> Iterator[Browser]:
    """Whatever a test does, the page complains of nothing, asks nobody, and runs no script of a stranger."""
    asked: list[str] = []
    watch = lambda request: asked.append(request.url)  # noqa: E731
    opened.page.on("request", watch)
    opened.complaints.clear()
    yield opened
    opened.page.remove_listener("request", watch)
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    assert opened.complaints == []
    assert opened.page.evaluate("window.hacked") is None


def show(page: Page, directory: Path, size: ViewportSize = DESKTOP, colours: Any = "light") -> None:
    page.set_viewport_size(size)
    page.emulate_media(color_scheme=colours)
    page.goto((directory / "report.html").as_uri())
    expect(page.locator("html")).to_have_attribute("data-drawn", "yes")


def reported(directory: Path, data: RunData) -> Path:
    make_report(written(directory, data))
    return directory


@pytest.mark.parametrize("kind", ["loaded", "split brain", "load alone", "nothing"])
def test_the_page_begins_with_the_summary(browser: Browser, tmp_path: Path, kind: str) -> None:
    directory = written(tmp_path / "run", RUNS[kind]())
    verdict = make_report(directory)
    page = browser.page
    show(page, directory)
    rows = page.locator(".headlines tr").all()
    shown = [" ".join(row.inner_text().split()) for row in rows]
    assert shown == [" ".join(" ".join(row).split()) for row in summarize(judged_of(verdict)).rows]
    assert page.locator(".chart:empty").count() == 0


def test_charts_zoom_together_and_by_keyboard(browser: Browser, tmp_path: Path) -> None:
    page = browser.page
    show(page, reported(tmp_path / "run", simulate(1)))
    names = ["traffic", "latency", "failures"]
    ranges = "(names) => names.map((name) => document.getElementById(`chart-${name}`).layout.xaxis.range.map(Number))"
    before = page.evaluate(ranges, names)
    page.get_by_role("button", name="Switchover").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Switchover")).to_have_attribute("aria-pressed", "true")
    closer = page.evaluate(ranges, names)
    assert all(one == closer[0] for one in closer) and closer[0] != before[1]
    page.get_by_role("button", name="Later").press("Enter")
    later = page.evaluate(ranges, names)
    assert all(one == later[0] for one in later) and later[0][0] > closer[0][0]
    page.evaluate(
        "Plotly.relayout(document.getElementById('chart-traffic'), {'xaxis.range[0]': 0.5, 'xaxis.range[1]': 1})"
    )
    assert page.evaluate(ranges, names) == [[0.5, 1]] * len(names)
    page.get_by_role("button", name="Whole run").press("Space")
    assert page.evaluate(ranges, names) == before


def test_load_and_probes_are_shown_by_turns_and_as_tables(browser: Browser, tmp_path: Path) -> None:
    page = browser.page
    directory = reported(tmp_path / "run", simulate(1))
    show(page, directory)
    for name, key in (("Load", "samples"), ("Probes", "probes")):
        page.get_by_role("button", name=name).click()
        expect(page.get_by_role("button", name=name)).to_have_attribute("aria-pressed", "true")
        details = page.locator("#chart-failures + details")
        details.locator("summary").click()
        rows = details.locator("tbody tr")
        expect(rows.first).to_be_visible()
        counted = sum(int(cell.replace(",", "")) for cell in rows.locator("td:not(:first-child)").all_inner_texts())
        assert counted == verdict_of(directory)[key]["failed"]
        details.locator("summary").click()


@pytest.mark.parametrize(
    ("kind", "size", "colours"),
    [
        ("loaded", DESKTOP, "light"),
        ("loaded", PHONE, "dark"),
        ("split brain", DESKTOP, "dark"),
        ("nothing", PHONE, "light"),
    ],
)
def test_it_is_fit_for_everybody(
    browser: Browser, tmp_path: Path, kind: str, size: ViewportSize, colours: str
) -> None:
    page = browser.page
    show(page, reported(tmp_path / "run", RUNS[kind]()), size, colours)
    for summary in page.locator("summary:visible").all():
        summary.click()
    found = Axe().run(page).response["violations"]
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    assert [(one["id"], one["nodes"][0]["html"], one["nodes"][0]["failureSummary"]) for one in serious] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


def test_light_and_dark_follow_the_switch_before_the_system(browser: Browser, tmp_path: Path) -> None:
    page = browser.page
    show(page, reported(tmp_path / "run", drill()), colours="light")
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    ink = "document.getElementById('chart-traffic').layout.font.color"
    light, light_ink = page.evaluate(ground), page.evaluate(ink)
    page.get_by_role("button", name="Dark").click()
    dark, dark_ink = page.evaluate(ground), page.evaluate(ink)
    assert light != dark and light_ink != dark_ink
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-drawn", "yes")
    assert page.evaluate(ground) == dark
    page.get_by_role("button", name="Auto").click()
    assert page.evaluate(ground) == light
    page.emulate_media(color_scheme="dark")
    expect(page.locator("html")).to_have_css("background-color", dark)


def test_hostile_names_are_shown_as_text(browser: Browser, tmp_path: Path) -> None:
    def named(one: Sample, place: int) -> Sample:
        name = HOSTILE[place % len(HOSTILE)]
        return one._replace(identity=Identity(name, name, AnsweredBy.BACKEND), label=name, url=f"http://x/{name}")

    data = drill(probes=[one if one.error else named(one, place) for place, one in enumerate(probes())])
    data.run.target |= {"url": f"http://x/{HOSTILE[0]}"}
    data.run.command = ["switchover", *HOSTILE]
    data.run.warnings = [*HOSTILE]
    data.run.settings |= {"load": dict.fromkeys(HOSTILE, HOSTILE[1])}
    directory = reported(tmp_path / "run", data)
    page = browser.page
    show(page, directory, PHONE)
    for summary in page.locator("summary:visible").all():
        summary.click()
    assert page.locator("main img, main script, main a, main b:not(.annotation b)").count() == 0
    assert page.locator("svg a").count() == 0
    text = page.locator("main").inner_text()
    for name in HOSTILE[:4]:
        assert name in text, name
    legend = " ".join(page.locator("#chart-traffic .legendtext").all_text_contents())
    assert "</script><script>" in legend and "<img src=x" in legend
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_a_hundred_backends_and_ten_balancers_are_judged_and_shown(
    browser: Browser, tmp_path: Path, size: ViewportSize
) -> None:
    balancers, backends = [f"lb{n}" for n in range(1, 11)], [f"web{n:03}" for n in range(100)]
    named = [
        one._replace(identity=replace(one.identity, backend=backends[n % 100])) if one.success else one
        for n, one in enumerate(probes())
    ]
    data = drill(probes=named)
    nodes = [{"name": name, "role": "balancer"} for name in balancers]
    nodes += [{"name": name, "role": "backend"} for name in backends]
    data.run.target = TargetFacts.of({"url": "http://198.18.0.50/", "dedicated": True, "nodes": nodes})
    owned = [vrrp(name, 0, state="BACKUP", priority=50, holds_vip=False) for name in balancers[2:]]
    directory = reported(tmp_path / "run", replace(data, points=[*owned, *data.points]))
    by_phase = verdict_of(directory)["distribution"]["by_phase"]
    assert set(by_phase["baseline"]["backends"]) == set(backends)
    page = browser.page
    show(page, directory, size)
    text = page.locator("main").inner_text()
    assert "web000" in text and "web099" in text
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_a_history_has_a_page_for_everybody(browser: Browser, tmp_path: Path, size: ViewportSize) -> None:
    make_runs(tmp_path / "runs", 12)
    make_run(tmp_path / "runs", 20, *real_run(), fault="<b>odd", status=Status.FAILED)
    (tmp_path / "page").mkdir()
    assert main(["history", str(tmp_path / "runs"), "--html", str(tmp_path / "page" / "report.html")]) == 0
    page = browser.page
    show(page, tmp_path / "page", size)
    assert page.locator("h1").inner_text() == "13 runs of 1 target"
    assert page.locator("tbody tr", has_text="month-000/run-000020").inner_text().count("FAILED") == 1
    drawn = "document.getElementById('chart-outages').data.filter((one) => one.mode === 'markers')"
    assert page.evaluate(f"{drawn}.map((one) => one.x.length)") == [3, 3, 3, 3, 1]
    assert page.locator("main b").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    found = Axe().run(page).response["violations"]
    assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []
