"""The balancers' own counters: now, their change since the run began, and their rate."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from switchover.evidence.generations import has_fallen
from switchover.rundir.measurements import HAPROXY
from switchover.rundir.points import Point, parse_point

_SERIES = re.compile(r"(?:[^ \\]+|\\ ?)+")
"""Up to the first blank that no backslash stands before."""
_DIGITS = 19

ROWS_LIMIT = 200
"""Servers and sections that are followed."""
HAPROXY_GAUGES = ("scur", "qcur", "rate", "weight")
HAPROXY_COUNTERS = (
    *("hrsp_1xx", "hrsp_2xx", "hrsp_3xx", "hrsp_4xx", "hrsp_5xx", "hrsp_other"),
    *("stot", "req_tot", "econ", "eresp", "wretr", "wredis"),
)
NGINX_GAUGES = ("active", "reading", "writing", "waiting")
NGINX_COUNTERS = ("accepts", "handled", "requests")
_NUMBER = re.compile(rf"[ ,]({'|'.join(HAPROXY_GAUGES + HAPROXY_COUNTERS)})=(-?\d{{1,18}})i")
_TEXT = re.compile(r'[ ,](status|generation)="((?:[^"\\]|\\.)*)"')
ORDER = {"frontend": 0, "listener": 1, "server": 2, "backend": 3}


def series_of(line: str) -> str:
    """Measurement and tags, as they are written; empty if there are none."""
    match = _SERIES.match(line)
    return match[0] if match else ""


def time_ns_of(line: str) -> int | None:
    digits = line.rpartition(" ")[2]
    return int(digits) if len(digits) <= _DIGITS and digits.isascii() and digits.isdigit() else None


@dataclass(slots=True)
class CounterRow:
    """One server or section of a balancer.

    Counters rise within a generation only. The first generation is compared with its first reading; a later one began
    during the run, at zero.
    """

    gauges: tuple[str, ...]
    counters: tuple[str, ...]
    rated: str
    """What the names of the counters begin with whose rate is shown: answers (HAProxy) or requests (Nginx)."""
    status: str = ""
    generation: str | None = None
    at_ns: int = 0
    now: dict[str, int] = field(default_factory=dict)
    changes: dict[str, int] = field(default_factory=dict)
    """Since the run began, over all generations."""
    rate: float | None = None
    """Per second between the last two readings."""
    _last: dict[str, int] = field(default_factory=dict)

    def read(self, point: Point) -> None:
        if point.time_ns <= self.at_ns:
            return
        self.status = str(point.fields.get("status", ""))
        generation = str(point.fields.get("generation", ""))
        counted = _numbers(point, self.counters)
        if self.generation is None:
            base: Mapping[str, int] = counted
        else:
            begun = generation != self.generation or has_fallen(self._last, counted)
            base = {} if begun else self._last
        change = {name: value - base.get(name, 0) for name, value in counted.items()}
        for name, more in change.items():
            self.changes[name] = self.changes.get(name, 0) + more
        if self.generation is not None:
            risen = sum(more for name, more in change.items() if name.startswith(self.rated))
            self.rate = risen * 1e9 / (point.time_ns - self.at_ns)
        self.now = _numbers(point, self.gauges)
        self.generation, self.at_ns, self._last = generation, point.time_ns, counted

    def facts(self) -> dict[str, Any]:
        rate = None if self.rate is None else round(self.rate, 1)
        return {"gauges": self.now, "changes": self.changes, "answers_rate": rate}


class Counters:
    """Reads `switchover_haproxy`, `switchover_nginx` and `switchover_scrape` points."""

    def __init__(self) -> None:
        self._haproxy: dict[tuple[str, ...], CounterRow] = {}
        self._nginx: dict[tuple[str, ...], CounterRow] = {}
        self._silent: dict[tuple[str, str], str] = {}
        """Node and source of the scrapes that fail now, and why."""
        self._weights: dict[str, float] = {}
        self._tags: dict[str, Mapping[str, str]] = {}
        """By series, as it stands in a line."""

    def read_haproxy(self, line: str) -> None:
        """A line of `switchover_haproxy`; of its hundred columns only the few that are shown are looked at."""
        series, time_ns = series_of(line), time_ns_of(line)
        tags = self._tags.get(series)
        if tags is None and len(self._tags) < ROWS_LIMIT:
            try:
                tags = self._tags[series] = parse_point(line).tags
            except ValueError:
                return
        if tags is None or time_ns is None:
            return
        quote = line.find('"', len(series))
        numbers = _NUMBER.findall(line, len(series), len(line) if quote < 0 else quote)
        texts = dict(_TEXT.findall(line, len(series)))
        point = Point(HAPROXY, tags, {**{name: int(value) for name, value in numbers}, **texts}, time_ns)
        weight = point.fields.get("weight")
        if point.tags.get("type") == "server" and isinstance(weight, int):
            self._weights.setdefault(point.tags.get("server", ""), float(weight))
        key = tuple(point.tags.get(name, "") for name in ("node", "type", "proxy", "server"))
        _read(self._haproxy, key, point, HAPROXY_GAUGES, HAPROXY_COUNTERS, "hrsp_")

    def read_nginx(self, point: Point) -> None:
        _read(self._nginx, (point.tags.get("node", ""),), point, NGINX_GAUGES, NGINX_COUNTERS, "requests")

    def read_scrape(self, point: Point) -> None:
        source = point.tags.get("node", ""), point.tags.get("source", "")
        if point.fields.get("ok") is True:
            self._silent.pop(source, None)
        elif len(self._silent) < ROWS_LIMIT:
            self._silent[source] = str(point.fields.get("text", ""))

    def weights(self) -> dict[str, float]:
        """By server what HAProxy said first, as the analysis takes it: a drained server had a share to give up."""
        return dict(self._weights)

    def haproxy(self) -> list[dict[str, Any]]:
        rows = sorted(self._haproxy.items(), key=lambda row: (row[0][0], ORDER.get(row[0][1], 4), *row[0][2:]))
        return [
            {
                **dict(zip(("node", "type", "proxy", "server"), key, strict=True)),
                "status": row.status,
                "silent": (key[0], "haproxy") in self._silent,
                **row.facts(),
            }
            for key, row in rows
        ]

    def nginx(self) -> list[dict[str, Any]]:
        return [
            {"node": node, "silent": (node, "nginx") in self._silent, **row.facts()}
            for (node,), row in sorted(self._nginx.items())
        ]

    def silent(self) -> list[dict[str, str]]:
        """The sources that give no figures now."""
        return [
            {"node": node, "source": source, "text": text} for (node, source), text in sorted(self._silent.items())
        ]


def _read(rows: dict[tuple[str, ...], CounterRow], key: tuple[str, ...], point: Point, *columns: Any) -> None:
    row = rows.get(key)
    if row is None:
        if len(rows) >= ROWS_LIMIT:
            return
        row = rows[key] = CounterRow(*columns)
    row.read(point)


def _numbers(point: Point, names: tuple[str, ...]) -> dict[str, int]:
    return {name: value for name in names if isinstance(value := point.fields.get(name), int)}
