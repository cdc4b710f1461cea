"""JMeter as the load of a drill: a process that records into the drill's run directory, and ends with the drill."""

import os
import re
import shlex
import socket
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from switchover.load.jmeter_plan import JMeterHome, header_properties, visitors, write_secret_properties
from switchover.load.load_process import ChosenLoad, LoadProcess, last_lines, one_line
from switchover.model.clock import Clock
from switchover.model.errors import UsageError
from switchover.target.model import Target

COMPLAINT_BYTES = 262_144
"""The number of bytes that are read at the end of a log. This is enough for an error and the stack trace after it."""

_LOGGED = re.compile(r"^\S+ \S+ ERROR \S+: (?P<text>.*)")
"""The start of an error in JMeter's log: `2024-05-01 12:00:00,000 ERROR o.a.j.JMeter: `."""
_OURS = re.compile(r"Switchover: (?:the test is stopped: )?(?P<text>.*)")
_UNKNOWN_ELEMENT = re.compile(r"CannotResolveClassException: (?P<text>\S+)")
_PRINTED = re.compile(
    r"^(?:An error occurred:|Error:|Error in NonGUIDriver|Exception in thread \"[^\"]*\") (?P<text>.+)"
)
"""The start of an error on the console, from JMeter or from Java."""


def complaint(log: Path, console: Path) -> str:
    """Return the most specific error message, from the plugin, from the console, or from the log. Empty: there is no
    error."""
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
"""The console output of JMeter and of Java."""

JAVA_VARIABLES = {"HEAP": "-Xmx1g", "JVM_ARGS": ""}
"""The environment variables with Java arguments that JMeter's start script reads, and their defaults."""
LONGER_THAN_ANY_DRILL_S = 86_400
"""A duration that is longer than any drill, because the drill stops the load."""
START_S = 60.0
"""The maximum start time of Java, JMeter and the plan on a busy machine, without the time for spawning users."""
FINISH_TASK_S = 10.0
"""The time for a user to finish its task."""
BREAK_OFF_S = 10.0
"""The maximum time from the interruption of the users until the last line is written."""

SHUTDOWN, STOP_NOW = b"Shutdown", b"StopTestNow"
"""JMeter's commands on its UDP port in non-GUI mode."""


def fresh_visitors(users: int) -> int:
    """Return the number of visitors that open a new connection for each visit: a fifth of all users."""
    return round(users / 5)


def java_arguments() -> list[str]:
    """Return the arguments for Java. Raises UsageError if the environment variables cannot be parsed."""
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
    log_file = LOG_FILE

    def __init__(self, home: JMeterHome, settings: ChosenLoad, target: Target) -> None:
        """`target` must have been read from a file, because JMeter also reads this file."""
        super().__init__()
        self._home = home
        self._settings = settings
        self._target = target
        self._port = 0
        self._secrets: Path | None = None

    def start(self, directory: Path, clock: Clock) -> None:
        self._port = _free_port()
        self._secrets = write_secret_properties(self._secret_properties())
        try:
            super().start(directory, clock)
        finally:
            if self._secrets is not None:
                self._secrets.unlink(missing_ok=True)

    @property
    def _printed(self) -> Path:
        return self._directory / CONSOLE_FILE

    def _start_within_s(self) -> float:
        return START_S + self._settle_s()

    def _settle_s(self) -> float:
        return float(self._ramp_s)

    @property
    def _ramp_s(self) -> int:
        """Return the ramp-up time in whole seconds, because JMeter accepts only whole seconds."""
        return round(self._settings.users / self._settings.spawn_rate)

    def _end(self, process: "subprocess.Popen[bytes]") -> str | None:
        for message, within_s in ((SHUTDOWN, FINISH_TASK_S), (STOP_NOW, BREAK_OFF_S)):
            self._send(message)
            with suppress(subprocess.TimeoutExpired):
                process.wait(within_s)
                return self._ended_well(process)
        return (
            f"the load did not end within {FINISH_TASK_S + BREAK_OFF_S:g} s and was killed: "
            "its last samples may be missing"
        )

    def _send(self, message: bytes) -> None:
        """Send a command over UDP. JMeter does not reply."""
        with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.sendto(message, ("127.0.0.1", self._port))

    def _command(self) -> list[str]:
        settings, directory = self._settings, self._directory.resolve()
        plan = settings.plan or visitors(self._target.endpoint, directory)
        words = [self._home.java, *java_arguments()]
        words += ["-Djava.awt.headless=true", "-jar", str(self._home.launcher)]
        words += ["-n", "-t", str(plan), "-j", str(directory / LOG_FILE)]
        if self._secrets is not None:
            words += ["-q", str(self._secrets)]
        return [*words, *(f"-J{name}={value}" for name, value in self._properties().items())]

    def _properties(self) -> Mapping[str, object]:
        """Return the properties that a plan may read with `__P`, and JMeter's own properties."""
        settings, parts = self._settings, urlsplit(self._target.endpoint.url)
        fresh = fresh_visitors(settings.users)
        values: dict[str, object] = {
            "switchover.target": self._target.source,
            "switchover.late": f"{settings.late_s:g}",
            "switchover.scheme": parts.scheme,
            "switchover.host": parts.hostname or "",
            "switchover.port": parts.port or (443 if parts.scheme == "https" else 80),
            "switchover.users": settings.users,
            "switchover.users.kept": settings.users - fresh,
            "switchover.users.fresh": fresh,
            "switchover.ramp": self._ramp_s,
            "switchover.duration": LONGER_THAN_ANY_DRILL_S,
            "jmeterengine.nongui.port": self._port,
            "jmeterengine.nongui.maxport": self._port,
        }
        # The lab answers every path. On other targets, only the target's own URL is known to work.
        if self._target.lab is None and not parts.query:
            values["switchover.page"] = parts.path or "/"
        return values

    def _secret_properties(self) -> Mapping[str, str]:
        """Return the properties that other users must not read. Headers and the query may contain a token."""
        parts = urlsplit(self._target.endpoint.url)
        values = header_properties(self._target.endpoint) if self._settings.plan is None else {}
        if self._target.lab is None and parts.query:
            values["switchover.page"] = f"{parts.path or '/'}?{parts.query}"
        return values

    def _complaint(self) -> str:
        return complaint(self._directory / LOG_FILE, self._printed)


def _free_port() -> int:
    """Return a UDP port that is free now. If JMeter chose the port, JMeter would not report the number."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as bound:
        bound.bind(("", 0))
        return int(bound.getsockname()[1])
