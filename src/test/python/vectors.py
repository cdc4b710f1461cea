"""Vectors that both languages read: how their probes are written down."""

import json
from pathlib import Path
from typing import Any

from switchover.model.failure_kind import FailureKind
from switchover.rundir.sample_log import Sample
from synthetic import sample

CONTRACT = Path(__file__).parents[1] / "resources" / "contract"

_ERRORS = {"failed": FailureKind.REFUSED, "generator": FailureKind.GENERATOR}


def cases(name: str, of: str = "cases") -> list[dict[str, Any]]:
    """One list of `contract/NAME.json`."""
    found: list[dict[str, Any]] = json.loads((CONTRACT / f"{name}.json").read_text(encoding="utf-8"))[of]
    return found


def expand(series: list[dict[str, Any]]) -> list[Sample]:
    """Each entry stands for `count` probes, due every `every_us` from `due_us` on. Each is sent when due, or all of
    them at `sent_us`; over `took_us` after that, or all of them at `end_us`. `result` is ok, failed or generator.
    """
    samples = []
    for entry in series:
        for number in range(entry["count"]):
            due_us = entry["due_us"] + number * entry["every_us"]
            start_us = entry.get("sent_us", due_us)
            end_us = entry["end_us"] if "end_us" in entry else start_us + entry["took_us"]
            error = _ERRORS.get(entry.get("result", "ok"))
            samples.append(sample(start_us, end_us, intended_us=due_us, success=error is None, error=error))
    return samples
