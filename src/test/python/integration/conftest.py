"""One lab for all tests that leave it as they found it: every drill heals what it broke."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.influxdb import VERSIONS, InfluxDB, influxdb
from switchover.lab.lab import Lab
from switchover.lab.spec import LabSpec


@pytest.fixture(scope="session")
def lab() -> Iterator[Lab]:
    with Lab(LabSpec()) as running:
        yield running


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
