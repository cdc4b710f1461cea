"""The table of metrics for each measurement and field, named by Prometheus' rules.

Units are base units, such as seconds and ratios. Metrics that only rise end in `_total`
(https://prometheus.io/docs/practices/naming/). Tags become labels unchanged.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from switchover.rundir.measurements import (
    ADVERT,
    EVENT,
    HAPROXY,
    HAPROXY_INFO,
    LIMIT,
    MACHINE,
    NGINX,
    PROBES,
    PROCESS,
    PROXY,
    REQUESTS,
    SCRAPE,
    USERS,
    VERDICT,
    VRRP,
)

BOUNDS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds of the histograms' buckets, in seconds."""


class Kind(Enum):
    """Types of metrics, with the names of Prometheus' text format."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"
    UNTYPED = "untyped"
    """A counter or a gauge of a balancer, whose statistics do not distinguish them."""


@dataclass(frozen=True, slots=True)
class Family:
    """All series of one name. `unit` is a code of OTLP (UCUM)."""

    name: str
    kind: Kind
    help: str
    unit: str = "1"


@dataclass(frozen=True, slots=True)
class TrafficFamily:
    """The three metrics of a measurement that counts requests per second."""

    count: Family
    size: Family
    duration: Family


@dataclass(frozen=True, slots=True)
class MetricValue:
    """A number of a point. The last one counts, or their sum if `adds` is set."""

    family: Family
    scale: float = 1.0
    adds: bool = False


def _traffic(name: str, what: str) -> TrafficFamily:
    return TrafficFamily(
        Family(f"switchover_{name}s_total", Kind.COUNTER, f"{what} that ended, by identity and outcome"),
        Family(f"switchover_{name}s_received_bytes_total", Kind.COUNTER, f"Response bytes of {what.lower()}", "By"),
        Family(f"switchover_{name}_duration_seconds", Kind.HISTOGRAM, f"Duration of {what.lower()}", "s"),
    )


def _gauge(name: str, text: str, scale: float = 1.0, unit: str = "1") -> MetricValue:
    return MetricValue(Family(f"switchover_{name}", Kind.GAUGE, text, unit), scale)


def _counted(name: str, text: str) -> MetricValue:
    return MetricValue(Family(f"switchover_{name}_total", Kind.COUNTER, text))


def _stood(name: str, text: str) -> MetricValue:
    return MetricValue(Family(f"switchover_machine_{name}_seconds_total", Kind.COUNTER, text, "s"), 1e-3, adds=True)


TRAFFIC: Mapping[str, TrafficFamily] = {
    REQUESTS: _traffic("request", "Requests"),
    PROBES: _traffic("probe", "Probes"),
}

VALUES: Mapping[tuple[str, str], MetricValue] = {
    (USERS, "active"): _gauge("users", "Users that run"),
    (NGINX, "active"): _gauge("nginx_connections_active", "Connections of Nginx"),
    (NGINX, "reading"): _gauge("nginx_connections_reading", "Connections whose request Nginx reads"),
    (NGINX, "writing"): _gauge("nginx_connections_writing", "Connections that Nginx answers"),
    (NGINX, "waiting"): _gauge("nginx_connections_waiting", "Idle connections of Nginx"),
    (NGINX, "accepts"): _counted("nginx_connections_accepted", "Connections that Nginx accepted"),
    (NGINX, "handled"): _counted("nginx_connections_handled", "Connections that Nginx handled"),
    (NGINX, "requests"): _counted("nginx_requests", "Requests that Nginx read"),
    (VRRP, "priority"): _gauge("vrrp_priority", "VRRP priority of the node"),
    (VRRP, "holds_vip"): _gauge("vrrp_holds_vip", "Whether the node holds the virtual address"),
    (ADVERT, "priority"): _gauge("advert_priority", "Priority in the node's last VRRP advert"),
    (PROCESS, "cpu_percent"): _gauge("process_cpu_ratio", "Processor time of the process", 0.01),
    (PROCESS, "rss_bytes"): _gauge("process_resident_memory_bytes", "Memory of the process", unit="By"),
    (PROCESS, "load1"): _gauge("process_load1", "The node's load average over a minute"),
    (MACHINE, "stolen_ms"): _stood("stolen", "Time that the hypervisor took from the client's processor"),
    (MACHINE, "softirq_ms"): _stood("softirq", "Time of the client's processor for packets and timers"),
    (MACHINE, "waited_ms"): _stood("waited", "Time in which the prober was ready and had no processor"),
    (MACHINE, "running"): _gauge("machine_running", "Processes that run or wait for a processor of the client"),
    (SCRAPE, "duration_ms"): _gauge("scrape_duration_seconds", "How long the last scrape took", 1e-3, "s"),
    (SCRAPE, "ok"): _gauge("scrape_ok", "Whether the last scrape could be read"),
    (SCRAPE, "rows"): _gauge("scrape_rows", "Rows of the last scrape"),
    (VERDICT, "valid"): _gauge("verdict_valid", "Whether the run is valid"),
    (VERDICT, "exit_code"): _gauge("verdict_exit_code", "Exit code of the run"),
    (VERDICT, "recovered"): _gauge("verdict_recovered", "Whether the service came back"),
    (VERDICT, "outage_low_ms"): _gauge("verdict_outage_low_seconds", "The shortest that the outage was", 1e-3, "s"),
    (VERDICT, "outage_high_ms"): _gauge("verdict_outage_high_seconds", "The longest that the outage was", 1e-3, "s"),
    (VERDICT, "failback_low_ms"): _gauge("verdict_failback_low_seconds", "The shortest of the failback", 1e-3, "s"),
    (VERDICT, "failback_high_ms"): _gauge("verdict_failback_high_seconds", "The longest of the failback", 1e-3, "s"),
    (VERDICT, "split_brain_ms"): _gauge("verdict_split_brain_seconds", "How long both were master", 1e-3, "s"),
    (VERDICT, "failed_percent"): _gauge("verdict_failed_ratio", "Share that failed in the switchover", 0.01),
    (VERDICT, "failed"): _gauge("verdict_samples_failed", "Requests of the load that failed"),
    (VERDICT, "samples"): _gauge("verdict_samples", "Requests"),
    (VERDICT, "probes"): _gauge("verdict_probes", "Probes"),
    (VERDICT, "probes_failed"): _gauge("verdict_probes_failed", "Probes that failed"),
    (VERDICT, "unaccounted"): _gauge("verdict_unaccounted", "Requests on which the sources do not agree"),
    (VERDICT, "predicted_low_ms"): _gauge("verdict_predicted_low_seconds", "Theory's shortest outage", 1e-3, "s"),
    (VERDICT, "predicted_high_ms"): _gauge("verdict_predicted_high_seconds", "Theory's longest outage", 1e-3, "s"),
    (LIMIT, "limit"): _gauge("limit_limit", "The largest value that keeps the limit"),
    (LIMIT, "low"): _gauge("limit_low", "The least that a limit's figure was"),
    (LIMIT, "high"): _gauge("limit_high", "The most that a limit's figure was"),
}

STATES: Mapping[tuple[str, str], Family] = {
    (HAPROXY, "status"): Family(
        "switchover_haproxy_status", Kind.GAUGE, "1 for the status that HAProxy gives it now"
    ),
    (PROXY, "status"): Family(
        "switchover_proxy_status", Kind.GAUGE, "1 for the status that the balancer gives it now"
    ),
    (VRRP, "state"): Family("switchover_vrrp_state", Kind.GAUGE, "1 for the node's VRRP state now"),
    (VERDICT, "verdict"): Family("switchover_verdict_status", Kind.GAUGE, "1 for the run's verdict"),
    (VERDICT, "target"): Family("switchover_verdict_target", Kind.GAUGE, "1 for the run's target"),
    (VERDICT, "change"): Family("switchover_verdict_change", Kind.GAUGE, "1 for the change that was made"),
    (VERDICT, "versions"): Family("switchover_verdict_versions", Kind.GAUGE, "1 for the balancers' versions"),
    (LIMIT, "state"): Family("switchover_limit_state", Kind.GAUGE, "1 for what became of the limit"),
    (LIMIT, "unit"): Family("switchover_limit_unit", Kind.GAUGE, "1 for the unit of the limit's figures"),
}
"""Texts that change. Each value has a series, which is 1 for the present value and otherwise 0.

The label has the name of the field.
"""

EVENTS = Family("switchover_events_total", Kind.COUNTER, "What happened: fault, heal, vrrp, warning and so on")
EVENT_TIME = Family("switchover_event_timestamp_seconds", Kind.GAUGE, "When it happened last, since the epoch", "s")
NUMBERS = (HAPROXY, HAPROXY_INFO, PROXY)
"""Measurements whose integer fields are metrics under the source's own names."""
EVENT_MEASUREMENT = EVENT


def number_family(measurement: str, field: str) -> Family:
    """Return the metric of a number that has its name from HAProxy."""
    name = "".join(letter if letter.isascii() and (letter.isalnum() or letter == "_") else "_" for letter in field)
    return Family(f"{measurement}_{name.lower()}", Kind.UNTYPED, f"The balancer's {field}")
