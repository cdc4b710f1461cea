"""What other load generators would have said of an outage that a packet capture saw, and what Switchover said of it.

In each drill of a real pair Switchover's probes, a capture on the client's interface and one other tool look at the
same outage; the tools take turns. `make judges` writes judges.json and judges.txt in docs/proof and the picture
docs/images/judges.svg. After an interruption, `--go-on` does only the drills that are not in the file yet.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

from judge_tools import Tool, find_tools
from judges_tables import as_table, draw
from results import machine

from proof.pages import write_between
from support.capture import LENGTH_BOUND_MS, Capture, Handover, handover
from switchover.lab import addresses
from switchover.lab.lab import Lab
from switchover.lab.spec import LabSpec

DOCS = Path(__file__).parents[1] / "docs"
PAGE, PICTURE, RESULTS = DOCS / "proof" / "judges.txt", DOCS / "images" / "judges.svg", DOCS / "proof" / "judges.json"
FAULTS = ("haproxy-kill", "node-down")
URL = f"http://{addresses.VIP}/"
LEAST_HOLD_S = 12
BEFORE_FAULT_S = 3
"""A tool ends before the heal, so that it sees one outage: it begins at least so long before the fault."""
CAPTURE_FILE = "capture.txt"
"""Of support.capture."""
RECOVER_S = 6
"""For the pair to be whole again before the next drill; no failback is asked about."""
START_WITHIN_S = 60.0
DRILL_WITHIN_S = 240.0
TRIES = 3
"""On a busy machine a drill may begin so late that a tool has ended before the outage."""
TOOL_WITHIN_S = 120.0
"""After a drill: a request without a time-out may hang for longer than the test."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--drills", type=int, default=10, metavar="N", help="per tool and fault (default 10)")
    parser.add_argument("--probe-rate", type=int, default=1000, metavar="R", help="of Switchover's (default 1000)")
    parser.add_argument(
        "--seconds", type=int, default=15, metavar="S", help="that a tool runs: longer on a busy machine (default 15)"
    )
    parser.add_argument("--tool", action="append", default=[], metavar="NAME", help="only this one; repeatable")
    once = parser.add_mutually_exclusive_group()
    once.add_argument("--dry", action="store_true", help="print the table, write nothing")
    once.add_argument("--go-on", action="store_true", help="keep the drills in docs/proof/judges.json, do the others")
    arguments = parser.parse_args()
    tools = find_tools(arguments.tool)
    result = {
        "at": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": machine(),
        "drills": arguments.drills,
        "probe_rate": arguments.probe_rate,
        "seconds": arguments.seconds,
        "rows": read_rows(arguments) if arguments.go_on else [],
    }
    rows: list[dict[str, Any]] = result["rows"]
    done = {(row["fault"], row["tool"], row["seed"]) for row in rows}
    with Lab(LabSpec()) as lab:
        share_traffic(lab.target_file)
        for number, fault, tool in product(range(1, arguments.drills + 1), FAULTS, tools):
            if (fault, tool.name, number) in done:
                continue
            rows.append(run_until_seen(lab, fault, tool, number, arguments))
            print(shown(rows[-1]), file=sys.stderr, flush=True)
            if not arguments.dry:
                RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(as_table(result))
    if not arguments.dry:
        RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        PICTURE.write_text(draw(result), encoding="utf-8")
        write_between(PAGE, "judges", as_table(result))
    outside = sum(not row["inside"] for row in rows)
    print(f"Switchover: {len(rows) - outside} of {len(rows)} outages are within the interval that it gave")
    return 1 if outside else 0


def read_rows(settings: argparse.Namespace) -> list[dict[str, Any]]:
    """The drills of an interrupted run with the same settings."""
    before = json.loads(RESULTS.read_text(encoding="utf-8"))
    same = (before["probe_rate"], before["seconds"]) == (settings.probe_rate, settings.seconds)
    if not same or before["machine"] != machine():
        raise SystemExit(f"{RESULTS.name} was begun with other settings or on another machine: leave --go-on out")
    return list(before["rows"])


def share_traffic(target_file: Path) -> None:
    """Say that not all traffic is the drill's own: a tool's is counted by the balancers too."""
    text = target_file.read_text(encoding="utf-8")
    target_file.write_text(text.replace("dedicated = true", "dedicated = false"), encoding="utf-8")


def run_until_seen(lab: Lab, fault: str, tool: Tool, seed: int, settings: argparse.Namespace) -> dict[str, Any]:
    """The first drill whose outage the tool looked at from its beginning to its end."""
    for _ in range(TRIES):
        row = run_drill(lab, fault, tool, seed, settings)
        if row["looked_through"]:
            return row
    raise SystemExit(f"{tool.name} ended before the outage did, {TRIES} times: the machine is too busy")


class Looking:
    """A tool while it runs beside a drill."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self._output = (folder / "output.txt").open("wb")
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=self._output, stderr=subprocess.STDOUT
        )
        self._ended_us = 0
        self._waiting = threading.Thread(target=self._wait, daemon=True)
        self._waiting.start()

    def __enter__(self) -> "Looking":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._waiting.join()
        self._output.close()

    def _wait(self) -> None:
        self._process.wait()
        self._ended_us = time.time_ns() // 1000

    def await_answers(self, captured: Path) -> None:
        """Until the capture, which has the tool alone to see, saw an answer."""
        deadline = time.monotonic() + START_WITHIN_S
        while not captured.stat().st_size and self._waiting.is_alive() and time.monotonic() < deadline:
            time.sleep(0.02)

    def ended(self) -> tuple[int, int | None]:
        """When it ended by itself, and with which exit code."""
        self._waiting.join(TOOL_WITHIN_S)
        return self._ended_us or time.time_ns() // 1000, self._process.returncode


@dataclass(frozen=True, slots=True)
class DrillBeside:
    """A drill with a tool beside it."""

    verdict: Mapping[str, Any]
    run: Mapping[str, Any]
    seen: Handover | None
    ended_us: int
    """When the tool ended."""
    exit_code: int | None
    """The tool's."""

    def facts(self, *, broke_off: bool) -> dict[str, Any]:
        """The capture's outage and Switchover's interval, and whether the tool looked until the outage was over.

        One that broke off has looked through what it could."""
        outage = self.verdict["outage"]
        until_us = self.run["plan"]["fired_to_us"] if broke_off else outage["to_us"]
        wire_ms = None if self.seen is None else self.seen.gap_ms
        inside = None not in (wire_ms, outage["high_ms"]) and (
            outage["low_ms"] - LENGTH_BOUND_MS <= wire_ms <= outage["high_ms"] + LENGTH_BOUND_MS
        )
        return {
            "wire_ms": wire_ms,
            "low_ms": outage["low_ms"],
            "high_ms": outage["high_ms"],
            "inside": inside,
            "looked_through": until_us is not None and self.ended_us >= until_us,
            "valid": self.verdict["valid"],
            "reasons": [reason["text"] for reason in self.verdict["reasons"]],
        }


def drill_beside(
    lab: Lab, fault: str, asked: Sequence[str], folder: Path, seed: int, settings: argparse.Namespace
) -> DrillBeside:
    """`asked`: the tool's command, whose output goes to the folder."""
    command = [sys.executable, "-m", "switchover", "drill", "--target", str(lab.target_file), "--fault", fault]
    command += ["--generator", "none", "--probe-rate", str(settings.probe_rate)]
    hold_s = max(LEAST_HOLD_S, settings.seconds - BEFORE_FAULT_S)
    command += ["--baseline", f"{BEFORE_FAULT_S}s", "--hold", f"{hold_s}s", "--recover", f"{RECOVER_S}s"]
    command += ["--seed", str(seed), "--out", str(folder / "runs"), "--json"]
    with Capture(lab, addresses.VIP, folder) as capture, Looking(lab.exec_argv("client", asked), folder) as other:
        other.await_answers(folder / CAPTURE_FILE)
        inside_lab = lab.exec_argv("client", command)
        drill = subprocess.run(inside_lab, capture_output=True, text=True, timeout=DRILL_WITHIN_S, check=False)
        ended_us, exit_code = other.ended()
    if not drill.stdout.startswith("{"):
        raise SystemExit(f"{fault} gave no verdict: {drill.stderr[-1000:]}")
    run = json.loads(next((folder / "runs").glob("*/run.json")).read_text(encoding="utf-8"))
    return DrillBeside(json.loads(drill.stdout), run, handover(run, capture.answers()), ended_us, exit_code)


def run_drill(lab: Lab, fault: str, tool: Tool, seed: int, settings: argparse.Namespace) -> dict[str, Any]:
    """One drill with one tool beside it: the capture's outage, Switchover's interval, the tool's account."""
    with tempfile.TemporaryDirectory(prefix="switchover-judges-") as name:
        folder = Path(name)
        asked = tool.command(folder, URL, settings.seconds)
        drill = drill_beside(lab, fault, asked, folder, seed, settings)
        account = tool.read(folder, settings.seconds)
    facts = drill.facts(broke_off=bool(account.note))
    return {"fault": fault, "tool": tool.name, "seed": seed, **facts, **asdict(account)}


def shown(row: dict[str, Any]) -> str:
    told = ", ".join(f"{how}: {as_seconds(ms)}" for how, ms in row["told_ms"].items())
    ours = f"Switchover {as_seconds(row['low_ms'])} to {as_seconds(row['high_ms'])}"
    failed = f"{row['failed']} of {row['requests']} failed"
    return f"{row['fault']} beside {row['tool']}: wire {as_seconds(row['wire_ms'])}, {ours}, {failed}; {told}"


def as_seconds(value_ms: float | None) -> str:
    return "nothing" if value_ms is None else f"{value_ms / 1000:.3f} s"


if __name__ == "__main__":
    sys.exit(main())
