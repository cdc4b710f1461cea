"""What each process of a step takes, and what the machine does besides."""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import psutil
from players import cpu_s

from support.our_processes import OURS, module_of

NAMES = {**OURS, "locust": "worker"}
"""By the module that a process runs."""
TICKS = os.sysconf("SC_CLK_TCK")
MEGABYTE = 1e6


@dataclass(frozen=True, slots=True)
class Use:
    name: str
    cpu_s: float
    mb: float


@dataclass(frozen=True, slots=True)
class Moment:
    """All processes that this one has started, and theirs, at one time."""

    uses: Mapping[int, Use]
    own_cpu_s: float
    machine_cpu_s: float
    """Of all processors, with what the hypervisor took."""


def look(names: Mapping[int, str]) -> Moment:
    """`names`: of processes that are not told by what they run."""
    uses = {}
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error, OSError):
            module = module_of(process)
            name = names.get(process.pid) or NAMES.get(module) or module or str(process.name())
            uses[process.pid] = Use(name, cpu_s(process.pid), process.memory_info().rss / MEGABYTE)
    return Moment(uses, cpu_s(os.getpid()), _machine_cpu_s())


def used_between(before: Moment, after: Moment, seconds: float) -> dict[str, dict[str, Any]]:
    """By name: how many there were, and what one of them took in the mean; processor time in percent of a core."""
    found: dict[str, list[tuple[float, float]]] = {}
    for pid, use in after.uses.items():
        if pid in before.uses:
            percent = 100 * (use.cpu_s - before.uses[pid].cpu_s) / seconds
            found.setdefault(use.name, []).append((percent, use.mb))
    return {
        name: {
            "processes": len(values),
            "cpu_percent": round(fmean(percent for percent, _ in values), 2),
            "mb": round(fmean(mb for _, mb in values), 1),
        }
        for name, values in sorted(found.items())
    }


def others_percent(before: Moment, after: Moment, used: Mapping[str, Mapping[str, Any]], seconds: float) -> float:
    """What else ran on the machine meanwhile, in percent of a core."""
    step = sum(one["processes"] * one["cpu_percent"] for one in used.values())
    own = 100 * (after.own_cpu_s - before.own_cpu_s) / seconds
    return round(100 * (after.machine_cpu_s - before.machine_cpu_s) / seconds - step - own, 1)


def _machine_cpu_s() -> float:
    """User, nice, system, interrupts and stolen time (proc(5), stat); not idle, not waiting for a disk."""
    numbers = [int(number) for number in Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:]]
    user, nice, system, _, _, irq, softirq, steal, *_ = numbers
    return (user + nice + system + irq + softirq + steal) / TICKS
