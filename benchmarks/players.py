"""Who plays in a scene: processes that are held and let go on, and say how far they have come."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

START_S = 60.0
END_S = 20.0

Stage = TypeVar("Stage", contravariant=True)


@dataclass(frozen=True, slots=True)
class Reading:
    """How far somebody has come since its start."""

    requests: int
    failures: int
    cpu_s: float


class Player(Protocol):
    """A contestant that has been started."""

    process: "subprocess.Popen[bytes]"
    reads_when_held: bool
    """Whether it is asked while it is held; else just before, and after it was let go on."""

    def reading(self) -> Reading:
        """How far it has come."""

    def warmed_up(self) -> None:
        """It has run for a while, and is about to be held for the first time."""

    def end(self) -> None:
        """Is over with it, held or not."""


class Contestant(Protocol[Stage]):
    """Who may take part."""

    @property
    def name(self) -> str: ...

    def start(self, stage: Stage, directory: Path) -> Player:
        """Sends requests when it returns."""


def go_on(process: "subprocess.Popen[bytes]") -> None:
    os.kill(process.pid, signal.SIGCONT)


def hold(process: "subprocess.Popen[bytes]") -> None:
    """All its threads stand still when it returns."""
    os.kill(process.pid, signal.SIGSTOP)
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    if not os.WIFSTOPPED(status):
        raise SystemExit(f"{process.args!r} has ended in the middle")


def terminate(process: "subprocess.Popen[bytes]") -> None:
    """What it has measured is known; what it still would do (an analysis of the run) is not waited for."""
    process.send_signal(signal.SIGCONT)
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def until(condition: Callable[[], bool], process: "subprocess.Popen[bytes]", seconds: float = START_S) -> bool:
    give_up = time.monotonic() + seconds
    while time.monotonic() < give_up and process.poll() is None:
        if condition():
            return True
        time.sleep(0.1)
    return False


def cpu_s(pid: int) -> float:
    """User and system time of a process and all threads that it has had, to the nanosecond.

    The clock of another process is made of its number as glibc's clock_getcpuclockid makes it.
    """
    return time.clock_gettime((~pid << 3) | 2)
