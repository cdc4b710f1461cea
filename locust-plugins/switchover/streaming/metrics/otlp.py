"""Push metrics with OTLP over HTTP in JSON, without OpenTelemetry's SDK, which rejects complete histograms."""

import http.client
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

from switchover import __version__
from switchover.http.exchange import HttpClient
from switchover.model.errors import UsageError, reason_of
from switchover.streaming.metrics.registry import BOUNDS_S, Family, Histogram, Kind, Labels, Registry

ENDPOINT, HEADERS = "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_HEADERS"
PROTOCOL, EXPORTER = "OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_METRICS_EXPORTER"
ANSWER_S = 10.0
"""The timeout of a request in seconds. It is the default of OTLP."""
ANSWER_BYTES = 65_536
CUMULATIVE = 2


@dataclass(frozen=True, slots=True)
class OtlpReceiver:
    """The receiver that metrics are pushed to. The headers may contain a secret."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


def find_receiver(environment: Mapping[str, str]) -> OtlpReceiver | None:
    """Return the receiver that OpenTelemetry's environment variables name. None: they name no receiver or a receiver
    for gRPC, or they disable the push."""
    base = environment.get(ENDPOINT, "").strip()
    is_off = environment.get(EXPORTER, "").lower() == "none" or environment.get(PROTOCOL, "").lower() == "grpc"
    if is_off or not base:
        return None
    if urlsplit(base).scheme not in ("http", "https") or not urlsplit(base).hostname:
        raise UsageError(
            f"{ENDPOINT} is not a URL of an OTLP receiver over HTTP, such as http://localhost:4318 "
            f"({EXPORTER}=none disables the push)"
        )
    pairs = (pair.partition("=") for pair in environment.get(HEADERS, "").split(","))
    named = {name.strip(): unquote(value.strip()) for name, equals, value in pairs if equals}
    return OtlpReceiver(f"{base.rstrip('/')}/v1/metrics", named)


class OtlpSender:
    """The sender to one receiver. Another thread may call `stop`, which ends the current exchange."""

    def __init__(self, receiver: OtlpReceiver) -> None:
        self.receiver = receiver
        parts = urlsplit(receiver.url)
        self._path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._client = HttpClient(parts.scheme, parts.hostname or "", parts.port)
        self._headers = {
            **receiver.headers,
            "Content-Type": "application/json",
            "Connection": "close",
            "User-Agent": f"switchover/{__version__}",
        }

    def push(self, registry: Registry, now_ns: int) -> str | None:
        """Send the present values of all metrics. Returns None on success, otherwise the reason of the failure, such
        as a redirect."""
        body = json.dumps(to_otlp(registry, now_ns)).encode()
        try:
            answer = self._client.exchange(
                "POST", self._path, self._headers, body, timeout_s=ANSWER_S, limit_bytes=ANSWER_BYTES
            )
            if not 200 <= answer.status < 300:
                return f"it answered {answer.status}"
            rejected = json.loads(answer.body or b"{}").get("partialSuccess", {}).get("rejectedDataPoints", 0)
            return f"it rejected {rejected} points" if int(rejected) else None
        except TimeoutError:
            return f"no complete answer within {ANSWER_S:g} s"
        except (OSError, http.client.HTTPException, ValueError, AttributeError, TypeError) as error:
            return reason_of(error)

    def stop(self) -> None:
        self._client.stop()


def to_otlp(registry: Registry, now_ns: int) -> dict[str, Any]:
    """Return the body of an export request, cumulative since the run's first point."""
    times = {"startTimeUnixNano": str(registry.first_ns), "timeUnixNano": str(now_ns)}
    metrics = [_metric(family, series, times) for family, series in registry.collect()]
    service = ("service.name", "switchover"), ("service.version", __version__)
    return {
        "resourceMetrics": [
            {
                "resource": {"attributes": _attributes(service)},
                "scopeMetrics": [{"scope": {"name": "switchover", "version": __version__}, "metrics": metrics}],
            }
        ]
    }


def _metric(family: Family, series: list[tuple[Labels, float | Histogram]], times: dict[str, str]) -> dict[str, Any]:
    points = [{**times, "attributes": _attributes(labels), **_value(value)} for labels, value in series]
    content: dict[str, Any] = {"dataPoints": points}
    form = "gauge"
    if family.kind is Kind.HISTOGRAM:
        form, content = "histogram", {"aggregationTemporality": CUMULATIVE, **content}
    elif family.kind is Kind.COUNTER:
        form, content = "sum", {"aggregationTemporality": CUMULATIVE, "isMonotonic": True, **content}
    # A receiver that exports to Prometheus appends `_total` itself.
    name = family.name.removesuffix("_total")
    return {"name": name, "description": family.help, "unit": family.unit, form: content}


def _attributes(labels: Labels) -> list[dict[str, Any]]:
    return [{"key": name, "value": {"stringValue": value}} for name, value in labels]


def _value(value: float | Histogram) -> dict[str, Any]:
    if isinstance(value, Histogram):
        return {
            "count": str(sum(value.counts)),
            "sum": value.total_s,
            "bucketCounts": [str(count) for count in value.counts],
            "explicitBounds": list(BOUNDS_S),
        }
    return {"asDouble": float(value)}
