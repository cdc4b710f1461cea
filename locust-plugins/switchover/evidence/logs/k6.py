"""k6's CSV and JSON output. Each request has one point per metric, and the points of a request are consecutive.

The time of a point is the end of the request. `http_req_duration` begins when the request is sent. `http_req_blocked`
is the time before the request is sent, including the connection and the TLS handshake.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from math import isfinite
from pathlib import Path

from switchover.evidence.logs.format import (
    LINE_ERRORS,
    UNREADABLE,
    Account,
    Format,
    LoggedRequest,
    fields_of,
    names_in,
)
from switchover.rundir.damaged_lines import read_lines

_COUNT, _DURATION, _BLOCKED, _FAILED = "http_reqs", "http_req_duration", "http_req_blocked", "http_req_failed"

Point = tuple[str, int, float, Mapping[str, str]]
"""A point: the metric, the time in microseconds, the value and the tags."""


def _read(path: Path, account: Account, parse: Callable[[bytes], Point | None]) -> Iterator[LoggedRequest]:
    account.notes.append(
        f"{path.name}: k6 measures durations from the time of sending, so the report adds the connection time"
    )
    begun: tuple[Point, dict[str, float]] | None = None
    for line in read_lines(path, account):
        try:
            point = parse(line)
            if point is not None and not isfinite(point[2]):
                raise ValueError("no number")
        except LINE_ERRORS:
            account.add(UNREADABLE, nbytes=len(line) + 1)
            continue
        if point is None:
            continue
        metric, _, value, _ = point
        if metric == _DURATION:
            yield from _requests(begun)
            begun = point, {}
        elif metric == _COUNT:
            yield from _requests(begun)
            begun = None
        elif begun is not None:
            begun[1].setdefault(metric, value)
    yield from _requests(begun)


def _requests(begun: tuple[Point, Mapping[str, float]] | None) -> Iterator[LoggedRequest]:
    """Yield the request that consecutive points describe. `begun`: the point with the duration, and the values of the
    request's later points."""
    if begun is None:
        return
    (_, ended_us, took_ms, tags), values = begun
    before_us = round(values.get(_BLOCKED, 0.0) * 1000)
    took_us = round(took_ms * 1000) + before_us
    code = tags.get("status", "")
    code = "" if code == "0" else code
    failed = values.get(_FAILED)
    expected = tags.get("expected_response")
    success = failed == 0 if failed is not None else expected == "true" if expected else "200" <= code < "400"
    yield LoggedRequest(
        start_us=ended_us - took_us,
        took_us=took_us,
        code=code,
        success=success,
        label=tags.get("name", ""),
        message=tags.get("error", ""),
        url=tags.get("url", ""),
        thread=tags.get("scenario", ""),
    )


def _time_us(text: str) -> int:
    """Convert an integer in s, ms, µs or ns since the epoch, or a text as in RFC 3339, to µs since the epoch."""
    if text.isdecimal():
        number = int(text)
        for limit, scale in ((10**11, 1_000_000), (10**14, 1000), (10**17, 1)):
            if number < limit:
                return number * scale
        return number // 1000
    return round(datetime.fromisoformat(text).timestamp() * 1_000_000)


def _read_csv(path: Path, account: Account) -> Iterator[LoggedRequest]:
    columns = names_in(path)

    def parse(line: bytes) -> Point | None:
        row = fields_of(columns, line)
        metric = row["metric_name"]
        if not metric.startswith("http_req"):
            return None
        return metric, _time_us(row["timestamp"]), float(row["metric_value"]), row

    return _read(path, account, parse)  # the header is not a point


def _read_json(path: Path, account: Account) -> Iterator[LoggedRequest]:
    def parse(line: bytes) -> Point | None:
        point = json.loads(line)
        metric = point["metric"]
        if point["type"] != "Point" or not metric.startswith("http_req"):
            return None
        data = point["data"]
        tags = {str(name): str(value) for name, value in data["tags"].items()}
        return metric, _time_us(data["time"]), float(data["value"]), tags

    return _read(path, account, parse)


CSV = Format("k6's CSV", lambda head: {"metric_name", "timestamp", "metric_value"} <= set(head.names), _read_csv)
JSON = Format(
    "k6's JSON", lambda head: head.json.get("type") in ("Metric", "Point") and "metric" in head.json, _read_json
)
