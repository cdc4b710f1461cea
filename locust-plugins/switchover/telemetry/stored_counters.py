"""What a Prometheus server has stored of HAProxy's own exporter: how many answers of its servers were counted when.

https://prometheus.io/docs/prometheus/latest/querying/api/: a range of raw samples, each with the time of its scrape.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any
from urllib.parse import urlencode

from switchover.model.errors import TelemetryError
from switchover.model.interval import Span
from switchover.target.telemetry_sources import HttpPage
from switchover.telemetry.fetch import fetch

METRIC = "haproxy_server_http_responses_total"
"""Answers that a server gave, by `code`: `2xx`, `5xx`. What HAProxy answered itself is not in it."""
TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class StoredCounter:
    """One series: of a server in a proxy of a HAProxy, and a class of status codes."""

    node: str
    """Prometheus' name for the HAProxy that was scraped, its label `instance`."""
    code: str
    samples: Sequence[tuple[int, float]]
    """When it was scraped, in microseconds since the epoch, and the count."""


def read_stored_counters(url: str, span: Span) -> list[StoredCounter]:
    """Every series with its samples of that time. TelemetryError, one line, where the server has none."""
    seconds = -(-span.duration_us // 1_000_000)
    asked = urlencode({"query": f"{METRIC}[{seconds}s]", "time": f"{span.to_us / 1e6:.3f}"})
    page = HttpPage(f"{url.rstrip('/')}/api/v1/query?{asked}")
    answer = fetch(page, timeout_s=TIMEOUT_S)
    try:
        found = [_series(one) for one in json.loads(answer)["data"]["result"]]
    except (ValueError, OverflowError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise TelemetryError(f"{page} did not answer as Prometheus does") from error
    if not found:
        raise TelemetryError(f"{page} has no {METRIC} of that time: is HAProxy's own exporter scraped?")
    return found


def _series(one: Mapping[str, Any]) -> StoredCounter:
    labels = one["metric"]
    samples = [(round(float(at) * 1e6), float(value)) for at, value in one["values"]]
    if not all(isfinite(value) for _, value in samples):
        raise ValueError("a count that is no number")
    return StoredCounter(str(labels.get("instance", "")), str(labels.get("code", "")), samples)
