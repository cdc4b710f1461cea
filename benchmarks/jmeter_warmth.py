"""When a JMeter has warmed up: what its JIT compiler takes is a matter of its first minute, not of its samples.

JMeter alone keeps the compiler busy for its first 13 s of CPU or so, a plan with more in it for longer, and until
then its samples take several times the CPU of later ones. That is no cost of a sample, so it is waited for.
"""

import contextlib
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from players import cpu_s, until

WINDOW_S = 5.0
"""Of CPU."""
QUIET_WINDOWS = 2
"""In a row."""
QUIET_SHARE = 0.02
"""Of the process's CPU; less is what comes of a branch that is taken for the first time."""
PATIENCE = 12
"""Times as long as it would take on a core of its own."""
COMPILERS = ("C1 Compiler", "C2 Compiler")


@dataclass(frozen=True, slots=True)
class Warmth:
    """What it took, in seconds of CPU; whether the compiler was through by then."""

    cpu_s: float
    compilers_s: float
    quiet: bool


def warm(process: "subprocess.Popen[bytes]", most_s: float) -> Warmth:
    """Let it run until the compiler is quiet, or for so much CPU."""
    quiet, used, compiling = 0, cpu_s(process.pid), compilers_s(process.pid)
    while quiet < QUIET_WINDOWS and used < most_s and _runs_for(process, WINDOW_S):
        now, compiled = cpu_s(process.pid), compilers_s(process.pid)
        quiet = quiet + 1 if compiled - compiling < QUIET_SHARE * (now - used) else 0
        used, compiling = now, compiled
    return Warmth(round(used, 1), round(compiling, 1), quiet >= QUIET_WINDOWS)


def compilers_s(pid: int) -> float:
    return sum(ran_s(thread / "schedstat") for thread in threads(pid, COMPILERS))


def threads(pid: int, names: tuple[str, ...] = ("",)) -> list[Path]:
    """Those whose names begin so."""
    found = []
    for thread in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if (thread / "comm").read_text(encoding="utf-8").startswith(names):
                found.append(thread)
    return found


def ran_s(schedstat: Path) -> float:
    return int(schedstat.read_text(encoding="utf-8").split()[0]) / 1e9


def pin(thread: Path, core: int) -> None:
    """Unless it has ended."""
    with contextlib.suppress(ProcessLookupError):
        os.sched_setaffinity(int(thread.name), {core})


def _runs_for(process: "subprocess.Popen[bytes]", seconds: float) -> bool:
    enough = cpu_s(process.pid) + seconds
    return until(lambda: cpu_s(process.pid) >= enough, process, PATIENCE * seconds)
