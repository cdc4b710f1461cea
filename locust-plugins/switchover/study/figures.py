"""The figures of one cell, from its run directory. If the load has a duration, rates and times are measured between
the ramp-up and the planned end. Figures with `all` in their name include failed responses, as published figures
do."""

import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from msgspec import to_builtins

from switchover.evidence.requests.store import Store
from switchover.evidence.run_data import RunData, load
from switchover.lab.spec import FROM_WHEELS
from switchover.model.errors import RunDirectoryError
from switchover.rundir.measurements import HAPROXY, PROCESS
from switchover.rundir.points import Point
from switchover.rundir.run_directory import VERDICT_FILE, write_json
from switchover.study.cell import AB_LOG
from switchover.study.study_file import LoadSettings
from switchover.verdict.judge import judge

PROCESSES = {
    "balancer": ("haproxy", "nginx", *FROM_WHEELS),
    "backend": ("nginx", "apache2", "python", "python3"),
}
WHOLE = "(SELECT * FROM samples WHERE NOT regexp_matches(label, ' \\[redirect \\d+\\]$'))"
"""SQL for the samples without the rows for single steps of a redirect, so that each request has one row."""
LOST = {"probes_lost", "worker_lost", "samples_lost", "samples_differ"}
"""The codes of the verdict's reasons that mean lost records, for example because the disk was full."""
_NUMBERS = {
    "requests": r"^Complete requests:\s+(\d+)",
    "failed": r"^Failed requests:\s+(\d+)",
    "not_2xx": r"^Non-2xx responses:\s+(\d+)",
    "seconds": r"^Time taken for tests:\s+([\d.]+)",
    "kb_per_s": r"^Transfer rate:\s+([\d.]+)",
    "median": r"^\s+50%\s+(\d+)",
    "p95": r"^\s+95%\s+(\d+)",
    "p98": r"^\s+98%\s+(\d+)",
    "p99": r"^\s+99%\s+(\d+)",
}
_TOTAL = re.compile(r"^Total:\s+(\d+)\s+([\d.]+)\s+([\d.]+)\s+(\d+)\s+(\d+)", re.MULTILINE)
"""The line `Total:` of ab's table of connection times: min, mean, standard deviation, median and max in
milliseconds."""
_BROKEN_OFF = re.compile(r"^Total of (\d+) requests completed", re.MULTILINE)
_WHY = re.compile(r"(apr_\w+: .*|SSL .*|Test aborted.*|ab: .*)$", re.MULTILINE)
PERCENTILES = {"median": 0.5, "p95": 0.95, "p98": 0.98, "p99": 0.99}


def read_figures(directory: Path, settings: LoadSettings) -> tuple[dict[str, float], tuple[str, ...]]:
    """Return the figures of a cell, and notes. Raises RunDirectoryError if records were lost."""
    data = load(directory)
    verdict = judge(data)
    if lost := [reason.text for reason in verdict.record.reasons if reason.code in LOST]:
        raise RunDirectoryError("; ".join(lost))
    write_json(directory / VERDICT_FILE, to_builtins(verdict.record))
    notes: tuple[str, ...] = ()
    if (directory / AB_LOG).exists():
        figures, why = read_ab(directory / AB_LOG)
        notes = (f"ab aborted: {why}",) if why else ()
    else:
        require_load_at_fault(data)
        figures = request_figures(data.tables(), settings.ramp_up_s, settings.seconds)
        unaccounted = verdict.figures.accounting.unaccounted
        figures |= {} if unaccounted is None else {"unaccounted": float(unaccounted)}
    lines = {node: facts.get("lines") for node, facts in data.run.access_logs.items()}
    counted = {node: float(count) for node, count in lines.items() if isinstance(count, int)}
    if logged := sum(counted.values()):
        figures |= {f"share_{node}": 100 * count / logged for node, count in counted.items()}
        figures["logged"] = logged
        if figures.get("aborted") == 0:
            figures["uncounted"] = logged - figures["requests"]
    outage = verdict.events.outage
    if outage is not None and not outage.censored:
        outage_ms = figures["outage_ms"] = outage.duration_us / 1000
        figures |= {"refused_rate": 1000 * figures["failed"] / outage_ms} if outage_ms else {}
    roles = {node.name: node.role for node in data.run.target.nodes}
    figures |= _process_figures(data.points, roles) | _haproxy_figures(data.points)
    return {name: round(value, 6) for name, value in sorted(figures.items())}, notes


def require_load_at_fault(data: RunData) -> None:
    fired_us = data.run.plan.fired_to_us
    ((last_us,),) = data.tables().rows(f"SELECT max(end_us) FROM {WHOLE}")
    if fired_us is not None and last_us is not None and last_us < fired_us:
        raise RunDirectoryError("the load ended before the fault: make the load longer, or the fault earlier")


def request_figures(tables: Store, ramp_up_s: float = 0.0, planned_s: float = 0.0) -> dict[str, float]:
    """Return the counts, rates and times of a sample log. `planned_s`: 0 for a load with a number of requests."""
    (row,) = tables.rows(
        "SELECT count(*) FILTER (NOT unsent), count(*) FILTER (success), "
        "count(*) FILTER (NOT success AND NOT unsent), "
        "count(*) FILTER (unsent), min(start_us), max(end_us), sum(nbytes) "
        f"FROM (SELECT *, coalesce(error, '') = 'generator' AS unsent FROM {WHOLE})"
    )
    requests, good, failed, unsent, first_us, last_us, nbytes = row
    figures = {"requests": float(requests), "good": float(good), "failed": float(failed), "unsent": float(unsent)}
    if not requests:
        return figures
    seconds = max(1e-6, (last_us - first_us) / 1e6)
    from_us = first_us + round(ramp_up_s * 1e6) if planned_s > ramp_up_s else first_us
    to_us = first_us + round(planned_s * 1e6) if planned_s > ramp_up_s else last_us
    steady = f"end_us BETWEEN {from_us} AND {to_us}"
    ((steady_good, steady_failed),) = tables.rows(
        "SELECT count(*) FILTER (success), count(*) FILTER (NOT success AND coalesce(error, '') <> 'generator') "
        f"FROM {WHOLE} WHERE {steady}"
    )
    steady_s = max(1e-6, (to_us - from_us) / 1e6)
    figures |= {
        "seconds": seconds,
        "good_rate": steady_good / steady_s,
        "failed_rate": steady_failed / steady_s,
        "all_rate": (steady_good + steady_failed) / steady_s,
        "failed_share": 100 * failed / requests,
        "kb_per_s": float(nbytes or 0) / seconds / 1024,
    }
    figures |= _times(tables, f"success AND {steady}", "")
    figures |= _times(tables, f"coalesce(error, '') <> 'generator' AND {steady}", "_all")
    if "mean_all" in figures:
        figures["in_flight"] = figures["all_rate"] * figures["mean_all"] / 1000
    (peak,) = tables.rows(f"SELECT max(n) FROM (SELECT count(*) AS n FROM {WHOLE} GROUP BY start_us // 1000000)")
    figures["arrivals_peak"] = float(peak[0])
    return figures


def _times(tables: Store, condition: str, suffix: str) -> dict[str, float]:
    quantiles = ", ".join(f"quantile_cont(ms, {at})" for at in PERCENTILES.values())
    (row,) = tables.rows(
        f"SELECT avg(ms), stddev_samp(ms), min(ms), max(ms), {quantiles} "
        f"FROM (SELECT (end_us - start_us) / 1000.0 AS ms FROM {WHOLE} WHERE {condition})"
    )
    names = ("mean", "sd", "min", "max", *PERCENTILES)
    return {f"{name}{suffix}": float(value) for name, value in zip(names, row, strict=True) if value is not None}


def _process_figures(points: Iterable[Point], roles: dict[str, str]) -> dict[str, float]:
    cpu: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    memory: list[float] = []
    for point in points:
        node, process = point.tags.get("node", ""), point.tags.get("process", "")
        role = roles.get(node, "")
        if point.measurement != PROCESS or process not in PROCESSES.get(role, ()):
            continue
        percent, rss = point.number("cpu_percent"), point.number("rss_bytes")
        if percent is not None:
            cpu[role, node].append(percent)
        if rss is not None and role == "balancer":
            memory.append(rss / 1e6)
    means = {key: sum(values) / len(values) for key, values in cpu.items()}
    balancers, backends = ([mean for (of, _), mean in means.items() if of == role] for role in PROCESSES)
    figures = {"cpu_balancer": max(balancers)} if balancers else {}  # of two balancers, only the master does the work
    figures |= {"cpu_backends": sum(backends)} if backends else {}
    return figures | ({"memory_balancer": max(memory)} if memory else {})


def _haproxy_figures(points: Iterable[Point]) -> dict[str, float]:
    figures: defaultdict[str, float] = defaultdict(float)
    for point in points:
        if point.measurement != HAPROXY or point.tags.get("proxy") != "web":
            continue
        server = point.tags.get("server", "")
        name = f"sessions_max_{'backend' if server == 'BACKEND' else server}"
        value = point.number("smax")
        if value is not None:
            figures[name] = max(figures[name], value)
    return dict(figures)


def read_ab(path: Path) -> tuple[dict[str, float], str]:
    text = path.read_text(encoding="utf-8", errors="replace")
    matches = {name: re.search(pattern, text, re.MULTILINE) for name, pattern in _NUMBERS.items()}
    counts = {name: float(match[1]) for name, match in matches.items() if match is not None}
    broken_off = _BROKEN_OFF.search(text)
    why = _WHY.search(text)
    if "requests" not in counts:
        done = float(broken_off[1]) if broken_off else 0.0
        return {"requests": done, "aborted": 1.0}, why[1] if why else "ab printed no result"
    requests, seconds = counts["requests"], counts.pop("seconds", 0.0)
    failed = max(counts.get("failed", 0.0), counts.pop("not_2xx", 0.0))
    good, share = requests - failed, 100 * failed / requests if requests else 0.0
    figures = {**counts, "failed": failed, "failed_share": share, "good": good, "aborted": 0.0}
    if seconds:
        figures |= {"seconds": seconds, "all_rate": requests / seconds}
        figures |= {"good_rate": good / seconds, "failed_rate": failed / seconds}
    if total := _TOTAL.search(text):
        low, mean, sd, _, high = (float(number) for number in total.groups())
        figures |= {"min": low, "mean": mean, "sd": sd, "max": high}
    if "mean" in figures and "all_rate" in figures:
        figures["in_flight"] = figures["all_rate"] * figures["mean"] / 1000
    return figures, ""
