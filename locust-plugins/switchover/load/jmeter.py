"""JMeter as the load of a drill: a process that records into the drill's run directory, and ends with the drill."""

import os
import re
import shlex
import socket
import subprocess
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from switchover.load.jmeter_plan import VISITORS, JMeterHome
from switchover.load.load_process import ChosenLoad, LoadProcess, last_lines, one_line
from switchover.model.errors import UsageError
from switchover.target.model import Target

COMPLAINT_BYTES = 262_144
"""The number of bytes at the end of a log that are read, enough for an error and its stack trace."""

_LOGGED = re.compile(r"^\S+ \S+ ERROR \S+: (?P<text>.*)")
"""Matches the start of an error in JMeter's log: `2024-05-01 12:00:00,000 ERROR o.a.j.JMeter: `."""
_OURS = re.compile(r"Switchover: (?:the test is stopped: )?(?P<text>.*)")
_UNKNOWN_ELEMENT = re.compile(r"CannotResolveClassException: (?P<text>\S+)")
_PRINTED = re.compile(
    r"^(?:An error occurred:|Error:|Error in NonGUIDriver|Exception in thread \"[^\"]*\") (?P<text>.+)"
)


def complaint(log: Path, console: Path) -> str:
    """Return the most specific error message, from the plugin, the console output or the log. Empty: no error."""
    printed = last_lines(console, COMPLAINT_BYTES)
    errors = _match_texts(_LOGGED, last_lines(log, COMPLAINT_BYTES))
    ours = _match_texts(_OURS, [text for text in errors if _OURS.match(text)])
    unknown = [f"this JMeter has no element {name}" for name in _match_texts(_UNKNOWN_ELEMENT, printed)]
    for texts in (ours[-1:], unknown[:1], _match_texts(_PRINTED, printed)[-1:], errors[:1]):
        if texts:
            return one_line(texts[0])
    return ""


def _match_texts(pattern: re.Pattern[str], lines: list[str]) -> list[str]:
    return [match["text"] for line in lines if (match := pattern.search(line))]


LOG_FILE = "jmeter.log"
CONSOLE_FILE = "jmeter-console.log"

JAVA_VARIABLES = {"HEAP": "-Xmx1g", "JVM_ARGS": ""}
LONGER_THAN_ANY_DRILL_S = 86_400
FINISH_TASK_S = 10.0
BREAK_OFF_S = 10.0
"""The maximum time from the interruption of the users until JMeter has written its last sample."""

SHUTDOWN, STOP_NOW = b"Shutdown", b"StopTestNow"


def java_arguments() -> list[str]:
    """Return the arguments for Java from the environment variables. Raises UsageError if a variable cannot be
    parsed."""
    words: list[str] = []
    for name, usual in JAVA_VARIABLES.items():
        try:
            words += shlex.split(os.environ.get(name) or usual)
        except ValueError as error:
            raise UsageError(f"cannot parse the environment variable {name}: {error}") from error
    return words


class JMeterLoad(LoadProcess):
    generator = "jmeter"
    program = "JMeter"
    log_file, output_file = LOG_FILE, CONSOLE_FILE
    start_s = 60.0

    def __init__(self, home: JMeterHome, settings: ChosenLoad, target: Target) -> None:
        super().__init__(target, settings.users / settings.spawn_rate)
        self._settings = settings
        self._home = home
        self._port = _free_port()

    def _settle_s(self) -> float:
        """Return the ramp-up time in whole seconds, because JMeter accepts only whole seconds."""
        return round(self._spawning_s)

    def _ways_to_end(self, _process: "subprocess.Popen[bytes]") -> list[tuple[Callable[[], None], float]]:
        return [(partial(self._send, SHUTDOWN), FINISH_TASK_S), (partial(self._send, STOP_NOW), BREAK_OFF_S)]

    def _send(self, message: bytes) -> None:
        """Send a command over UDP. JMeter does not reply."""
        with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.sendto(message, ("127.0.0.1", self._port))

    def _command(self) -> list[str]:
        settings, directory = self._settings, self._directory.resolve()
        words = [self._home.java, *java_arguments()]
        words += ["-Djava.awt.headless=true", "-jar", str(self._home.launcher)]
        words += ["-n", "-t", str(settings.plan or VISITORS), "-j", str(directory / LOG_FILE)]
        return [*words, *(f"-J{name}={value}" for name, value in self._properties().items())]

    def _properties(self) -> Mapping[str, object]:
        """Return the properties that a plan may read with `__P`, and JMeter's own properties."""
        settings, parts = self._settings, urlsplit(self._target.endpoint.url)
        fresh = round(settings.users / 5)  # visitors that open a new connection for each visit
        values: dict[str, object] = {
            "switchover.target": self._target.source,
            "switchover.late": f"{settings.late_s:g}",
            "switchover.scheme": parts.scheme,
            "switchover.host": self._target.endpoint.host,
            "switchover.port": self._target.endpoint.port,
            "switchover.users": settings.users,
            "switchover.users.kept": settings.users - fresh,
            "switchover.users.fresh": fresh,
            "switchover.ramp": self._settle_s(),
            "switchover.duration": LONGER_THAN_ANY_DRILL_S,
            "jmeterengine.nongui.port": self._port,
            "jmeterengine.nongui.maxport": self._port,
        }
        # The lab answers every path. On other targets, only the target's own URL is known to work. Other users could
        # read a query, which may contain a token, on the command line.
        if self._target.lab is None and not parts.query:
            values["switchover.page"] = parts.path or "/"
        return values

    def _complaint(self) -> str:
        return complaint(self._directory / LOG_FILE, self._printed)


def _free_port() -> int:
    """Return a UDP port that is free now. If JMeter chose the port, JMeter would not report the number."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as bound:
        bound.bind(("", 0))
        return int(bound.getsockname()[1])
