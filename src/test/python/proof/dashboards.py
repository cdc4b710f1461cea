"""`python -m proof.dashboards`: the dashboards with fresh drills, and against Grafana's own types and code.

Two drills are made in the lab, and every query is asked of each InfluxDB that is built; then the npm registry's
@grafana/schema checks the JSON, and @grafana/data carries out the transformations that lay runs over each other.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from support.grafana import BOARDS, INFLUXQL_BOARDS, load, panels, queries

TOP = Path(__file__).parents[4]
SUITE = TOP / "src" / "test" / "python" / "integration" / "test_dashboard_queries.py"
GRAFANA = TOP / "src" / "test" / "grafana"
RESULTS = TOP / "docs" / "proof" / "dashboards.json"
FAULTS = ("haproxy-kill", "keepalived-kill")
PATIENCE_S = 900.0


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="switchover-proof-") as folder:
        made = Path(folder)
        runs = [_drilled(fault, made / fault) for fault in FAULTS]
        asked = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(SUITE)],
            cwd=TOP,
            env={**os.environ, "SWITCHOVER_TEST_RUNS": os.pathsep.join(str(run) for run in runs)},
            timeout=PATIENCE_S,
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        print(asked.stdout, flush=True)
        verdicts = [json.loads((run / "verdict.json").read_bytes()) for run in runs]
        types = _types(made / "grafana")
        aligned = _aligned(made / "grafana")
    result = {
        "databases": next((line for line in asked.stdout.splitlines() if line.startswith("InfluxDB: ")), None),
        "drills": [{"run": one["run"], "outage_ms": one["outage"]["high_ms"]} for one in verdicts],
        "queries": sum(1 for path in INFLUXQL_BOARDS for _ in queries(path)),
        "panels": sum(1 for path in BOARDS for _ in panels(load(path))),
        "answered": asked.returncode == 0,
        "types": types,
        "aligned": aligned,
    }
    RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=1))
    return 0 if result["answered"] and types and aligned else 1


def _drilled(fault: str, out: Path) -> Path:
    command = [sys.executable, "-m", "switchover", "drill", "--fault", fault, "--users", "20", "--out", str(out)]
    done = subprocess.run([*command, "--limit", "outage=6s"], cwd=TOP, timeout=PATIENCE_S, check=False)
    if done.returncode == 2:
        raise SystemExit(f"the drill with {fault} is not to be trusted: run this again on a quieter machine")
    (run,) = out.iterdir()
    return run


def _types(folder: Path) -> bool:
    """Whether Grafana's types take every dashboard, and refuse one with a fault of ours."""
    shutil.copytree(GRAFANA, folder)
    npm = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock"]
    subprocess.run(npm, cwd=folder, timeout=PATIENCE_S, check=True)
    boards = folder / "boards"
    boards.mkdir()
    for path in BOARDS:
        _typed(boards / f"{path.stem}.ts", path.read_text(encoding="utf-8"))
    wrong = _complaints(folder)
    print(wrong, flush=True)
    _typed(boards / "broken.ts", json.dumps(load(BOARDS[0]) | {"graphTooltip": 7}))
    return not wrong and "graphTooltip" in _complaints(folder)


def _typed(path: Path, board: str) -> None:
    path.write_text(
        "import type { Dashboard } from '@grafana/schema';\nimport type { Plain } from '../plain';\n"
        f"const board = {board.strip()} as const;\nexport const checked: Plain<Dashboard> = board;\n",
        encoding="utf-8",
    )


def _complaints(folder: Path) -> str:
    done = subprocess.run(
        ["npx", "tsc", "-p", "."], cwd=folder, timeout=PATIENCE_S, stdout=subprocess.PIPE, text=True, check=False
    )
    return done.stdout[:2000] if done.returncode else ""


def _aligned(folder: Path) -> bool:
    """Whether every second comes to lie as far from 0 as it was from the fault of its own run."""
    run = {"name": "run", "type": "string"}
    seconds: dict[str, Any] = {
        "refId": "A",
        "fields": [
            {"name": "Time", "type": "time", "values": [1000, 2000, 101_000, 103_000]},
            {**run, "values": ["one", "one", "two", "two"]},
            {"name": "good", "type": "number", "values": [10, 0, 20, 21]},
        ],
    }
    faults: dict[str, Any] = {
        "refId": "B",
        "fields": [
            {"name": "Time", "type": "time", "values": [1500, 102_500]},
            {**run, "values": ["one", "two"]},
            {"name": "text", "type": "string", "values": ["haproxy-kill: confirmed", "node-down: confirmed"]},
        ],
    }
    expected = {
        "since the fault": [-500, 500, -1500, 500],
        "run": ["one", "one", "two", "two"],
        "good": [10, 0, 20, 21],
    }
    (board,) = (load(path) for path in BOARDS if path.stem == "switchover-compare")
    curves = [panel for panel in panels(board) if panel["type"] == "xychart"]
    return bool(curves) and all(
        _transformed(folder, panel["transformations"], [seconds, faults]) == expected for panel in curves
    )


def _transformed(folder: Path, transformations: list[Any], frames: list[Any]) -> object:
    done = subprocess.run(
        ["node", "transformed.cjs"],
        cwd=folder,
        input=json.dumps({"transformations": transformations, "frames": frames}),
        stdout=subprocess.PIPE,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )
    return json.loads(done.stdout)


if __name__ == "__main__":
    sys.exit(main())
