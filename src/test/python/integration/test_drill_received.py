"""One drill in the lab, received by all that a run can be sent to: what each answers is what the verdict says.

A real Prometheus scrapes it, a real InfluxDB 1.8 gets it while it goes on and a real 2.7 from `switchover upload`
afterwards; OTLP is pushed to a small server of the tests, which is no OpenTelemetry Collector. What a receiver cannot
know is in docs/metrics.md, and in the tests here that only ask databases.
"""

import contextlib
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from support.drilling import newest_run
from support.influxdb import InfluxDB, influxdb, is_built, skip_unless_built
from support.otlp import otlp_server
from support.ports import free_port
from support.prometheus import prometheus
from support.receivers import AskedInFlux, AskedInInfluxql, AskedInPromql, Database, PushedByOtlp, Receiver
from support.sample_rows import read_samples
from switchover.model.failure_kind import FailureKind
from switchover.model.outcome import Outcome
from switchover.process.json_child import package_environment
from switchover.rundir.run_directory import PROBES_FILE, VERDICT_FILE, read_run
from switchover.rundir.sample_log import Sample

pytestmark = pytest.mark.integration

DRILL_TIMEOUT_S = 400.0
DATABASE = "received"
METRICS = ("Prometheus", "OTLP")
DATABASES: Mapping[str, tuple[str, type[AskedInInfluxql] | type[AskedInFlux]]] = {
    "InfluxDB 1.8": ("1.8", AskedInInfluxql),
    "InfluxDB 2.7 in InfluxQL": ("2.7", AskedInInfluxql),
    "InfluxDB 2.7 in Flux": ("2.7", AskedInFlux),
}
"""Each with the kind of its server, and how it is asked."""
SENT = (Outcome.GOOD, Outcome.LATE, Outcome.FAILED)
ANSWERED = ("backend", "balancer")


@dataclass(frozen=True, slots=True)
class Drilled:
    """A run, and who received it; no receiver whose server is not built."""

    directory: Path
    verdict: Mapping[str, Any]
    receivers: Mapping[str, Receiver]

    @property
    def failed_probes(self) -> list[Sample]:
        """As the run's own log has them."""
        probes = read_samples(self.directory / PROBES_FILE)
        return [probe for probe in probes if not probe.success and probe.error is not FailureKind.GENERATOR]


def switchover(*statuses: str, **environment: str) -> int:
    done = subprocess.run(
        (sys.executable, "-m", "switchover", *statuses),
        env={**os.environ, **package_environment(), **environment},
        capture_output=True,
        text=True,
        timeout=DRILL_TIMEOUT_S,
    )
    # On a busy machine the figures may not be trusted; they are counted all the same.
    assert done.returncode in (0, 2), done.stderr
    return done.returncode


@pytest.fixture(scope="module")
def drilled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Drilled]:
    folder = tmp_path_factory.mktemp("received")
    address = f"127.0.0.1:{free_port()}"
    statuses = ["drill", "--baseline", "2s", "--probe-rate", "50", "--users", "5", "--out", str(folder / "runs")]
    statuses += ["--prometheus", address]
    with contextlib.ExitStack() as servers:
        scraper = servers.enter_context(prometheus([address], folder / "prometheus"))
        collector = servers.enter_context(otlp_server())
        influx: dict[str, InfluxDB] = {
            kind: servers.enter_context(influxdb(kind, folder / kind)) for kind in ("1.8", "2.7") if is_built(kind)
        }
        urls = {kind: server.create(DATABASE) for kind, server in influx.items()}
        if "1.8" in urls:
            statuses += ["--influx", urls["1.8"], "--influx-wait", "60s"]
        switchover(*statuses, OTEL_EXPORTER_OTLP_ENDPOINT=collector.url)
        directory = newest_run(folder / "runs")
        if "2.7" in urls:
            upload = ("upload", str(directory), "--influx", urls["2.7"], "--wait", "60s")
            assert switchover(*upload, **influx["2.7"].environment) == 0
        run = directory.name
        receivers: dict[str, Receiver] = {
            "Prometheus": AskedInPromql(scraper, run),
            "OTLP": PushedByOtlp(collector.taken[-1][2], run),
        }
        for name, (kind, asked_in) in DATABASES.items():
            if kind in influx:
                receivers[name] = asked_in(influx[kind], DATABASE, run)
        yield Drilled(directory, json.loads((directory / VERDICT_FILE).read_text()), receivers)


@pytest.fixture(params=[*METRICS, *DATABASES])
def receiver(request: pytest.FixtureRequest, drilled: Drilled) -> Receiver:
    """Each of them."""
    if request.param in DATABASES:
        skip_unless_built(DATABASES[request.param][0])
    return drilled.receivers[request.param]


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest, drilled: Drilled) -> Database:
    """Each that has the points themselves."""
    skip_unless_built(DATABASES[request.param][0])
    found = drilled.receivers[request.param]
    assert isinstance(found, AskedInInfluxql | AskedInFlux)
    return found


def sent(receiver: Receiver, measurement: str, by: str, **only: str) -> dict[str, int]:
    """By the value of a tag, but for what the client could not send; that has no part in the verdict's counts."""
    found = Counter[str]()
    for outcome in SENT:
        found.update(receiver.counted(measurement, by, outcome=outcome, **only))
    return dict(found)


def some(counts: Mapping[str, int]) -> dict[str, int]:
    """Those that are not zero."""
    return {name: count for name, count in counts.items() if count}


@pytest.mark.parametrize(("measurement", "population"), [("probes", "probes"), ("requests", "samples")])
def test_it_counts_what_the_verdict_counts(
    measurement: str, population: str, receiver: Receiver, drilled: Drilled
) -> None:
    told = drilled.verdict[population]
    outcomes = {name: told[name] for name in ("late", "failed", "unsent")}
    outcomes["good"] = told["total"] - told["late"] - told["failed"]
    assert told["failed"] > 0
    assert some(receiver.counted(measurement, "outcome")) == some(outcomes)


def test_it_knows_how_many_probes_failed_and_how(receiver: Receiver, drilled: Drilled) -> None:
    told = drilled.verdict["probes"]["by_kind"]
    assert receiver.counted("probes", "error", outcome=Outcome.FAILED) == some(told)


def test_it_knows_which_backend_and_which_balancer_answered(receiver: Receiver, drilled: Drilled) -> None:
    """The verdict counts probes and the load together."""
    phases = drilled.verdict["distribution"]["by_phase"].values()
    for tag in ("backend", "balancer"):
        told, found = Counter[str](), Counter[str]()
        for phase in phases:
            told.update({name: answers["count"] for name, answers in phase[f"{tag}s"].items()})
        for measurement in ("probes", "requests"):
            for answered_by in ANSWERED:
                found.update(sent(receiver, measurement, tag, answered_by=answered_by))
        found.pop("", None)  # answers that do not say where they are from
        assert found == told
        assert len(found) >= 2


def test_it_knows_whether_any_of_them_answered(receiver: Receiver, drilled: Drilled) -> None:
    for measurement, population in (("probes", "probes"), ("requests", "samples")):
        assert some(sent(receiver, measurement, "answered_by")) == drilled.verdict[population]["by_answered_by"]
    failed = Counter(str(probe.identity.answered_by) for probe in drilled.failed_probes)
    assert receiver.counted("probes", "answered_by", outcome=Outcome.FAILED) == failed


def test_it_knows_when_it_was_killed_and_healed(receiver: Receiver, drilled: Drilled) -> None:
    plan = read_run(drilled.directory).plan
    (killed,) = (row for row in drilled.verdict["timeline"] if row["step"] == "kill")
    # The event has the begin of the command; the verdict has the kill, which the node stamped later.
    assert receiver.last_us("fault") <= killed["at_us"] == plan.fired_from_us
    assert receiver.last_us("heal") == plan.heal_from_us


def test_it_knows_when_the_outage_began_and_ended(receiver: Receiver, drilled: Drilled) -> None:
    """The last good answer before it is no event, but lies as long before its end as the outage can have been."""
    outage = drilled.verdict["outage"]
    ended_us = receiver.last_us("first_success")
    assert ended_us == outage["to_us"]
    assert ended_us - round(receiver.figure("outage_high_ms") * 1000) == outage["from_us"]


def test_it_has_the_verdict(receiver: Receiver, drilled: Drilled) -> None:
    verdict = drilled.verdict
    assert receiver.status() == verdict["verdict"]
    figures = {
        f"{name}_{end}_ms": verdict[name][f"{end}_ms"] for name in ("outage", "failback") for end in ("low", "high")
    }
    figures |= {"probes": verdict["probes"]["total"], "probes_failed": verdict["probes"]["failed"]}
    figures |= {"samples": verdict["samples"]["total"], "failed": verdict["samples"]["failed"]}
    # A metric has them in seconds; the verdict tells milliseconds with three decimals.
    assert {name: round(receiver.figure(name), 3) for name in figures} == figures


@pytest.mark.parametrize("name", METRICS)
def test_a_metrics_histogram_has_all_that_its_counter_has(name: str, drilled: Drilled) -> None:
    metrics = drilled.receivers[name]
    assert isinstance(metrics, AskedInPromql | PushedByOtlp)
    for measurement, counter in (("request", "requests"), ("probe", "probes")):
        for outcome in (Outcome.GOOD, Outcome.FAILED):
            counted = metrics.counted(counter, "outcome", outcome=outcome)
            assert {outcome: metrics.timed(measurement, outcome=outcome)} == counted


def test_a_database_knows_when_each_outage_was_first_felt(database: Database, drilled: Drilled) -> None:
    """A metric has the last event of a kind alone, so the failback's takes the place of the outage's."""
    (felt,) = (row for row in drilled.verdict["timeline"] if row["step"] == "first impairment")
    times_us = database.times_us("first_failure")
    assert times_us[0] == felt["at_us"]
    assert len(times_us) == 1 + bool(drilled.verdict["failback"]["gap_count"])


def test_a_database_knows_the_seconds_in_which_probes_failed(database: Database, drilled: Drilled) -> None:
    """A metric has totals as of its scrapes and pushes, some seconds later."""
    failed = Counter(probe.end_us // 1_000_000 for probe in drilled.failed_probes)
    assert database.counted_by_second("probes", outcome=Outcome.FAILED) == failed
