"""Followers for those who have no way to the database: a lab's client knows only the lab's network.

Each connection to the socket gets a follower process of its own.
"""

import contextlib
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

from switchover.process.json_child import package_environment

FOLLOWER, EXPORTER = "switchover.streaming.influx", "switchover.streaming.metrics"
"""The modules whose processes can be had outside."""
END_S = 15.0
"""For followers that send what is left: their own wait, and a margin."""


class OutsideFollowers:
    """Accepts as long as the `with` block lasts; the socket is for this user alone, as is the lab's directory."""

    def __init__(self, path: Path, module: str = FOLLOWER) -> None:
        self._path = path
        self._module = module
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        # The listener before was killed.
        path.unlink(missing_ok=True)
        self._listener.bind(str(path))
        path.chmod(0o600)
        self._listener.listen()
        self._processes: list[subprocess.Popen[bytes]] = []
        threading.Thread(target=self._accept, name="followers", daemon=True).start()

    def __enter__(self) -> "OutsideFollowers":
        return self

    def __exit__(self, *_: object) -> None:
        """Those who asked for them have gone, so they come to their end."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._path.unlink(missing_ok=True)
        for process in self._processes:
            try:
                process.wait(END_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                self._processes.append(
                    subprocess.Popen(
                        [sys.executable, "-P", "-m", self._module],
                        stdin=connection.fileno(),
                        stdout=connection.fileno(),
                        env={**os.environ, **package_environment()},
                        start_new_session=True,
                    )
                )
