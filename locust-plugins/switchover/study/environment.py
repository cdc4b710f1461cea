"""On what a study ran: the machine, the versions of the programs that took part, and what else the machine did."""

import os
import platform
import re
import threading
import time
import zipfile
from importlib.metadata import version
from pathlib import Path

from switchover import __version__
from switchover.lab.programs import VERSIONED, ask_version, find_program
from switchover.load.jmeter_plan import find_jmeter
from switchover.study.study_file import Study

VERSION_OPTION = {**VERSIONED, "apache2": "-v", "ab": "-V"}
NAMES = {
    "haproxy": "HAProxy",
    "nginx": "Nginx",
    "caddy": "Caddy",
    "traefik": "Traefik",
    "envoy": "Envoy",
    "keepalived": "Keepalived",
    "apache2": "Apache",
    "ab": "ab",
}
SERVERS = {"nginx": "nginx", "apache": "apache2"}
VERSION_WITHIN_S = 10.0
LOOK_S = 0.5
"""Time for which the machine is looked at before a cell."""
CALM_PERCENT = 10.0
CALM_WITHIN_S = 20.0
"""A cell waits for so long while others keep more than that of all processors busy."""


def read_environment(study: Study) -> dict[str, str]:
    """The machine and the programs in words; no host's name."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    facts = {
        "machine": f"{os.cpu_count()} processors ({_processor()}), {memory:.1f} GB, Linux {platform.release()}",
        "Switchover": f"{__version__}, Python {platform.python_version()}",
    }
    generators = {cell.load.generator for cell in study.cells}
    programs = {cell.lab.balancer_service for cell in study.cells}
    programs |= {SERVERS.get(cell.lab.backend_kind, "") for cell in study.cells} | (generators & {"ab"})
    if any(programs):
        programs.add("keepalived")
    for program in sorted(filter(None, programs)):
        if answer := program_version(program):
            facts[NAMES[program]] = answer
    if "locust" in generators:
        facts["Locust"] = version("locust")
    if "jmeter" in generators:
        facts["JMeter"] = jmeter_version(find_jmeter(None).launcher)
    return facts


def busy_percent(look_s: float = LOOK_S) -> float:
    """Percent of all processors that were not idle just now: before a cell, the work of others."""
    before = _processor_ticks()
    time.sleep(look_s)
    return _busy_between(before, _processor_ticks()) or 0.0


def await_calm(within_s: float) -> float:
    """Until others keep few processors busy, or for so long; how much was not idle in the last look."""
    give_up = time.monotonic() + within_s
    while (busy := busy_percent()) > CALM_PERCENT and time.monotonic() < give_up:
        pass
    return busy


class BusyWatch:
    """Looks at the processors in a thread of its own, for as long as a cell runs."""

    def __init__(self) -> None:
        self._looks: list[tuple[int, tuple[int, int]]] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look_on, name="busy watch", daemon=True)

    def __enter__(self) -> "BusyWatch":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def percent(self, from_us: int, to_us: int) -> float | None:
        """Percent of all processors that were not idle between two times; None: there was no look."""
        inside = [ticks for at_us, ticks in self._looks if from_us <= at_us <= to_us]
        return _busy_between(inside[0], inside[-1]) if inside else None

    def _look_on(self) -> None:
        while not self._ended.wait(LOOK_S):
            self._looks.append((time.time_ns() // 1000, _processor_ticks()))


def _busy_between(before: tuple[int, int], after: tuple[int, int]) -> float | None:
    all_ticks, idle = (now - then for now, then in zip(after, before, strict=True))
    return round(100 * (1 - idle / all_ticks), 1) if all_ticks else None


def _processor_ticks() -> tuple[int, int]:
    ticks = [int(word) for word in Path("/proc/stat").read_text(encoding="ascii").splitlines()[0].split()[1:9]]
    return sum(ticks), ticks[3] + ticks[4]


def program_version(program: str) -> str:
    """The first number in what it says of itself; empty where it is missing, which the lab says better."""
    path = find_program(program)
    if path is None:
        return ""
    shown = ask_version([path, VERSION_OPTION[program]], VERSION_WITHIN_S)
    found = re.search(r"\d+\.\d+[\w.+-]*", shown)
    return found[0] if found else "unknown"


def jmeter_version(launcher: Path) -> str:
    with zipfile.ZipFile(launcher) as jar:
        manifest = jar.read("META-INF/MANIFEST.MF").decode("utf-8", "replace")
    lines = [line.partition(":") for line in manifest.splitlines()]
    return next((answer.strip() for name, _, answer in lines if name == "Implementation-Version"), "unknown")


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()
