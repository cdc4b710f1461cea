"""The table of measurements: every name, tag and field of a run's points.

Every point also has the tag `run`. If a load has several processes, their points also have the tag `worker`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

REQUESTS = "switchover_requests"
PROBES = "switchover_probes"
USERS = "switchover_users"
HAPROXY = "switchover_haproxy"
HAPROXY_INFO = "switchover_haproxy_info"
NGINX = "switchover_nginx"
PROXY = "switchover_proxy"
VRRP = "switchover_vrrp"
ADVERT = "switchover_advert"
PROCESS = "switchover_process"
MACHINE = "switchover_machine"
SCRAPE = "switchover_scrape"
EVENT = "switchover_event"
VERDICT = "switchover_verdict"
LIMIT = "switchover_limit"

CERTIFICATE_EVENT = "certificate"
"""The kind of the event for a new certificate. The `id` of the event is the first 16 digits of its SHA-256."""

RUN_TAGS = ("run", "worker")


@dataclass(frozen=True, slots=True)
class Measurement:
    """The tags and fields of one measurement. In line protocol, an `int` ends with the letter i."""

    tags: tuple[str, ...]
    fields: Mapping[str, type] = field(default_factory=dict)
    source_fields: bool = False
    """True if the measurement also has integer fields whose names come from the source."""


_TRAFFIC_FIELDS = {
    "count": int,
    "bytes": int,
    "rt_sum": float,
    "rt_min": float,
    "rt_max": float,
    "p50": float,
    "p90": float,
    "p95": float,
    "p99": float,
    "hdr": str,
}

MEASUREMENTS: Mapping[str, Measurement] = {
    REQUESTS: Measurement(("generator", "label", "backend", "balancer", "answered_by", "outcome"), _TRAFFIC_FIELDS),
    PROBES: Measurement(("backend", "balancer", "answered_by", "outcome", "error", "stream"), _TRAFFIC_FIELDS),
    USERS: Measurement(("generator",), {"active": int}),
    HAPROXY: Measurement(("node", "proxy", "server", "type"), {"status": str, "generation": str}, source_fields=True),
    HAPROXY_INFO: Measurement(("node",), source_fields=True),
    PROXY: Measurement(
        ("node", "software", "proxy", "server", "type"), {"status": str, "generation": str}, source_fields=True
    ),
    NGINX: Measurement(
        ("node",),
        {
            "active": int,
            "accepts": int,
            "handled": int,
            "requests": int,
            "reading": int,
            "writing": int,
            "waiting": int,
        },
    ),
    VRRP: Measurement(("node", "instance"), {"state": str, "priority": int, "holds_vip": bool}),
    ADVERT: Measurement(("node",), {"vrid": int, "priority": int}),
    PROCESS: Measurement(("node", "process"), {"cpu_percent": float, "rss_bytes": int, "load1": float}),
    MACHINE: Measurement(
        ("node", "processor"), {"stolen_ms": float, "softirq_ms": float, "running": int, "waited_ms": float}
    ),
    SCRAPE: Measurement(("node", "source"), {"duration_ms": float, "ok": bool, "rows": int, "text": str}),
    EVENT: Measurement(("kind", "node", "id"), {"text": str}),
    VERDICT: Measurement(
        ("fault", "generator"),
        {
            "verdict": str,
            "valid": bool,
            "exit_code": int,
            "outage_low_ms": float,
            "outage_high_ms": float,
            "failback_low_ms": float,
            "failback_high_ms": float,
            "recovered": bool,
            "split_brain_ms": float,
            "failed_percent": float,
            "failed": int,
            "samples": int,
            "probes": int,
            "probes_failed": int,
            "unaccounted": int,
            "predicted_low_ms": float,
            "predicted_high_ms": float,
            "target": str,
            "change": str,
            "versions": str,
        },
    ),
    LIMIT: Measurement(("name",), {"limit": float, "low": float, "high": float, "state": str, "unit": str}),
}
