"""Locust as the load of a drill: a process that records into the drill's run directory, and ends with the drill."""

import importlib.util
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

import switchover
from switchover.load.load_process import ChosenLoad, LoadProcess, last_lines, one_line
from switchover.model.errors import UsageError
from switchover.process.json_child import package_environment
from switchover.target.model import Target

LOG_FILE = "locust.log"
"""Locust's output, in the run directory."""
PACKAGE = Path(switchover.__file__).parent
PLUGIN = PACKAGE / "locust" / "switchover_locustfile.py"
VISITORS = PACKAGE / "load" / "plans" / "visitors.py"

START_S = 30.0
"""The maximum start time of Python, Locust and the plan on a busy machine, without the time for spawning users."""
FINISH_TASK_S = 10.0
"""The time for a user to finish its task. After this time, the user's last request is not recorded."""
END_S = FINISH_TASK_S + 15.0
"""The time from the stop signal until the last line is written."""
COMPLAINT_BYTES = 16_384

_PREFIX = re.compile(r"^\[[^\]]*\] \S+?/(?P<level>[A-Z]+)/\S+: ")
"""The start of Locust's log lines: `[2024-05-01 12:00:00,000] host/ERROR/locust.main: `."""


def require_locust(plan: Path | None) -> None:
    """Raise UsageError, before a drill starts, if Locust or the plan cannot run."""
    if importlib.util.find_spec("locust") is None:
        raise UsageError(
            "the load needs Locust, which is not installed: pip install 'switchover[locust]', or --generator none"
        )
    if plan is None:
        return
    if not plan.exists():
        raise UsageError(f"--plan {plan}: there is no such file")
    if "," in str(plan):
        raise UsageError(f"--plan {plan}: Locust does not accept a comma in a file name")
    if plan.suffix == ".jmx":
        raise UsageError(f"--plan {plan} is a JMeter test plan: add --generator jmeter")


class LocustLoad(LoadProcess):
    generator = "locust"
    program = "Locust"
    log_file = LOG_FILE

    def __init__(self, settings: ChosenLoad, target: Target) -> None:
        """`target` must have been read from a file, because Locust also reads this file."""
        super().__init__()
        self._settings = settings
        self._target = target

    def _environment(self) -> Mapping[str, str]:
        return package_environment()

    def _start_within_s(self) -> float:
        return START_S + self._settings.users / self._settings.spawn_rate

    def _end(self, process: "subprocess.Popen[bytes]") -> str | None:
        process.terminate()
        try:
            process.wait(END_S)
        except subprocess.TimeoutExpired:
            return f"the load did not end within {END_S:g} s and was killed: its last samples may be missing"
        return self._ended_well(process)

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

    def _complaint(self) -> str:
        return last_complaint(self._printed)


def last_complaint(log: Path) -> str:
    """Return the last line with an error, otherwise the last line, in printable characters.

    For an error with a traceback, return the exception, because the line with the error only names a greenlet.
    """
    lines = last_lines(log, COMPLAINT_BYTES)
    errors = [
        place
        for place, line in enumerate(lines)
        if (match := _PREFIX.match(line)) and match["level"] in ("ERROR", "CRITICAL")
    ]
    complaint, *following = lines[errors[-1] if errors else -1 :] or [""]
    return one_line(_exception_in(following) or _PREFIX.sub("", complaint))


def _exception_in(lines: Sequence[str]) -> str:
    if not lines or not lines[0].startswith("Traceback"):
        return ""
    return next((line for line in lines[1:] if not line[0].isspace()), "")
