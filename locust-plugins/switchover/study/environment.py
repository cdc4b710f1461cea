"""The machine of a study: its processors, the versions of its programs, and the load from other programs."""

import os
import platform
import threading
import time
from importlib.metadata import version
from pathlib import Path

from switchover import __version__
from switchover.lab.programs import find_program, needed_programs, program_versions
from switchover.study.study_file import Study

LOOK_S = 0.5
"""The duration in seconds of a measurement before a cell."""


def read_environment(study: Study) -> dict[str, str]:
    """Return descriptions of the machine and the programs, without the host name."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    processor = next((text for text in _lines("/proc/cpuinfo") if text.startswith("model name")), platform.machine())
    facts = {
        "machine": f"{os.cpu_count()} processors ({processor.partition(':')[2].strip() or processor}), "
        f"{memory:.1f} GB, Linux {platform.release()}",
        "Switchover": f"{__version__}, Python {platform.python_version()}",
    }
    names = {name for cell in study.cells for name in needed_programs(cell.lab)}
    facts |= program_versions({name: path for name in sorted(names) if (path := find_program(name))})
    if any(cell.load.generator == "locust" for cell in study.cells):
        facts["Locust"] = version("locust")
    return facts


def busy_percent() -> float:
    """Return the percentage of all processors that were not idle. Before a cell, this is the load from other
    programs."""
    before = _processor_ticks()
    time.sleep(LOOK_S)
    return _busy_between(before, _processor_ticks()) or 0.0


class BusyWatch:
    """Measures the use of the processors in a thread while a cell runs."""

    def __init__(self) -> None:
        self._looks: list[tuple[int, tuple[int, int]]] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look_repeatedly, name="busy watch", daemon=True)

    def __enter__(self) -> "BusyWatch":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def percent(self, from_us: int, to_us: int) -> float | None:
        """Return the percentage of all processors that were not idle between two times. None: there is no
        measurement."""
        inside = [ticks for at_us, ticks in self._looks if from_us <= at_us <= to_us]
        return _busy_between(inside[0], inside[-1]) if inside else None

    def _look_repeatedly(self) -> None:
        while not self._ended.wait(LOOK_S):
            self._looks.append((time.time_ns() // 1000, _processor_ticks()))


def _busy_between(before: tuple[int, int], after: tuple[int, int]) -> float | None:
    all_ticks, idle = (now - then for now, then in zip(after, before, strict=True))
    return round(100 * (1 - idle / all_ticks), 1) if all_ticks else None


def _processor_ticks() -> tuple[int, int]:
    """Return all ticks and the idle ticks of the processors since the machine started."""
    ticks = [int(word) for word in _lines("/proc/stat")[0].split()[1:9]]
    return sum(ticks), ticks[3] + ticks[4]


def _lines(path: str) -> list[str]:
    return Path(path).read_text(encoding="utf-8").splitlines()
