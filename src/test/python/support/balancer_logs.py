"""A lab's pair whose HAProxy logs each request and shows its counters to Prometheus."""

import socket
import threading
from contextlib import suppress
from pathlib import Path

from switchover.lab import addresses
from switchover.lab.lab import Lab

NODES = addresses.BALANCERS


class Syslog:
    """What both HAProxies log from `with` on: each has a socket as rsyslog gives it one. To a file HAProxy cannot be
    left: one that begins again writes over what stands there."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self.lines: dict[str, list[str]] = {node: [] for node in NODES}
        self._sockets = {node: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) for node in NODES}

    def __enter__(self) -> "Syslog":
        for node, receiver in self._sockets.items():
            path = self._lab.layout.host(node) / "log.sock"
            receiver.bind(str(path))
            threading.Thread(target=self._receive, args=(node, receiver), daemon=True).start()
            self._log_to(node, path)
        return self

    def __exit__(self, *_: object) -> None:
        for receiver in self._sockets.values():
            receiver.shutdown(socket.SHUT_RDWR)
            receiver.close()

    def _receive(self, node: str, receiver: socket.socket) -> None:
        with suppress(OSError):
            while line := receiver.recv(65536):
                self.lines[node].append(line.decode("utf-8", "replace").rstrip())

    def _log_to(self, node: str, path: Path) -> None:
        """Its counters are shown to Prometheus, too."""
        config = self._lab.layout.host(node) / "haproxy.cfg"
        text = config.read_text(encoding="utf-8")
        for before, after in (
            ("    log stderr format raw daemon notice\n", f"    log {path} local0 info\n"),
            ("    log global\n", "    log global\n    option httplog\n"),
            (
                "    stats enable\n",
                "    http-request use-service prometheus-exporter if { path /metrics }\n    stats enable\n",
            ),
        ):
            assert before in text
            text = text.replace(before, after)
        config.write_text(text, encoding="utf-8")
        status, said = self._lab.service(node, "haproxy", "reload")
        assert status == 0, said
