"""The colours of states and of names, and the texts of states.

Red: danger. Orange: needs attention. Green: proved to be good. Blue: neutral. Grey: unknown.
"""

from collections.abc import Mapping, Sequence

RED, ORANGE, GREEN, BLUE, GREY = "red", "orange", "green", "blue", "#8e8e8e"

Words = Mapping[str, tuple[str, str]]
"""Maps a value to a text and a colour. The key is a value, a pattern between slashes, or a range such as `1..9`. If
the text is empty, the value itself is shown."""
Steps = Sequence[tuple[float | None, str]]
"""Thresholds: each value with the colour of all numbers from this value on. The first threshold is None (unknown),
and its colour is grey."""

NAMES: Mapping[str, str] = {
    "lb1": "#5794f2",
    "lb2": "#b877d9",
    "web1": "#6ed0e0",
    "web2": "#d683ce",
    "web3": "#8f7bd8",
    "web4": "#c8b27a",
}
"""The colours of the lab's nodes, which are the same in every panel. Grafana chooses the colours of all other
names."""

FAULTS: Mapping[str, str] = {
    "haproxy-kill": "#5794f2",
    "haproxy-stop": "#8ab8ff",
    "haproxy-hang": "#1f60c4",
    "haproxy-reload": "#447ebc",
    "haproxy-drain": "#64b0c8",
    "keepalived-stop": "#b877d9",
    "keepalived-kill": "#8f7bd8",
    "keepalived-hang": "#7c2ea3",
    "node-down": "#c8b27a",
    "partition": "#d683ce",
    "backend-kill": "#6ed0e0",
    "backend-slow": "#a5d8ff",
}
"""The colours of the faults, for panels by fault. HAProxy's faults are blue, Keepalived's faults are violet."""
SERIES: Mapping[str, str] = {
    "mean": "#c8b27a",
    "p50": "#a5d8ff",
    "p95": "#5794f2",
    "p99": "#8f7bd8",
    "maximum": "#d683ce",
    "quietest": "#a5d8ff",
    "median": "#5794f2",
    "busiest": "#8f7bd8",
    "probes": "#6ed0e0",
    "requests": "#b877d9",
    "refused": "#c8b27a",
    "reset": "#6ed0e0",
    "connect_timeout": "#8f7bd8",
    "read_timeout": "#d683ce",
    "status": "#5794f2",
    "none": "#c8b27a",
    "balancer": "#5794f2",
    "backend": "#6ed0e0",
    "connect": "#c8b27a",
    "response": "#b877d9",
    "retried": "#a5d8ff",
    "redispatched": "#d683ce",
}
"""The colours of curves by their names. Grafana's default colours for these names are pale, too similar, or are the
colours of states."""

PROCESSES: Mapping[str, str] = {
    "haproxy": "#5794f2",
    "keepalived": "#b877d9",
    "nginx": "#6ed0e0",
    "locust": "#c8b27a",
    "jmeter": "#d683ce",
    "prober": "#8f7bd8",
    "drill": "#a5d8ff",
}
"""The colours of programs by their names, so that the name of a program does not give it the colour of a state."""

NEUTRAL: Steps = ((None, GREY), (0, BLUE))
NONE_IS_GOOD: Steps = ((None, GREY), (0, GREEN), (0.000001, RED))
NONE_IS_NEUTRAL: Steps = ((None, GREY), (0, BLUE), (0.000001, RED))

VERDICT: Words = {
    "PASSED": ("PASSED", GREEN),
    "MEASURED": ("MEASURED", BLUE),
    "DRY RUN": ("DRY RUN", BLUE),
    "FAILED": ("FAILED", RED),
    "NOT RECOVERED": ("NOT RECOVERED", RED),
    "NOT RESTORED": ("NOT RESTORED", RED),
    "REFUTED": ("REFUTED", RED),
    "NOT FIRED": ("NOT FIRED", ORANGE),
    "NO EFFECT": ("NO EFFECT", ORANGE),
    "UNCONFIRMED": ("UNCONFIRMED", ORANGE),
    "NOT HEALED": ("NOT HEALED", RED),
    "STOPPED": ("STOPPED", ORANGE),
    "INCONCLUSIVE": ("INCONCLUSIVE", ORANGE),
    "INVALID": ("INVALID", ORANGE),
}
"""The verdicts of docs/verdict.md."""
RECOVERED: Words = {
    **dict.fromkeys(("true", "1"), ("recovered", GREEN)),
    **dict.fromkeys(("false", "0"), ("NOT RECOVERED", RED)),
}
"""The values of InfluxDB and of Prometheus."""
KEPT: Words = {
    "kept": ("kept", GREEN),
    "exceeded": ("EXCEEDED", RED),
    "inconclusive": ("inconclusive", ORANGE),
    "unmeasured": ("unmeasured", GREY),
}
HOLDERS: Words = {
    "0..1": ("unknown", GREY),
    "2..9": ("no node has it", RED),
    "10..19": ("one node", GREEN),
    "20..99": ("TWO NODES", RED),
}
"""The tens are the number of nodes that have the address. The units are the number of nodes that have reported. A
single report of a node without the address does not prove that no node has the address."""
HOLDS: Words = {"true": ("holds the address", BLUE), "false": ("not here", GREY)}
"""A node that has the address is blue, not green, because a second node with the address would be a split brain.
Another panel shows a split brain."""
VRRP: Words = {
    "MASTER": ("MASTER", BLUE),
    "BACKUP": ("BACKUP", GREY),
    "FAULT": ("FAULT", RED),
    "STOP": ("STOP", ORANGE),
    "DELETED": ("DELETED", ORANGE),
    "/ended without a word/": ("unknown: Keepalived is dead", GREY),
}
SERVER_STATUS: Words = {
    "/^(UP|OPEN)/": ("", GREEN),
    "/^no check/": ("", GREY),
    "/^(DOWN|STOP)/": ("", RED),
    "/^(MAINT|DRAIN|NOLB)/": ("", ORANGE),
}
"""The statuses as HAProxy writes them. A status that is about to change has a counter, such as `DOWN 1/2`."""
READ: Words = {"true": ("read", GREEN), "false": ("not read", RED)}
EVENT: Words = {
    "fault": ("", RED),
    "first_failure": ("", ORANGE),
    "heal": ("", BLUE),
    "first_success": ("", GREEN),
    "failback": ("", BLUE),
    "warning": ("", ORANGE),
    "/^(start|end|vrrp)$/": ("", GREY),
}
_TEN = ("#5794f2", "#b877d9", "#6ed0e0", "#d683ce", "#8f7bd8", "#c8b27a", "#1f60c4", "#7c2ea3", "#447ebc", "#a352cc")
GENERATION: Words = {f"/{digit}$/": ("", color) for digit, color in enumerate(_TEN)}
"""The colour of a generation, from the last digit of its start time. One restart in ten does not change the
colour."""
VERSION: Words = {rf"/\d\.\d+\.\d*{digit}(?!\d)/": ("", color) for digit, color in enumerate(_TEN)}
"""The colour of a version, from the last digit of its number, such as `2.6.12`. The suffix of a distribution is
ignored. One upgrade in ten does not change the colour."""
