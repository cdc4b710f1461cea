"""A change window by HAProxy's own exporter and a real Prometheus: of a drill it contains what the probes saw."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from support.balancer_logs import NODES, Syslog
from support.drilling import Drilled, drill
from support.prometheus import Prometheus, prometheus
from support.waiting import wait_for
from switchover.lab import addresses
from switchover.lab.lab import Lab
from switchover.lab.spec import LabSpec

pytestmark = pytest.mark.integration

COUNTER = 'haproxy_server_http_responses_total{proxy="web"}'
MARGIN_MS = 100.0
"""The clock of a scrape is Prometheus's, taken before the scrape is sent; and the probes' own times."""


@dataclass(frozen=True, slots=True)
class Scraped:
    """A pair whose exporters a Prometheus in the lab's client scrapes."""

    lab: Lab
    server: Prometheus

    def window(self, done: Drilled, *options: str) -> subprocess.CompletedProcess[str]:
        """`switchover report --window` of the drill, once Prometheus has scraped both nodes behind its end."""
        plan = done.run["plan"]
        wait_for(lambda: self._scraped_until(plan["end_us"] / 1e6 + 3), "scrapes behind the end")
        between = [self._utc(plan[name]) for name in ("start_us", "end_us")]
        command = [sys.executable, "-m", "switchover", "report", "--window", *between]
        command = self.lab.exec_argv(addresses.CLIENT, [*command, "--prometheus", self.server.url, *options])
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def _scraped_until(self, until_s: float) -> bool:
        latest = self.server.ask(f"min by (instance) (timestamp({COUNTER}))")
        return len(latest) == len(NODES) and min(latest.values()) > until_s

    @staticmethod
    def _utc(at_us: int) -> str:
        return datetime.fromtimestamp(at_us / 1e6, UTC).replace(tzinfo=None).isoformat()


@pytest.fixture(scope="module")
def scraped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scraped]:
    hosts = [f"{host.address}:{addresses.STATS_PORT}" for host in addresses.balancers()]
    folder = tmp_path_factory.mktemp("prometheus")
    with (
        Lab(LabSpec()) as lab,
        Syslog(lab),
        prometheus(hosts, folder, lab.exec_argv(addresses.CLIENT, [])) as server,
    ):
        yield Scraped(lab, server)


def told(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("fault", ["haproxy-kill", "node-down", "haproxy-reload"])
def test_the_interval_contains_what_the_probes_saw(scraped: Scraped, tmp_path: Path, fault: str) -> None:
    options = ("--probe-rate", "200", "--baseline", "8s", "--hold", "8s", "--recover", "7s", "--seed", "3")
    done = drill(scraped.lab, tmp_path, "--fault", fault, *options)
    found = told(scraped.window(done, "--json"))
    assert len(found["nodes"]) == len(NODES) and found["scrape_ms"] == pytest.approx(1000, abs=200)
    assert found["good"] > 0
    outage = done.verdict["outage"]
    assert found["outage"]["low_ms"] <= outage["high_ms"] + MARGIN_MS
    assert found["outage"]["high_ms"] >= outage["low_ms"] - MARGIN_MS
    if outage["from_us"] is not None:
        assert found["outage"]["high_ms"] >= outage["high_ms"] - MARGIN_MS
        assert found["outage"]["from_us"] - MARGIN_MS * 1e3 <= outage["from_us"]
        assert outage["to_us"] <= found["outage"]["to_us"] + MARGIN_MS * 1e3
    else:
        assert found["outage"]["high_ms"] <= 4 * found["scrape_ms"]


def test_a_window_that_was_not_scraped_and_a_server_that_is_away_are_one_line_each(scraped: Scraped) -> None:
    statuses = ["-m", "switchover", "report", "--window", "2020-01-01T02:00", "2020-01-01T02:10", "--prometheus"]
    for url, why in ((scraped.server.url, "is HAProxy's own exporter scraped?"), ("http://127.0.0.1:9", "refused")):
        command = scraped.lab.exec_argv(addresses.CLIENT, [sys.executable, *statuses, url])
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert why in done.stderr
