"""A drill that a real Prometheus scrapes: what it answers afterwards is what the verdict says."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.drilling import newest_run
from support.ports import free_port
from support.prometheus import Prometheus, prometheus
from switchover.process.json_child import package_environment
from switchover.rundir.run_directory import VERDICT_FILE

pytestmark = pytest.mark.integration

DRILL_TIMEOUT_S = 400.0


@pytest.fixture(scope="module")
def scraped(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The server after the drill, and the verdict."""
    folder = tmp_path_factory.mktemp("prometheus")
    address = f"127.0.0.1:{free_port()}"
    with prometheus(address, folder / "server") as server:
        words = (
            "drill",
            "--probe-rate",
            "50",
            "--users",
            "5",
            "--prometheus",
            address,
            "--out",
            str(folder / "runs"),
        )
        ended = subprocess.run(
            (sys.executable, "-m", "switchover", *words),
            env={**os.environ, **package_environment()},
            capture_output=True,
            text=True,
            timeout=DRILL_TIMEOUT_S,
        )
        # On a busy machine the figures may not be trusted; they are counted all the same.
        assert ended.returncode in (0, 2), ended.stderr
        directory: Path = newest_run(folder / "runs")
        yield server, json.loads((directory / VERDICT_FILE).read_text())


def last(metric: str, *labels: str, by: str = "") -> str:
    """A query for what a metric said last; the exporter has ended with its drill."""
    query = f"sum(last_over_time({metric}{{{','.join(labels)}}}[10m]))"
    return f"{query} by ({by})" if by else query


def test_it_counts_the_probes_that_the_verdict_counts(scraped: tuple[Prometheus, dict[str, Any]]) -> None:
    server, verdict = scraped
    assert server.ask(last("switchover_probes_total", 'stream="fresh"')) == {(): verdict["probes"]["total"]}
    failed = server.ask(last("switchover_probes_total", 'stream="fresh"', 'outcome="failed"'))
    assert failed == {(): verdict["probes"]["failed"]}
    assert verdict["probes"]["failed"] > 0


def test_it_knows_what_failed_and_how(scraped: tuple[Prometheus, dict[str, Any]]) -> None:
    server, verdict = scraped
    query = last("switchover_probes_total", 'stream="fresh"', 'outcome="failed"', by="error")
    kinds = {kind: count for kind, count in verdict["probes"]["by_kind"].items() if count}
    assert {error: count for (error,), count in server.ask(query).items()} == kinds


def test_it_counts_the_requests_of_the_load(scraped: tuple[Prometheus, dict[str, Any]]) -> None:
    server, verdict = scraped
    assert server.ask(last("switchover_requests_total", 'outcome!="unsent"')) == {(): verdict["samples"]["total"]}
    counted = server.ask(last("switchover_request_duration_seconds_count", 'outcome!="unsent"'))
    assert counted == {(): verdict["samples"]["total"]}


def test_it_has_the_verdict(scraped: tuple[Prometheus, dict[str, Any]]) -> None:
    server, verdict = scraped
    (outage_s,) = server.ask(last("switchover_verdict_outage_high_seconds")).values()
    assert outage_s == pytest.approx(verdict["outage"]["high_ms"] / 1000, abs=1e-6)
    assert server.ask(last("switchover_verdict_word", by="word")) == {(verdict["word"],): 1}


def test_it_knows_when(scraped: tuple[Prometheus, dict[str, Any]]) -> None:
    server, verdict = scraped
    (fired_s,) = server.ask(last("switchover_event_timestamp_seconds", 'kind="fault"')).values()
    assert fired_s * 1e6 <= verdict["outage"]["to_us"]
