"""Small servers on loopback that behave as badly as a test asks."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

Behaviour = Callable[[socket.socket, threading.Event], None]
"""What to do with an accepted connection; the event is set when the test is over."""
ENDLESS_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n"


@contextlib.contextmanager
def tcp_server(behave: Behaviour, address: str = "127.0.0.1") -> Iterator[int]:
    """The port of a server that treats every connection so."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.create_server((address, 0), family=family) as listener, _serving(listener, behave):
        yield listener.getsockname()[1]


@contextlib.contextmanager
def unix_server(path: Path, behave: Behaviour) -> Iterator[None]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(path))
        listener.listen()
        try:
            with _serving(listener, behave):
                yield
        finally:
            path.unlink()


def answers(answer: bytes) -> Behaviour:
    """Reads a request, answers, closes."""

    def behave(connection: socket.socket, over: threading.Event) -> None:
        connection.recv(65536)
        connection.sendall(answer)

    return behave


def answers_page(body: bytes, status: str = "200 OK") -> Behaviour:
    head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return answers(head.encode() + body)


def stays_silent(connection: socket.socket, over: threading.Event) -> None:
    over.wait()


def drips(connection: socket.socket, over: threading.Event) -> None:
    """A byte every 20 ms, for ever: no single read ever waits long."""
    while not over.wait(0.02):
        connection.sendall(b"x")


def after_head(behave: Behaviour, head: bytes = ENDLESS_HEAD) -> Behaviour:
    """Reads a request, sends the head of an answer, and goes on so."""

    def begin(connection: socket.socket, over: threading.Event) -> None:
        connection.recv(65536)
        connection.sendall(head)
        behave(connection, over)

    return begin


def pours(connection: socket.socket, over: threading.Event) -> None:
    """One line without an end."""
    while not over.is_set():
        connection.sendall(b"x" * 65536)


@contextlib.contextmanager
def _serving(listener: socket.socket, behave: Behaviour) -> Iterator[None]:
    over = threading.Event()
    workers: list[threading.Thread] = []

    def work(connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            behave(connection, over)

    def accept() -> None:
        while not over.is_set():
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            worker = threading.Thread(target=work, args=(connection,))
            worker.start()
            workers[:] = [*filter(threading.Thread.is_alive, workers), worker]

    acceptor = threading.Thread(target=accept)
    acceptor.start()
    try:
        yield
    finally:
        over.set()
        listener.shutdown(socket.SHUT_RDWR)
        acceptor.join()
        for worker in workers:
            worker.join()
