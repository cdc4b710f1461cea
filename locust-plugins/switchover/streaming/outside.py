"""Streaming for the client of a lab, which cannot reach the database. Processes outside of the lab send the
points."""

import contextlib
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Self, TextIO

from switchover.process.groups import wait_or_kill
from switchover.process.json_child import package_environment

SHIPPER = "switchover.streaming"
END_S = 15.0
"""The time, in seconds, for the processes to send the remaining points: the time limit of a process plus a margin."""


class OutsideStreams:
    """The listener, which accepts connections during the `with` block. Only this user can open the socket."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        # A killed listener may have left its socket.
        path.unlink(missing_ok=True)
        self._listener.bind(str(path))
        path.chmod(0o600)
        self._listener.listen()
        self._processes: list[subprocess.Popen[bytes]] = []
        threading.Thread(target=self._accept, name="streams", daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Wait until the processes have ended. After `END_S`, kill the processes."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._path.unlink(missing_ok=True)
        for process in self._processes:
            wait_or_kill(process, END_S)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                process = subprocess.Popen(
                    [sys.executable, "-P", "-m", SHIPPER],
                    stdin=connection.fileno(),
                    stdout=connection.fileno(),
                    env={**os.environ, **package_environment()},
                    start_new_session=True,
                )
            self._processes.append(process)


def connect_outside(path: Path | None) -> socket.socket | None:
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
    """Send the spec, and pass on all lines in both directions until the process outside of the lab has ended."""
    with contextlib.suppress(OSError), connection, connection.makefile("rw", encoding="utf-8") as far:

        def forward() -> None:
            # ValueError: the outside process has ended and its file is closed, but the parent still sends.
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
