"""`python -m proof.change_windows`: what `switchover report --window` tells of real drills by HAProxy's log alone.

Clients ask the lab's pair beside each drill: new ones that come at random, or a few that wait as TCP does. The
report reads the lines of these clients alone, as if there had been no probes, and then all lines. Its interval must
contain that of the probes. Rows go to docs/proof/change_windows.json, the table to docs/change-window.md.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

from proof.foreign_logs import share_traffic
from proof.pages import write_between
from proof.results import DOCS, exit_status, run_folder, said
from support.balancer_logs import ARRIVING, WAITING, Syslog, clients, in_local_time
from support.drilling import Drilled, drill
from switchover.lab.lab import Lab
from switchover.lab.spec import LabSpec

FAULTS = ("haproxy-kill", "node-down", "keepalived-stop", "haproxy-reload", "haproxy-stop")
ROUNDS = 2
"""Drills of each fault beside each kind of clients."""
STAMP_MS = 2.0
"""The way of an answer from the log to the client, and the probes' own times."""
KEPT = DOCS / "proof" / "change_windows.json"
OPTIONS = ("--probe-rate", "200", "--baseline", "8s", "--hold", "8s", "--recover", "7s")

Row = dict[str, Any]


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m proof.change_windows",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--pages-only", action="store_true", help="only make the table again")
    arguments = parser.parse_args()
    if arguments.pages_only:
        rows = json.loads(KEPT.read_text(encoding="utf-8"))
    else:
        made = run_folder()
        rows = said(
            look_at(fault, kind, seed, made / str(seed))
            for seed, (_, kind, fault) in enumerate(product(range(ROUNDS), (ARRIVING, WAITING), FAULTS), start=1)
        )
        KEPT.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    write_between(DOCS / "change-window.md", "drills", as_table(rows))
    return exit_status(
        f"drill {row['seed']}, {row['fault']}, {lines}"
        for row in rows
        for lines in ("clients", "all")
        if not row[lines]["contains"]
    )


def look_at(fault: str, kind: str, seed: int, folder: Path) -> Row:
    """One drill in a lab of its own, and what the reports say of it."""
    with Lab(LabSpec()) as lab, Syslog(lab) as syslog:
        share_traffic(lab.target_file)
        with clients(lab, kind, seed):
            done = drill(lab, folder / "runs", "--fault", fault, "--seed", str(seed), *OPTIONS)
        read = {
            lines: told(done, folder / lines, syslog.keep(folder / "logs", of_clients=lines == "clients"))
            for lines in ("clients", "all")
        }
    outage = done.verdict["outage"]
    return {
        "seed": seed,
        "fault": fault,
        "clients_are": kind,
        "word": done.verdict["word"],
        "probes": {name: outage[name] for name in ("low_ms", "high_ms", "resolution_ms")},
        **read,
    }


def told(done: Drilled, out: Path, logs: Sequence[str]) -> Row:
    """What the report has of the outage, and whether that contains what the probes have."""
    plan, outage = done.run["plan"], done.verdict["outage"]
    window = [in_local_time(plan["start_us"]), in_local_time(plan["end_us"])]
    command = [
        sys.executable,
        "-m",
        "switchover",
        "report",
        "--window",
        *window,
        *logs,
        "--clocks-within",
        "1ms",
        "--out",
        str(out),
        "--json",
    ]
    report = subprocess.run(command, capture_output=True, text=True, check=False)
    if not report.stdout.startswith("{"):
        return {"contains": False, "said": report.stderr.strip()}
    verdict = json.loads(report.stdout)
    (whole,) = verdict["load"]["silences"]
    low_ms, high_ms = (whole["outage"] or {"low_ms": 0.0})["low_ms"], whole["longest"]["high_ms"]
    return {
        "requests": verdict["samples"]["total"],
        "failed": verdict["samples"]["failed"],
        "rate": verdict["samples"]["rate"],
        "trusted": verdict["trusted"],
        "low_ms": low_ms,
        "high_ms": high_ms,
        "contains": verdict["trusted"]
        and low_ms <= outage["low_ms"] + STAMP_MS
        and (not whole["recovered"] or high_ms >= (outage["high_ms"] or 0.0) - STAMP_MS),
    }


def as_table(rows: Sequence[Row]) -> str:
    lines = [
        "| drill | clients | requests/s of them | probes (ms) | by the clients' lines (ms) | by all lines (ms) |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        probes = f"{row['probes']['low_ms']:,.0f} to {row['probes']['high_ms']:,.0f}"
        cells = " | ".join(_cell(row[one]) for one in ("clients", "all"))
        lines.append(
            f"| {row['seed']}, `{row['fault']}` | {row['clients_are']} | {row['clients'].get('rate') or 0:,.0f} "
            f"| {probes} | {cells} |"
        )
    held = [sum(row[one]["contains"] for row in rows) for one in ("clients", "all")]
    total = len(rows)
    lines += [
        "",
        f"The interval contains that of the probes {held[0]} times of {total} by the clients' lines, {held[1]} times "
        f"of {total} by all lines.",
    ]
    return "\n".join(lines)


def _cell(read: Row) -> str:
    if "high_ms" not in read:
        return str(read["said"])
    text = f"{read['low_ms']:,.0f} to {read['high_ms']:,.0f}"
    return text if read["contains"] else f"{text}, **outside**"


if __name__ == "__main__":
    sys.exit(main())
