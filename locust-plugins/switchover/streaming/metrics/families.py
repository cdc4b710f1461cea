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
    """A field of a point as a metric. The metric has the value of the last point, or the sum of all points if `adds`
    is set."""

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
    (USERS, "active"): _gauge("users", "Running users"),
    (NGINX, "active"): _gauge("nginx_connections_active", "Open connections of Nginx"),
    (NGINX, "reading"): _gauge("nginx_connections_reading", "Connections from which Nginx is reading a request"),
    (NGINX, "writing"): _gauge("nginx_connections_writing", "Connections to which Nginx is sending a response"),
    (NGINX, "waiting"): _gauge("nginx_connections_waiting", "Idle connections of Nginx"),
    (NGINX, "accepts"): _counted("nginx_connections_accepted", "Connections that Nginx accepted"),
    (NGINX, "handled"): _counted("nginx_connections_handled", "Connections that Nginx handled"),
    (NGINX, "requests"): _counted("nginx_requests", "Requests that Nginx read"),
    (VRRP, "priority"): _gauge("vrrp_priority", "VRRP priority of the node"),
    (VRRP, "holds_vip"): _gauge("vrrp_holds_vip", "1 if the node holds the virtual address, otherwise 0"),
    (ADVERT, "priority"): _gauge("advert_priority", "Priority in the last VRRP advert of the node"),
    (PROCESS, "cpu_percent"): _gauge("process_cpu_ratio", "Processor usage of the process; 1 is one core", 0.01),
    (PROCESS, "rss_bytes"): _gauge("process_resident_memory_bytes", "Resident memory of the process", unit="By"),
    (PROCESS, "load1"): _gauge("process_load1", "Load average of the node over one minute"),
    (MACHINE, "stolen_ms"): _stood("stolen", "Processor time that the hypervisor took from the client machine"),
    (MACHINE, "softirq_ms"): _stood(
        "softirq", "Time that the processor of the client spent on packets and timers (softirq)"
    ),
    (MACHINE, "waited_ms"): _stood("waited", "Time that the prober was ready to run, but waited for a processor"),
    (MACHINE, "running"): _gauge(
        "machine_running", "Processes that run or wait for a processor on the client machine"
    ),
    (SCRAPE, "duration_ms"): _gauge("scrape_duration_seconds", "Duration of the last scrape", 1e-3, "s"),
    (SCRAPE, "ok"): _gauge("scrape_ok", "1 if the last scrape could be read, otherwise 0"),
    (SCRAPE, "rows"): _gauge("scrape_rows", "Number of rows in the last scrape"),
    (VERDICT, "valid"): _gauge("verdict_valid", "1 if the run is valid, otherwise 0"),
    (VERDICT, "exit_code"): _gauge("verdict_exit_code", "Exit code of the run"),
    (VERDICT, "recovered"): _gauge("verdict_recovered", "1 if the service recovered, otherwise 0"),
    (VERDICT, "outage_low_ms"): _gauge("verdict_outage_low_seconds", "Lower bound of the outage", 1e-3, "s"),
    (VERDICT, "outage_high_ms"): _gauge("verdict_outage_high_seconds", "Upper bound of the outage", 1e-3, "s"),
    (VERDICT, "failback_low_ms"): _gauge("verdict_failback_low_seconds", "Lower bound of the failback", 1e-3, "s"),
    (VERDICT, "failback_high_ms"): _gauge("verdict_failback_high_seconds", "Upper bound of the failback", 1e-3, "s"),
    (VERDICT, "split_brain_ms"): _gauge(
        "verdict_split_brain_seconds", "Time during which more than one balancer held the virtual address", 1e-3, "s"
    ),
    (VERDICT, "failed_percent"): _gauge(
        "verdict_failed_ratio", "Share of failed requests during the switchover", 0.01
    ),
    (VERDICT, "failed"): _gauge("verdict_samples_failed", "Number of failed requests of the load"),
    (VERDICT, "samples"): _gauge("verdict_samples", "Number of requests of the load"),
    (VERDICT, "probes"): _gauge("verdict_probes", "Number of probes"),
    (VERDICT, "probes_failed"): _gauge("verdict_probes_failed", "Number of failed probes"),
    (VERDICT, "unaccounted"): _gauge("verdict_unaccounted", "Number of requests that the accounting cannot explain"),
    (VERDICT, "predicted_low_ms"): _gauge(
        "verdict_predicted_low_seconds", "Lower bound of the predicted outage", 1e-3, "s"
    ),
    (VERDICT, "predicted_high_ms"): _gauge(
        "verdict_predicted_high_seconds", "Upper bound of the predicted outage", 1e-3, "s"
    ),
    (LIMIT, "limit"): _gauge("limit_limit", "Largest allowed value"),
    (LIMIT, "low"): _gauge("limit_low", "Lower bound of the measured value"),
    (LIMIT, "high"): _gauge("limit_high", "Upper bound of the measured value"),
}

STATES: Mapping[tuple[str, str], Family] = {
    (HAPROXY, "status"): Family(
        "switchover_haproxy_status", Kind.GAUGE, "1 for the present status of the proxy or server in HAProxy"
    ),
    (PROXY, "status"): Family(
        "switchover_proxy_status", Kind.GAUGE, "1 for the present status of the proxy or server in the balancer"
    ),
    (VRRP, "state"): Family("switchover_vrrp_state", Kind.GAUGE, "1 for the present VRRP state of the node"),
    (VERDICT, "verdict"): Family("switchover_verdict_status", Kind.GAUGE, "1 for the verdict of the run"),
    (VERDICT, "target"): Family("switchover_verdict_target", Kind.GAUGE, "1 for the target of the run"),
    (VERDICT, "change"): Family("switchover_verdict_change", Kind.GAUGE, "1 for the change that was made"),
    (VERDICT, "versions"): Family("switchover_verdict_versions", Kind.GAUGE, "1 for the versions of the balancers"),
    (LIMIT, "state"): Family("switchover_limit_state", Kind.GAUGE, "1 for the state of the limit"),
    (LIMIT, "unit"): Family("switchover_limit_unit", Kind.GAUGE, "1 for the unit of the limit"),
}
"""Texts that change. Each value has a series, which is 1 for the present value and otherwise 0.

The label has the name of the field.
"""

EVENTS = Family("switchover_events_total", Kind.COUNTER, "Events by kind, such as fault, heal, vrrp and warning")
EVENT_TIME = Family(
    "switchover_event_timestamp_seconds",
    Kind.GAUGE,
    "Time of the last event of this kind, in seconds since the epoch",
    "s",
)
NUMBERS = (HAPROXY, HAPROXY_INFO, PROXY)
"""Measurements whose integer fields are metrics under the source's own names."""
EVENT_MEASUREMENT = EVENT


def number_family(measurement: str, field: str) -> Family:
    """Return the metric of a number that has its name from HAProxy."""
    name = "".join(letter if letter.isascii() and (letter.isalnum() or letter == "_") else "_" for letter in field)
    return Family(f"{measurement}_{name.lower()}", Kind.UNTYPED, f"The balancer's {field}")
