"""A load that ends by itself: so many requests, or so many seconds, by Locust, JMeter or ab."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from urllib.parse import urlsplit

from switchover.lab.programs import find_programs
from switchover.load.jmeter import CONSOLE_FILE as JMETER_CONSOLE
from switchover.load.jmeter import LOG_FILE as JMETER_LOG
from switchover.load.jmeter import complaint, java_arguments
from switchover.load.jmeter_home import find_jmeter
from switchover.load.load_process import LoadProcess
from switchover.load.locust import PACKAGE, PLUGIN, last_complaint
from switchover.rundir.load_facts import read_load
from switchover.study.study_file import LoadSettings
from switchover.target.model import Target

PLANS = Path(__file__).parent / "plans"
SETTINGS_VARIABLE = "SWITCHOVER_STUDY_LOAD"
"""The load's settings as JSON, for the Locust plan."""
AB_LOG = "ab.log"
NEVER = 100_000_000
"""More requests than any time allows: `ab -t` alone ends after 50,000."""
TERMINATE_S = 15.0
LEAST_HEAP = "-Xmx3g"
"""Threads of JMeter's hold what they send and read; ten thousand need more than a gigabyte."""


class FiniteLoad(LoadProcess):
    """One load of one cell: a `Load`, over when `finished` says so."""

    def __init__(self, settings: LoadSettings, target: Target) -> None:
        super().__init__()
        self._settings = settings
        self._target = target
        self.generator = settings.generator
        self.program = {"locust": "Locust", "jmeter": "JMeter", "ab": "ab"}[settings.generator]
        self.log_file = {"locust": "locust.log", "jmeter": JMETER_CONSOLE, "ab": AB_LOG}[settings.generator]

    @property
    def finished(self) -> bool:
        return self._process is not None and self._process.poll() is not None

    @property
    def has_begun(self) -> bool:
        """All users are there, as the generator's plugin says."""
        facts = read_load(self._directory)
        return facts is not None

    @property
    def died(self) -> str | None:
        """That it ends is what it is for."""
        return None

    def problem(self) -> str | None:
        """Why it did not end well. ab that breaks off is a result, which is read from its log."""
        code = self._process.returncode if self._process else None
        return f"the load did not end well: {self._how_it_ended()}" if code and self.generator != "ab" else None

    def _await_users(self) -> None:
        """They come by the load's own plan, and their coming is measured too."""

    def _start_within_s(self) -> float:
        return 0.0

    def _end(self, process: "subprocess.Popen[bytes]") -> str | None:
        if process.poll() is not None:
            return self.problem()
        process.terminate()
        try:
            process.wait(TERMINATE_S)
        except subprocess.TimeoutExpired:
            return f"the load did not end within {TERMINATE_S:g} s of SIGTERM"
        return "the load was ended before its time"

    def _complaint(self) -> str:
        if self.generator == "jmeter":
            return complaint(self._directory / JMETER_LOG, self._printed)
        return last_complaint(self._printed)

    def _environment(self) -> Mapping[str, str]:
        settings = {**asdict(self._settings), "ca": str(self._target.endpoint.ca or "")}
        paths = os.pathsep.join(filter(None, (str(PACKAGE.parent), os.environ.get("PYTHONPATH"))))
        return {"PYTHONPATH": paths, SETTINGS_VARIABLE: json.dumps(settings)}

    def _command(self) -> list[str]:
        return {"locust": self._locust, "jmeter": self._jmeter, "ab": self._ab}[self.generator]()

    def _locust(self) -> list[str]:
        settings, parts = self._settings, urlsplit(self._target.endpoint.url)
        users = 1 if settings.rate else settings.users
        return [
            *(sys.executable, "-P", "-m", "locust", "--headless", "--only-summary"),
            *("-f", f"{PLUGIN},{PLANS / 'users.py'}"),
            *("--users", str(users), "--spawn-rate", f"{max(1.0, users / max(settings.ramp_up_s, 0.5)):g}"),
            *("--run-time", f"{settings.seconds:g}s", "--stop-timeout", "5", "--exit-code-on-error", "0"),
            *("--host", f"{parts.scheme}://{parts.netloc}"),
            *("--switchover-target", str(self._target.source)),
        ]

    def _jmeter(self) -> list[str]:
        settings, parts, directory = self._settings, urlsplit(self._target.endpoint.url), self._directory.resolve()
        home = find_jmeter(None)
        properties = {
            "switchover.target": self._target.source,
            "switchover.scheme": parts.scheme,
            "switchover.host": parts.hostname,
            "switchover.port": parts.port or (443 if parts.scheme == "https" else 80),
            "study.users": settings.users,
            "study.loops": settings.count // settings.users,
            "study.ramp": round(settings.ramp_up_s),
            "study.pause": settings.pause_ms,
            "study.method": settings.method,
            "study.path": settings.path,
            "study.expect": settings.expect or "200",
            "study.keepalive": "true" if settings.keep_alive else "false",
        }
        words = [home.java, *java_arguments(), LEAST_HEAP, "-Xss256k", "-Djava.awt.headless=true"]
        words += [
            "-jar",
            str(home.launcher),
            "-n",
            "-t",
            str(PLANS / "threads.jmx"),
            "-j",
            str(directory / JMETER_LOG),
        ]
        return [*words, *(f"-J{name}={value}" for name, value in properties.items())]

    def _ab(self) -> list[str]:
        settings = self._settings
        words = [find_programs(["ab"])["ab"], "-q", "-l"]
        words += ["-c", str(settings.users), "-s", "30"]
        words += ["-t", f"{settings.seconds:g}"] if settings.seconds else []
        words += [] if settings.time_alone else ["-n", str(settings.count or NEVER)]
        words += ["-k"] if settings.keep_alive else []
        words += ["-f", "TLS1.2", "-Z", settings.cipher] if settings.cipher else []
        return [*words, self._target.endpoint.url.rstrip("/") + settings.path]
