"""`python -m proof.predictions`: what `switchover predict` says of real configurations, against drills.

The configurations are those that the lab writes for its two nodes; the prediction comes from reading these files.
Keeps docs/proof/predictions.json and the table in docs/proof/predictions.txt.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proof.pages import write_between
from support.drilling import drill
from switchover.faults.catalogue import CATALOGUE
from switchover.lab.lab import Lab
from switchover.lab.options import parse_keepalived
from switchover.lab.spec import LabSpec
from switchover.predict.keepalived import read_conf
from switchover.predict.mistakes import find_problem
from switchover.predict.prediction import Prediction

DOCS = Path(__file__).parents[4] / "docs"
RESULTS = DOCS / "proof" / "predictions.json"
HANDOVER_S = 0.05
"""On top of a window: the election's own work and a probe at each edge; more on a crowded machine."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """Settings of the lab's pair, and the fault that tries them."""

    name: str
    fault: str
    keepalived: str


CONFIGURATIONS = (
    Configuration("adverts every second, weight -20", "haproxy-kill", ""),
    Configuration("adverts every second", "node-down", ""),
    Configuration("FAULT after two failed checks, every 2 s", "haproxy-kill", "weight=0,interval=2,fall=2"),
    Configuration("weight -20 after three failed checks", "haproxy-kill", "fall=3"),
    Configuration("weight +50, so that 150 is effective", "keepalived-stop", "weight=50"),
    Configuration("weight +50, so that 151 falls to 101", "haproxy-kill", "weight=50"),
    Configuration("priorities 200 and 150", "keepalived-stop", "priority=200/150"),
    Configuration("a check that asks, FAULT, its process hangs", "haproxy-hang", "check=http,weight=0"),
    Configuration("nopreempt with FAULT", "haproxy-kill", "weight=0,preempt=no"),
    Configuration("nopreempt with weight -20", "haproxy-kill", "preempt=no"),
    Configuration("weight -1 that cannot overturn 101 and 99", "haproxy-kill", "weight=-1,priority=101/99"),
    Configuration("unicast, five adverts to miss", "node-down", "unicast=yes,down_timer_adverts=5"),
    Configuration("VRRPv3, adverts every 100 ms", "node-down", "version=3,advert_int=0.1"),
    Configuration("VRRPv3, adverts every 500 ms, unicast", "keepalived-stop", "version=3,advert_int=0.5,unicast=yes"),
    Configuration("a backup that waits 2 s (preempt_delay)", "haproxy-kill", "preempt_delay=2"),
    Configuration("VRRPv3, adverts every 70 ms", "node-down", "version=3,advert_int=0.07,priority=101/100,weight=0"),
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m proof.predictions", description=__doc__)
    parser.add_argument("--only", action="append", help="a part of a configuration's name; repeatable")
    parser.add_argument("--repeats", type=int, default=3, help="drills for each (default 3)")
    parser.add_argument("--probe-rate", type=int, default=1000, help="probes per second (default 1000)")
    parser.add_argument("--pages-only", action="store_true", help="only make the table again")
    arguments = parser.parse_args()
    rows: dict[str, dict[str, Any]] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for configuration in () if arguments.pages_only else CONFIGURATIONS:
        if arguments.only and not any(part in configuration.name for part in arguments.only):
            continue
        rows[configuration.name] = row = _try(configuration, arguments.repeats, arguments.probe_rate)
        print(json.dumps({configuration.name: row}), flush=True)
        rows = {one.name: rows[one.name] for one in CONFIGURATIONS if one.name in rows}
        RESULTS.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    write_between(DOCS / "proof" / "predictions.txt", "predictions", as_table(rows))
    outside = [name for name, row in rows.items() if not all(row["inside"])]
    for name in outside:
        print(f"NOT PROVED: {name}: outside the window")
    return 1 if outside else 0


def _try(configuration: Configuration, repeats: int, probe_rate: int) -> dict[str, Any]:
    spec = LabSpec(keepalived=parse_keepalived(configuration.keepalived))
    with Lab(spec) as lab:
        predicted = _predict(lab.target_file.parent, configuration.fault)
        drills = [_drill(lab, configuration.fault, seed, probe_rate) for seed in range(1, repeats + 1)]
    return {
        "fault": configuration.fault,
        "keepalived": configuration.keepalived,
        "low_ms": None if predicted.low_s is None else predicted.low_s * 1000,
        "high_ms": None if predicted.high_s is None else predicted.high_s * 1000,
        "for_ever": predicted.for_ever,
        "outages_ms": [[low, high] for low, high, _ in drills],
        "recovered": [recovered for _, _, recovered in drills],
        "inside": [_is_inside(predicted, *drill) for drill in drills],
        "probe_rate": probe_rate,
    }


def _predict(folder: Path, fault: str) -> Prediction:
    """From the two files that Keepalived runs with, the higher effective priority as the master."""
    found = [read_conf(folder / name / "keepalived.conf").instance() for name in ("lb1", "lb2")]
    master, backup = sorted(found, key=lambda node: -node.settings.effective_priority)
    assert find_problem(master, backup) is None
    return CATALOGUE[fault].predict(master.settings, backup.settings)


def _drill(lab: Lab, fault: str, seed: int, probe_rate: int) -> tuple[float, float | None, bool]:
    """The outage as an interval in ms, and whether the service was back before the heal."""
    options = ("--fault", fault, "--baseline", "3s", "--probe-rate", str(probe_rate), "--seed", str(seed))
    with tempfile.TemporaryDirectory(prefix="switchover-predict-") as folder:
        drilled = drill(lab, Path(folder), *options)
    return _outage(drilled.verdict["outage"], drilled.run)


def _outage(outage: Mapping[str, Any], run: Mapping[str, Any]) -> tuple[float, float | None, bool]:
    high = outage.get("high_ms", outage.get("duration_ms"))
    low = outage.get("low_ms")
    if low is None:
        low = (high or 0.0) - (outage.get("early_ms") or 0.0)
    plan = run["plan"]
    healed = bool(plan.get("heal_from_us")) and bool(outage.get("to_us"))
    after_heal = healed and outage["to_us"] >= plan["heal_from_us"]
    return round(low, 3), None if high is None else round(high, 3), not (outage["censored"] or after_heal)


def _is_inside(predicted: Prediction, low_ms: float, high_ms: float | None, recovered: bool) -> bool:
    """The measured interval touches the window; `for ever` holds where only the heal ended the outage."""
    if predicted.for_ever:
        return not recovered
    if predicted.low_s is None or high_ms is None:
        return False
    if predicted.high_s is None:
        return high_ms >= predicted.low_s * 1000
    return high_ms >= predicted.low_s * 1000 and low_ms <= (predicted.high_s + HANDOVER_S) * 1000


def as_table(rows: Mapping[str, Mapping[str, Any]]) -> str:
    lines = ["| configuration | fault | predicted | measured | inside | probes/s |", "|---|---|---|---|---|---|"]
    for name, row in rows.items():
        options = f" (`{row['keepalived']}`)" if row["keepalived"] else ""
        lines.append(
            f"| {name}{options} | {row['fault']} | {_window(row)} | {_measured(row)} "
            f"| {sum(row['inside'])} of {len(row['inside'])} | {row['probe_rate']} |"
        )
    return "\n".join(lines)


def _window(row: Mapping[str, Any]) -> str:
    if row["for_ever"]:
        return "for ever"
    if row["high_ms"] is None:
        return f"{row['low_ms']:,.0f} ms or more"
    if row["low_ms"] == row["high_ms"]:
        return f"{row['low_ms']:,.0f} ms"
    return f"{row['low_ms']:,.0f} to {row['high_ms']:,.0f} ms"


def _measured(row: Mapping[str, Any]) -> str:
    found: Sequence[tuple[float, float | None]] = row["outages_ms"]
    return ", ".join(
        f"{high:,.0f} ms" if recovered and high is not None else "until the heal"
        for (_, high), recovered in zip(found, row["recovered"], strict=True)
    )


if __name__ == "__main__":
    sys.exit(main())
