import socket
import threading

import pytest

from switchover.lab.relay import Relay, copy_both_ways
from switchover.model.errors import LabError, UsageError


def test_bytes_and_ends_travel_both_ways() -> None:
    caller, near = socket.socketpair()
    far, server = socket.socketpair()
    carrier = threading.Thread(target=copy_both_ways, args=(near, far))
    carrier.start()
    with caller, near, far, server:
        caller.sendall(b"question" * 50_000)
        caller.shutdown(socket.SHUT_WR)
        received = b""
        while piece := server.recv(65536):
            received += piece
        assert received == b"question" * 50_000
        server.sendall(b"answer")
        server.shutdown(socket.SHUT_WR)
        assert caller.recv(100) == b"answer"
        assert caller.recv(100) == b""
        carrier.join(20)
        assert not carrier.is_alive()


def test_a_port_in_use_is_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(
            LabError, match=rf"cannot publish port {port} on 127.0.0.1: Address already in use; choose"
        ):
            Relay(port)


def test_a_port_that_cannot_be_is_one_line() -> None:
    with pytest.raises(UsageError, match="--publish 70000: a port is a number"):
        Relay(70_000)
