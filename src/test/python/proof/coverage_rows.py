"""What a drill printed, held against a packet capture: is the capture's figure inside the printed interval?"""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from proof.pages import write_between
from proof.results import DOCS
from support.capture import LENGTH_BOUND_MS, STAMP_BOUND_MS, Capture, Handover, handover
from switchover.evidence.machine import machine_seconds
from switchover.evidence.run_data import load
from switchover.figures.probes import probes_of
from switchover.model.interval import Span
from switchover.model.statistics import kolmogorov_uniform

Row = dict[str, Any]
FIGURES = ("outage", "first_advert", "first_answer")
QUIET, BUSY, OVERLOADED = "quiet", "busy", "overloaded"
BURNERS = {QUIET: 0, BUSY: 1, OVERLOADED: 3}
"""The machines, by how many processes burn a core each: more than there are cores, where it is overloaded."""
MOMENT_BOUND_MS = 3 * STAMP_BOUND_MS
"""Of one stamp on the run's clock, which was read off the wall clock itself."""
INVALID = "INVALID"


@contextmanager
def burners(machine: str) -> Iterator[None]:
    """The processes that burn the cores of such a machine."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BURNERS[machine])]
    try:
        yield
    finally:
        for burner in running:
            burner.kill()
            burner.wait()


def row_of(directory: Path, exit_code: int, capture: Capture, load_name: str) -> Row:
    """A drill's figures, and those of the capture beside it. Times are milliseconds after the kill was started."""
    verdict = json.loads((directory / "verdict.json").read_text(encoding="utf-8"))
    run = json.loads((directory / "run.json").read_text(encoding="utf-8"))
    probe_gap, stolen_ms, most_stolen_ms = _largest_probe_gap(directory)
    row: Row = {
        "fault": run["fault"]["name"],
        "load": load_name,
        "seed": run["seed"],
        "probe_rate": run["settings"]["probe_rate"],
        "exit_code": exit_code,
        "verdict": verdict["verdict"],
        "reasons": [reason["text"] for reason in verdict["reasons"]],
        "prediction": verdict["prediction"],
        "unaccounted": (verdict["accounting"] or {}).get("unaccounted"),
        "probe_gap_ms": probe_gap.duration_us / 1000,
        "stolen_ms": stolen_ms,
        "most_stolen_ms": most_stolen_ms,
        "load_average": round(os.getloadavg()[0], 1),
    }
    if run["plan"]["fired_from_us"] is None:
        return row
    seen = handover(run, capture.answers())
    row |= {
        "outage": outage_beside(verdict["outage"], seen),
        "first_advert": _moment(verdict, run, "new master elected", _first_advert_us(run, capture)),
        "first_answer": _moment(verdict, run, "first good response from it", seen.first_us if seen else None),
        "capture_dropped": capture.dropped(),
    }
    return row


def missed_ms(figure: Mapping[str, Any] | None) -> float | None:
    """By how much the capture lies outside the printed interval; 0: inside. None: one of the two is missing."""
    if figure is None or None in (figure["capture_ms"], figure["low_ms"], figure["high_ms"]):
        return None
    capture, bound = figure["capture_ms"], figure["capture_bound_ms"]
    return float(max(0.0, figure["low_ms"] - capture - bound, capture - bound - figure["high_ms"]))


def outage_beside(outage: Mapping[str, Any], seen: Handover | None) -> Row:
    """A capture sees answers, not failures: of several gaps it confirms the longest."""
    low_ms, high_ms = outage["low_ms"], outage["high_ms"]
    if outage["gap_count"] > 1 and high_ms is not None:
        longest_ms = max(gap["duration_ms"] for gap in outage["gaps"])
        low_ms, high_ms = max(0.0, round(longest_ms - (high_ms - low_ms), 3)), longest_ms
    return {
        "printed_low_ms": outage["low_ms"],
        "printed_high_ms": outage["high_ms"],
        "gaps": outage["gap_count"],
        "low_ms": low_ms,
        "high_ms": high_ms,
        "capture_ms": seen.gap_ms if seen else None,
        "capture_bound_ms": LENGTH_BOUND_MS,
    }


def _moment(verdict: Mapping[str, Any], run: Mapping[str, Any], step: str, capture_us: int | None) -> Row:
    (found,) = (row for row in verdict["timeline"] if row["step"] == step)
    at_ms, bound_ms, fired_us = found["after_kill_ms"], found["bound_ms"], run["plan"]["fired_from_us"]
    known = at_ms is not None and bound_ms is not None
    return {
        "low_ms": round(at_ms - bound_ms, 3) if known else None,
        "high_ms": round(at_ms + bound_ms, 3) if known else None,
        "source": found["source"],
        "capture_ms": None if capture_us is None else (capture_us - fired_us) / 1000,
        "capture_bound_ms": MOMENT_BOUND_MS,
    }


def _first_advert_us(run: Mapping[str, Any], capture: Capture) -> int | None:
    plan = run["plan"]
    until_us = plan["heal_from_us"] or plan["end_us"]
    adverts = capture.adverts_us(run["fault"]["backup"])
    return min((at_us for at_us in adverts if plan["fired_from_us"] <= at_us < until_us), default=None)


def _largest_probe_gap(directory: Path) -> tuple[Span, float, float]:
    """The longest time between two probes, how much was stolen in the seconds that it touches, and the most that was
    in any second of the drill."""
    data = load(directory)
    seconds = machine_seconds(data.points)
    most_ms = max((second.stolen_ms for second in seconds), default=0.0)
    starts = probes_of(data.probes, 1_000_000).starts
    if len(starts) < 2:
        return Span(0, 0), 0.0, most_ms
    place = int(np.argmax(np.diff(starts)))
    probe_gap = Span(int(starts[place]), int(starts[place + 1]))
    touching = [one for one in seconds if one.from_us < probe_gap.to_us and one.to_us > probe_gap.from_us]
    return probe_gap, sum(second.stolen_ms for second in touching), most_ms


def shown(row: Row) -> str:
    """One line for the screen."""
    missed = {name: missed_ms(row.get(name)) for name in FIGURES}
    figures = ", ".join(
        f"{name.replace('_', ' ')} {'no pair' if by is None else 'inside' if not by else f'MISSED by {by:.3f} ms'}"
        for name, by in missed.items()
    )
    outage = row.get("outage", {})
    high = outage.get("printed_high_ms")
    length = "no outage" if high is None else f"outage {outage['printed_low_ms']:,.1f} to {high:,.1f} ms"
    return (
        f"{row['fault']} {row['load']} seed {row['seed']}: {row['verdict']}, exit {row['exit_code']}, {length}; "
        f"{figures}; probe gap {row['probe_gap_ms']:.1f} ms, stolen {row['stolen_ms']:.0f} ms; "
        f"unaccounted {row['unaccounted']}"
    )


def is_covered(row: Row) -> bool:
    return all(missed_ms(row.get(name)) == 0.0 for name in FIGURES)


def is_refuted(row: Row) -> bool:
    """A figure that the capture shows to be wrong, in a valid drill."""
    return row["verdict"] != INVALID and any(missed_ms(row.get(name)) for name in FIGURES)


def not_proved(row: Row) -> bool:
    """An invalid drill claims no interval."""
    return row["verdict"] != INVALID and (not is_covered(row) or bool(row["unaccounted"]))


def coverage_table(rows: Sequence[Row]) -> str:
    """By fault and load."""
    lines = [
        "| drills of | load average | verdicts | outage inside | first advert inside | first answer inside "
        "| worst miss | largest probe gap, stolen around it | predictions inside | unaccounted |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for fault, machine in sorted({(row["fault"], row["load"]) for row in rows}):
        group = [row for row in rows if (row["fault"], row["load"]) == (fault, machine)]
        valid = [row for row in group if row["verdict"] != INVALID]
        missed = {name: [missed_ms(row.get(name)) for row in valid] for name in FIGURES}
        worst_ms = max((by for values in missed.values() for by in values if by is not None), default=0.0)
        probe_gap = max(group, key=lambda row: row["probe_gap_ms"])
        inside = [row["prediction"]["inside"] for row in group if row["prediction"]]
        known = [value for value in inside if value is not None]
        lines.append(
            f"| {fault}, {machine} | {load_averages(group)} | {_words(group)} "
            + "".join(f"| {_inside(missed[name])} " for name in FIGURES)
            + f"| {'none' if not worst_ms else f'{worst_ms:,.3f} ms'} "
            f"| {probe_gap['probe_gap_ms']:,.1f} ms, {probe_gap['stolen_ms']:,.0f} ms | {sum(known)} of {len(known)} "
            f"| {sum(row['unaccounted'] or 0 for row in group)} |"
        )
    return "\n".join(lines)


def _words(group: Sequence[Row]) -> str:
    return ", ".join(f"{n} {status}" for status, n in Counter(row["verdict"] for row in group).most_common())


def load_averages(group: Sequence[Row]) -> str:
    averages = [row["load_average"] for row in group]
    return f"{min(averages):.0f} to {max(averages):.0f}"


def _inside(missed: Sequence[float | None]) -> str:
    known = [by for by in missed if by is not None]
    return f"{sum(by == 0.0 for by in known)} of {len(known)}"


def uniform_line(rows: Sequence[Row]) -> str:
    """The node-down outages against the uniform distribution over their window."""
    kept = [row for row in rows if row["fault"] == "node-down" and row.get("outage", {}).get("printed_high_ms")]
    if not kept:
        return ""
    middles = [(row["outage"]["printed_low_ms"] + row["outage"]["printed_high_ms"]) / 2 for row in kept]
    window = kept[0]["prediction"]
    distance, p = kolmogorov_uniform(middles, window["low_ms"], window["high_ms"])
    return (
        f"`node-down`, {len(kept)} drills with random phase, against the uniform distribution over "
        f"{window['low_ms']:,.0f} to {window['high_ms']:,.0f} ms: D = {distance:.3f}, p = {p:.3f}."
    )


def read_rows(name: str) -> list[Row]:
    """Of docs/proof/NAME-quiet.json, and of the other machines."""
    found: list[Row] = []
    for machine in BURNERS:
        path = _file(name, machine)
        if path.exists():
            found += json.loads(path.read_text(encoding="utf-8"))
    return found


def append_row(name: str, row: Row) -> None:
    """To the file of its machine, a line for each row, at once: what is measured is kept."""
    path = _file(name, row["load"])
    rows = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    text = ",\n".join(json.dumps(one) for one in [*rows, row])
    new = path.with_suffix(".new")
    new.write_text(f"[\n{text}\n]\n", encoding="utf-8")
    new.replace(path)


def write_pages() -> None:
    """Write the tables of coverage and of `make drill` again from their rows."""
    write_between(DOCS / "proof" / "coverage.txt", "coverage", coverage_section())
    write_between(DOCS / "proof" / "make-drill.txt", "make-drill", make_drill_table(read_rows("make-drill")))


def coverage_section() -> str:
    own = read_rows("coverage")
    rows = [*own, *(row | {"fault": f"{row['fault']}, 50 users"} for row in read_rows("make-drill"))]
    return f"{coverage_table(rows)}\n\n{uniform_line(own)}".strip()


def make_drill_table(rows: Sequence[Row]) -> str:
    lines = [
        "| machine | load average | n | exit 0 | verdicts | outages | largest probe gap, stolen around it "
        "| most stolen in a second | refuted by the capture | unaccounted |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for machine in BURNERS:
        group = [row for row in rows if row["load"] == machine]
        if not group:
            continue
        highs = [row["outage"]["printed_high_ms"] for row in group if row.get("outage")]
        outages = [high for high in highs if high is not None]
        probe_gap = max(group, key=lambda row: row["probe_gap_ms"])
        lines.append(
            f"| {machine} | {load_averages(group)} | {len(group)} | {sum(row['exit_code'] == 0 for row in group)} "
            f"| {_words(group)} "
            f"| {f'{min(outages):,.0f} to {max(outages):,.0f} ms' if outages else 'none'} "
            f"| {probe_gap['probe_gap_ms']:,.1f} ms, {probe_gap['stolen_ms']:,.0f} ms | {_most_stolen(group)} "
            f"| {sum(map(is_refuted, group))} | {sum(row['unaccounted'] or 0 for row in group)} |"
        )
    return "\n".join(lines)


def _most_stolen(group: Sequence[Row]) -> str:
    """Older rows do not tell."""
    told = [row["most_stolen_ms"] for row in group if "most_stolen_ms" in row]
    return f"{max(told):,.0f} ms" if told else "-"


def _file(name: str, machine: str) -> Path:
    return DOCS / "proof" / f"{name}-{machine}.json"
