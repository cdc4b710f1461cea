"""Drill (Prometheus), asked of a real Prometheus that scraped recorded drills: answered, and with the truth."""

import itertools
import math
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from support.checkout import CHECKOUT
from support.grafana import PROMETHEUS_BOARD, Asked, Json, load, panels, queries, text_of
from support.ports import free_port
from support.prometheus import Prometheus, prometheus
from support.recorded import Recorded, runs
from support.waiting import wait_for
from switchover.rundir.points import Point, parse_point
from switchover.streaming.metrics.prometheus import PrometheusServer
from switchover.streaming.metrics.registry import Histogram, Registry

pytestmark = pytest.mark.beside

STEP_S = 1
PARTS = 12
"""In which a recorded run is served again, a scrape each: four seconds of it, so no outage lies between two."""
TOTALS = ("switchover_probes_total", "switchover_requests_total", "switchover_verdict_status")
BOARD = load(PROMETHEUS_BOARD)
Values = dict[tuple[str, ...], list[float]]


@dataclass(frozen=True, slots=True)
class Scraped:
    """A server after a run, whose exporter has ended; the range of time that holds it."""

    server: Prometheus
    run: Recorded
    start_s: int
    end_s: int
    word_before: dict[tuple[str, ...], float]
    """What the panel Verdict was answered before the run was judged."""

    def now(self, text: str, run: str = "") -> dict[tuple[str, ...], float]:
        return self.server.ask(self._filled(text, run))

    def over_time(self, text: str, run: str = "") -> Values:
        return self.server.ask_range(self._filled(text, run), self.start_s, self.end_s, STEP_S)

    def _filled(self, text: str, run: str) -> str:
        chosen = {"run": run or self.run.run, "node": ".*"}
        return Asked("", text).filled(self.start_s * 1000, self.end_s * 1000, chosen, STEP_S * 1000)


@pytest.fixture(scope="module", params=runs(), ids=lambda run: run.verdict["prediction"]["fault"])
def scraped(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scraped]:
    run: Recorded = request.param
    address = f"127.0.0.1:{free_port()}"
    start_s = int(time.time()) - 1
    with prometheus([address], tmp_path_factory.mktemp("prometheus")) as server:
        registry = Registry()
        exporter = PrometheusServer(address, registry)
        before = {}
        for part in parts(run):
            before = Scraped(server, run, start_s, int(time.time()) + 1, {}).now(query("Verdict"))
            for point in part:
                registry.add(point)
            wait_for(lambda: totals(server) == {name: registered(registry, name) for name in TOTALS}, "a scrape")
        exporter.close()
        wait_for(lambda: server.ask("switchover_verdict_status") == {}, "the exporter's end to be noticed")
        yield Scraped(server, run, start_s, int(time.time()) + 1, before)


def parts(run: Recorded) -> list[list[Point]]:
    """A run's points as they came, in so many equal times; its verdict, which is of its end, by itself."""
    points = sorted((parse_point(line.decode()) for line in run.points.splitlines()), key=lambda point: point.time_ns)
    judged = [point for point in points if point.measurement == "switchover_verdict"]
    first, length = points[0].time_ns, points[-1].time_ns - points[0].time_ns + 1
    others = (point for point in points if point.measurement != "switchover_verdict")
    by_time = itertools.groupby(others, key=lambda point: (point.time_ns - first) * PARTS // length)
    return [*(list(part) for _, part in by_time), judged]


def registered(registry: Registry, name: str) -> float:
    """The sum of a metric over its series, as it is to be scraped."""
    return sum(
        float(value)
        for family, series in registry.collect()
        if family.name == name
        for _, value in series
        if not isinstance(value, Histogram)
    )


def totals(server: Prometheus) -> dict[str, float]:
    return {name: sum(server.ask(f"sum({name})").values()) for name in TOTALS}


def query(title: str, number: int = 0) -> str:
    text = text_of(panel_of(title)["targets"][number])
    assert text
    return text


def panel_of(title: str) -> Json:
    (panel,) = (one for one in panels(BOARD) if one["title"] == title)
    return panel


def test_every_query_is_answered_with_something(scraped: Scraped) -> None:
    for asked in queries(PROMETHEUS_BOARD):
        if "variable" not in asked.where:
            assert scraped.over_time(asked.text), asked.where


def test_of_a_run_that_is_not_there_nothing_is_shown_and_nothing_fails(scraped: Scraped) -> None:
    for asked in queries(PROMETHEUS_BOARD):
        if "variable" not in asked.where:
            assert scraped.over_time(asked.text, run="another") == {}, asked.where


def test_the_run_that_was_scraped_last_is_chosen_with_its_nodes(scraped: Scraped) -> None:
    run, node = (asked.text for asked in queries(PROMETHEUS_BOARD) if "variable" in asked.where)
    assert list(scraped.now(run.removeprefix("query_result(").removesuffix(")"))) == [(scraped.run.run,)]
    metric, label = node.removeprefix("label_values(").removesuffix(")").rsplit(", ", 1)
    metric = metric.replace("$run", scraped.run.run)
    assert {"lb1", "lb2", "web1"} <= set(scraped.server.values_of(label, metric))


def test_a_run_is_running_until_it_has_its_word(scraped: Scraped) -> None:
    assert scraped.word_before == {("running",): 1}
    assert scraped.now(query("Verdict")) == {(scraped.run.verdict["verdict"],): 1}


def test_the_figures_say_what_the_verdict_says(scraped: Scraped) -> None:
    verdict = scraped.run.verdict
    phase = verdict["samples"]["by_phase"]["switchover"]
    figures = {figure: value for (figure,), value in scraped.now(query("Verdict", 1)).items()}
    assert figures == {
        "recovered": all(verdict[name]["recovered"] for name in ("outage", "failback")),
        "outage at least": pytest.approx(verdict["outage"]["low_ms"]),
        "outage at most": pytest.approx(verdict["outage"]["high_ms"]),
        "predicted at least": pytest.approx(verdict["prediction"]["low_ms"]),
        "predicted at most": pytest.approx(verdict["prediction"]["high_ms"]),
        "failback at least": pytest.approx(verdict["failback"]["low_ms"]),
        "failback at most": pytest.approx(verdict["failback"]["high_ms"]),
        "failed": pytest.approx(100 * phase["failed"] / phase["total"], abs=0.001),
        "split brain": pytest.approx(verdict["split_brain_ms"]),
        "unaccounted": verdict["accounting"]["unaccounted"],
    }


def test_the_bars_add_up_to_what_the_verdict_counted(scraped: Scraped) -> None:
    """From the first failure on: none lost with which a series began, none counted twice."""
    probes, samples = scraped.run.verdict["probes"], scraped.run.verdict["samples"]

    def sums(title: str, number: int = 0) -> dict[tuple[str, ...], float]:
        return {labels: sum(values) for labels, values in scraped.over_time(query(title, number)).items()}

    assert sums("Probes by outcome")[("failed",)] == probes["failed"]
    assert sum(sums("Probes by outcome").values()) == probes["total"]
    assert sum(sums("Probes by balancer").values()) == probes["total"]
    assert scraped.now(query("Failed probes")) == {(): probes["failed"]}
    assert sum(sums("Requests by balancer").values()) == samples["total"]
    assert sum(sums("Requests by label and outcome").values()) == samples["total"]
    assert sum(sums("Requests by backend").values()) == samples["total"] - samples["failed"]


def test_the_holders_of_the_address_are_counted(scraped: Scraped) -> None:
    """The killed Keepalived left two for a while; in the plain drill there was at most one."""
    (held,) = scraped.over_time(query("Holders of the address")).values()
    assert {value % 10 for value in held} == {2}, "two nodes are told of all the time"
    assert max(held) // 10 == (2 if scraped.run.verdict["split_brain_ms"] else 1)


def test_a_haproxy_that_is_dead_has_no_servers(scraped: Scraped) -> None:
    for title in ("Status of the servers", "Sessions by server"):
        told = scraped.over_time(query(title))
        seconds = {
            node: max(len(values) for (at, *_), values in told.items() if at == node) for node in ("lb1", "lb2")
        }
        killed = scraped.run.verdict["prediction"]["fault"] == "haproxy-kill"
        assert (seconds["lb1"] < seconds["lb2"]) == killed, title


def test_percentiles_lie_in_their_order_within_the_buckets(scraped: Scraped) -> None:
    mean, *shares = (
        next(iter(scraped.over_time(query("Response time of the load", number)).values())) for number in range(4)
    )
    for at in zip(*shares, strict=True):
        assert all(math.isnan(one) for one in at) or 0 < at[0] <= at[1] <= at[2] <= 10
    assert all(math.isnan(one) or one > 0 for one in mean)


def test_a_mark_stands_where_the_event_was(scraped: Scraped) -> None:
    fault, _ = (one["target"]["expr"] for one in BOARD["annotations"]["list"])
    events = [parse_point(line.decode()) for line in scraped.run.points.splitlines()]
    faults = {event.time_ns / 1e6 for event in events if event.tags.get("kind") == "fault"}
    marked = [values[-1] for values in scraped.over_time(fault).values()]
    assert marked
    for at_ms in marked:
        assert min(abs(at_ms - fault_ms) for fault_ms in faults) < 1


def test_the_question_of_the_docs_for_many_runs_is_answered_after_the_run(scraped: Scraped) -> None:
    page = (CHECKOUT / "docs" / "metrics.md").read_text(encoding="utf-8")
    (asked,) = re.findall(r"^max by \(run, fault\).*$", page, re.M)
    fault = scraped.run.verdict["prediction"]["fault"]
    assert {frozenset(labels): value for labels, value in scraped.server.ask(asked).items()} == {
        frozenset((fault, scraped.run.run)): scraped.run.verdict["outage"]["high_ms"] / 1000
    }
