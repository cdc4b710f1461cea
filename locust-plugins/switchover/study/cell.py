"""Run a cell (a lab with a load) as a drill on the lab's client: `python -m switchover.study.cell CELL.json`."""

import json
import math
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from switchover.drill.conduct import conduct
from switchover.drill.fire_and_heal import FaultControl
from switchover.drill.options import DrillSettings
from switchover.drill.plan import DrillPlan
from switchover.drill.wait import TICK_S, PhaseTimer
from switchover.faults.mechanism import PreparedFault
from switchover.lab.capability import find_programs
from switchover.lab.lab import unverified_tls
from switchover.load.jmeter import CONSOLE_FILE as JMETER_CONSOLE
from switchover.load.jmeter import LOG_FILE as JMETER_LOG
from switchover.load.jmeter import complaint, java_arguments
from switchover.load.jmeter_plan import find_jmeter
from switchover.load.load_process import LoadProcess
from switchover.load.locust import LOG_FILE as LOCUST_LOG
from switchover.load.locust import PLUGIN, last_complaint
from switchover.model.errors import SwitchoverError
from switchover.prober import ProberProgress
from switchover.rundir.load_facts import read_load as read_load_facts
from switchover.study.study_file import LoadSettings, read_load
from switchover.target.model import Target
from switchover.target.reader import load_target

PLANS = Path(__file__).parent / "plans"
AB_LOG = "ab.log"
NEVER = 100_000_000
"""A number of requests that no load reaches. Without a number, `ab -t` ends after 50,000 requests."""
TERMINATE_S = 15.0
LEAST_HEAP = "-Xmx3g"


class FiniteLoad(LoadProcess):
    def __init__(self, settings: LoadSettings, target: Target) -> None:
        super().__init__(target, spawning_s=0.0)
        self.settings = settings
        texts = {**asdict(settings), "ca": str(target.endpoint.ca or "")}
        self._variables = {"SWITCHOVER_STUDY_LOAD": json.dumps(texts)}
        self.generator = settings.generator
        self.program, self.log_file = {
            "locust": ("Locust", LOCUST_LOG),
            "jmeter": ("JMeter", JMETER_CONSOLE),
            "ab": ("ab", AB_LOG),
        }[settings.generator]
        self.output_file = self.log_file

    @property
    def finished(self) -> bool:
        return self._process is not None and self._process.poll() is not None

    @property
    def has_begun(self) -> bool:
        return read_load_facts(self._directory) is not None

    @property
    def died(self) -> str | None:
        """None, because this load may end by itself."""
        return None

    def problem(self) -> str | None:
        """Return the reason why the load failed. None: the load succeeded, or the load is ab, whose log shows
        errors."""
        process = self._process
        if process is None or not process.returncode or self.generator == "ab":
            return None
        return f"the load failed: {self._how_it_ended(process)}"

    def _await_users(self, process: "subprocess.Popen[bytes]") -> None:
        """Do nothing, because the load starts its users, and this start is part of the measurement."""

    def _end(self, process: "subprocess.Popen[bytes]") -> str | None:
        if process.poll() is not None:
            return self.problem()
        process.terminate()
        try:
            process.wait(TERMINATE_S)
        except subprocess.TimeoutExpired:
            return f"the load did not end within {TERMINATE_S:g} s of SIGTERM"
        return "the load was ended early"

    def _complaint(self) -> str:
        if self.generator == "jmeter":
            return complaint(self._directory / JMETER_LOG, self._printed)
        return last_complaint(self._printed)

    def _command(self) -> list[str]:
        return {"locust": self._locust, "jmeter": self._jmeter, "ab": self._ab}[self.generator]()

    def _locust(self) -> list[str]:
        settings, parts = self.settings, urlsplit(self._target.endpoint.url)
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
        settings, parts, directory = self.settings, urlsplit(self._target.endpoint.url), self._directory.resolve()
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
            "study.expect": settings.expect or "200",
            "study.keepalive": "true" if settings.keep_alive else "false",
        }
        words = [home.java, *java_arguments(), LEAST_HEAP, "-Xss256k", "-Djava.awt.headless=true"]
        words += ["-jar", str(home.launcher), "-n", "-t", str(PLANS / "threads.jmx")]
        words += ["-j", str(directory / JMETER_LOG)]
        return [*words, *(f"-J{name}={value}" for name, value in properties.items())]

    def _ab(self) -> list[str]:
        settings = self.settings
        words = [find_programs(["ab"])["ab"], "-q", "-l"]
        words += ["-c", str(settings.users), "-s", "30"]
        words += ["-t", f"{settings.seconds:g}"] if settings.seconds else []
        words += [] if settings.time_alone else ["-n", str(settings.count or NEVER)]
        words += ["-k"] if settings.keep_alive else []
        words += ["-f", "TLS1.2", "-Z", settings.cipher] if settings.cipher else []
        return [*words, self._target.endpoint.url.rstrip("/") + "/"]


LONGEST_S = 1800.0
"""The time limit, in seconds, of a load that ends after a number of requests."""
HOLD_S = 12.0
"""The seconds from the fault to the heal, so that the outage can end and the stability window fits."""
GRACE_S = 90.0
"""The seconds for the start and the end of the load generator, in addition to the duration of the load."""
SCRAPES = 25


class LoadPlan(DrillPlan):
    """A plan of a drill that ends with its load. The fault is fired in the middle of the load, and healed later."""

    is_judged = False  # a study needs figures, but no verdict
    load: FiniteLoad

    def __init__(self, load: FiniteLoad, names: Mapping[str, str]) -> None:
        self.load = load
        self._names = names

    def facts(self) -> dict[str, Any]:
        return {"baseline_s": None, **self._names}

    def run(self, control: FaultControl, timer: PhaseTimer) -> None:
        settings = self.load.settings
        longest_s = (settings.expected_s if settings.seconds else LONGEST_S) + GRACE_S
        end, fire_at = time.monotonic() + longest_s, math.inf
        while not self.load.finished and not timer.interrupted:
            now = time.monotonic()
            if now > end:
                raise SwitchoverError(f"the load was not over after {longest_s:g} s")
            if settings.fault and fire_at == math.inf and self.load.has_begun:
                fire_at = now + settings.fault_after_s
            if now >= fire_at and not control.is_fired:
                control.fire()
            timer.phase("load", min(TICK_S, fire_at - now) if now < fire_at else TICK_S)
        if control.is_fired:
            timer.phase("switchover", fire_at + HOLD_S - time.monotonic())
            control.heal()
        elif settings.fault and not timer.interrupted:
            raise SwitchoverError("the load ended before the fault was due: make the load longer")


class Quiet:
    def phase(self, name: str, seconds: float) -> None: ...

    def tick(self, left_s: float, probes: ProberProgress | None, holders: frozenset[str]) -> None: ...

    def note(self, text: str) -> None:
        print(text, file=sys.stderr)


def warm_up(target: Target, settings: LoadSettings) -> None:
    """Send 20 requests in sequence, so that the first sample does not include one-time costs."""
    url = target.endpoint.url.rstrip("/") + "/"
    for _ in range(20):
        request = Request(url, method=settings.method, data=b"" if settings.method == "POST" else None)
        try:
            with urlopen(request, timeout=10, context=unverified_tls()) as answer:
                answer.read()
        except OSError as error:
            raise SwitchoverError(f"the warm-up got no response from {url}: {error}") from error


def run_cell(values: Mapping[str, Any]) -> str | None:
    target = load_target(Path(values["target"]))
    load_settings = read_load(values["load"])
    directory = Path(values["directory"])
    directory.mkdir(parents=True)
    warm_up(target, load_settings)
    settings = DrillSettings(
        directory=directory,
        name="cell",
        fault=load_settings.fault or None,
        probe_rate=load_settings.probe_rate,
        timeout_s=(target.endpoint.timeout_connect_s or 1.0, target.endpoint.timeout_read_s or 1.0),
        scrape_s=min(1.0, max(0.2, load_settings.expected_s / SCRAPES)),
        seed=values["seed"],
        command=("switchover", "study"),
    )
    names = {"study": values["study"], "cell": values["cell"]}

    def new_plan(_prepared: PreparedFault | None) -> LoadPlan:
        return LoadPlan(FiniteLoad(load_settings, target), names)

    done = conduct(settings, new_plan, Quiet(), target)
    if done.interrupted:
        return "interrupted"
    return done.run.fault.error if done.run.fault else None


def main(arguments: list[str]) -> int:
    values = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    try:
        why = run_cell(values)
    except SwitchoverError as error:
        why = str(error)
    if why:
        print(why, file=sys.stderr)
    return 1 if why else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
