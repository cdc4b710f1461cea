"""The counts as CSV tables, in which no name can become a formula of a spreadsheet."""

import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

from switchover.locust.page.live_run import LiveRun
from switchover.locust.page.timeline import OUTCOMES, Counts, add
from switchover.report.csv_table import write_table

SECONDS = ("utc", "epoch_s", "seconds", "phase", "balancer", "backend", "answered_by", *OUTCOMES)
PHASES = ("phase", "source", "kind", "name", "count", "share", "expected_share")


def seconds_table(live: LiveRun) -> str:
    """A line per stretch of time and answering pair; a stretch is a second, or longer where it is older."""
    rows: list[list[object]] = []
    series_names = live.seen.traffic.series_names
    for stretch in live.seen.timeline.stretches():
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(stretch.at_s))
        for series, counts in sorted(stretch.by_series.items()):
            names = (series_names[series].balancer, series_names[series].backend, series_names[series].answered_by)
            rows.append([at, stretch.at_s, stretch.width_s, live.phase_of(stretch.at_s), *names, *counts])
    return write_table(SECONDS, rows)


def phases_table(live: LiveRun) -> str:
    """Share per phase, backend and balancer: the verdict's, of requests and probes together; before there is one,
    that of the requests so far, to the second."""
    weights = live.seen.weights
    total_weight = sum(weights.values())
    rows: list[list[object]] = []
    source, by_phase = ("verdict", _counts_of_verdict(live)) if live.verdict else ("so far", _counts_so_far(live))
    for phase, kinds in by_phase.items():
        for kind, counts in kinds.items():
            total = sum(counts.values())
            for name, count in sorted(counts.items()):
                expects = kind == "backend" and name in weights and total_weight > 0
                expected = f"{weights[name] / total_weight:.6f}" if expects else ""
                share = f"{count / total:.6f}" if total > 0 else ""
                rows.append([phase, source, kind, name, count, share, expected])
    return write_table(PHASES, rows)


def _counts_of_verdict(live: LiveRun) -> dict[str, dict[str, Mapping[str, int]]]:
    """The verdict's distribution."""
    distribution: Any = (live.verdict or {}).get("distribution") or {}
    return {
        str(phase): {
            kind: {str(name): int(found["count"]) for name, found in kinds.get(plural, {}).items()}
            for kind, plural in (("backend", "backends"), ("balancer", "balancers"))
        }
        for phase, kinds in (distribution.get("by_phase") or {}).items()
    }


def _counts_so_far(live: LiveRun) -> dict[str, dict[str, Mapping[str, int]]]:
    by_phase: dict[str, dict[int, Counts]] = {}
    for stretch in live.seen.timeline.stretches():
        found = by_phase.setdefault(live.phase_of(stretch.at_s), {})
        for series, counts in stretch.by_series.items():
            add(found.setdefault(series, [0, 0, 0]), counts)
    series_names = live.seen.traffic.series_names
    tables: dict[str, dict[str, Mapping[str, int]]] = {}
    for phase, by_series in by_phase.items():
        backends: Counter[str] = Counter()
        balancers: Counter[str] = Counter()
        for series, counts in by_series.items():
            backends[series_names[series].backend] += sum(counts)
            balancers[series_names[series].balancer] += sum(counts)
        tables[phase] = {
            kind: {name: count for name, count in names.items() if name and count}
            for kind, names in (("backend", backends), ("balancer", balancers))
        }
    return tables
