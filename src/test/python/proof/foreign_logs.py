"""`python -m proof.foreign_logs`: what `switchover report` makes of the logs of other tools of one real outage.

Drills of a real pair, each with a packet capture on the client's interface and every tool of `foreign_tools.py` at a
few requests a second. Of each log the report must give the capture's outage within the bound that the log's own
spacing allows, or say why it cannot. Rows go to docs/proof/foreign_logs.json, the table to docs/log-formats.md.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from proof.foreign_tools import Log, Place, Tool, find_tools
from proof.pages import write_between
from proof.results import DOCS, exit_status
from support.capture import Capture, Handover, handover
from switchover.lab import addresses
from switchover.lab.lab import Lab
from switchover.lab.spec import LabSpec

FAULT = "haproxy-kill"
SECONDS = 60
"""That the tools run."""
BEGIN_WITHIN_S = 90.0
"""A tool that takes its time to begin runs so much longer: it begins before the others."""
DRILL_WITHIN_S = 240.0
END_WITHIN_S = 60.0
WARM_S = 5.0
"""What has just begun takes a core, and what the others log is of that."""
JUDGED = ("inside", "outside")
"""The states of a log that is trusted."""

Row = dict[str, Any]


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m proof.foreign_logs", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--drills", type=int, default=2, metavar="N", help="(default 2)")
    parser.add_argument("--gatling", type=Path, metavar="DIR", help="the jars of Gatling 3.9; left out without it")
    parser.add_argument("--pages-only", action="store_true", help="only make the table again")
    arguments = parser.parse_args()
    kept = DOCS / "proof" / "foreign_logs.json"
    rows: list[Row] = []
    if arguments.pages_only:
        rows = json.loads(kept.read_text(encoding="utf-8"))
    else:
        tools = find_tools(arguments.gatling)
        with Lab(LabSpec()) as lab:
            share_traffic(lab.target_file)
            for seed in range(1, arguments.drills + 1):
                for row in look_at_outage(lab, tools, seed, arguments.gatling):
                    rows.append(row)
                    print(json.dumps(row), flush=True)
        kept.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    write_between(DOCS / "log-formats.md", "foreign logs", as_table(rows))
    return exit_status(
        f"{row['log']}, drill {row['seed']}: {row['said']}" for row in rows if row["state"] == "outside"
    )


def share_traffic(target_file: Path) -> None:
    """Say that not all traffic is the drill's own."""
    text = target_file.read_text(encoding="utf-8")
    target_file.write_text(text.replace("exclusive = true", "exclusive = false"), encoding="utf-8")


def look_at_outage(lab: Lab, tools: Sequence[Tool], seed: int, gatling: Path | None) -> Iterator[Row]:
    """One drill with all tools beside it; then a row for each log."""
    folder = Path(tempfile.mkdtemp(prefix="switchover-foreign-"))
    print(f"drill {seed}: logs are in {folder}", flush=True)
    place = Place(folder, f"http://{addresses.VIP}/", SECONDS, gatling and gatling.resolve())
    command = [sys.executable, "-m", "switchover", "drill", "--target", str(lab.target_file), "--fault", FAULT]
    command += [
        "--generator",
        "none",
        "--probe-rate",
        "200",
        "--baseline",
        "6s",
        "--hold",
        "10s",
        "--recover",
        "7s",
        "--seed",
        str(seed),
    ]
    with Capture(lab, addresses.VIP, folder) as capture, Running(lab, place, tools) as running:
        drill = subprocess.run(
            lab.exec_argv("client", [*command, "--out", str(folder / "runs"), "--json"]),
            capture_output=True,
            text=True,
            timeout=DRILL_WITHIN_S,
            check=False,
        )
        running.await_end()
    if not drill.stdout.startswith("{"):
        raise SystemExit(f"the drill gave no verdict: {drill.stderr[-1000:]}")
    outage = json.loads(drill.stdout)["outage"]
    run = json.loads(next((folder / "runs").glob("*/run.json")).read_text(encoding="utf-8"))
    seen = handover(run, capture.answers())
    if seen is None:
        raise SystemExit("the capture saw no handover")
    truth = {"wire_ms": round(seen.gap_ms, 3), "probes_ms": [outage["low_ms"], outage["high_ms"]]}
    for tool in tools:
        for log in tool.logs:
            yield {"seed": seed, "tool": tool.name, "log": log.name, **truth, **judged(folder, log, seen)}


class Running:
    """The tools, from `with` to its end."""

    def __init__(self, lab: Lab, place: Place, tools: Sequence[Tool]) -> None:
        self._lab, self._place, self._tools = lab, place, tools
        self._processes: list[tuple[Tool, subprocess.Popen[bytes]]] = []
        self._open = ExitStack()

    def __enter__(self) -> "Running":
        slow = [tool for tool in self._tools if tool.begins]
        for tool in slow:
            self._start(tool, replace(self._place, seconds=SECONDS + round(BEGIN_WITHIN_S)))
        deadline = time.monotonic() + BEGIN_WITHIN_S
        while not all(any(self._place.folder.glob(tool.begins)) for tool in slow) and time.monotonic() < deadline:
            time.sleep(0.1)
        for tool in self._tools:
            if tool not in slow:
                self._start(tool, self._place)
        time.sleep(WARM_S)
        return self

    def _start(self, tool: Tool, place: Place) -> None:
        number = len(self._processes)
        argv = self._lab.exec_argv("client", list(tool.command(place)))
        output, errors = self._file(tool.output or f"tool-{number}.out"), self._file(f"tool-{number}.err")
        process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=output, stderr=errors)
        self._processes.append((tool, process))

    def __exit__(self, *_: object) -> None:
        for _tool, process in self._processes:
            process.terminate()
            process.wait()
        self._open.close()

    def _file(self, name: str) -> IO[bytes]:
        return self._open.enter_context((self._place.folder / name).open("wb"))

    def await_end(self) -> None:
        """Of those that end by themselves; a balancer does not."""
        deadline = time.monotonic() + BEGIN_WITHIN_S + SECONDS + END_WITHIN_S
        for one, process in self._processes:
            if one.name not in ("Nginx", "HAProxy"):
                process.wait(max(0.1, deadline - time.monotonic()))


def judged(folder: Path, log: Log, seen: Handover) -> Row:
    """What the report says of a log: `state` is inside, outside, not trusted or refused."""
    path = folder / log.file
    if not path.exists():
        return {"state": "outside", "said": "the tool wrote no log"}
    command = [sys.executable, "-m", "switchover", "report", str(path), *log.options, "--json"]
    report = subprocess.run(
        [*command, "--out", str(folder / f"report-{log.file}")], capture_output=True, text=True, check=False
    )
    if not report.stdout.startswith("{"):
        said = report.stderr.strip().splitlines()[-1].removeprefix(f"switchover: {path} ")
        return {"state": "refused" if log.refused else "outside", "said": said}
    verdict = json.loads(report.stdout)
    samples, (whole,) = verdict["samples"], verdict["load"]["silences"]
    facts = {"requests": samples["total"], "failed": samples["failed"], "rate": samples["rate"]}
    if not verdict["trusted"]:
        return {"state": "not trusted", "said": verdict["reasons"][0]["text"], **facts}
    low, high = (whole["outage"] or {"low_ms": 0.0})["low_ms"], whole["longest"]["high_ms"]
    inside = whole["recovered"] and low <= seen.gap_ms <= high
    said = f"{low:,.0f} to {high:,.0f} ms" if whole["outage"] else f"nothing longer than {high:,.0f} ms"
    return {"state": "inside" if inside else "outside", "low_ms": low, "high_ms": high, "said": said, **facts}


def as_table(rows: Sequence[Row]) -> str:
    """A line for each log, with the first drill's figures, and how many drills of it were inside."""
    seeds = sorted({row["seed"] for row in rows})
    truth = {row["seed"]: (row["wire_ms"], row["probes_ms"]) for row in rows}
    told = [
        f"drill {seed}: {wire:,.0f} ms on the wire, {low:,.0f} to {high:,.0f} ms by Switchover's probes"
        for seed, (wire, (low, high)) in sorted(truth.items())
    ]
    lines = [
        f"Fault `{FAULT}`; {'; '.join(told)}.",
        "",
        "| log | requests/s | " + " | ".join(f"drill {seed}" for seed in seeds) + " |",
        "|---|---|" + "---|" * len(seeds),
    ]
    for name in dict.fromkeys(row["log"] for row in rows):
        mine = {row["seed"]: row for row in rows if row["log"] == name}
        first = next(iter(mine.values()))
        rate = "" if first.get("rate") is None else f"{first['rate']:,.0f}"
        cells = [_cell(mine[seed]) if seed in mine else "" for seed in seeds]
        cells = [cell if place == 0 or cell != cells[0] else "the same" for place, cell in enumerate(cells)]
        lines.append(f"| {name} | {rate} | {' | '.join(cells)} |")
    trusted = [row for row in rows if row["state"] in JUDGED]
    inside = sum(row["state"] == "inside" for row in trusted)
    lines += ["", f"{inside} of {len(trusted)} logs that are trusted have the outage of the wire within their bound."]
    return "\n".join(lines)


def _cell(row: Row) -> str:
    said = str(row["said"]).replace("|", "\\|")
    if row["state"] in JUDGED:
        return f"{said}, {row['state']}"
    return f"{row['state']}: {said}"


if __name__ == "__main__":
    sys.exit(main())
