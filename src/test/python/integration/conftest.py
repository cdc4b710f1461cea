"""One lab for all tests that leave it as they found it: a drill heals what it broke; each test finds it whole."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.hand_made_pair import holds_the_address, runs_on
from support.influxdb import VERSIONS, InfluxDB, influxdb
from support.misbehaving import MisbehavingServer, misbehaving
from support.waiting import wait_for
from switchover.lab import addresses
from switchover.lab.lab import Lab
from switchover.lab.spec import LabSpec


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all tests of this folder before pytest chooses by marks."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.integration)


@pytest.fixture(scope="session")
def lab() -> Iterator[Lab]:
    with Lab(LabSpec()) as running:
        yield running


@pytest.fixture(autouse=True)
def find_and_leave_a_whole_pair(request: pytest.FixtureRequest) -> Iterator[None]:
    """After a heal the address comes back to lb1 seconds later, perhaps after the end of the drill.

    That is awaited after a test, too: what the next module has its tests share is made before any of them begins.
    """
    lab = request.getfixturevalue("lab") if "lab" in request.fixturenames else None
    _wait_until_whole(lab)
    yield
    _wait_until_whole(lab)


def _wait_until_whole(lab: Lab | None) -> None:
    if lab is not None:
        wait_for(lambda: all(runs_on(lab, host.name) for host in addresses.balancers()), "both balancers")
        wait_for(lambda: holds_the_address(lab, "lb1") and not holds_the_address(lab, "lb2"), "lb1 to be the master")


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """A folder for Unix sockets, whose paths end at 107 bytes; pytest's own are longer."""
    with tempfile.TemporaryDirectory(prefix="sw-") as folder:
        yield Path(folder)


@pytest.fixture(scope="session", params=VERSIONS)
def influx(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[InfluxDB]:
    """A running server of each kind, shared by the tests: each makes a database of its own, and none ends it."""
    kind: str = request.param
    with influxdb(kind, tmp_path_factory.mktemp("influxdb") / kind) as server:
        yield server


@pytest.fixture
def server() -> Iterator[MisbehavingServer]:
    with misbehaving() as running:
        yield running
