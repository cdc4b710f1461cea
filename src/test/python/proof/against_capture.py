"""A drill under load and a packet capture of the same wire: what must agree, and where it does not."""

import json
from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from proof.drills import drill_from_client
from proof.pages import PROBE_INTERVAL_MS
from support.capture import Capture, Handover, handover
from support.sample_rows import read_samples
from switchover.lab import addresses
from switchover.lab.lab import Lab
from switchover.rundir.sample_log import Sample

NEAR_MS = 2 * PROBE_INTERVAL_MS


def measured(lab: Lab, fault: str, seed: int, folder: Path, *options: str) -> dict[str, Any]:
    folder.mkdir()
    with Capture(lab, addresses.VIP, folder) as capture:
        drill = drill_from_client(lab, fault, seed, folder, "--json", *options)
    verdict = json.loads(drill.stdout)
    directory = next(folder.glob("*/run.json")).parent
    run = json.loads((directory / "run.json").read_text(encoding="utf-8"))
    plan = run["plan"]
    seen = handover(run, capture.answers())
    assert seen is not None, f"seed {seed}: the capture saw no handover"
    samples, probes = (list(read_samples(directory / name)) for name in ("samples.jtl", "probes.jtl"))
    outage, load = verdict["outage"], verdict["samples"]
    return {
        "seed": seed,
        "fault": fault,
        "exit_code": drill.returncode,
        "valid": verdict["valid"],
        "reasons": [reason["text"] for reason in verdict["reasons"]],
        "prediction": verdict["prediction"],
        "outage_ms": outage["high_ms"],
        "early_ms": None if outage["high_ms"] is None else outage["high_ms"] - outage["low_ms"],
        "gap_ms": max((gap["duration_ms"] for gap in outage["gaps"]), default=0.0),
        "together_ms": _longest_gap_ms([*probes, *samples], plan),
        "reading_ms": load["by_phase"]["baseline"]["latency_ms"]["from_send"]["max"],
        "capture_ms": seen.gap_ms,
        "capture_dropped": capture.dropped(),
        "load_gap_ms": verdict["load"]["longest_gap"]["duration_ms"],
        "in_order": plan["fired_from_us"] <= seen.last_us < seen.first_us <= plan["heal_from_us"],
        "answered_inside": _answered_inside(samples, seen),
        "failed": {name: phase["failed"] for name, phase in load["by_phase"].items()},
        "failed_through": _failed_through_the_outage(samples, plan["fired_from_us"], outage["to_us"]),
        "failed_afresh": _failed_afresh(samples, seen, plan["heal_from_us"]),
        "total": load["total"],
        "unaccounted": verdict["accounting"]["unaccounted"],
        "artefacts": [artefact["name"] for artefact in verdict["load"]["artefacts"]],
    }


def _longest_gap_ms(samples: Sequence[Sample], plan: dict[str, Any]) -> float:
    """Between two good answers, whoever got them, of those from the last before the fault to the heal."""
    ends = sorted(s.end_us for s in samples if s.success and s.end_us < plan["heal_from_us"])
    since = bisect_left(ends, plan["fired_from_us"]) - 1
    return max(after - before for before, after in pairwise(ends[since:])) / 1000


def _answered_inside(samples: Sequence[Sample], seen: Handover) -> int:
    """Users with an answer that was begun and ended while the wire carried none."""
    return sum(s.success and s.start_us > seen.last_us and s.end_us < seen.first_us for s in samples)


def _failed_afresh(samples: Sequence[Sample], seen: Handover, until_us: int) -> int:
    """Failures of requests that began when the new master had already answered, but for those on kept connections,
    which may still lead to the old one."""
    return sum(
        not s.success and s.stream != "kept" and s.error != "generator" and seen.first_us < s.start_us < until_us
        for s in samples
    )


def _failed_through_the_outage(samples: Sequence[Sample], fired_us: int, clean_us: int) -> int:
    """Failed samples that overlap the time from the fault to the end of the prober's outage, counted again."""
    return sum(
        not s.success and s.error != "generator" and s.start_us < clean_us and s.end_us > fired_us for s in samples
    )


def broken(row: dict[str, Any]) -> list[str]:
    holds = {
        "the capture dropped packets": row["capture_dropped"] == 0,
        "the prober had answers that the wire did not carry": row["gap_ms"] - row["capture_ms"] >= -NEAR_MS,
        "the wire carried answers that nobody had": row["together_ms"] - row["capture_ms"] <= NEAR_MS,
        "answers were had long after the wire had carried them": (
            row["together_ms"] - row["capture_ms"] >= -NEAR_MS - row["reading_ms"]
        ),
        "fault, silence, answer and heal are out of order": row["in_order"],
        "a user had an answer that the wire did not carry": row["answered_inside"] == 0,
        "failed samples are counted differently": row["failed"]["switchover"] == row["failed_through"],
        "a fresh request failed when the service was back": row["failed_afresh"] == 0,
        "unaccounted requests": row["unaccounted"] == 0,
        "nothing is said of the closed loop": bool(row["artefacts"]),
    }
    return [text for text, true in holds.items() if not true]
