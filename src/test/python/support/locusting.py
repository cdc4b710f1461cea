"""Running Locust as a user does: a process of its own, a locustfile, signals, and what it left behind."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import switchover
from support.journals import read_journal
from support.ports import free_port
from support.sample_rows import read_samples
from switchover.model.failure_kind import FailureKind
from switchover.rundir.sample_log import Sample

OWN_CLIENT = """
import time
from locust import User, constant, task
import switchover.locust

class Caller(User):
    wait_time = constant(0.05)

    @task
    def call(self):
        self.environment.events.request.fire(
            request_type="grpc", name="call", response_time=1, response_length=0, exception=None
        )
"""
"""A plan whose client is none of Locust's, and needs no host."""


def shop_plan(wait_s: float, *tasks: str) -> str:
    """A plan without the plugin: its users ask for `/home`, and do these tasks too."""
    head = f"""
from locust import FastHttpUser, constant, task

class Shop(FastHttpUser):
    wait_time = constant({wait_s})
    network_timeout = connection_timeout = 20.0

    @task
    def home(self):
        self.client.get("/home")
"""
    return head + "".join(f"\n    @task\n    {one}\n" for one in tasks)


PATIENCE_S = 90.0
"""For whatever is waited for; the machine may be busy."""
PACKAGE = str(Path(switchover.__file__).parents[1])


class Locust:
    """A running Locust, in a process group of its own. `through`: the command that starts it."""

    def __init__(
        self,
        folder: Path,
        *arguments: str,
        environment: Mapping[str, str] | None = None,
        through: Sequence[str] = (),
    ) -> None:
        path = os.pathsep.join(filter(None, (PACKAGE, os.environ.get("PYTHONPATH"))))
        # Of --processes; other tests on this machine may have the usual one.
        port = str(free_port())
        ports = {"LOCUST_MASTER_BIND_PORT": port, "LOCUST_MASTER_NODE_PORT": port}
        self.folder = folder
        self._process = subprocess.Popen(
            [*through, sys.executable, "-m", "locust", *arguments],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1", **ports, **(environment or {})},
            start_new_session=True,
        )
        self._said: dict[str, list[str]] = {"stdout": [], "stderr": []}
        self._heard = threading.Condition()
        self._readers = [threading.Thread(target=self._read, args=(name,), daemon=True) for name in self._said]
        for reader in self._readers:
            reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def said(self) -> str:
        """What it logged."""
        return "".join(self._said["stderr"])

    @property
    def printed(self) -> str:
        return "".join(self._said["stdout"])

    def wait_for(self, text: str, times: int = 1) -> None:
        """Until its log holds this so often."""
        self.wait_until(lambda: self.said.count(text) >= times, f"{text!r} in the log")

    def wait_until(self, holds: Callable[[], bool], what: str) -> None:
        give_up = time.monotonic() + PATIENCE_S
        while not holds():
            in_vain = time.monotonic() > give_up or self._process.poll() is not None
            assert not in_vain or holds(), f"no {what}:\n{self.said}"
            with self._heard:
                self._heard.wait(0.05)

    def interrupt(self) -> None:
        """Ctrl-C: to every process of the group."""
        os.killpg(self.pid, signal.SIGINT)

    def signal(self, number: int) -> None:
        self._process.send_signal(number)

    def children(self) -> list[int]:
        """The workers of --processes, in the order of their forks."""
        listed = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text(encoding="ascii")
        return sorted(
            int(pid) for pid in listed.split() if b"-m\0locust" in Path(f"/proc/{pid}/cmdline").read_bytes()
        )

    def end(self, timeout_s: float = PATIENCE_S) -> int:
        """Its exit code, when it has ended by itself, and all its processes with it."""
        code = self._process.wait(timeout_s)
        for reader in self._readers:
            reader.join(PATIENCE_S)
            assert not reader.is_alive(), f"a process of it lives on:\n{self.said}"
        return code

    def kill(self) -> None:
        """Whatever is left of it."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()

    def _read(self, name: str) -> None:
        stream = getattr(self._process, name)
        for line in stream:
            self._said[name].append(line)
            with self._heard:
                self._heard.notify_all()
        stream.close()


@contextlib.contextmanager
def locust(
    folder: Path, *arguments: str, environment: Mapping[str, str] | None = None, through: Sequence[str] = ()
) -> Iterator[Locust]:
    """Locust, until the end of the block at the latest."""
    running = Locust(folder, *arguments, environment=environment, through=through)
    try:
        yield running
    finally:
        running.kill()


class Left:
    """What a run left in its directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.load = self._json("load.json")
        self.rows: dict[str, list[Sample]] = {
            path.name: list(read_samples(path)) for path in sorted(directory.glob("samples*.jtl"))
        }
        self.points = list(read_journal([directory / "journal-locust.lp"]))

    @property
    def samples(self) -> list[Sample]:
        return [sample for rows in self.rows.values() for sample in rows]

    @property
    def answered(self) -> int:
        """Rows of requests that were not under way when their users were stopped."""
        return sum(sample.error is not FailureKind.GENERATOR for sample in self.samples)

    @property
    def probes(self) -> int:
        return sum(1 for _ in read_samples(self.directory / "probes.jtl"))

    @property
    def counted(self) -> int:
        """Requests, by the traffic points."""
        return sum(self.counted_by_worker().values())

    def counted_by_worker(self) -> Counter[str]:
        counts: Counter[str] = Counter()
        for point in self.points:
            if point.measurement == "switchover_requests":
                counts[point.tags.get("worker", "")] += int(point.fields["count"])
        return counts

    def events(self) -> list[str]:
        return [str(point.fields["text"]) for point in self.points if point.measurement == "switchover_event"]

    def workers(self) -> dict[str, dict[str, Any]]:
        return {worker["worker"]: worker for worker in self.load["workers"]}

    def verdict(self) -> dict[str, Any]:
        return self._json("verdict.json")

    def run(self) -> dict[str, Any]:
        return self._json("run.json")

    def _json(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.directory / name).read_text(encoding="utf-8"))
        return found


def runs_in(folder: Path) -> list[Path]:
    """The run directories, oldest first."""
    return sorted((folder / "runs").iterdir(), key=lambda path: path.stat().st_ctime_ns)


def only_run(folder: Path) -> Left:
    (directory,) = runs_in(folder)
    return Left(directory)


def post(url: str, **form: str) -> dict[str, Any]:
    """What Locust's page does when a button is pressed."""
    data = urllib.parse.urlencode(form).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data=data), timeout=PATIENCE_S) as answer:
        found: dict[str, Any] = json.load(answer)
        return found
