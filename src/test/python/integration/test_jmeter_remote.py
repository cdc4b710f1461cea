"""A client and two servers on loopback: with each sender that loses nothing the counts add up to the last sample."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.jmetering import LOCALLY, Shop, only_run, remote_server, run, shop, write_plan

pytestmark = pytest.mark.integration

THREADS, LOOPS = 3, 40
THINK_MS = 50
"""Long enough together for both servers to be at work at the same time."""
COLUMNS = "-Jsample_variables=backend,balancer,answered_by"


@pytest.fixture(scope="module")
def server() -> Iterator[Shop]:
    with shop() as running:
        yield running


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    folder = tmp_path_factory.mktemp("servers")
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(remote_server(folder / name)) for name in ("one", "two")]


def remote(folder: Path, servers: list[str], server: Shop, *arguments: str) -> str:
    plan = write_plan(
        folder / "plan.jmx",
        server.port,
        threads=THREADS,
        loops=LOOPS,
        out=folder / "runs",
        think_ms=THINK_MS,
    )
    return run(
        "-n", "-t", str(plan), "-R", ",".join(servers), *LOCALLY, *arguments, "-l", "results.csv", folder=folder
    )


@pytest.mark.parametrize("mode", ["Standard", "Batch", "DiskStore", "StrippedBatch", "StrippedDiskStore"])
def test_every_sample_of_both_servers_is_a_row(mode: str, tmp_path: Path, servers: list[str], server: Shop) -> None:
    before = server.requests
    remote(tmp_path, servers, server, f"-Jmode={mode}", COLUMNS)
    asked = server.requests - before
    left = only_run(tmp_path / "runs")
    assert asked == 2 * THREADS * LOOPS
    assert len(left.samples) == left.counted == asked
    assert left.load["state"] == "ended"
    assert {worker["worker"]: worker["samples"] for worker in left.load["workers"]} == dict.fromkeys(
        servers, THREADS * LOOPS
    )
    assert {worker["ended"] for worker in left.load["workers"]} == {"stopped"}
    assert sum(sample.identity.answered_by == "balancer" for sample in left.samples) == asked // 10
    header, *rows = (tmp_path / "results.csv").read_text().splitlines()
    assert header.endswith('"backend","balancer","answered_by"')
    assert len(rows) == asked
    assert all(row.endswith((",lb1,backend", ",,lb1,balancer")) for row in rows)


@pytest.mark.parametrize("mode", ["Asynch", "StrippedAsynch", "Statistical"])
def test_a_sender_that_loses_samples_is_refused_before_there_is_load(
    mode: str, tmp_path: Path, servers: list[str], server: Shop
) -> None:
    before = server.requests
    output = remote(tmp_path, servers, server, f"-Jmode={mode}")
    assert f"mode={mode} " in output
    assert "-Jmode=StrippedBatch" in output
    assert server.requests == before
    assert not (tmp_path / "runs").exists()
