"""The points of a year of verdicts: two targets, four faults, an upgrade after which one target takes longer.

The first month is of an earlier version, which told no target and no versions.
"""

import random
from collections.abc import Iterator

from switchover.rundir.measurements import EVENT, VERDICT
from switchover.rundir.points import FieldValue, format_point

DAY_NS = 86_400 * 10**9
WINDOWS = {"node-down": (2609, 3609), "haproxy-kill": (2609, 4609), "keepalived-stop": (0, 100), "partition": (0, 60)}
"""The outages that theory predicts, in milliseconds."""
ODD = {17: "INVALID", 58: "NOT RECOVERED", 91: "FAILED", 140: "UNCONFIRMED", 171: "FAILED", 203: "STOPPED"}
"""What is not MEASURED, by the number of the run."""
EARLIER, UPGRADED = 20, 150
"""The numbers of the last runs before a verdict told its target, and before the upgrade."""


def year_of_verdicts(end_ns: int, *, count: int = 240, seed: int = 1) -> bytes:
    return "\n".join(_lines(end_ns, count, random.Random(seed))).encode()


def _lines(end_ns: int, count: int, chance: random.Random) -> Iterator[str]:
    for number in range(count):
        at_ns = end_ns - (count - number) * 3 * DAY_NS // 2
        fault, target = list(WINDOWS)[number % 4], ("shop", "bank.example")[number % 8 // 4]
        low, high = WINDOWS[fault]
        is_newer = number > UPGRADED and target == "shop"
        outage_ms = chance.uniform(low, high) + 30 + (700 if is_newer and high > 100 else 0)
        status = ODD.get(number, "MEASURED")
        fields: dict[str, FieldValue] = {
            "verdict": status,
            "valid": status in ("MEASURED", "FAILED", "NOT RECOVERED"),
            "exit_code": {"MEASURED": 0, "FAILED": 1, "NOT RECOVERED": 1}.get(status, 2),
            "outage_low_ms": outage_ms - 25,
            "recovered": status != "NOT RECOVERED",
            "failback_low_ms": 0.0,
            "failback_high_ms": 41.0,
            "predicted_low_ms": float(low),
            "predicted_high_ms": float(high),
        }
        if number > EARLIER:
            fields["target"] = target
            fields["versions"] = f"haproxy {'2.8.3' if is_newer else '2.6.12'}, keepalived 2.2.7"
        if status != "NOT RECOVERED":
            fields["outage_high_ms"] = outage_ms
        tags = {"run": f"run-{number:03}-{fault}", "fault": fault}
        yield format_point(EVENT, {"run": tags["run"], "kind": "start"}, {"text": fault}, at_ns - 27 * 10**9)
        yield format_point(VERDICT, {**tags, "generator": "none"}, fields, at_ns)
