"""Go's client beside ours: what it sends again by itself, and what it tells its caller."""

import json
import shutil
import socket
import threading
from pathlib import Path

import pytest

from integration.test_change import make_changes
from support.patient import GOOD, read_rows
from support.servers import tcp_server
from support.waiting import wait_for
from switchover.model.patient_kind import PatientKind
from switchover.model.twin_client import TwinClient
from switchover.patient.go_build import build_go_client
from switchover.patient.parent import GoTwin
from switchover.patient.spec import KeptOpen, PatientSpec
from switchover.target.model import Endpoint

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(shutil.which("go") is None, reason="there is no go on the PATH"),
]
PLACES = 2


class CuttingKept:
    """Answers the first request of each place's first connection, and closes it under the second."""

    def __init__(self) -> None:
        self.connections = 0

    def __call__(self, connection: socket.socket, over: threading.Event) -> None:
        self.connections += 1
        is_cut = self.connections <= PLACES
        while connection.recv(65536):
            connection.sendall(GOOD)
            if is_cut:
                connection.recv(65536)
                return


def test_go_sends_a_put_again_where_it_has_an_idempotency_key_and_tells_of_the_loss_where_not(
    tmp_path: Path,
) -> None:
    assert build_go_client().why == ""
    log = tmp_path / "twin-go.jtl"
    with tcp_server(CuttingKept()) as port:
        url = f"http://127.0.0.1:{port}/"
        spec = PatientSpec(Endpoint(url), log, (KeptOpen(PatientKind.POOLED, PLACES, url),), method="PUT")
        with GoTwin.start(spec) as twin:
            wait_for(lambda: len(read_rows(log)) >= 4 * PLACES)
            account = twin.stop()
    rows = read_rows(log)
    plain, keyed = (
        [row for row in rows if row["threadName"] == name]
        for name in (f"{TwinClient.GO} 1", f"{TwinClient.GO_KEYED} 2")
    )
    assert [(row["success"], row["attempts"]) for row in keyed[:3]] == [("true", "1"), ("true", "2"), ("true", "1")]
    assert keyed[1]["failureMessage"] == "resent by itself: read: EOF"
    assert [(row["error"], row["ended_by"], row["attempts"]) for row in plain[:3]] == [
        ("", "", "1"),
        ("truncated", "fin", "1"),
        ("", "", "1"),
    ]
    assert account["requests"] == len(rows) and account["failed"] == {"pooled": 1} and "warning" not in account
    starts = [int(row["timeStamp"]) for row in rows]
    assert max(starts) - min(starts) < 60_000, "its clock is ours"


def test_the_twins_of_a_series_of_changes_are_told_apart(tmp_path: Path) -> None:
    options = ("--times", "2", "--every", "3s", "--patient", "pooled=10", "--twin", "--probe-rate", "100")
    _, verdict, _ = make_changes(tmp_path, "haproxy-reload", *options)
    assert verdict["word"] == "MEASURED", verdict["reasons"]
    twins = {twin["client"]: twin for twin in verdict["changes"]["twins"]}
    assert set(twins) == set(TwinClient)
    assert all(twin["attempts"] >= twin["requests"] > 0 for twin in twins.values()), json.dumps(twins)
    assert verdict["reconciliation"]["unexplained"] == 0
