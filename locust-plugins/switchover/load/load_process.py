"""A load in a separate process. It records its samples in the drill's run directory, and ends with the drill."""

import os
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from switchover.model.clock import Clock
from switchover.model.errors import RunDirectoryError, SwitchoverError
from switchover.process.groups import OrphanGuard, end_group
from switchover.process.json_child import package_environment
from switchover.rundir.load_facts import RUNNING, read_load
from switchover.target.model import Target

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
    """A load of one run. `load.json` names the load's result files."""

    @property
    def generator(self) -> str: ...
    @property
    def pid(self) -> int | None:
        """The process id of the load. None: no process runs."""

    @property
    def died(self) -> str | None:
        """The reason for an unexpected end. None: the load still runs or was stopped."""

    def start(self, directory: Path, clock: Clock) -> None:
        """Start the load, and wait until all users have started. Raises SwitchoverError on failure."""

    def stop(self) -> str | None:
        """Stop the load, and wait until all records are written. Returns an error message or None."""


RUN_DIRECTORY_VARIABLE = "SWITCHOVER_RUN_DIRECTORY"
"""The environment variable with the run directory. If the variable is set, the plugin only records the load."""
POLL_S = 0.05


class LoadProcess(ABC):
    generator: str
    program: str
    log_file: str
    output_file: str
    start_s: float
    """The maximum time, in seconds, for starting the program and its plan, without the time for spawning users."""

    end_s = 0.0
    """The maximum time, in seconds, from SIGTERM until the load has written its last sample."""

    def __init__(self, target: Target, spawning_s: float) -> None:
        """`target` must have been read from a file, because the load also reads this file. `spawning_s`: the time for
        spawning users."""
        self._target = target
        self._spawning_s = spawning_s
        self._variables: Mapping[str, str] = {}
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
        return f"the load ended by itself: {self._how_it_ended(self._process)}"

    def start(self, directory: Path, clock: Clock) -> None:
        self._directory = directory
        variables = {RUN_DIRECTORY_VARIABLE: str(directory.resolve()), **clock.environment(), **package_environment()}
        try:
            with self._printed.open("wb") as output:
                self._process = subprocess.Popen(
                    self._command(),
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    env={**os.environ, **variables, **self._variables},
                    start_new_session=True,
                )
        except OSError as error:
            raise SwitchoverError(
                f"cannot start {self.program} with its output in {self._printed}: {error.strerror}"
            ) from error
        self._orphan_guard.add(self._process.pid)
        self._await_users(self._process)

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

    def _ways_to_end(self, process: "subprocess.Popen[bytes]") -> list[tuple[Callable[[], None], float]]:
        """Return functions that ask the process to end, and how many seconds to wait after each call."""
        return [(process.terminate, self.end_s)]

    def _end(self, process: "subprocess.Popen[bytes]") -> str | None:
        ways = self._ways_to_end(process)
        for ask, within_s in ways:
            ask()
            with suppress(subprocess.TimeoutExpired):
                process.wait(within_s)
                how = self._how_it_ended(process)
                return f"the load ended with an error: {how}" if process.returncode else None
        total_s = sum(within_s for _, within_s in ways)
        return f"the load did not end within {total_s:g} s and was killed: its last samples may be missing"

    @abstractmethod
    def _complaint(self) -> str:
        """Return the program's own error message, or an empty string."""

    def _settle_s(self) -> float:
        """Return the time for which users may still start after the program has reported that it runs."""
        return 0.0

    @property
    def _printed(self) -> Path:
        return self._directory / self.output_file

    def _await_users(self, process: "subprocess.Popen[bytes]") -> None:
        within_s = self.start_s + self._spawning_s
        limit = time.monotonic() + within_s
        settled: float | None = None
        while time.monotonic() < limit:
            if settled is None and _is_running(self._directory):
                settled = time.monotonic() + self._settle_s()
            if settled is not None and time.monotonic() >= settled:
                return
            if process.poll() is not None:
                how = self._how_it_ended(process)
                self.stop()
                raise SwitchoverError(f"the load did not start: {how}")
            time.sleep(POLL_S)
        self.stop()
        raise SwitchoverError(
            f"the load did not start: not all users started within {within_s:.0f} s; see {self.log_file}"
        )

    def _how_it_ended(self, process: "subprocess.Popen[bytes]") -> str:
        code = process.returncode
        how = f"was killed by signal {-code}" if code < 0 else f"ended with {code}"
        complaint = self._complaint()
        return f"{self.program} {how}{f': {complaint}' if complaint else ''} (see {self.log_file})"


def _is_running(directory: Path) -> bool:
    """Return True if the load reports that it runs. The drill reports an unreadable load.json when the drill ends."""
    with suppress(RunDirectoryError):
        facts = read_load(directory)
        return facts is not None and facts.state == RUNNING
    return False


def last_lines(log: Path, count: int) -> list[str]:
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - count))
            return [line.rstrip() for line in file.read().decode("utf-8", "replace").splitlines() if line.strip()]
    except OSError:
        return []


def one_line(text: str) -> str:
    """Return at most 200 printable characters of the text."""
    return "".join(c if c.isprintable() else " " for c in text)[:200]
