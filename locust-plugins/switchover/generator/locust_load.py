"""Locust as the load of a drill: a process that records into the drill's run directory, and ends with the drill."""

import importlib.util
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import switchover
from switchover.clock import Clock
from switchover.errors import RunDirectoryError, SwitchoverError, UsageError
from switchover.load_facts import RUNNING, read_load
from switchover.process_group import end_group
from switchover.target import Target
from switchover.telemetry.leash import Leash

RUN_DIRECTORY_VARIABLE = "SWITCHOVER_RUN_DIRECTORY"
"""Where Locust's plugin records, and by which it knows that the drill does all the rest."""
LOG_FILE = "locust.log"
"""What Locust printed, in the run directory."""
PACKAGE = Path(switchover.__file__).parent
PLUGIN = PACKAGE / "locust" / "switchover_locustfile.py"
VISITORS = PACKAGE / "generator" / "plans" / "visitors.py"

START_S = 30.0
"""For Python, Locust and the plan on a busy machine, on top of the time in which users are made."""
FINISH_TASK_S = 10.0
"""A user may finish what it is doing, or its last request would be one that nobody recorded."""
END_S = FINISH_TASK_S + 15.0
"""From the request to end until the last line is written."""
POLL_S = 0.05
COMPLAINT_BYTES = 16_384
COMPLAINT_LENGTH = 200

_PREFIX = re.compile(r"^\[[^\]]*\] \S+?/(?P<level>[A-Z]+)/\S+: ")
"""How Locust's log lines begin: `[2024-05-01 12:00:00,000] host/ERROR/locust.main: `."""


@dataclass(frozen=True, slots=True)
class LocustSettings:
    """What the user chose."""

    users: int
    spawn_rate: float
    plan: Path | None = None
    """A locustfile; None: the visitors."""
    late_s: float = 1.0


def require_locust(plan: Path | None) -> None:
    """Before anything is started for nothing."""
    if importlib.util.find_spec("locust") is None:
        raise UsageError(
            "the load needs Locust, which is not installed: pip install 'switchover[locust]', or --generator none"
        )
    if plan is None:
        return
    if not plan.exists():
        raise UsageError(f"--plan {plan}: there is no such file")
    if "," in str(plan):
        raise UsageError(f"--plan {plan}: Locust takes a comma for the end of a file's name")


class LocustLoad:
    """One load of one run: a `Load`."""

    generator = "locust"

    def __init__(self, settings: LocustSettings, target: Target) -> None:
        """The target must come from a file, which Locust reads too."""
        self._settings = settings
        self._target = target
        self._leash = Leash()
        self._process: subprocess.Popen[bytes] | None = None
        self._log = Path(LOG_FILE)
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
        self._log = directory / LOG_FILE
        package = str(PACKAGE.parent)
        path = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
        told = {RUN_DIRECTORY_VARIABLE: str(directory.resolve()), "PYTHONPATH": path, **clock.environment()}
        try:
            with self._log.open("wb") as log:
                self._process = subprocess.Popen(
                    self._command(),
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    env={**os.environ, **told},
                    start_new_session=True,
                )
        except OSError as error:
            raise SwitchoverError(f"cannot start Locust with its output in {self._log}: {error.strerror}") from error
        self._leash.hold(self._process.pid)
        self._await_users(directory)

    def stop(self) -> str | None:
        problem, self._stopping = self.died, True
        if self._process is None:
            return None
        if problem is None:
            problem = self._end(self._process)
        end_group(self._process)
        self._leash.release(self._process.pid)
        self._leash.close()
        self._process = None
        return problem

    def _end(self, process: "subprocess.Popen[bytes]") -> str | None:
        process.terminate()
        try:
            process.wait(END_S)
        except subprocess.TimeoutExpired:
            return f"the load did not end within {END_S:g} s and was killed: its last samples may be missing"
        return f"the load did not end well: {self._how_it_ended()}" if process.returncode else None

    def _command(self) -> list[str]:
        settings, parts = self._settings, urlsplit(self._target.endpoint.url)
        return [
            *(sys.executable, "-P", "-m", "locust", "--headless", "--only-summary"),
            *("-f", f"{PLUGIN},{settings.plan or VISITORS}"),
            *("--users", str(settings.users), "--spawn-rate", f"{settings.spawn_rate:g}"),
            *("--host", f"{parts.scheme}://{parts.netloc}"),
            *("--stop-timeout", f"{FINISH_TASK_S:g}"),
            *("--switchover-target", str(self._target.source)),
            *("--switchover-late", f"{settings.late_s:g}"),
        ]

    def _await_users(self, directory: Path) -> None:
        within_s = START_S + self._settings.users / self._settings.spawn_rate
        limit = time.monotonic() + within_s
        while time.monotonic() < limit:
            if _is_running(directory):
                return
            if self._process is None or self._process.poll() is not None:
                how = self._how_it_ended()
                self.stop()
                raise SwitchoverError(f"the load did not start: {how}")
            time.sleep(POLL_S)
        self.stop()
        raise SwitchoverError(
            f"the load did not start: not all users were there within {within_s:.0f} s; see {LOG_FILE}"
        )

    def _how_it_ended(self) -> str:
        code = self._process.returncode if self._process else None
        how = f"Locust was killed by signal {-code}" if code is not None and code < 0 else f"Locust ended with {code}"
        return f"{how}{_said(last_complaint(self._log))} (see {LOG_FILE})"


def _is_running(directory: Path) -> bool:
    """A file that cannot be read is said at the end, when the drill takes it in."""
    try:
        facts = read_load(directory)
    except RunDirectoryError:
        return False
    return facts is not None and facts.state == RUNNING


def _said(complaint: str) -> str:
    return f": {complaint}" if complaint else ""


def last_complaint(log: Path) -> str:
    """The last line that says what is wrong, or else the last one, in printable characters."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - COMPLAINT_BYTES))
            lines = [line.rstrip() for line in file.read().decode("utf-8", "replace").splitlines() if line.strip()]
    except OSError:
        return ""
    errors = [line for line in lines if (found := _PREFIX.match(line)) and found["level"] in ("ERROR", "CRITICAL")]
    chosen = (errors or lines or [""])[-1]
    return "".join(c if c.isprintable() else " " for c in _PREFIX.sub("", chosen))[:COMPLAINT_LENGTH]
