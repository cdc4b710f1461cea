"""Several drills of one fault: each a run of its own, and together a distribution that theory can be held against."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from switchover.analysis.prediction_fit import REJECTED_BELOW, Series, fit_series
from switchover.analysis.verdict import Verdict
from switchover.report.console import repeat_table
from switchover.rundir import read_run, write_json

SUMMARY_FILE = "summary.json"


@dataclass(frozen=True, slots=True)
class Repeat:
    """One drill of several."""

    directory: Path
    verdict: Verdict


def report_repeats(parent: Path, repeats: Sequence[Repeat], *, asked: int, as_json: bool) -> int:
    """Write `summary.json`, show the table, and return the exit code of the worst drill; 2 outranks 1."""
    series = _series(repeats)
    exit_code = _exit_code(repeats, series, asked)
    summary = {
        "schema": 1,
        "asked": asked,
        "done": len(repeats),
        "exit_code": exit_code,
        "series": _series_json(series),
        "runs": [_row(repeat) for repeat in repeats],
    }
    write_json(parent / SUMMARY_FILE, summary)
    if as_json:
        json.dump(summary, sys.stdout, indent=2)
        print()
    else:
        console = Console()
        console.print(repeat_table([(repeat.directory.name, repeat.verdict) for repeat in repeats], series))
        console.print(f"Report: {parent / SUMMARY_FILE}", soft_wrap=True, highlight=False)
    return exit_code


def _series(repeats: Sequence[Repeat]) -> Series:
    fitted = [(r.verdict.prediction, r.verdict.outage) for r in repeats if r.verdict.prediction and r.verdict.outage]
    uniform = all(fault is not None and fault.uniform for fault in (read_run(r.directory).fault for r in repeats))
    return fit_series([fit for fit, _ in fitted], [outage for _, outage in fitted], uniform=uniform)


def _exit_code(repeats: Sequence[Repeat], series: Series, asked: int) -> int:
    codes = [repeat.verdict.exit_code for repeat in repeats]
    if len(repeats) < asked:
        codes.append(2)
    if series.refuted:
        codes.append(1)
    return max(codes)


def _series_json(series: Series) -> dict[str, Any]:
    return {
        "outages_ms": [round(value, 3) for value in series.outages_ms],
        "low_ms": series.low_ms,
        "high_ms": series.high_ms,
        "outside": series.outside,
        "ks_distance": series.distance,
        "p": series.p,
        "rejected_below": REJECTED_BELOW,
        "refuted": series.refuted,
    }


def _row(repeat: Repeat) -> dict[str, Any]:
    outage = repeat.verdict.outage
    return {
        "run": repeat.directory.name,
        "exit_code": repeat.verdict.exit_code,
        "outage_ms": outage.duration_us / 1000 if outage else None,
        "early_ms": outage.early_us / 1000 if outage else None,
        "censored": outage.censored if outage else None,
        "split_brain_ms": repeat.verdict.split_brain.total_us / 1000 if repeat.verdict.split_brain else None,
    }
