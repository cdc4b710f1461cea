"""A load in a separate process. It records its samples in the drill's run directory, and ends with the drill."""

import os
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from switchover.model.clock import Clock
from switchover.model.errors import RunDirectoryError, SwitchoverError
from switchover.process.groups import OrphanGuard, end_group
from switchover.rundir.load_facts import RUNNING, read_load

LOCUST, JMETER, NO_LOAD = "locust", "jmeter", "none"
"""The generators. With `none`, only the prober sends requests."""


@dataclass(frozen=True, slots=True)
class ChosenLoad:
    users: int
    spawn_rate: float
    plan: Path | None = None
    """A locustfile or a JMeter test plan. None: the default plan (visitors)."""
    late_s: float = 1.0


class Load(Protocol):
    """A load of one run. `load.json` names its result files."""

    @property
    def generator(self) -> str:
        """The generator: `locust` or `jmeter`."""

    @property
    def pid(self) -> int | None:
        """The process id of the load. None: no process runs."""

    @property
    def died(self) -> str | None:
        """The reason for an unexpected end. None: the load still runs or was stopped."""

    def start(self, directory: Path, clock: Clock) -> None:
        """Start the load, and wait until all users have started. Raises SwitchoverError on failure."""

    def stop(self) -> str | None:
        """Stop the load, and wait until all records are written. Returns an error message or None. Does nothing if
        the load was not started."""


RUN_DIRECTORY_VARIABLE = "SWITCHOVER_RUN_DIRECTORY"
"""The environment variable with the run directory. If it is set, the plugin only records; the drill does the rest."""
POLL_S = 0.05


class LoadProcess(ABC):
    generator: str
    program: str
    log_file: str

    def __init__(self) -> None:
        self._orphan_guard = OrphanGuard()
        self._process: subprocess.Popen[bytes] | None = None
        self._directory = Path()
        self._stopping = False

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    @property
    def died(self) -> str | None:
        if self._process is None or self._stopping or self._process.poll() is None:
            return None
        return f"the load ended by itself: {self._how_it_ended()}"

    def start(self, directory: Path, clock: Clock) -> None:
        self._directory = directory
        variables = {RUN_DIRECTORY_VARIABLE: str(directory.resolve()), **clock.environment(), **self._environment()}
        try:
            with self._printed.open("wb") as output:
                self._process = subprocess.Popen(
                    self._command(),
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    env={**os.environ, **variables},
                    start_new_session=True,
                )
        except OSError as error:
            raise SwitchoverError(
                f"cannot start {self.program} with its output in {self._printed}: {error.strerror}"
            ) from error
        self._orphan_guard.add(self._process.pid)
        self._await_users()

    def stop(self) -> str | None:
        problem, self._stopping = self.died, True
        if self._process is None:
            return None
        if problem is None:
            problem = self._end(self._process)
        end_group(self._process)
        self._orphan_guard.remove(self._process.pid)
        self._orphan_guard.close()
        self._process = None
        return problem

    @abstractmethod
    def _command(self) -> list[str]:
        """Return the command that starts the load. The run directory exists when this method is called."""

    @abstractmethod
    def _end(self, process: "subprocess.Popen[bytes]") -> str | None:
        """Stop the process cleanly, and return an error message or None. The caller kills remaining processes."""

    @abstractmethod
    def _complaint(self) -> str:
        """Return the program's own error message, or an empty string."""

    @abstractmethod
    def _start_within_s(self) -> float:
        """Return the maximum time until all users have started, in seconds."""

    def _settle_s(self) -> float:
        """Return the time for which users may still start after the program has reported that it runs."""
        return 0.0

    def _environment(self) -> Mapping[str, str]:
        """Return the environment variables in addition to the run directory and the clock."""
        return {}

    @property
    def _printed(self) -> Path:
        return self._directory / self.log_file

    def _await_users(self) -> None:
        within_s = self._start_within_s()
        limit = time.monotonic() + within_s
        settled: float | None = None
        while time.monotonic() < limit:
            if settled is None and _is_running(self._directory):
                settled = time.monotonic() + self._settle_s()
            if settled is not None and time.monotonic() >= settled:
                return
            if self._process is None or self._process.poll() is not None:
                how = self._how_it_ended()
                self.stop()
                raise SwitchoverError(f"the load did not start: {how}")
            time.sleep(POLL_S)
        self.stop()
        raise SwitchoverError(
            f"the load did not start: not all users started within {within_s:.0f} s; see {self.log_file}"
        )

    def _ended_well(self, process: "subprocess.Popen[bytes]") -> str | None:
        return f"the load ended with an error: {self._how_it_ended()}" if process.returncode else None

    def _how_it_ended(self) -> str:
        code = self._process.returncode if self._process else None
        killed = code is not None and code < 0
        how = f"was killed by signal {-code}" if code is not None and killed else f"ended with {code}"
        complaint = self._complaint()
        return f"{self.program} {how}{f': {complaint}' if complaint else ''} (see {self.log_file})"


def _is_running(directory: Path) -> bool:
    """Return True if the load reports that it runs. The drill reports an unreadable file at its end."""
    try:
        facts = read_load(directory)
    except RunDirectoryError:
        return False
    return facts is not None and facts.state == RUNNING


def last_lines(log: Path, count: int) -> list[str]:
    """Return the lines in the last `count` bytes, without blank lines."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - count))
            return [line.rstrip() for line in file.read().decode("utf-8", "replace").splitlines() if line.strip()]
    except OSError:
        return []


def one_line(text: str, length: int = 200) -> str:
    """Return the text in printable characters, cut to `length`."""
    return "".join(c if c.isprintable() else " " for c in text)[:length]
