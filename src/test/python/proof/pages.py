"""The tables in docs/ that the proof makes: truth against the capture, and every fault against its prediction."""

import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from switchover.model.statistics import kolmogorov_uniform

Row = Mapping[str, Any]
PROBE_INTERVAL_MS = 1.0
"""At 1,000 probes a second."""


def write_between(page: Path, name: str, text: str) -> None:
    """Replace what stands between `<!-- NAME -->` and `<!-- /NAME -->`."""
    before, _, after = _split_at(page, name)
    page.write_text(f"{before}\n{text}\n{after}", encoding="utf-8")


def read_between(page: Path, name: str) -> str:
    """What stands there now."""
    return _split_at(page, name)[1]


def _split_at(page: Path, name: str) -> tuple[str, str, str]:
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    before, opened, rest = page.read_text(encoding="utf-8").partition(begin)
    inside, closed, after = rest.partition(end)
    if not opened or not closed:
        raise ValueError(f"{page} has no place for {name}")
    return before + begin, inside, end + after


def faults_table(results: Mapping[str, Sequence[Row]]) -> str:
    lines = [
        "| drills of | n | predicted | outage, shortest to longest | median | inside | failed probes, median "
        "| split brain, median | failback, longest | unaccounted |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, rows in results.items():
        outages = [row["outage_ms"] for row in rows]
        inside = [row["prediction"]["inside"] for row in rows if row["prediction"]]
        lines.append(
            f"| {name} | {len(rows)} | {_window(rows[0]['prediction'])} "
            f"| {_ms(min(outages))} to {_ms(max(outages))}{_kind(rows)} | {_ms(statistics.median(outages))} "
            f"| {_inside(inside)} | {statistics.median(row['failed'] for row in rows):,.0f} "
            f"| {_median(rows, 'split_brain_ms')} | {_longest(rows, 'failback_ms')} "
            f"| {sum(row['unaccounted'] or 0 for row in rows)} |"
        )
    return "\n".join(lines)


def truth_table(results: Mapping[str, Sequence[Row]]) -> str:
    lines = [
        "| drills of | n | longest gap less capture: median | largest | within two probe intervals |",
        "|---|---|---|---|---|",
    ]
    for name, rows in results.items():
        apart = differences(rows)
        if apart:
            near = sum(abs(value) <= 2 * PROBE_INTERVAL_MS for value in apart)
            largest = max(apart, key=abs)
            lines.append(
                f"| {name} | {len(apart)} | {statistics.median(apart):+.3f} ms | {largest:+.3f} ms "
                f"| {near} of {len(apart)} |"
            )
    return "\n".join(lines)


def truth_section(results: Mapping[str, Sequence[Row]]) -> str:
    """Make the tables of docs/proof/truth.txt: the outage against the packet capture."""
    lines = [truth_table(results)]
    for name in ("haproxy-kill", "node-down"):
        if name in results:
            lines += ["", f"### {name}", "", drills_table(results[name])]
    if "node-down" in results:
        distance, p = uniform_fit(results["node-down"])
        lines += [
            "",
            f"`node-down` against the uniform distribution over its window: D = {distance:.3f}, p = {p:.3f}.",
        ]
    return "\n".join(lines)


def drills_table(rows: Sequence[Row]) -> str:
    lines = [
        "| seed | outage (ms) | its longest gap (ms) | capture (ms) | gap less capture (ms) | exit |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        seen = row["capture_ms"]
        captured = "-" if seen is None else f"{seen:.3f}"
        apart = "-" if seen is None else f"{row['gap_ms'] - seen:+.3f}"
        figures = f"{row['outage_ms']:.3f} | {row['gap_ms']:.3f} | {captured} | {apart}"
        lines.append(f"| {row['seed']} | {figures} | {row['exit_code']} |")
    return "\n".join(lines)


def differences(rows: Sequence[Row]) -> list[float]:
    """Ours less the capture's, where there was a time without answers to compare."""
    return [row["gap_ms"] - row["capture_ms"] for row in rows if row["capture_ms"] is not None and row["gap_ms"]]


def uniform_fit(rows: Sequence[Row]) -> tuple[float, float]:
    """Kolmogorov's D and p of the outages against the uniform distribution over the predicted window."""
    prediction = rows[0]["prediction"]
    middles = [row["outage_ms"] - row["early_ms"] / 2 for row in rows]
    return kolmogorov_uniform(middles, prediction["low_ms"], prediction["high_ms"])


def _window(prediction: Mapping[str, Any] | None) -> str:
    if prediction is None or (prediction["low_ms"] is None and prediction["high_ms"] is None):
        return "nothing"
    if prediction["high_ms"] is None:
        return f"{_ms(prediction['low_ms'])} or more"
    return f"{_ms(prediction['low_ms'])} to {_ms(prediction['high_ms'])}"


def _kind(rows: Sequence[Row]) -> str:
    kinds = {row["kind"] for row in rows} - {"none", "outage"}
    return f" ({', '.join(sorted(kinds))})" if kinds else ""


def _inside(inside: Sequence[bool | None]) -> str:
    known = [value for value in inside if value is not None]
    return f"{sum(known)} of {len(known)}" if known else "not comparable"


def _median(rows: Sequence[Row], name: str) -> str:
    known = [row[name] for row in rows if row[name] is not None]
    return _ms(statistics.median(known)) if known else "unknown"


def _longest(rows: Sequence[Row], name: str) -> str:
    known = [row[name] for row in rows if row[name] is not None]
    return _ms(max(known)) if known else "unknown"


def _ms(value: float) -> str:
    return f"{value:,.0f} ms"
