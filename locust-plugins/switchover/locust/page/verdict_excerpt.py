"""The part of the verdict that the page shows, bounded in size for every run; its summary is that of the console."""

from collections.abc import Mapping
from typing import Any

from msgspec import convert, to_builtins

from switchover.report.documents import Judged, tree_of
from switchover.report.summary import WARNINGS, summarize
from switchover.rundir.run_directory import Run
from switchover.verdict.record import Population, Share, Verdict
from switchover.verdict.series.series_json import describe_run

LINES_LIMIT = 60
NAMES_LIMIT = 8
TEXT_LIMIT = 600


def excerpt_verdict(values: Mapping[str, Any], run: Run) -> dict[str, Any]:
    """`values`: verdict.json."""
    verdict = convert(values, Verdict)
    summary = summarize(Judged(verdict, tree_of(describe_run(run))))
    accounting = verdict.accounting
    # What does not agree comes first.
    lines = sorted(accounting.lines, key=lambda one: (-one.unaccounted, one.difference == 0)) if accounting else []
    return {
        "exit_code": verdict.exit_code,
        "status": summary.status,
        "heading": summary.heading,
        "subject": summary.subject[:TEXT_LIMIT],
        "rows": [[text[:TEXT_LIMIT] for text in row] for row in summary.rows],
        "warnings": [warning[:TEXT_LIMIT] for warning in summary.warnings[:WARNINGS]],
        "probes": _phases(verdict.probes),
        "samples": _phases(verdict.samples),
        "timeline": to_builtins(verdict.timeline or []),
        "shares": {
            phase: {"balancers": _shares(found.balancers), "backends": _shares(found.backends)}
            for phase, found in verdict.distribution.by_phase.items()
        },
        "accounting": {
            **{name: getattr(accounting, name, None) for name in ("dedicated", "equal", "explained", "unaccounted")},
            "lines": to_builtins(lines[:LINES_LIMIT]),
            "line_count": len(lines),
        },
    }


def _phases(population: Population | None) -> dict[str, Any]:
    counted = population.by_phase if population else {}
    return {phase: {"total": one.total, "failed": one.failed, "late": one.late} for phase, one in counted.items()}


def _shares(counted: Mapping[str, Share]) -> dict[str, float]:
    """The first names, which are all of them in most runs."""
    return {name: found.share for name, found in list(counted.items())[:NAMES_LIMIT]}
