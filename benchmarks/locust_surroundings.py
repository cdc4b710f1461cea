"""What the contestants need around them: a server, somebody who takes points, other people's packages, k6."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path

from metronome import nginx

CACHE = Path(__file__).parents[1] / "build" / "benchmark"


@contextlib.contextmanager
def server(directory: Path, core: int) -> Iterator[int]:
    """An Nginx of one process, on a core of its own; the port."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        with nginx(directory) as port:
            yield port
    finally:
        os.sched_setaffinity(0, before)


class _TakesPoints(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if self.path.startswith("/write"):
            self._answer(204, b"")
        else:
            self._answer(200, b'{"results":[{"statement_id":0}]}')

    do_GET = do_POST  # noqa: N815

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@contextlib.contextmanager
def sink() -> Iterator[int]:
    """Stands for an InfluxDB: takes every write with 204 and forgets it; the port."""
    taker = ThreadingHTTPServer(("127.0.0.1", 0), _TakesPoints)
    taker.daemon_threads = True
    thread = threading.Thread(target=taker.serve_forever, daemon=True)
    thread.start()
    try:
        yield taker.server_address[1]
    finally:
        taker.shutdown()
        thread.join()


def python_with(package: str) -> Path:
    """A Python that has this package beside everything that ours has; the same Locust, that is."""
    directory = CACHE / package
    python = directory / "bin" / "python"
    if not (directory / "complete").exists():
        shutil.rmtree(directory, ignore_errors=True)
        run(sys.executable, "-m", "venv", str(directory))
        own = next(directory.glob("lib/python*/site-packages"))
        ours = next(Path(sys.prefix).glob("lib/python*/site-packages"))
        (own / "ours.pth").write_text(f"{ours}\n", encoding="utf-8")
        run(str(python), "-m", "pip", "install", "--quiet", package)
        (directory / "complete").touch()
    found = run(str(python), "-c", "import importlib.metadata as m; print(m.version('locust'))").strip()
    if found != version("locust"):
        sys.exit(f"{package} brought Locust {found}, ours is {version('locust')}: nothing to compare")
    return python


def package_version(python: Path, package: str) -> str:
    return run(str(python), "-c", f"import importlib.metadata as m; print(m.version({package!r}))").strip()


def k6() -> Path | None:
    """k6 by `go install`; None where that is not to be had."""
    binary = CACHE / "bin" / "k6"
    if not binary.exists():
        go = shutil.which("go", path=f"{os.environ.get('PATH', '')}:/usr/local/go/bin")
        if go is None:
            return None
        environment = {**os.environ, "GOBIN": str(binary.parent)}
        done = subprocess.run([go, "install", "go.k6.io/k6@latest"], env=environment, check=False)
        if done.returncode != 0:
            return None
    return binary


def k6_version(binary: Path) -> str:
    found = re.search(r"v\d+\.\d+\.\d+", run(str(binary), "version"))
    return found[0] if found else "?"


def run(*command: str) -> str:
    """Its output; exits with its words if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()[-2000:]}")
    return done.stdout
