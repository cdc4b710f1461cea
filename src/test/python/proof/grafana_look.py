"""`python -m proof.grafana_look GRAFANA [PATTERN [INFLUXDB]]`: pictures of every board in a real Grafana, to look at.

GRAFANA is the folder of an unpacked or compiled Grafana 11.6 or later: `bin/grafana`, `public`, `conf`. It is started
on loopback with what docs/metrics.md provisions, over an InfluxDB (1.8, or 2.7) and a Prometheus; kept runs are in
the one, and happen once more for both; a drill of the lab is watched while it goes on. The pictures go to
build/grafana-look; PATTERN chooses some of them by their names.
Nothing is judged here: the rules in unit/dashboards hold what such pictures once showed.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from playwright.sync_api import Page

from support.browsing import chromium
from support.grafana import FOLDER, INFLUXQL_BOARDS, Json, load
from support.grafana_server import alerts_said, grafana
from support.influxdb import InfluxDB, influxdb
from support.kept_runs import kept_run
from support.ports import free_port
from support.prometheus import prometheus
from support.recorded import Recorded, read_run
from support.replayed import ended_at, outage_after_s, replay
from switchover.rundir.points import parse_point
from switchover.streaming.metrics.prometheus import PrometheusServer
from switchover.streaming.metrics.registry import Registry

PICTURES = FOLDER.parent / "build" / "grafana-look"
DATABASE = "drills"
PATIENCE_S = 300.0
KEPT = ("haproxy-kill-locust", "keepalived-kill", "nginx-kill", "node-down")
DRILLS = {"finished": KEPT[0], "split-brain": KEPT[1], "nginx": KEPT[2]}
WIDTH, CELL, AROUND = 1600, 38, 190
"""Pixels of a screen's width, of a unit of a panel's height, and of what is above and below the panels."""
PANEL = '[data-testid="data-testid Panel header {}"]'
ROW = '[data-testid="data-testid dashboard-row-title-{}"]'
ANSWERED = "Refresh"
"""The word of a button that says Cancel while queries are under way."""
SETTLED_S = 1.0
"""For what is drawn after the last answer."""
MINUTE_NS = 60_000_000_000


@dataclass(frozen=True, slots=True)
class Look:
    """A board over a time range in Grafana's words, and the name of its picture."""

    name: str
    board: str
    since: int | str
    until: int | str
    opened: bool = False
    """Whether the rows that are closed at first are to be opened."""
    chosen: str = ""
    """The value of a variable, as an address has it."""

    def address(self, grafana: str) -> str:
        refresh = "5s" if self.until == "now" else ""
        return (
            f"{grafana}/d/switchover-{self.board}?from={self.since}&to={self.until}&refresh={refresh}&kiosk=1"
            f"&timezone=utc{self.chosen}"
        )

    def closed_rows(self) -> list[Json]:
        board = load(FOLDER / "grafana" / f"switchover-{self.board}.json")
        return [one for one in board["panels"] if one.get("collapsed")]

    def height(self) -> int:
        """Of a picture with every panel in it: Grafana asks nothing for one that is out of sight."""
        board = load(FOLDER / "grafana" / f"switchover-{self.board}.json")
        closed = [_bottom(row["panels"]) - row["gridPos"]["y"] - 1 for row in self.closed_rows()]
        cells = _bottom([panel for one in board["panels"] for panel in (one, *one.get("panels", ()))])
        return AROUND + CELL * (cells - (0 if self.opened else sum(closed)))


@dataclass
class Watcher:
    """Opens boards and takes their pictures, if their names fit the pattern."""

    page: Page
    grafana: str
    pattern: str

    def wants(self, *names: str) -> bool:
        return any(re.search(self.pattern, name) for name in names)

    def take(self, look: Look) -> None:
        if self.wants(look.name):
            self.open(look)
            self.shoot(look.name)

    def open(self, look: Look) -> None:
        self.page.set_viewport_size({"width": WIDTH, "height": look.height()})
        self.page.goto(look.address(self.grafana), wait_until="commit")
        self.page.locator('[data-testid*="Panel header"]').first.wait_for()
        for row in look.closed_rows() if look.opened else ():
            self.page.locator(ROW.format(row["title"])).click()

    def shoot(self, name: str) -> None:
        self.page.wait_for_load_state("networkidle")
        self.page.get_by_text(ANSWERED, exact=True).wait_for()
        time.sleep(SETTLED_S)
        self.page.screenshot(path=PICTURES / f"{name}.png")
        print(PICTURES / f"{name}.png", flush=True)

    def wait_for(self, title: str, pattern: str) -> None:
        """Until a panel has this to say."""
        self.page.locator(PANEL.format(title)).filter(has_text=re.compile(pattern)).wait_for()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m proof.grafana_look")
    parser.add_argument("grafana", type=Path, nargs="?", default=Path())
    parser.add_argument("pattern", nargs="?", default="")
    parser.add_argument("influxdb", nargs="?", choices=("1.8", "2.7"), default="1.8")
    chosen = parser.parse_args()
    if not (chosen.grafana / "bin" / "grafana").exists():
        print("say where Grafana is: make grafana-look GRAFANA=/usr/share/grafana (it has bin/grafana in it)")
        return 2
    PICTURES.mkdir(parents=True, exist_ok=True)
    metrics = f"127.0.0.1:{free_port()}"
    with (
        tempfile.TemporaryDirectory(prefix="switchover-look-") as folder,
        influxdb(chosen.influxdb, Path(folder) / "influxdb") as server,
        prometheus([metrics], Path(folder) / "prometheus") as scraper,
        grafana(chosen.grafana, server, DATABASE, scraper, Path(folder)) as address,
        chromium(Path(folder)) as browser,
    ):
        browser.page.set_default_timeout(1000 * PATIENCE_S)
        watcher = Watcher(browser.page, address, chosen.pattern)
        url = server.create(DATABASE)
        kept = {name: read_run(_judged(kept_run(name, Path(folder)))) for name in KEPT}
        for look in _filled(server, kept):
            watcher.take(look)
        _live_in_influxdb(watcher, server, kept)
        _drilled(watcher, url, server.environment, Path(folder) / "runs")
        _live_in_prometheus(watcher, metrics, kept["haproxy-kill-locust"])
        for said in alerts_said(address):
            print(f"alert {said}")
        for said in sorted(set(browser.complaints)):
            print(f"the browser: {said[:300]}")
    return 0


def _filled(server: InfluxDB, kept: Mapping[str, Recorded]) -> Iterator[Look]:
    """What there is to look at, its points written."""
    for run in kept.values():
        server.write(DATABASE, run.points)
    for name, directory in DRILLS.items():
        for board in ("drill", "balancers"):
            yield Look(f"{board}-{name}", board, *kept[directory].times_ms, opened=name != "split-brain")
    first, last = (bound(one.times_ms[index] for one in kept.values()) for index, bound in ((0, min), (1, max)))
    for board in ("compare", "fleet"):
        yield Look(f"{board}-all", board, first, last)
    quiet = first - 86_400_000
    for path in INFLUXQL_BOARDS:
        name = path.stem.removeprefix("switchover-")
        yield Look(f"{name}-nothing", name, quiet - 86_700_000, quiet - 86_400_000, opened=True)


def _live_in_influxdb(watcher: Watcher, server: InfluxDB, kept: Mapping[str, Recorded]) -> None:
    """The wall screen: a run with a split brain that ended a minute ago, then another one to its verdict."""
    if not watcher.wants("drill-live-worst", "drill-live-judged", "balancers-live"):
        return
    write, run = partial(server.write, DATABASE), kept["haproxy-kill-locust"]
    write(ended_at(kept["keepalived-kill"], "before-it", time.time_ns() - MINUTE_NS))
    watcher.open(Look("", "drill", "now-2m", "now"))
    watcher.wait_for("Verdict", "FAILED")
    happening = threading.Thread(target=replay, args=(run, "live", write))
    started = time.time()
    happening.start()
    watcher.wait_for("Verdict", "running")
    print(f"a run is on the screen {time.time() - started:.1f} s after it began")
    watcher.wait_for("Failing now", r"[1-9][0-9.]*%")
    print(f"its outage is on the screen {time.time() - started - outage_after_s(run):.1f} s after it began")
    time.sleep(3.0)
    watcher.shoot("drill-live-worst")
    happening.join()
    watcher.wait_for("Verdict", "MEASURED")
    watcher.shoot("drill-live-judged")
    watcher.take(Look("balancers-live", "balancers", "now-2m", "now"))


def _drilled(watcher: Watcher, url: str, credentials: Mapping[str, str], out: Path) -> None:
    """A real drill on the open board, while it goes on beside it."""
    if not watcher.wants("drill-drilled"):
        return
    watcher.open(Look("", "drill", "now-2m", "now"))
    command = [sys.executable, "-m", "switchover", "drill", "--users", "5", "--influx", url, "--out", str(out)]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, env=os.environ | credentials, stdout=quiet, stderr=quiet) as drill:
        watcher.wait_for("Verdict", "running")
        watcher.wait_for("Failing now", r"[1-9][0-9.]*%")
        shown = time.time()
        watcher.shoot("drill-drilled")
        drill.wait(PATIENCE_S)
    verdict = json.loads(next(out.glob("*/verdict.json")).read_bytes())
    after_s = shown - verdict["outage"]["from_us"] / 1e6
    print(f"a drill's outage is on the screen {after_s:.1f} s after it began: {verdict['verdict']}")


def _live_in_prometheus(watcher: Watcher, metrics: str, run: Recorded) -> None:
    """The same of the metrics."""
    if not watcher.wants("prometheus-live-worst", "prometheus-finished", "prometheus-nothing"):
        return
    watcher.take(Look("prometheus-nothing", "prometheus", "now-2m", "now", opened=True))
    registry = Registry()

    def add(lines: bytes) -> None:
        for line in lines.splitlines():
            registry.add(parse_point(line.decode()))

    with closing(PrometheusServer(metrics, registry)):
        watcher.open(Look("", "prometheus", "now-2m", "now"))
        happening = threading.Thread(target=replay, args=(run, "live", add))
        happening.start()
        watcher.wait_for("Failed probes", "[1-9]")
        time.sleep(3.0)
        watcher.shoot("prometheus-live-worst")
        happening.join()
        watcher.wait_for("Verdict", "MEASURED")
    watcher.take(Look("prometheus-finished", "prometheus", "now-2m", "now", opened=True))


def _judged(directory: Path) -> Path:
    """With the points of its verdict, which kept runs are without."""
    subprocess.run([sys.executable, "-m", "switchover", "report", str(directory)], check=False, timeout=PATIENCE_S)
    return directory


def _bottom(panels: list[Json]) -> int:
    return max(int(place["y"]) + int(place["h"]) for place in (panel["gridPos"] for panel in panels))


if __name__ == "__main__":
    sys.exit(main())
