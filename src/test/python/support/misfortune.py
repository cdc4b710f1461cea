"""Runs that stream to a database which meets with a misfortune, and what is in it when all is over.

Each is played with a real server and the real commands: a shipper while the run writes, then
`switchover influx upload`. What no server can be made to answer on demand, a 503, comes from a gateway in front of
it.
"""

import os
import random
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from support.fake_influx import FakeInflux, Reply
from support.influxdb import InfluxDB
from support.locusting import PACKAGE
from support.streamed import Writing, bytes_of, compare, journalled, stored
from switchover.streaming.influx.destination import choose_database, parse_destination
from switchover.streaming.influx.shipper import account_of
from switchover.streaming.parent import Streaming

RUN_S = 3.0
BACKLOG = 60_000
"""Points that an upload takes some seconds for, so that something can come in between."""
UPLOAD_S = 120.0


@dataclass
class Stage:
    """What a misfortune may touch."""

    server: InfluxDB
    directory: Path
    chance: random.Random
    database: str
    url: str
    environment: dict[str, str]
    shipper: list[int] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    uploads: int = 0

    def follow(self, wait_s: float = 2.0) -> Streaming:
        chosen = choose_database(self.url, None, self.environment)
        assert chosen is not None
        streaming = Streaming(self.directory, chosen, None, self.notes.append, wait_s=wait_s)
        assert streaming.pid is not None
        self.shipper.append(streaming.pid)
        return streaming

    def upload(self, *options: str) -> "subprocess.Popen[str]":
        self.uploads += 1
        return subprocess.Popen(
            [sys.executable, "-m", "switchover", "influx", "upload", str(self.directory), *options],
            env={**os.environ, "PYTHONPATH": PACKAGE, **self.environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def pause(self, low: float = 0.3, high: float = 1.2) -> None:
        time.sleep(self.chance.uniform(low, high))


Misfortune = Callable[[Stage], None]
"""Happens while the run writes; whatever it leaves broken is mended before the upload."""


def _struck(strike: Callable[[InfluxDB], None], mend: Callable[[InfluxDB], None]) -> Misfortune:
    """The server is struck, and every other time it is mended while the run still writes."""

    def happen(stage: Stage) -> None:
        strike(stage.server)
        stage.pause()
        if stage.chance.random() < 0.5:
            mend(stage.server)

    return happen


MISFORTUNES: dict[str, Misfortune] = {
    "stopped": _struck(InfluxDB.stop, InfluxDB.start),
    "killed": _struck(InfluxDB.kill, InfluxDB.start),
    "frozen": _struck(InfluxDB.freeze, InfluxDB.thaw),
    "shipper killed": lambda stage: os.kill(stage.shipper[-1], signal.SIGKILL),
}
"""Those that are done to a process; the others are done by `play`."""
KINDS = (*MISFORTUNES, "full", "503", "401", "elsewhere", "killed in upload", "upload killed")


def play(kind: str, server: InfluxDB, seed: int, directory: Path) -> dict[str, Any]:
    """One run in a directory that does not exist yet; how its points fared."""
    directory.mkdir(parents=True)
    name = f"run{seed}"
    url = server.create(name)
    stage = Stage(server, directory, random.Random(seed), name, url, dict(server.environment))
    gateway = Gateway(server) if kind == "503" else None
    try:
        if gateway is not None:
            stage.url = url.replace(server.url, f"http://127.0.0.1:{gateway.front.port}")
        if kind == "401":
            stage.environment = dict.fromkeys(server.environment, "wrong")
        account, lines = _run(kind, stage, gateway)
        before = bytes_of(directory)
        stage.environment = dict(server.environment)
        _mend(server)
        if kind == "elsewhere":
            name = f"elsewhere{seed}"
            stage.url = server.create(name)
        said = _upload(kind, stage)
    finally:
        if gateway is not None:
            gateway.front.close()
    assert bytes_of(directory) == before, "an upload changes no journal"
    compared = compare(journalled(directory), stored(server, name))
    left = account_of(directory, parse_destination(stage.url).url).left
    return {
        "seed": seed,
        "misfortune": kind,
        "server": server.kind,
        "lines": lines,
        "streamed": account["points"],
        "left": account["left"],
        "uploads": stage.uploads,
        "said": said,
        "left_in_the_end": left,
        **asdict(compared),
    }


def _run(kind: str, stage: Stage, gateway: "Gateway | None") -> tuple[dict[str, Any], int]:
    """The run itself: what its shipper says in the end, and how many lines it wrote."""
    if kind in ("killed in upload", "upload killed"):
        stage.server.stop()
    backlog = kind in ("killed in upload", "upload killed")
    streaming = stage.follow()
    writing = Writing(stage.directory, stage.chance.randrange(2**31), BACKLOG // 3 if backlog else 1_500)
    begun_s = time.monotonic()
    stage.pause()
    if kind in MISFORTUNES:
        MISFORTUNES[kind](stage)
    elif gateway is not None:
        gateway.closed = True
        stage.pause()
        gateway.closed = stage.chance.random() < 0.5
    elif kind == "full":
        fill(stage.server)
    time.sleep(max(RUN_S - (time.monotonic() - begun_s), 0.0))
    writing.end()
    found = streaming.finish()
    assert found is not None
    account = asdict(found)
    if gateway is not None:
        gateway.closed = False
    return account, writing.lines


def _upload(kind: str, stage: Stage) -> str:
    """What the last upload says; those before it were disturbed."""
    where = ("--influx", stage.url, "--wait", "60")
    if kind in ("killed in upload", "upload killed"):
        process = stage.upload(*where)
        stage.pause(0.5, 1.5)
        stage.server.kill()
        if kind == "upload killed":
            process.kill()
        stage.server.start()
        process.communicate(timeout=UPLOAD_S)
    said, _ = stage.upload(*where).communicate(timeout=UPLOAD_S)
    return said.strip().rpartition("\n")[2].partition(": ")[2]


def _mend(server: InfluxDB) -> None:
    if is_full(server):
        make_room(server)
        server.kill()
    if server.process is None:
        server.start()
    else:
        server.thaw()


class Gateway:
    """Passes requests on to the server, late if wanted, or answers that it has none."""

    def __init__(self, server: InfluxDB) -> None:
        self.closed = False
        self.delay_s = 0.0
        self._server = server
        self.front = FakeInflux(self._pass_on)

    def _pass_on(self, front: FakeInflux, lines: bytes) -> Reply | None:
        if self.closed:
            return Reply(503, b"no server is available", {"Retry-After": "1"})
        time.sleep(self.delay_s)
        path, headers = front.requests[-1]
        request = urllib.request.Request(self._server.url + path, lines, method="POST")
        if "Authorization" in headers:
            request.add_header("Authorization", headers["Authorization"])
        try:
            with urllib.request.urlopen(request, timeout=10.0) as answer:
                return Reply(answer.status)
        except urllib.error.HTTPError as error:
            with error:
                return Reply(error.code, error.read())
        except OSError:
            return Reply(502, b"the server is not there")


def fill(server: InfluxDB) -> None:
    """Its disk is full from now on: what it writes fails."""
    subprocess.run(["prlimit", f"--pid={_pid(server)}", "--fsize=1:unlimited"], check=True)


def make_room(server: InfluxDB) -> None:
    subprocess.run(["prlimit", f"--pid={_pid(server)}", "--fsize=unlimited:unlimited"], check=True)


def is_full(server: InfluxDB) -> bool:
    if server.process is None:
        return False
    limits = Path(f"/proc/{server.process.pid}/limits").read_text(encoding="ascii")
    return any(
        line.split()[-3:-1] != ["unlimited", "unlimited"] for line in limits.splitlines() if "file size" in line
    )


def _pid(server: InfluxDB) -> int:
    assert server.process is not None
    return server.process.pid
