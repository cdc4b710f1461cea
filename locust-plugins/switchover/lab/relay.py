"""`--publish PORT`: a port of the lab's client, reachable on this machine's loopback."""

import selectors
import socket
import threading
from pathlib import Path
from types import TracebackType

from switchover.errors import LabError
from switchover.lab.control import borrow_connection

LOOPBACK = "127.0.0.1"
CONNECT_TIMEOUT_S = 2.0
CHUNK = 65536


class Relay:
    """Accepts on 127.0.0.1:PORT here and copies to 127.0.0.1:PORT inside, a thread for each connection."""

    def __init__(self, port: int, agent: Path) -> None:
        self._agent = agent
        try:
            self._listener = socket.create_server((LOOPBACK, port))
        except (OSError, OverflowError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise LabError(f"cannot publish port {port} on {LOOPBACK}: {reason}; choose another one") from error
        self.port: int = self._listener.getsockname()[1]
        self._inside = port or self.port
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> "Relay":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                outside, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._carry, args=(outside,), daemon=True).start()

    def _carry(self, outside: socket.socket) -> None:
        with outside:
            try:
                inside = borrow_connection(self._agent, LOOPBACK, self._inside, CONNECT_TIMEOUT_S)
            except LabError:
                return
            if inside is not None:
                with inside:
                    copy_both_ways(outside, inside)


def copy_both_ways(one: socket.socket, other: socket.socket) -> None:
    """Until both sides have said that they are done, or one is gone."""
    one.setblocking(True)
    other.setblocking(True)
    with selectors.DefaultSelector() as selector:
        selector.register(one, selectors.EVENT_READ, other)
        selector.register(other, selectors.EVENT_READ, one)
        while selector.get_map():
            for key, _ in selector.select():
                source, sink = key.fileobj, key.data
                assert isinstance(source, socket.socket)
                try:
                    data = source.recv(CHUNK)
                    if data:
                        sink.sendall(data)
                    else:
                        selector.unregister(source)
                        sink.shutdown(socket.SHUT_WR)
                except OSError:
                    return
