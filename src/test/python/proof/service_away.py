"""`python -m proof.service_away`: do the printed intervals hold the time in which the service was really away?

The truth comes without a client. It ends, and for a lost link or address begins, where another host's SYNs find
nobody (support/syn_source.py); for a process that ends it begins between the kernel's signal and the process's exit
(support/kernel_trace.py). Every row goes to docs/proof/service-away-quiet.json, or service-away-busy.json, as soon
as it is there; what is there is not drilled again.
"""

import json
import os
import statistics
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from proof.coverage import drill_wanted, short_drill
from proof.coverage_rows import BUSY, INVALID, QUIET, Row, load_averages, read_rows
from proof.drills import DRILL_TIMEOUT_S
from proof.pages import write_between
from proof.results import DOCS, exit_status, option_parser
from support.kernel_trace import Ended, KernelTrace
from support.syn_source import CAPTURE, Away, Syn, SynSource, away
from switchover.lab import addresses
from switchover.lab.lab import Lab

NAME = "service-away"
FAULTS = ("haproxy-kill", "node-down", "keepalived-stop", "haproxy-stop")
FIRST_SEED = {QUIET: 5000, BUSY: 6000}
"""Moments that no other proof has used."""
HTTP_PORT = 80
KEPT = 3
"""Drills of each fault and machine whose SYNs are kept, so far as they are"""
NEAR_US = 20_000
"""to the beginning or the end."""
STAMP_BOUND_MS = 0.15
"""Two stamps of a capture and one of the kernel's trace, each on the run's clock to 0.05 ms (support/capture.py)."""


def main() -> int:
    parser = option_parser("proof.service_away", __doc__)
    parser.add_argument("--fault", action="append", metavar="NAME", help=f"repeatable (default {', '.join(FAULTS)})")
    parser.add_argument("--drills", type=int, default=13, metavar="N", help="of each fault, kept ones included (13)")
    parser.add_argument("--busy", action="store_true", help="the machine does other work meanwhile; the rows say so")
    parser.add_argument("--pages-only", action="store_true", help="only make docs/proof/service-away.txt again")
    arguments = parser.parse_args()
    if not arguments.pages_only:
        machine, faults = BUSY if arguments.busy else QUIET, arguments.fault or FAULTS
        first = FIRST_SEED[machine]
        wanted = [(fault, first + number) for number in range(1, arguments.drills + 1) for fault in faults]
        drill_wanted(NAME, wanted, machine, partial(drill_beside_source, machine=machine), shown)
    write_between(DOCS / "proof" / f"{NAME}.txt", NAME, table(read_rows(NAME)))
    return exit_status(shown(row) for row in read_rows(NAME) if not is_proved(row))


def drill_beside_source(lab: Lab, fault: str, seed: int, folder: Path, machine: str) -> Row:
    with ExitStack() as sources:
        trace = sources.enter_context(KernelTrace(lab, "lb1", "haproxy"))
        syns = sources.enter_context(SynSource(lab, addresses.VIP, HTTP_PORT, folder, round(DRILL_TIMEOUT_S)))
        exit_code, directory = short_drill(lab, fault, seed, folder)
    run = json.loads((directory / "run.json").read_text(encoding="utf-8"))
    verdict = json.loads((directory / "verdict.json").read_text(encoding="utf-8"))
    fired_us, until_us = run["plan"]["fired_from_us"], run["plan"]["heal_from_us"] or run["plan"]["end_us"]
    sent = [Syn(syn.at_us - fired_us, syn.answered) for syn in syns.syns()]
    seen = away(sent, 0, until_us - fired_us)
    ended = trace.ended(fired_us, until_us) if fault.startswith("haproxy") else None
    ended = ended and Ended(ended.from_us - fired_us, ended.to_us - fired_us)
    if seen is not None and seed - FIRST_SEED[machine] <= KEPT:
        keep_edges(fault, seed, sent, seen)
    row: Row = {
        "fault": fault,
        "load": machine,
        "seed": seed,
        "exit_code": exit_code,
        "verdict": verdict["verdict"],
        "low_ms": verdict["outage"]["low_ms"],
        "high_ms": verdict["outage"]["high_ms"],
        "prediction": verdict["prediction"],
        "process_ended_us": [ended.from_us, ended.to_us] if ended else None,
        **truth_of(seen, ended),
        "dropped": syns.dropped(),
        "load_average": round(os.getloadavg()[0], 1),
    }
    if is_proved(row):
        for bulky in (folder / f"{CAPTURE}.txt", directory / "probes.jtl", directory / "report.html"):
            bulky.unlink()
    return row


def keep_edges(fault: str, seed: int, sent: Sequence[Syn], seen: Away) -> None:
    """The SYNs about the beginning and the end: when, in microseconds after the kill, and 1 if answered."""
    edges = [(edge - NEAR_US, edge + NEAR_US) for edge in (seen.first_bad_us, seen.first_good_us)]
    lines = [f"{syn.at_us},{syn.answered:d}" for syn in sent if any(low < syn.at_us < high for low, high in edges)]
    path = edges_file(fault, seed)
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(["after_kill_us,answered", *lines]) + "\n", encoding="utf-8")


def edges_file(fault: str, seed: int) -> Path:
    return DOCS / "proof" / "service-away" / f"{fault}-{seed}.csv"


def differences() -> Iterator[str]:
    """Kept SYNs that do not give their row's truth."""
    for row in read_rows(NAME):
        path = edges_file(row["fault"], row["seed"])
        if path.exists():
            pairs = [line.split(",") for line in path.read_text(encoding="utf-8").splitlines()[1:]]
            sent = [Syn(int(at_us), answered == "1") for at_us, answered in pairs]
            ended = row["process_ended_us"] and Ended(*row["process_ended_us"])
            truth = truth_of(away(sent, 0, sent[-1].at_us), ended)
            if any(row[name] != value for name, value in truth.items()):
                yield f"docs/proof/service-away/{path.name} gives another time than its row"


def truth_of(seen: Away | None, ended: Ended | None) -> Row:
    """How long it was away, at least and at most: each end is known to an interval of the SYNs, or to an exit."""
    if seen is None:
        return {"truth_low_ms": None, "truth_high_ms": None}
    begins = (ended.from_us, min(ended.to_us, seen.first_bad_us)) if ended else (seen.last_good_us, seen.first_bad_us)
    return {
        "truth_low_ms": (seen.last_bad_us - begins[1]) / 1000,
        "truth_high_ms": (seen.first_good_us - begins[0]) / 1000,
    }


def missed_ms(row: Row) -> float | None:
    """By how much the truth lies outside of the printed interval, whichever of its own moments it is; 0: inside."""
    ends = [row[name] for name in ("low_ms", "high_ms", "truth_low_ms", "truth_high_ms")]
    if None in ends:
        return None
    low, high, truth_low, truth_high = ends
    return float(max(0.0, low - truth_high - STAMP_BOUND_MS, truth_low - high - STAMP_BOUND_MS))


def is_proved(row: Row) -> bool:
    """An invalid drill claims no interval."""
    return row["verdict"] == INVALID or missed_ms(row) == 0.0


def shown(row: Row) -> str:
    """One line for the screen."""
    missed = missed_ms(row)
    by = "no pair" if missed is None else "inside" if not missed else f"MISSED by {missed:.3f} ms"
    return (
        f"{row['fault']} {row['load']} seed {row['seed']}: {row['verdict']}, printed {row['low_ms']} to "
        f"{row['high_ms']} ms, really away {row['truth_low_ms']} to {row['truth_high_ms']} ms: {by}"
    )


def table(rows: Sequence[Row]) -> str:
    lines = [
        "| drills of | machine | load average | n | compared | truth inside | truth above the low end "
        "| below the high end | truth known to | predictions inside |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    compared: list[Row] = []
    for fault, machine in sorted({(row["fault"], row["load"]) for row in rows}):
        group = [row for row in rows if (row["fault"], row["load"]) == (fault, machine)]
        held = [row for row in group if row["verdict"] != INVALID and missed_ms(row) is not None]
        compared += held
        predicted = [row["prediction"]["inside"] for row in held if row["prediction"]["inside"] is not None]
        lines.append(
            f"| {fault} | {machine} | {load_averages(group)} | {len(group)} | {len(held)} "
            f"| {sum(missed_ms(row) == 0.0 for row in held)} of {len(held)} "
            f"| {_spread(row['truth_high_ms'] - row['low_ms'] for row in held)} "
            f"| {_spread(row['high_ms'] - row['truth_low_ms'] for row in held)} "
            f"| {_spread(row['truth_high_ms'] - row['truth_low_ms'] for row in held)} "
            f"| {sum(predicted)} of {len(predicted)} |"
        )
    inside = sum(missed_ms(row) == 0.0 for row in compared)
    invalid = sum(row["verdict"] == INVALID for row in rows)
    endless = len(rows) - invalid - len(compared)
    counts = f"{invalid} INVALID, {endless} with a low end alone, {len(compared)} compared"
    lines += ["", f"{len(rows)} drills: {counts}; the truth inside in {inside}."]
    return "\n".join(lines)


def _spread(values: Iterable[float]) -> str:
    known = sorted(values)
    return f"{known[0]:.1f}, {statistics.median(known):.1f}, {known[-1]:.1f} ms" if known else "-"


if __name__ == "__main__":
    sys.exit(main())
