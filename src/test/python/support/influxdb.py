"""Real InfluxDB servers on loopback, each in a folder of its own, with a database to write to.

`make influxdb` builds them. What a test did with them is told in the closing lines of the run.
"""

import base64
import contextlib
import csv
import io
import json
import signal
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from support.ports import free_port

HOME = Path(__file__).parents[4] / "build" / "influxdb"
PATIENCE_S = 60.0
"""For a server to be there; it takes 1 to 4 s on a quiet machine."""
TOKEN = "a-token-that-nobody-shall-see"
USER, PASSWORD = "writer", "a-password-that-nobody-shall-see"
ORG = "drills"
VERSIONS = {"1.8": "1.8.3", "1.8-auth": "1.8.3", "2.7": "2.7.12"}
"""Kind of server, and its version. `1.8` asks for no credentials, `1.8-auth` and `2.7` do."""

asked_for: set[str] = set()
ran_against: set[str] = set()
"""The kinds that a test of this process wanted, and those that were started for it."""


@dataclass(frozen=True, slots=True)
class Series:
    """One series of an answer: rows by column, `time` in nanoseconds."""

    name: str
    tags: Mapping[str, str]
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def column(self, name: str) -> list[Any]:
        return [row[self.columns.index(name)] for row in self.rows]


@dataclass
class InfluxDB:
    """A server of a kind, its data in `folder`. It keeps its port and its data when it is started again."""

    kind: str
    folder: Path
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> Path:
        return self.folder / "influxd.log"

    def write_url(self, database: str) -> str:
        """The database as `--influx` takes it."""
        if self.kind == "2.7":
            return f"{self.url}?{urllib.parse.urlencode({'org': ORG, 'bucket': database})}"
        return f"{self.url}?{urllib.parse.urlencode({'db': database})}"

    @property
    def environment(self) -> dict[str, str]:
        """The credentials as the product reads them; none where the server asks for none."""
        if self.kind == "2.7":
            return {"SWITCHOVER_INFLUX_TOKEN": TOKEN}
        return {"SWITCHOVER_INFLUX_USER": USER, "SWITCHOVER_INFLUX_PASSWORD": PASSWORD} if self._asks else {}

    def start(self) -> None:
        """Starts it and waits until it answers; prepares users and the like at the first time."""
        first = not self.folder.exists()
        self.folder.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(self._command(), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        deadline = time.monotonic() + PATIENCE_S
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                said = self.log.read_text("utf-8", "replace")[-2000:]
                self.kill()
                raise AssertionError(f"InfluxDB {self.kind} did not start: {said}")
            time.sleep(0.05)
        ran_against.add(self.kind)
        if first:
            self._prepare()

    def stop(self, number: int = signal.SIGTERM) -> None:
        """Ends the server by a signal, and waits for its end."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                self.process.send_signal(number)
            self.process.wait(PATIENCE_S)
            self.process = None

    def kill(self) -> None:
        self.stop(signal.SIGKILL)

    def freeze(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGCONT)

    def create(self, database: str) -> str:
        """A new database or bucket; its `write_url`."""
        if self.kind == "2.7":
            orgs = json.loads(self.request("GET", f"/api/v2/orgs?org={ORG}"))
            bucket = {"orgID": orgs["orgs"][0]["id"], "name": database, "retentionRules": []}
            self.request("POST", "/api/v2/buckets", json.dumps(bucket).encode(), kind="application/json")
        else:
            self.query(f'CREATE DATABASE "{database}"')
        return self.write_url(database)

    def write(self, database: str, lines: bytes) -> None:
        """Line protocol as it is, without anything of ours in between."""
        if self.kind == "2.7":
            path = f"/api/v2/write?{urllib.parse.urlencode({'org': ORG, 'bucket': database, 'precision': 'ns'})}"
        else:
            path = f"/write?{urllib.parse.urlencode({'db': database, 'precision': 'ns'})}"
        self.request("POST", path, lines)

    def query(self, influxql: str, database: str = "") -> list[Series]:
        """The series of all the statements; AssertionError with the server's words if one of them has an error."""
        form = {"q": influxql, "epoch": "ns"} | ({"db": database} if database else {})
        body = urllib.parse.urlencode(form).encode()
        answer = json.loads(self.request("POST", "/query", body, kind="application/x-www-form-urlencoded"))
        found = []
        for result in answer["results"]:
            assert "error" not in result, f"{influxql}: {result['error']}"
            for one in result.get("series", ()):
                rows = tuple(tuple(row) for row in one.get("values", ()))
                found.append(Series(one.get("name", ""), one.get("tags") or {}, tuple(one["columns"]), rows))
        return found

    def flux(self, query: str) -> list[dict[str, str]]:
        """The rows of all tables of the answer, as texts by column. Only InfluxDB 2 is asked so."""
        path = f"/api/v2/query?{urllib.parse.urlencode({'org': ORG})}"
        said = self.request("POST", path, query.encode(), kind="application/vnd.flux").decode("utf-8")
        # A table with other columns than the one before has a header of its own, after an empty line.
        tables = said.replace("\r\n", "\n").strip("\n").split("\n\n")
        return [row for table in tables for row in csv.DictReader(io.StringIO(table))]

    def request(self, method: str, path: str, body: bytes | None = None, kind: str = "text/plain") -> bytes:
        """The body of a good answer, with all rights; AssertionError with the server's words if it is none."""
        request = urllib.request.Request(self.url + path, body, {"Content-Type": kind}, method=method)
        if self.kind == "2.7":
            request.add_header("Authorization", f"Token {TOKEN}")
        elif self._asks:
            request.add_header(
                "Authorization", "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode("ascii")
            )
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                return bytes(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                said = error.read().decode("utf-8", "replace")
            raise AssertionError(f"{method} {path}: {error.code} {said}") from None

    @property
    def _asks(self) -> bool:
        return self.kind == "1.8-auth"

    def _command(self) -> list[str]:
        binary = str(binary_of(self.kind))
        data = self.folder / "data"
        if self.kind == "2.7":
            return [
                binary,
                f"--http-bind-address=127.0.0.1:{self.port}",
                f"--bolt-path={data}/influxd.bolt",
                f"--sqlite-path={data}/influxd.sqlite",
                f"--engine-path={data}/engine",
                "--reporting-disabled",
            ]
        config = self.folder / "influxdb.conf"
        config.write_text(
            f"""reporting-disabled = true
bind-address = "127.0.0.1:0"
[meta]
dir = "{data}/meta"
[data]
dir = "{data}/data"
wal-dir = "{data}/wal"
[http]
bind-address = "127.0.0.1:{self.port}"
auth-enabled = {"true" if self._asks else "false"}
[monitor]
store-enabled = false
"""
        )
        return [binary, "-config", str(config)]

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/ping", timeout=1.0):
                return True
        except OSError:
            return False

    def _prepare(self) -> None:
        if self._asks:
            self.query(f"CREATE USER {USER} WITH PASSWORD '{PASSWORD}' WITH ALL PRIVILEGES")
        elif self.kind == "2.7":
            setup = {"username": USER, "password": PASSWORD, "org": ORG, "bucket": "first", "token": TOKEN}
            self.request("POST", "/api/v2/setup", json.dumps(setup).encode(), kind="application/json")


def binary_of(kind: str) -> Path:
    return HOME / f"influxd-{VERSIONS[kind]}"


def is_built(kind: str) -> bool:
    return binary_of(kind).exists()


def skip_unless_built(kind: str) -> None:
    """For a test that wants a server of this kind."""
    asked_for.add(kind)
    if not is_built(kind):
        pytest.skip(f"there is no {binary_of(kind).name}: 'make influxdb' builds it")


@contextlib.contextmanager
def influxdb(kind: str, folder: Path) -> Iterator[InfluxDB]:
    """A running server; the test is skipped if it was not built. `folder` must not exist yet."""
    skip_unless_built(kind)
    server = InfluxDB(kind, folder)
    try:
        server.start()
        yield server
    finally:
        server.kill()


def closing_line() -> str:
    """Which servers the tests ran against, and which not; empty if they had nothing to do with any."""
    if not asked_for:
        return ""
    said = [f"{kind} ({VERSIONS[kind]})" for kind in VERSIONS if kind in ran_against]
    absent = sorted({VERSIONS[kind] for kind in VERSIONS if not is_built(kind)})
    line = f"InfluxDB: ran against {', '.join(said) or 'none'}"
    return f"{line}; NOT against {', '.join(absent)}, which 'make influxdb' builds" if absent else line
