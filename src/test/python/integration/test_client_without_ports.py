"""What a client that has no port left cannot send is told as the generator's, and breaks no limit of the pair."""

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support.drilling import drill, report
from support.waiting import wait_for
from switchover.lab.blueprint import MANY_PORTS
from switchover.lab.lab import Lab
from switchover.model.failure_kind import FailureKind

((PORTS, MANY),) = MANY_PORTS.items()
TWO = "40000 40001"


@pytest.mark.parametrize("generator", ["locust", "jmeter"])
def test_a_client_without_ports_is_not_taken_for_a_pair_that_failed(generator: str, lab: Lab, tmp_path: Path) -> None:
    statuses = ("--fault", "none", "--baseline", "12s", "--limit", "failed-total=0")
    load = ("--users", "20", "--probe-rate", "20", "--generator", generator)
    with ThreadPoolExecutor() as beside:
        drilled = beside.submit(drill, lab, tmp_path, *statuses, *load)
        try:
            wait_for(lambda: len(_rows(tmp_path)) > 100, "the load")
            _set_ports(lab, TWO)
            wait_for(lambda: any(f",{FailureKind.GENERATOR}," in row for row in _rows(tmp_path)), "a request unsent")
        finally:
            _set_ports(lab, MANY)
        done = drilled.result()
    done.assert_word("PASSED")
    samples = done.verdict["samples"]
    assert samples["failed"] == 0 and samples["unsent"] > 0
    assert done.limit("failed-total")["state"] == done.limit("unaccounted")["state"] == "kept"
    said = " ".join(report(done.directory).stdout.split())
    assert f"Failed total 0 0 of {samples['total']:,} limit 0" in said
    assert f"requests; {samples['unsent']:,} unsent or aborted by the client" in said


def _rows(runs: Path) -> list[str]:
    return [row for log in runs.glob("*/samples*.jtl") for row in log.read_text(encoding="utf-8").splitlines()]


def _set_ports(lab: Lab, ports: str) -> None:
    subprocess.run(lab.exec_argv("client", ["sysctl", "-qw", f"{PORTS}={ports}"]), check=True, timeout=10)
