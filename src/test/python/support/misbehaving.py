"""A server that misbehaves in every way that a balancer or a backend does, and counts what it really saw.

It runs in a process of its own, so that a test, and a client that patches its own process, meet real sockets:

    with misbehaving() as server:
        server.url("fin_in_headers")          # http://127.0.0.1:PORT/, a port for each behaviour
        server.url("site", "/redirect/3")     # the healthy half, see wellbehaved.py
        server.url("tls_site")                # https, behind `server.certificate`, which nobody trusts by itself
        server.seen("fin_in_headers")         # Seen(connections, requests, nbytes, ended), exact

Behaviours are the functions of misbehaviour.py and wellbehaved.py, and besides them `refused` (nobody listens),
`connect_timeout` (a full queue of connections: SYNs are dropped) and `tls_` with the name of any other.
Clients in other processes read the counts from `server.counts_url`, as JSON by behaviour.

    python -m support.misbehaving DIRECTORY    the server itself: prints its ports, ends with its standard input
"""

import contextlib
import http.server
import json
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

import support.wellbehaved  # noqa: F401 - its behaviour registers itself
from support.certificate import write_certificate
from support.exchange import TURN_S, Exchange, GoneError, Seen
from support.misbehaviour import BEHAVIOURS, Behaviour, secured

PATIENCE_S = 30.0
SETTLE_S = 5.0
LOOPBACK = "127.0.0.1"
TLS_BEHAVIOURS = ("site", "rst_after_request", "fin_in_headers", "fin_in_body", "kept_rst", "idle_fin")
"""Those that are also there behind TLS."""


class MisbehavingServer:
    """The running server, seen from the test."""

    def __init__(self, ports: dict[str, int], certificate: Path) -> None:
        self.ports = ports
        self.certificate = certificate
        self.counts_url = f"http://{LOOPBACK}:{ports['counts']}/"

    def url(self, behaviour: str, path: str = "/") -> str:
        scheme = "https" if behaviour.startswith("tls_") else "http"
        return f"{scheme}://{LOOPBACK}:{self.ports[behaviour]}{path}"

    def seen(self, behaviour: str) -> Seen:
        return self.counts().get(behaviour, Seen())

    def counts(self) -> dict[str, Seen]:
        """Of all behaviours that anybody has connected to."""
        with urllib.request.urlopen(self.counts_url, timeout=PATIENCE_S) as answer:
            return {name: Seen(**values) for name, values in json.load(answer).items()}

    def wait(self, behaviour: str, until: Callable[[Seen], bool]) -> Seen:
        """What was seen, as soon as it is so: a server learns of some things after its client."""
        give_up = time.monotonic() + PATIENCE_S
        while not until(seen := self.seen(behaviour)):
            assert time.monotonic() < give_up, f"{behaviour} saw only {seen}"
            time.sleep(0.01)
        return seen


@contextlib.contextmanager
def misbehaving() -> Iterator[MisbehavingServer]:
    """The server, for as long as the block lasts."""
    with tempfile.TemporaryDirectory() as directory:
        process = subprocess.Popen(
            [sys.executable, "-m", "support.misbehaving", directory],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parents[1],
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            ports = json.loads(process.stdout.readline())
            yield MisbehavingServer(ports, Path(directory, "cert.pem"))
        finally:
            process.stdin.close()
            process.wait(PATIENCE_S)
            process.stdout.close()


class _Host:
    """All listeners of the process."""

    def __init__(self, directory: Path) -> None:
        self.ports: dict[str, int] = {}
        self.seen: dict[str, Seen] = {}
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._open: list[socket.socket] = []
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificate = write_certificate(directory)
        context.load_cert_chain(certificate, certificate.with_name("key.pem"))
        for name, behave in BEHAVIOURS.items():
            self._serve(name, behave)
        for name in TLS_BEHAVIOURS:
            self._serve(f"tls_{name}", secured(BEHAVIOURS[name], context))
        self._refuse()
        self._fill()
        self._tell()

    def _serve(self, name: str, behave: Behaviour) -> None:
        listener = socket.create_server((LOOPBACK, 0), backlog=1024)
        self.ports[name] = listener.getsockname()[1]
        seen = self.seen[name] = Seen()

        def work(sock: socket.socket) -> None:
            sock.settimeout(TURN_S)
            exchange = Exchange(sock, seen, self._lock, self._over)
            with contextlib.suppress(GoneError):
                behave(exchange)
            exchange.close()

        def accept() -> None:
            while True:
                sock, _ = listener.accept()
                with self._lock:
                    seen.connections += 1
                threading.Thread(target=work, args=(sock,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()

    def _refuse(self) -> None:
        """A port that nobody listens on, and that nobody else is given meanwhile."""
        sock = socket.socket()
        sock.bind((LOOPBACK, 0))
        self._open.append(sock)
        self.ports["refused"] = sock.getsockname()[1]

    def _fill(self) -> None:
        """Connect to a listener that never accepts until the kernel drops the SYN of the next one."""
        listener = socket.socket()
        listener.bind((LOOPBACK, 0))
        listener.listen(0)
        self._open.append(listener)
        address = listener.getsockname()
        self.ports["connect_timeout"] = address[1]
        for _ in range(16):
            sock = socket.socket()
            sock.settimeout(0.3)
            self._open.append(sock)
            try:
                sock.connect(address)
            except TimeoutError:
                return
        raise RuntimeError("the kernel accepts connections without end")

    def _tell(self) -> None:
        host = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                with host._lock:
                    body = json.dumps({name: asdict(seen) for name, seen in host.seen.items()}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        server = http.server.ThreadingHTTPServer((LOOPBACK, 0), Handler)
        self.ports["counts"] = server.server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def end(self) -> None:
        self._over.set()


def main() -> None:
    host = _Host(Path(sys.argv[1]))
    print(json.dumps(host.ports), flush=True)
    sys.stdin.read()
    host.end()


if __name__ == "__main__":
    main()
