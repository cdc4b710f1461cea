"""Two tables of colours, one for states and one for names, and the words of each state.

Red is danger, orange asks for a look, green is proven well, blue says no more than that it is so, grey is unknown.
"""

from collections.abc import Mapping, Sequence

RED, ORANGE, GREEN, BLUE, GREY = "red", "orange", "green", "blue", "#8e8e8e"

Words = Mapping[str, tuple[str, str]]
"""A value, a pattern between slashes or two bounds `1..9`; what is written for it (empty: itself); the colour."""
Steps = Sequence[tuple[float | None, str]]
"""From which value on (None: nothing is known, or lower than all) which colour. The first is grey."""

NAMES: Mapping[str, str] = {
    "lb1": "#5794f2",
    "lb2": "#b877d9",
    "web1": "#6ed0e0",
    "web2": "#d683ce",
    "web3": "#8f7bd8",
    "web4": "#c8b27a",
}
"""Of the nodes of the lab, the same in every panel; other names have Grafana's colour of the name."""

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
"""Of the catalogue, where a colour is a fault: HAProxy's are blue, Keepalived's violet."""
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
"""Of what the curves of a panel are called. Grafana's colours of such names are pale, alike, or those of a state."""

PROCESSES: Mapping[str, str] = {
    "haproxy": "#5794f2",
    "keepalived": "#b877d9",
    "nginx": "#6ed0e0",
    "locust": "#c8b27a",
    "jmeter": "#d683ce",
    "prober": "#8f7bd8",
    "drill": "#a5d8ff",
}
"""Of what takes part in a drill: a load may not be green because of its name."""

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
"""The words of docs/verdict.md."""
RECOVERED: Words = {
    **dict.fromkeys(("true", "1"), ("recovered", GREEN)),
    **dict.fromkeys(("false", "0"), ("NOT RECOVERED", RED)),
}
"""As InfluxDB and as Prometheus have it."""
KEPT: Words = {
    "kept": ("kept", GREEN),
    "exceeded": ("EXCEEDED", RED),
    "inconclusive": ("inconclusive", ORANGE),
    "unmeasured": ("unmeasured", GREY),
}
HOLDERS: Words = {
    "0..1": ("unknown", GREY),
    "2..9": ("nobody holds it", RED),
    "10..19": ("one node", GREEN),
    "20..99": ("TWO NODES", RED),
}
"""The tens are the nodes that hold the address, the units those that have told. One that is the first to tell, and
does not hold it, proves nothing."""
HOLDS: Words = {"true": ("holds the address", BLUE), "false": ("not here", GREY)}
"""Not green: beside another holder it is a split brain, and one panel tells that."""
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
"""As HAProxy writes them; one that is on its way adds how far it is, `DOWN 1/2`."""
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
"""By the last digit of a generation, which is the time at which it began: one restart in ten has the colour
before."""
VERSION: Words = {rf"/\d\.\d+\.\d*{digit}(?!\d)/": ("", color) for digit, color in enumerate(_TEN)}
"""By the last digit of `2.6.12`, whatever a distribution adds to it: one upgrade in ten has the colour before."""
