"""Where the metrics of a drilled run are served."""

from contextlib import nullcontext
from pathlib import Path

import pytest

from switchover.drill import streaming
from switchover.target.lab_directory import LabDirectory


@pytest.fixture(autouse=True)
def nothing_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "MetricsExport", lambda *_, **__: nullcontext())


@pytest.mark.parametrize(("address", "notes"), [(":9464", 1), (None, 0)])
def test_in_a_labs_client_it_is_said_that_the_machine_serves_them(
    tmp_path: Path, address: str | None, notes: int
) -> None:
    LabDirectory(tmp_path).exporter_socket.parent.mkdir(parents=True, exist_ok=True)
    LabDirectory(tmp_path).exporter_socket.touch()
    said: list[str] = []
    with streaming.export(tmp_path, address, tmp_path, said.append):
        pass
    assert len(said) == notes and all(":9464 of the machine that has the lab" in text for text in said)


def test_elsewhere_they_are_where_the_run_is(tmp_path: Path) -> None:
    said: list[str] = []
    with streaming.export(tmp_path, ":9464", None, said.append):
        pass
    assert said == []
