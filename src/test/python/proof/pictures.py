"""`python -m proof.pictures [PATTERN]`: the pictures in docs/images, of real drills, taken again.

PATTERN chooses some of them by their names. Those of Grafana are `make grafana-look`'s, and judges.svg is
`make judges`'s. Each is to be looked at before it is committed, and the machine is to do nothing else: what a busy
one adds to a bound is on the picture.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from playwright.sync_api import Page, ViewportSize, expect

from proof.committed_history import write_runs
from support.browsing import PATIENCE_MS, chromium
from support.drilling import newest_run
from support.jmetering import HOME
from support.waiting import wait_for
from support.web_of_locust import locust_in_lab
from switchover.lab.lab import Lab
from switchover.lab.spec import LabSpec

TOP = Path(__file__).parents[4]
PICTURES = TOP / "docs" / "images"
COMMAND = (sys.executable, "-m", "switchover", "drill")
DRILL_TIMEOUT_S = 300.0
DESKTOP = ViewportSize(width=1280, height=1600)
HISTORY = ViewportSize(width=1280, height=1360)
"""As far as the table of faults."""
CHARTS = "Requests per second"
WINDOW = "1280x800"
START_X, TOOLBAR_Y = 313, 37
TREE_X, LISTENER_Y = 120, 225
CHART_X, CHART_Y = 1070, 360
"""Where JMeter's window of that size has the button that starts the test, the listener of the shipped drill.jmx, and
the outage in its chart."""
DRAWN_S = 3.0
"""For what JMeter draws after a click."""


@dataclass(frozen=True)
class Photographer:
    """Takes the pictures whose names fit the pattern."""

    pattern: str
    folder: Path

    def wants(self, *names: str) -> bool:
        return any(re.search(self.pattern, name) for name in names)

    @cache  # noqa: B019  one object, for as long as the program runs
    def drill(self, *options: str) -> Path:
        """A drill in a lab of its own; its run directory."""
        out = self.folder / "-".join(("run", *options)).replace("=", "-")
        subprocess.run([*COMMAND, "--out", str(out), *options], timeout=DRILL_TIMEOUT_S, check=False)
        return newest_run(out)

    def keep(self, name: str, *parts: Path) -> None:
        """Side by side, with a palette of 256 colours: a fifth of the bytes."""
        command = ["convert", *map(str, parts), "+append", "-colors", "256", f"PNG8:{PICTURES / name}.png"]
        subprocess.run(command, check=True)
        print(PICTURES / f"{name}.png", flush=True)

    def shoot(self, page: Page, name: str) -> None:
        if self.wants(name):
            page.screenshot(path=self.folder / "shot.png")
            self.keep(name, self.folder / "shot.png")


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="switchover-pictures-") as folder:
        photographer = Photographer("".join(sys.argv[1:2]), Path(folder))
        expect.set_options(timeout=PATIENCE_MS)
        with chromium(Path(folder)) as browser:
            _report(photographer, browser.page)
            _history(photographer, browser.page)
            _web_page(photographer, browser.page)
        _jmeter(photographer)
    return 0


def _report(photographer: Photographer, page: Page) -> None:
    if photographer.wants("report", "report-charts"):
        directory = photographer.drill()
        _open_report(page, directory, DESKTOP, "light")
        photographer.shoot(page, "report")
        if photographer.wants("report-charts"):
            page.locator("section", has=page.get_by_role("heading", name=CHARTS)).screenshot(
                path=photographer.folder / "charts.png"
            )
            photographer.keep("report-charts", photographer.folder / "charts.png")


def _history(photographer: Photographer, page: Page) -> None:
    if photographer.wants("history"):
        write_runs(photographer.folder / "drills")
        command = [sys.executable, "-m", "switchover", "history", "drills", "--html", "report.html", "--last", "0"]
        subprocess.run(command, cwd=photographer.folder, stdout=subprocess.DEVNULL, check=True)
        _open_report(page, photographer.folder, HISTORY, "light")
        photographer.shoot(page, "history")


def _open_report(page: Page, directory: Path, size: ViewportSize, colours: str) -> None:
    page.set_viewport_size(size)
    page.emulate_media(color_scheme="dark" if colours == "dark" else "light")
    page.goto((directory / "report.html").as_uri())
    expect(page.locator("html")).to_have_attribute("data-drawn", "yes")


def _web_page(photographer: Photographer, page: Page) -> None:
    if not photographer.wants("web-ui", "web-ui-dark"):
        return
    shop = TOP / "testplans" / "locust" / "shop.py"
    page.set_viewport_size({"width": 1280, "height": 800})
    page.emulate_media(color_scheme="dark")
    with (
        Lab(LabSpec()) as lab,
        locust_in_lab(
            lab, shop, photographer.folder, "-u", "50", "-r", "50", "--switchover-limit", "outage=5s"
        ) as url,
    ):
        page.goto(f"{url}/switchover")
        page.wait_for_timeout(15_000)
        page.select_option("#fault-name", "haproxy-kill")
        page.check("#fault-armed")
        page.click("#fire")
        expect(page.locator("#banner")).to_contain_text("lb2 holds the address")
        page.wait_for_timeout(1_000)
        photographer.shoot(page, "web-ui-dark")
        page.wait_for_timeout(6_000)
        page.click("#heal")
        expect(page.locator("#banner")).to_contain_text("lb1 holds the address")
        page.wait_for_timeout(6_000)
        page.evaluate("fetch('./stop', { method: 'POST' })")
        expect(page.locator("#verdict")).to_be_visible(timeout=3 * PATIENCE_MS)
        page.emulate_media(color_scheme="light")
        photographer.shoot(page, "web-ui")


def _jmeter(photographer: Photographer) -> None:
    if not photographer.wants("jmeter-live", "jmeter-judged"):
        return
    out = photographer.folder / "jmeter-runs"
    with Lab(LabSpec()) as lab, _display() as display:
        # A copy: JMeter writes the plan that it has open, in its own words, before it runs it.
        plan = Path(shutil.copy(TOP / "testplans" / "jmeter" / "drill.jmx", photographer.folder))
        properties = {"target": lab.target_file, "out": out, "baseline": "20s", "duration": "50"}
        command = [str(HOME / "bin" / "jmeter"), "-j", str(photographer.folder / "jmeter.log"), "-t", str(plan)]
        command += [f"-Jswitchover.{name}={value}" for name, value in properties.items()]
        with subprocess.Popen(lab.exec_argv("client", command), env=os.environ | {"DISPLAY": display}) as running:
            try:
                _photograph_jmeter(photographer, Desktop(display), out)
            finally:
                running.terminate()


@dataclass(frozen=True, slots=True)
class Desktop:
    """A display without a window manager, and the one window on it."""

    display: str

    def do(self, *command: str) -> str:
        environment = os.environ | {"DISPLAY": self.display}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False).stdout

    def click(self, x: int, y: int) -> None:
        self.do("xdotool", "mousemove", str(x), str(y), "click", "1")
        time.sleep(DRAWN_S)

    def find_window(self) -> str:
        return self.do("xdotool", "search", "--onlyvisible", "--name", "drill.jmx").partition("\n")[0]


def _photograph_jmeter(photographer: Photographer, desktop: Desktop, out: Path) -> None:
    wait_for(lambda: desktop.find_window() != "", "JMeter's window")
    window = desktop.find_window()
    desktop.do("xdotool", "windowmove", window, "0", "0", "windowsize", window, *WINDOW.split("x"))
    time.sleep(DRAWN_S)
    # A click before the plan is loaded is lost; one while the test runs does nothing.
    wait_for(lambda: _is_started(desktop, out), "the test")
    desktop.click(TREE_X, LISTENER_Y)
    wait_for(lambda: _journal_has(out, "kind=fault"), "the fault")
    wait_for(lambda: _journal_has(out, "lb2 holds"), "the election")
    desktop.do("xdotool", "mousemove", str(CHART_X), str(CHART_Y))
    time.sleep(DRAWN_S)
    _photograph(photographer, desktop, "jmeter-live")
    desktop.do("xdotool", "mousemove", str(TREE_X), "0")
    wait_for(lambda: any(out.glob("*/verdict.json")), "the verdict")
    time.sleep(DRAWN_S)
    _photograph(photographer, desktop, "jmeter-judged")


def _is_started(desktop: Desktop, out: Path) -> bool:
    desktop.click(START_X, TOOLBAR_Y)
    return any(out.glob("*"))


def _journal_has(out: Path, statuses: str) -> bool:
    return any(statuses in path.read_text(encoding="utf-8") for path in out.glob("*/journal*.lp"))


def _photograph(photographer: Photographer, desktop: Desktop, name: str) -> None:
    if photographer.wants(name):
        shot = photographer.folder / "desktop.png"
        desktop.do("import", "-window", "root", str(shot))
        photographer.keep(name, shot)


@contextmanager
def _display() -> Iterator[str]:
    command = ["Xvfb", "-displayfd", "1", "-screen", "0", f"{WINDOW}x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            yield f":{server.stdout.readline().strip()}"
        finally:
            server.terminate()


if __name__ == "__main__":
    sys.exit(main())
