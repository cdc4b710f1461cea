"""What was measured, as JSON keeps it, and the goals."""

import math
import os
import platform
from pathlib import Path
from typing import Any

from estimates import Estimate, estimate, paired
from scene import Block


def machine() -> dict[str, Any]:
    return {"cpu": cpu_model(), "cores": os.cpu_count()}


def cpu_model() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def summarised(name: str, base: str | None, played: dict[str, list[Block]]) -> dict[str, Any]:
    """A contestant's figures, and what it takes more than its base."""
    own = played[name]
    found: dict[str, Any] = {
        "rate": as_json(estimate([block.rate for block in own])),
        "cpu_us": as_json(estimate([block.cpu_us for block in own])),
        "failures": sum(block.failures for block in own),
    }
    if base is not None:
        others = played[base]
        found["added_us"] = as_json(paired([p.cpu_us for p in own], [p.cpu_us for p in others]))
        found["of_bare_rate"] = as_json(estimate([p.rate / b.rate for p, b in zip(own, others, strict=True)]))
    return found


def at_most(text: str, value: Estimate, limit: float) -> dict[str, Any]:
    """A goal, and whether the whole interval keeps it; where the limit lies within the interval nothing is shown."""
    return _goal(text, value, value.mean <= limit, limit)


def at_least(text: str, value: Estimate, limit: float) -> dict[str, Any]:
    return _goal(text, value, value.mean >= limit, limit)


def _goal(text: str, value: Estimate, kept: bool, limit: float) -> dict[str, Any]:
    inconclusive = math.isfinite(value.margin) and abs(value.mean - limit) < value.margin
    return {"goal": text, **as_json(value), "met": "not shown" if inconclusive else "yes" if kept else "no"}


def raw(played: dict[str, list[Block]]) -> dict[str, list[list[float]]]:
    return {name: [[b.requests, b.cpu_s, b.seconds] for b in blocks] for name, blocks in played.items()}


def as_json(value: Estimate) -> dict[str, float | None]:
    return {"mean": round(value.mean, 3), "margin": round(value.margin, 3) if value.margin != float("inf") else None}
