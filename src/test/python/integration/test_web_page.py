"""The Switchover page in headless Chromium, over a run that is made up."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from support.browsing import PATIENCE_MS, Browser, chromium, staged_locust

pytestmark = pytest.mark.beside

HOSTILE = [
    "<script>window.hacked = 1</script>",
    '"><img src=x onerror="window.hacked = 1">',
    "=cmd|'/C calc'!A0",
    "javascript:window.hacked=1",
    "{{ 7*7 }}</td>",
    "w" * 128,
]


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    expect.set_options(timeout=PATIENCE_MS)
    with chromium(tmp_path) as running:
        yield running


def arm(page: Page, fault: str = "haproxy-kill") -> None:
    page.select_option("#fault-name", fault)
    page.check("#fault-armed")


def test_a_drill_by_hand_from_the_first_look_to_the_next_run(browser: Browser) -> None:
    page = browser.page
    with staged_locust() as locust:
        page.goto(f"{locust.url}/switchover")
        expect(page.locator("#banner")).to_contain_text("No run yet")
        expect(page.locator("#steps-card")).to_be_hidden()
        locust.start()
        expect(page.locator("#banner")).to_contain_text("Baseline")
        expect(page.locator("#banner")).to_contain_text("lb1 holds the address")
        expect(page.locator("#shares")).to_contain_text("web3")
        expect(page.locator("#timeline path.good")).to_have_attribute("d", re.compile("M.*V.*H"))
        expect(page.locator("#provisional")).to_be_visible()

        expect(page.locator("#fire")).to_be_disabled()
        expect(page.locator("#fault-armed")).to_be_disabled()  # nothing is chosen yet
        arm(page)
        page.select_option("#fault-name", "node-down")
        expect(page.locator("#fire")).to_be_disabled()  # another choice must be meant anew
        arm(page)
        page.click("#fire")
        expect(page.locator("#timeline text.fault")).to_contain_text("fault")
        expect(page.locator("#banner")).to_contain_text("Switchover")
        expect(page.locator("#timeline text.election")).to_contain_text("election +3.")
        expect(page.locator("#facts")).to_contain_text("lb2")
        expect(page.locator("#figures")).to_contain_text("≈")
        expect(page.locator("#timeline path.probe")).to_have_attribute("d", re.compile("M"))
        page.click("#heal")
        expect(page.locator("#banner")).to_contain_text("Failback")
        expect(page.locator("#timeline text.return")).to_contain_text(re.compile(r"back \+(2\.|1\.9)"))

        locust.stop()
        expect(page.locator("#banner")).to_contain_text("Ended")
        locust.start()
        expect(page.locator("#banner")).to_contain_text("Baseline")
        expect(page.locator("#timeline text.fault")).to_have_count(0)
        expect(page.locator("#fault-name")).to_be_enabled()
    expect(page.locator("#lost")).to_contain_text("Locust does not answer")
    said = [complaint for complaint in browser.complaints if "ERR_CONNECTION" not in complaint]
    assert said == []


def test_names_from_the_network_are_shown_and_never_read_as_markup(browser: Browser) -> None:
    page = browser.page
    with staged_locust(backends=HOSTILE, error="<b>bold</b>") as locust:
        locust.start()
        page.goto(f"{locust.url}/switchover")
        for name in HOSTILE:
            expect(page.locator("#shares .name", has_text=name)).to_have_count(1)
        expect(page.locator("#banner")).to_contain_text("<b>bold</b>")
        assert page.locator("main img, main script, main b").count() == 0
        assert page.evaluate("window.hacked") is None
        page.goto(f"{locust.url}/")
        page.click("a[href='./switchover']")
        expect(page.locator("#timeline-card")).to_be_visible()
    assert [complaint for complaint in browser.complaints if "ERR_CONNECTION" not in complaint] == []


@pytest.mark.parametrize(
    ("scene", "why"), [({"armed": False}, "--switchover-arm"), ({"conducted": False}, "only records")]
)
def test_what_cannot_be_fired_has_no_button_to_press_and_says_why(
    browser: Browser, scene: dict[str, bool], why: str
) -> None:
    page = browser.page
    with staged_locust(**scene) as locust:
        locust.start()
        page.goto(f"{locust.url}/switchover")
        expect(page.locator("#control")).to_contain_text(why)
        for button in ("#fire", "#heal"):
            assert page.locator(button).is_hidden() or page.locator(button).is_disabled()


def test_a_login_that_has_ended_is_said(browser: Browser) -> None:
    page = browser.page
    with staged_locust(login=True) as locust:
        page.goto(f"{locust.url}/switchover")
        expect(page).to_have_url(re.compile("/login"))
        page.fill("input[name=username]", "ann")
        page.fill("input[name=password]", "secret")
        page.click("button[type=submit]")
        page.goto(f"{locust.url}/switchover")
        expect(page.locator("#banner")).to_contain_text("No run yet")
        page.context.clear_cookies()
        expect(page.locator("#lost")).to_contain_text("not signed in any more")


def test_under_a_path_of_a_proxy_everything_is_found(browser: Browser) -> None:
    page = browser.page
    with staged_locust(base_path="/load") as locust:
        locust.start()
        page.goto(f"{locust.url}/switchover")
        expect(page.locator("#banner")).to_contain_text("Baseline")
        arm(page)
        page.click("#fire")
        expect(page.locator("#timeline text.fault")).to_have_count(1)
        page.click(".brand")
        expect(page).to_have_url(f"{locust.url}/")
        expect(page.locator("a[href='./switchover']")).to_be_visible()
        page.click("a[href='./switchover']")
        expect(page.locator("#banner")).to_be_visible()
    assert [complaint for complaint in browser.complaints if "ERR_CONNECTION" not in complaint] == []


def test_what_is_being_done_is_said_as_soon_as_it_is_asked_for(browser: Browser) -> None:
    page = browser.page
    with staged_locust(firing_s=6.0) as locust:
        locust.start()
        page.goto(f"{locust.url}/switchover")
        arm(page)
        page.click("#fire")
        expect(page.locator("#refusal")).to_contain_text("is being fired and proved …")
        expect(page.locator("#banner")).to_contain_text("Firing")
        expect(page.locator("#banner")).not_to_have_class("banner good")
        expect(page.locator("#banner")).to_contain_text("Switchover")


def test_the_report_is_linked_when_there_is_one_and_cannot_reach_the_page(browser: Browser) -> None:
    page = browser.page
    with staged_locust() as locust:
        assert locust.ask("GET", "/switchover/report").status == 404
        locust.start()
        page.goto(f"{locust.url}/switchover")
        expect(page.locator("#report")).to_be_hidden()
        locust.stop()
        expect(page.locator("#report")).to_be_visible()
        answer = locust.ask("GET", "/switchover/report")
        assert answer.headers["Content-Security-Policy"].startswith("sandbox allow-scripts")
        with page.context.expect_page() as opened:
            page.click("#report")
        report = opened.value
        expect(report.locator("body")).to_have_text(re.compile("drawn"))
        assert report.evaluate("origin") == "null"


HARD_TO_READ = r"""
() => {
  const parse = (colour) => { const [r, g, b, a = 1] = colour.match(/[\d.]+/g).map(Number); return [r, g, b, a]; };
  const over = (top, low) => [0, 1, 2].map((i) => top[i] * top[3] + low[i] * (1 - top[3])).concat([1]);
  const light = (colour) => {
    const [r, g, b] = colour.map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ancestors = (node) => (node ? [...ancestors(node.parentElement), node] : []);
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const [node, range] = [walker.currentNode.parentElement, document.createRange()];
    range.selectNodeContents(walker.currentNode);
    if (!walker.currentNode.data.trim() || !range.getClientRects().length) continue;
    const grounds = ancestors(node).map((one) => parse(getComputedStyle(one).backgroundColor));
    const ground = grounds.reduce((low, top) => over(top, low), [255, 255, 255, 1]);
    const ink = parse(getComputedStyle(node)[node.namespaceURI.endsWith("svg") ? "fill" : "color"]);
    ink[3] *= ancestors(node).reduce((all, one) => all * getComputedStyle(one).opacity, 1);
    const [high, low] = [light(over(ink, ground)), light(ground)].sort((a, b) => b - a);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < 4.5) found.push(`${ratio.toFixed(2)} ${walker.currentNode.data}`);
  }
  return found;
}
"""
"""Texts with a contrast below 4.5 (WCAG 2.2, 1.4.3); a disabled button is one as well."""
UNREACHABLE = """
() => [...document.querySelectorAll("*")]
  .filter((one) => ["auto", "scroll"].includes(getComputedStyle(one).overflowX))
  .filter((one) => one.getClientRects().length && (one.tabIndex < 0 || !one.getAttribute("aria-label")))
  .map((one) => one.outerHTML)
"""
"""Areas that may scroll, and that the keyboard does not reach or nothing names."""
OVERPRINTED = """
() => {
  const texts = [...document.querySelectorAll("#timeline text")].map((one) => [one, one.getBoundingClientRect()]);
  const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom - 3 <= b.top || b.bottom - 3 <= a.top;
  return texts.flatMap(([one, a], index) =>
    texts.slice(index + 1).filter(([, b]) => !apart(a, b)).map(([two]) => `${one.textContent} / ${two.textContent}`));
}
"""


@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_can_be_read_and_reached_by_keyboard(browser: Browser, width: int) -> None:
    page = browser.page
    page.set_viewport_size({"width": width, "height": 800})
    with staged_locust() as locust:
        locust.start()
        page.goto(f"{locust.url}/switchover")
        arm(page)
        page.click("#fire")
        expect(page.locator("#timeline text.election")).to_be_attached()
        page.click("#heal")
        expect(page.locator("#timeline text.return")).to_be_attached()
        expect(page.locator("h1")).to_have_text("Switchover")
        assert page.evaluate(UNREACHABLE) == []
        for theme in ("light", "dark"):
            page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
            assert page.evaluate(HARD_TO_READ) == [], theme
        assert page.evaluate(OVERPRINTED) == []


@pytest.mark.parametrize("width", [360, 390, 768])
def test_a_narrow_screen_needs_no_scrolling_sideways(browser: Browser, width: int) -> None:
    page = browser.page
    page.set_viewport_size({"width": width, "height": 800})
    with staged_locust() as locust:
        locust.start()
        page.goto(f"{locust.url}/switchover")
        arm(page)
        page.click("#fire")
        expect(page.locator("#timeline text.election")).to_be_attached()
        expect(page.locator("#events")).to_contain_text("ip monitor")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
