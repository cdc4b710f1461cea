"""`--publish PORT`: make a port of the lab's client reachable on the loopback address of this machine."""

import os
import socket
import threading
from contextlib import suppress
from pathlib import Path

from switchover.lab.control import borrow_connection
from switchover.model.errors import LabError, UsageError

LOOPBACK = "127.0.0.1"
CONNECT_TIMEOUT_S = 2.0
CHUNK = 65536


class Relay:
    """Forwards connections from 127.0.0.1:PORT of this machine to 127.0.0.1:PORT of the lab's client. Each connection
    has a thread."""

    def __init__(self, port: int) -> None:
        """Bind the port in the constructor, so that a port in use is reported before the lab starts."""
        if not 1 <= port <= 65535:
            raise UsageError(f"--publish {port}: a port is a number from 1 to 65535")
        try:
            self._listener = socket.create_server((LOOPBACK, port))
        except OSError as error:
            reason = os.strerror(error.errno or 0)
            raise LabError(f"cannot publish port {port} on {LOOPBACK}: {reason}; choose another port") from error
        self.port = port

    def start(self, agent: Path) -> None:
        threading.Thread(target=self._accept, args=(agent,), daemon=True).start()

    def __enter__(self) -> "Relay":
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def _accept(self, agent: Path) -> None:
        with suppress(OSError):  # the listener was closed
            while True:
                outside, _ = self._listener.accept()
                threading.Thread(target=self._carry, args=(outside, agent), daemon=True).start()

    def _carry(self, outside: socket.socket, agent: Path) -> None:
        with outside, suppress(LabError):
            inside = borrow_connection(agent, LOOPBACK, self.port, CONNECT_TIMEOUT_S)
            if inside is not None:
                copy_both_ways(outside, inside)


def copy_both_ways(first: socket.socket, second: socket.socket) -> None:
    """Copy data in both directions until both sides have closed, or one side fails. Then close both sockets."""
    with first, second:
        for end in (first, second):
            end.setblocking(True)
        back = threading.Thread(target=_copy, args=(second, first), daemon=True)
        back.start()
        _copy(first, second)
        back.join()


def _copy(source: socket.socket, sink: socket.socket) -> None:
    try:
        while data := source.recv(CHUNK):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:  # one side failed, so end the other direction, too
        for end in (source, sink):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
