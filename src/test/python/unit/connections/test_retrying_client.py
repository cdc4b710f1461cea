"""The client that sends again, against a server that cuts the first request of each connection but one."""

import socket
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from support.connections import GOOD, read_rows
from support.ports import closed_port
from support.servers import tcp_server
from support.waiting import wait_for
from switchover.connections.spec import HeldSpec, KeptOpen, RetryingClient, require_retrying_client
from switchover.model.errors import UsageError
from switchover.model.held_kind import HeldKind
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


def rows_of_retrying_client(method: str, log: Path) -> tuple[Sequence[dict[str, str]], dict[str, object]]:
    with tcp_server(Cutting()) as port:
        url = f"http://127.0.0.1:{port}/"
        spec = HeldSpec(Endpoint(url), log, (KeptOpen(HeldKind.POOLED, 1, url),), method=method)
        with RetryingClient(spec) as retrying_client:
            wait_for(lambda: len(read_rows(log)) >= 2)
            account = retrying_client.stop()
    return read_rows(log), account


def test_a_put_whose_connection_was_closed_under_it_is_sent_again_without_a_word(tmp_path: Path) -> None:
    rows, account = rows_of_retrying_client("PUT", tmp_path / "retrying_client.jtl")
    assert [(row["success"], row["attempts"]) for row in rows[:2]] == [("true", "2"), ("true", "1")]
    assert rows[0]["failureMessage"].startswith("retried by urllib3: ") and rows[0]["worker"] == "17"
    assert account["requests"] == len(rows) and account["failed"] == {} and "warning" not in account


def test_a_post_is_not(tmp_path: Path) -> None:
    rows, _ = rows_of_retrying_client("POST", tmp_path / "retrying_client.jtl")
    assert [(row["error"], row["ended_by"], row["attempts"]) for row in rows[:2]] == [
        ("truncated", "fin", "1"),
        ("", "", "1"),
    ]


def test_a_refused_connection_is_refused_and_not_late(tmp_path: Path) -> None:
    log = tmp_path / "retrying_client.jtl"
    with closed_port() as port:
        url = f"http://127.0.0.1:{port}/"
        with RetryingClient(HeldSpec(Endpoint(url), log, (KeptOpen(HeldKind.POOLED, 1, url),), method="PUT")):
            wait_for(lambda: len(read_rows(log)) >= 1)
    assert [read_rows(log)[0][name] for name in ("error", "ended_by", "attempts")] == ["refused", "", "4"]


def test_a_retrying_client_needs_pooled_connections() -> None:
    with pytest.raises(UsageError, match="--retrying-client needs pooled connections"):
        require_retrying_client((KeptOpen(HeldKind.IDLE, 1, "http://127.0.0.1/"),))
