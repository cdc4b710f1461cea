"""A server that never comes to an end: it reads what it is sent, and answers with a byte now and then."""

import contextlib
import socket
import threading
from collections.abc import Iterator

PAUSE_S = 0.05
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n"


@contextlib.contextmanager
def dripping_server(head: bytes = HEAD) -> Iterator[int]:
    """Its port. After `head` each byte waits for `PAUSE_S`, until the client has gone or the block ends."""
    is_over = threading.Event()

    def drip(connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            connection.recv(65536)
            connection.sendall(head)
            while not is_over.wait(PAUSE_S):
                connection.sendall(b" ")

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=drip, args=(connection,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        acceptor = threading.Thread(target=accept, daemon=True)
        acceptor.start()
        try:
            yield listener.getsockname()[1]
        finally:
            is_over.set()
            listener.shutdown(socket.SHUT_RDWR)
            acceptor.join()
