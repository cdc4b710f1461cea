"""Other load generators beside an outage, in three columns: what their summary prints, what their own log says when
`switchover report` reads it, and both when they are asked with care.

`make judges` runs it after judges.py. Each drill goes to docs/proof/judges_asked.json as soon as it is there, and
what is there is not drilled again; the tables go to docs/proof/judges-asked.txt.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

from judge_askings import ASKINGS, FIRST_PAGE, OWN_LOG, WITH_CARE, Asking, Log
from judge_versions import version_of
from judges import FAULTS, TRIES, URL, drill_beside, share_traffic
from results import machine

from proof.pages import write_between
from proof.results import DOCS
from support.capture import Handover
from switchover.lab.lab import Lab
from switchover.lab.spec import LabSpec

NAME = "judges_asked"
RESULTS, PAGE = DOCS / "proof" / f"{NAME}.json", DOCS / "proof" / "judges-asked.txt"
NOTHING = "-"
JUDGED = ("inside", "outside")
"""The states of a log that is trusted."""
Row = Mapping[str, Any]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--drills", type=int, default=3, metavar="N", help="per asking and fault (default 3)")
    parser.add_argument("--tool", action="append", default=[], metavar="NAME", help="only this one; repeatable")
    parser.add_argument("--pages-only", action="store_true", help="only make the tables again")
    parser.set_defaults(probe_rate=1000, seconds=15)
    settings = parser.parse_args()
    result = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {"rows": []}
    if not settings.pages_only:
        result |= {"at": datetime.now(UTC).strftime("%Y-%m-%d"), "machine": machine()}
        with Lab(LabSpec()) as lab:
            share_traffic(lab.target_file)
            _drill_wanted(lab, result, settings)
    for place, table in tables(result).items():
        write_between(PAGE, place, table)
    return 0


def _drill_wanted(lab: Lab, result: dict[str, Any], settings: argparse.Namespace) -> None:
    rows = result["rows"]
    done = {(row["fault"], row["tool"], row["asked"], row["seed"]) for row in rows}
    asked = [one for one in ASKINGS if not settings.tool or one.tool in settings.tool]
    if missing := {one.program for one in asked if one.program and shutil.which(one.program) is None}:
        raise SystemExit(f"missing: {', '.join(sorted(missing))}; docs/proof/judges.txt says how each is installed")
    for seed, fault, asking in product(range(1, settings.drills + 1), FAULTS, asked):
        if (fault, asking.tool, asking.how, seed) in done:
            continue
        rows.append(_until_seen(lab, fault, asking, seed, settings))
        print(json.dumps(rows[-1]), flush=True)
        RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def _until_seen(lab: Lab, fault: str, asking: Asking, seed: int, settings: argparse.Namespace) -> Row:
    for _ in range(TRIES):
        row = _drill(lab, fault, asking, seed, settings)
        if row["looked_through"] and row["wire_ms"] is not None:
            return row
    raise SystemExit(f"{asking.tool} ended before the outage did, {TRIES} times: the machine is too busy")


def _drill(lab: Lab, fault: str, asking: Asking, seed: int, settings: argparse.Namespace) -> Row:
    with tempfile.TemporaryDirectory(prefix="switchover-asked-") as name:
        folder = Path(name)
        drill = drill_beside(lab, fault, asking.command(folder, URL, settings.seconds), folder, seed, settings)
        quotes = asking.quotes((folder / "output.txt").read_text(encoding="utf-8", errors="replace"))
        log = _judge_log(folder, asking.log, drill.seen) if asking.log and drill.seen else None
    return {
        "fault": fault,
        "tool": asking.tool,
        "asked": asking.how,
        "version": version_of(asking),
        "seed": seed,
        **drill.facts(broke_off=any("Total of" in quote for quote in quotes)),
        "tool_exit_code": drill.exit_code,
        "printed": quotes,
        "log": log,
    }


def _judge_log(folder: Path, log: Log, seen: Handover) -> dict[str, Any]:
    """The report on a log. Its `state` is inside, outside, invalid or refused."""
    path = folder / log.file
    if not path.exists():
        return {"state": "outside", "said": "the tool wrote no log"}
    command = [sys.executable, "-m", "switchover", "report", str(path), "--json"]
    report = subprocess.run(
        [*command, "--out", str(folder / f"report-{log.file}")], capture_output=True, text=True, check=False
    )
    if not report.stdout.startswith("{"):
        said = report.stderr.strip().splitlines()[-1].removeprefix(f"switchover: {path} ")
        return {"state": "outside", "said": said}
    verdict = json.loads(report.stdout)
    samples, (whole,) = verdict["samples"], verdict["load"]["silences"]
    facts = {"requests": samples["total"], "failed": samples["failed"], "rate": samples["rate"]}
    if not verdict["valid"]:
        return {"state": "invalid", "said": verdict["reasons"][0]["text"], **facts}
    low, high = (whole["outage"] or {"low_ms": 0.0})["low_ms"], whole["longest"]["high_ms"]
    inside = whole["recovered"] and low <= seen.gap_ms <= high
    said = f"{low:,.0f} to {high:,.0f} ms" if whole["outage"] else f"nothing longer than {high:,.0f} ms"
    return {"state": "inside" if inside else "outside", "low_ms": low, "high_ms": high, "said": said, **facts}


def tables(result: Row) -> dict[str, str]:
    """By its place on the page."""
    rows: Sequence[Row] = result["rows"]
    return {
        "commands": _commands({row["tool"]: row["version"] for row in rows if "version" in row}),
        **{fault: _table([row for row in rows if row["fault"] == fault]) for fault in FAULTS},
    }


def _commands(versions: Mapping[str, str]) -> str:
    lines = ["| tool | version | summary, and log | with care |", "|---|---|---|---|"]
    for tool in dict.fromkeys(asking.tool for asking in ASKINGS):
        of_tool = [asking for asking in ASKINGS if asking.tool == tool]
        plain = "; log: ".join(asking.shown for asking in of_tool if asking.how != WITH_CARE)
        care = next(one.shown for one in of_tool if one.how == WITH_CARE)
        lines.append(f"| {tool} | {versions.get(tool, NOTHING)} | {plain} | {care} |")
    return "\n".join(lines)


def _table(rows: Sequence[Row]) -> str:
    lines = [
        "| tool | its summary prints | its own log says | with care, its summary prints | with care, its log says |",
        "|---|---|---|---|---|",
    ]
    for tool in dict.fromkeys(row["tool"] for row in rows):
        asked = {
            how: [r for r in rows if (r["tool"], r["asked"]) == (tool, how)]
            for how in (FIRST_PAGE, OWN_LOG, WITH_CARE)
        }
        plain, care = asked[FIRST_PAGE], asked[WITH_CARE]
        words = [tool, _printed(plain), _logged(asked[OWN_LOG] or plain), _printed(care), _logged(care)]
        lines.append(f"| {' | '.join(words)} |")
    return "\n".join(lines)


def _printed(rows: Sequence[Row]) -> str:
    """Of the first drill, word for word."""
    first = min(rows, key=lambda row: row["seed"], default=None)
    if first is None:
        return NOTHING
    quotes = ", ".join(f"`{quote.replace('|', '¦')}`" for quote in first["printed"]) or "no summary"
    return f"of {first['wire_ms']:,.0f} ms: {quotes}; exit code {first['tool_exit_code']}"


def _logged(rows: Sequence[Row]) -> str:
    """The first drill's outage; in how many of those that are trusted the capture's lies inside; how far others are
    off."""
    logs = [(row["wire_ms"], row["log"]) for row in sorted(rows, key=lambda row: row["seed"]) if row["log"]]
    if not logs:
        return "none"
    wire_ms, first = logs[0]
    said = f"of {wire_ms:,.0f} ms: {first['said']}"
    valid = [(wire, log) for wire, log in logs if log["state"] in JUDGED]
    if not valid:
        return f"{said}; {first['state']}"
    inside = sum(log["state"] == "inside" for _, log in valid)
    off = [max(log["low_ms"] - wire, wire - log["high_ms"]) for wire, log in valid if _is_off(log)]
    by = f", off by {max(off):,.1f} ms at most" if off else ""
    return f"{said}; {inside} of {len(valid)} inside{by}"


def _is_off(log: Row) -> bool:
    return log["state"] == "outside" and None not in (log.get("low_ms"), log.get("high_ms"))


if __name__ == "__main__":
    sys.exit(main())
