"""The exporter's process: what it serves, what it pushes, and when it ends."""

import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.otlp import OtlpServer, otlp_server
from support.ports import free_port
from support.servers import after_head, drips, tcp_server
from support.waiting import wait_for
from switchover.model.errors import UsageError
from switchover.rundir.journal import Journal
from switchover.rundir.measurements import PROBES
from switchover.streaming.metrics import otlp
from switchover.streaming.metrics.otlp import find_receiver
from switchover.streaming.metrics.prometheus import parse_address
from switchover.streaming.parent import Streaming
from switchover.streaming.process import Exporter

PROBED = {"count": 3, "bytes": 0, "rt_sum": 3.0}
FAILED = {"outcome": "failed"}


@pytest.fixture
def receiver() -> Iterator[OtlpServer]:
    with otlp_server() as server:
        yield server


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    journal = Journal(tmp_path / "journal.lp", {"run": "r"})
    yield journal
    journal.close()


def exporting(
    directory: Path, note: Callable[[str], None], prometheus: str | None = None, **environment: str
) -> Streaming:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        return Streaming(directory, None, prometheus, note)


PARENT = """
import os, sys, time
from pathlib import Path
from switchover.streaming.parent import Streaming
os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] = sys.argv[2]
with Streaming(Path(sys.argv[1]), None, None, print) as export:
    print(export.pid, flush=True)
    time.sleep(600)
"""
"""A run whose exporter pushes."""

PAUSE_S = 3.0
"""From one scrape to the next: the exporter waits twice as long for one more."""


def scrape(address: str) -> str:
    try:
        with urllib.request.urlopen(f"http://{address}/metrics", timeout=30) as answer:
            assert "version=0.0.4" in answer.headers["Content-Type"]
            return str(answer.read().decode())
    except (urllib.error.URLError, ConnectionError):  # it listens no more, or ended in the middle of the scrape
        return ""


def test_what_is_written_is_served_until_the_last_scrape(tmp_path: Path, journal: Journal) -> None:
    address = f"127.0.0.1:{free_port()}"
    notes: list[str] = []
    seen: list[str] = []

    def come_again() -> None:
        for _ in range(12):
            time.sleep(PAUSE_S)
            seen.append(scrape(address))
            if '"failed",run="r"} 6' in seen[-1]:
                return

    with exporting(tmp_path, notes.append, address):
        journal.write(PROBES, FAILED, PROBED, 1_000_000_000_000_000_000)
        wait_for(lambda: 'outcome="failed",run="r"} 3' in scrape(address))
        time.sleep(PAUSE_S)
        scrape(address)
        prometheus = threading.Thread(target=come_again)
        # The last point of all, right before the run ends.
        journal.write(PROBES, FAILED, PROBED, 1_000_000_001_000_000_000)
        prometheus.start()
    prometheus.join(60)
    assert 'switchover_probes_total{outcome="failed",run="r"} 6' in seen[-1]
    assert scrape(address) == ""
    (note,) = notes
    assert note.startswith("waiting for Prometheus to fetch the last figures, at most ")


def test_an_address_that_is_taken_is_one_line_and_the_run_goes_on(tmp_path: Path, receiver: OtlpServer) -> None:
    notes: list[str] = []
    with exporting(tmp_path, notes.append, f"127.0.0.1:{receiver.server_port}"):
        wait_for(lambda: bool(notes))
    assert notes == [f"cannot serve metrics on 127.0.0.1:{receiver.server_port}: Address already in use"]


def test_totals_are_pushed_at_the_end(tmp_path: Path, journal: Journal, receiver: OtlpServer) -> None:
    with exporting(
        tmp_path, print, OTEL_EXPORTER_OTLP_ENDPOINT=receiver.url, OTEL_EXPORTER_OTLP_HEADERS="x-key=a%20secret"
    ):
        journal.write(PROBES, FAILED, PROBED, 1_000_000_000_000_000_000)
    path, headers, _ = receiver.taken[-1]
    assert path == "/v1/metrics"
    assert headers["x-key"] == "a secret"
    probes = receiver.metrics()["switchover_probes"]["sum"]
    assert probes["isMonotonic"] and probes["aggregationTemporality"] == 2
    (point,) = probes["dataPoints"]
    assert point["asDouble"] == 3
    assert point["startTimeUnixNano"] == "1000000000000000000"
    assert {"key": "outcome", "value": {"stringValue": "failed"}} in point["attributes"]
    (histogram,) = receiver.metrics()["switchover_probe_duration_seconds"]["histogram"]["dataPoints"]
    assert histogram["count"] == "3" and len(histogram["bucketCounts"]) == len(histogram["explicitBounds"]) + 1


def test_a_receiver_that_refuses_is_one_warning(tmp_path: Path, journal: Journal, receiver: OtlpServer) -> None:
    receiver.status = 503
    notes: list[str] = []
    with exporting(tmp_path, notes.append, OTEL_EXPORTER_OTLP_ENDPOINT=f"{receiver.url}/otlp"):
        journal.write(PROBES, FAILED, PROBED, 1_000_000_000_000_000_000)
    assert receiver.taken[-1][0] == "/otlp/v1/metrics"
    assert notes == [f"{receiver.url}/otlp/v1/metrics accepts no metrics: it answered 503; the journal keeps them"]


def test_a_receiver_that_drips_is_given_up_and_told_once(
    tmp_path: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(otlp, "ANSWER_S", 0.2)
    said: list[str] = []
    with tcp_server(after_head(drips)) as port:
        url = f"http://127.0.0.1:{port}/v1/metrics"
        exporting = Exporter(tmp_path, None, otlp.OtlpReceiver(url), said.append)
        exporting.push()
        exporting.push()
    assert said == [f"{url} accepts no metrics: no complete answer within 0.2 s; the journal keeps them"]


def test_the_exporter_ends_soon_after_a_parent_that_was_killed(tmp_path: Path) -> None:
    with tcp_server(after_head(drips)) as port:
        parent = subprocess.Popen(
            [sys.executable, "-c", PARENT, str(tmp_path), f"http://127.0.0.1:{port}"],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert parent.stdout is not None
        exporter = Path("/proc", parent.stdout.readline().strip())
        parent.kill()
        parent.communicate()
        wait_for(lambda: not exporter.exists(), "the end of the exporter")


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://here:4318", "OTEL_METRICS_EXPORTER": "none"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "here:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
    ],
)
def test_no_receiver(environment: dict[str, str]) -> None:
    assert find_receiver(environment) is None


@pytest.mark.parametrize(
    ("text", "address"),
    [
        (":9464", ("", 9464)),
        ("9464", ("127.0.0.1", 9464)),
        ("10.0.0.1:80", ("10.0.0.1", 80)),
        ("[::1]:9464", ("::1", 9464)),
    ],
)
def test_addresses(text: str, address: tuple[str, int]) -> None:
    assert parse_address(text) == address


@pytest.mark.parametrize("text", ["", "x", "host:", "host:0", ":70000", "http://host"])
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(UsageError, match="not an address to listen on"):
        parse_address(text)
