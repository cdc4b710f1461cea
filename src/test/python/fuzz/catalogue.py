"""All targets by name. What a target needs is imported only for it: each part of the house that is instrumented costs
seconds."""

from collections.abc import Mapping
from importlib import import_module

from fuzz.target import Target

BOTH = "both-"
"""Ahead of the name of a reader that both languages have."""

NAMES: Mapping[str, tuple[str, ...]] = {
    "fuzz.of_balancers": (
        "haproxy-answer",
        "nginx-status",
        "prometheus-page",
        "fifo",
        "ip-monitor",
        "vrrp-advert",
        "keepalived-conf",
        "haproxy-cfg",
        "nginx-conf",
    ),
    "fuzz.of_files": (
        "request-log",
        "compressed-log",
        "access-log-line",
        "line-protocol",
        "journal",
        "target-file",
        "study-file",
        "run-json",
        "history",
    ),
    "fuzz.of_network": ("probed-answer", "user-answer", "cookies", "websocket", "sse"),
    "fuzz.of_page": ("web-form",),
}
"""By the module that has them."""
PYTHON = tuple(name for names in NAMES.values() for name in names)
SHARED = (
    "haproxy-answer",
    "nginx-status",
    "ip-line",
    "fifo-line",
    "access-log-line",
    "line-protocol",
    "target-file",
    "probed-answer",
)
"""Readers that Java has, too."""


def target_of(name: str) -> Target:
    """One of `PYTHON`, or `both-` and one of `SHARED`."""
    module = next((one for one, names in NAMES.items() if name in names), "fuzz.both")
    found: Target = import_module(module).TARGETS[name]
    return found
