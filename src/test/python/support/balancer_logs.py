"""Clients of a lab's pair that are nobody's probes, and the logs that its HAProxy writes of them."""

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from switchover.lab import addresses
from switchover.lab.lab import Lab

NODES = addresses.BALANCERS
MARK = "/?client"
"""What the clients ask for: by it their lines are told from those of the probes."""
ARRIVING, WAITING = "arriving", "waiting"
"""New clients that come at random, or a few that are always the same. All wait as TCP does."""

CLIENTS = """
import random, socket, sys, threading, time
address, kind, seed, mark = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
chance = random.Random(seed)

def ask():
    try:
        with socket.create_connection((address, 80), 30) as connection:
            connection.settimeout(30)
            lines = (f"GET {mark} HTTP/1.1", f"Host: {address}", "Connection: close", "", "")
            connection.sendall("\\r\\n".join(lines).encode())
            while connection.recv(65536):
                pass
    except OSError:
        pass

def ask_on(wait):
    while True:
        ask()
        time.sleep(wait.expovariate(5))

print("asking", flush=True)
if kind == "waiting":
    for number in range(8):
        threading.Thread(target=ask_on, args=(random.Random(seed * 100 + number),), daemon=True).start()
    threading.Event().wait()
while True:
    time.sleep(chance.expovariate(30))
    threading.Thread(target=ask, daemon=True).start()
"""


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

    def keep(self, folder: Path, *, of_clients: bool) -> list[str]:
        """The pair's logs as files, all lines or those of the clients alone; as options of a report."""
        words = []
        folder.mkdir(parents=True, exist_ok=True)
        for node, lines in self.lines.items():
            kept = [line for line in lines if '"GET /' in line and (not of_clients or MARK in line)]
            path = folder / f"{node}-{'clients' if of_clients else 'all'}.log"
            path.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
            words += ["--haproxy-log", f"{node}={path}"]
        return words


@contextmanager
def clients(lab: Lab, kind: str, seed: int) -> Iterator[None]:
    """They ask, from before the block on to its end."""
    command = [sys.executable, "-c", CLIENTS, addresses.VIP, kind, str(seed), MARK]
    with subprocess.Popen(lab.exec_argv(addresses.CLIENT, command), stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        running.stdout.readline()
        try:
            yield
        finally:
            running.terminate()


def in_local_time(at_us: int) -> str:
    """As HAProxy's log has it."""
    return datetime.fromtimestamp(at_us / 1e6).isoformat()
