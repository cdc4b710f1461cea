"""What was measured, as JSON keeps it, and the goals."""

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


def goal(text: str, value: Estimate, met: bool) -> dict[str, Any]:
    return {"goal": text, **as_json(value), "met": met}


def raw(played: dict[str, list[Block]]) -> dict[str, list[list[float]]]:
    return {name: [[b.requests, b.cpu_s, b.seconds] for b in blocks] for name, blocks in played.items()}


def as_json(value: Estimate) -> dict[str, float | None]:
    return {"mean": round(value.mean, 3), "margin": round(value.margin, 3) if value.margin != float("inf") else None}
