"""Locust as the load of a drill: a process that records into the drill's run directory, and ends with the drill."""

import importlib.util
import re
import sys
from pathlib import Path
from urllib.parse import urlsplit

import switchover
from switchover.load.load_process import ChosenLoad, LoadProcess, last_lines, one_line
from switchover.model.errors import UsageError
from switchover.target.model import Target

LOG_FILE = "locust.log"
PACKAGE = Path(switchover.__file__).parent
PLUGIN = PACKAGE / "locust" / "switchover_locustfile.py"
VISITORS = PACKAGE / "load" / "plans" / "visitors.py"

FINISH_TASK_S = 10.0
"""The seconds that each user has, after the load is stopped, to finish its task. If the task takes longer, the user's
last request is not recorded."""
COMPLAINT_BYTES = 16_384

_PREFIX = re.compile(r"^\[[^\]]*\] \S+?/(?P<level>[A-Z]+)/\S+: ")
"""Matches the start of Locust's log lines: `[2024-05-01 12:00:00,000] host/ERROR/locust.main: `."""


def require_locust(plan: Path | None) -> None:
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
    log_file = output_file = LOG_FILE
    start_s = 30.0
    end_s = FINISH_TASK_S + 15.0

    def __init__(self, settings: ChosenLoad, target: Target) -> None:
        super().__init__(target, settings.users / settings.spawn_rate)
        self._settings = settings

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
    """Return the last error in Locust's log, otherwise its last line, in printable characters. Of a traceback, return
    the exception."""
    lines = last_lines(log, COMPLAINT_BYTES)
    errors = [
        place
        for place, line in enumerate(lines)
        if (match := _PREFIX.match(line)) and match["level"] in ("ERROR", "CRITICAL")
    ]
    complaint, *following = lines[errors[-1] if errors else -1 :] or [""]
    if following and following[0].startswith("Traceback"):
        complaint = next((line for line in following[1:] if not line[0].isspace()), complaint)
    return one_line(_PREFIX.sub("", complaint))
