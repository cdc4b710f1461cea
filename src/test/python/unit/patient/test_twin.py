"""The client that sends again, against a server that cuts the first request of each connection but one."""

import socket
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from support.changes import EVERY_US, Rows, change, end_us, no_samples
from support.patient import GOOD, read_rows
from support.servers import tcp_server
from support.waiting import wait_for
from switchover.analysis.change_figures import measure_changes
from switchover.model.errors import UsageError
from switchover.model.failure_kind import FailureKind
from switchover.model.patient_kind import PatientKind
from switchover.model.twin_client import TwinClient
from switchover.patient.parent import Twin
from switchover.patient.spec import KeptOpen, PatientSpec, require_twin
from switchover.report.change_table import change_lines
from switchover.target.model import Endpoint


class Cutting:
    """Closes the first connection under its request, and answers what comes on the others."""

    def __init__(self) -> None:
        self.connections = 0

    def __call__(self, connection: socket.socket, over: threading.Event) -> None:
        self.connections += 1
        is_cut = self.connections == 1
        while connection.recv(65536) and not is_cut:
            connection.sendall(GOOD)


def rows_of_twin(method: str, log: Path) -> tuple[Sequence[dict[str, str]], dict[str, object]]:
    with tcp_server(Cutting()) as port:
        url = f"http://127.0.0.1:{port}/"
        spec = PatientSpec(Endpoint(url), log, (KeptOpen(PatientKind.POOLED, 1, url),), method=method)
        with Twin.start(spec) as twin:
            wait_for(lambda: len(read_rows(log)) >= 2)
            account = twin.stop()
    return read_rows(log), account


def test_a_put_whose_connection_was_closed_under_it_is_sent_again_without_a_word(tmp_path: Path) -> None:
    rows, account = rows_of_twin("PUT", tmp_path / "twin.jtl")
    assert [(row["success"], row["attempts"]) for row in rows[:2]] == [("true", "2"), ("true", "1")]
    assert rows[0]["failureMessage"].startswith("resent by itself: ") and rows[0]["worker"] == "17"
    assert account["requests"] == len(rows) and account["failed"] == {} and "warning" not in account


def test_a_post_is_not(tmp_path: Path) -> None:
    rows, _ = rows_of_twin("POST", tmp_path / "twin.jtl")
    assert [(row["error"], row["ended_by"], row["attempts"]) for row in rows[:2]] == [
        ("truncated", "fin", "1"),
        ("", "", "1"),
    ]


def test_what_it_hides_stands_beside_what_was_lost(tmp_path: Path) -> None:
    ours, twin = Rows(tmp_path / "patient.jtl"), Rows(tmp_path / "twin.jtl")
    for place in ("1.1", "2.1"):
        ours.add(EVERY_US, error=FailureKind.RESET, number=1, place=place)
    twin.add(EVERY_US, number=1, attempts=2, thread="urllib3 1")
    twin.add(EVERY_US, number=1, error=FailureKind.RESET, thread="urllib3 2")
    twin.add(EVERY_US, number=1, thread="urllib3 1")
    twin.add(0, attempts=2, thread="urllib3 1")
    twin.add(EVERY_US, number=1, error=FailureKind.RESET, thread="go 1")
    twin.add(EVERY_US, number=1, attempts=2, thread="go-keyed 2")
    made = [change(1)]
    found = measure_changes(made, ours.read(), end_us(made), samples=no_samples(), twins=twin.read())
    assert found is not None and found.lost == 2
    told = {twin.client: (twin.requests, twin.raised, twin.resent, twin.attempts) for twin in found.twins}
    assert told == {
        TwinClient.URLLIB3: (3, 1, 1, 4),
        TwinClient.GO: (1, 1, 0, 1),
        TwinClient.GO_KEYED: (1, 0, 1, 2),
    }
    lines = change_lines(found)
    assert "pooled: 2 lost by the client that never sends again" in lines
    assert any("told its caller of 1 errors in 3 requests, and sent 1 again" in line for line in lines)


def test_a_twin_needs_pooled_connections() -> None:
    with pytest.raises(UsageError, match="--twin is that of pooled connections"):
        require_twin((KeptOpen(PatientKind.IDLE, 1, "http://127.0.0.1/"),))
