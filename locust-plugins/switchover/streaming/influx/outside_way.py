"""From a process that has only a lab's network to the one outside that does its work (`outside_followers.py`)."""

import contextlib
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO


def do_outside(path: Path | None, spec: str, do_here: Callable[[], None]) -> None:
    """Has the process outside do what `spec` says; where there is none, it is done here."""
    connection = connect_outside(path)
    if connection is None:
        do_here()
    else:
        pass_on(connection, spec)


def connect_outside(path: Path | None) -> socket.socket | None:
    """The connection to the outside process; None: there is none, and this process does the work itself."""
    if path is None:
        return None
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(str(path))
    except OSError:
        connection.close()
        return None
    return connection


def pass_on(connection: socket.socket, spec: str) -> None:
    """The spec, then all lines both ways, until the outside process has said its last word, or is gone."""
    with contextlib.suppress(OSError), connection, connection.makefile("rw", encoding="utf-8") as far:

        def forward() -> None:
            # ValueError: the outside process was gone, and its file closed, while the parent spoke on.
            with contextlib.suppress(OSError, ValueError):
                _copy(sys.stdin, far)
                connection.shutdown(socket.SHUT_WR)

        far.write(spec + "\n")
        far.flush()
        threading.Thread(target=forward, name="forward", daemon=True).start()
        _copy(far, sys.stdout)


def _copy(source: Iterator[str], sink: TextIO) -> None:
    for line in source:
        sink.write(line)
        sink.flush()
