"""The balancers' own counters: now, their change since the run began, and their rate."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from switchover.rundir.points import parse_point

_SERIES = re.compile(r"(?:[^ \\]+|\\ ?)+")
"""Up to the first blank that no backslash stands before."""
_DIGITS = 19


def series_of(line: str) -> str:
    """Measurement and tags, as they are written; empty if there are none."""
    match = _SERIES.match(line)
    return match[0] if match else ""


def time_ns_of(line: str) -> int | None:
    digits = line.rpartition(" ")[2]
    return int(digits) if len(digits) <= _DIGITS and digits.isascii() and digits.isdigit() else None


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


@dataclass(slots=True)
class CounterRow:
    """One server or section of a balancer.

    Counters rise within a generation only. The first generation is compared with its first reading; a later one began
    during the run, at zero.
    """

    tags: Mapping[str, str]
    status: str = ""
    generation: str | None = None
    at_ns: int = 0
    gauges: dict[str, int] = field(default_factory=dict)
    changes: dict[str, int] = field(default_factory=dict)
    """Since the run began, over all generations."""
    answers_rate: float | None = None
    """Answers (HAProxy) or requests (Nginx) a second between the last two readings."""
    _last: dict[str, int] = field(default_factory=dict)

    def read(
        self, numbers: Mapping[str, int], generation: str, at_ns: int, gauges: tuple[str, ...], rated: str
    ) -> None:
        if at_ns <= self.at_ns:
            return
        counters = {name: value for name, value in numbers.items() if name not in gauges}
        if self.generation is None:
            base: Mapping[str, int] = counters
        elif generation == self.generation and all(
            value >= self._last.get(name, 0) for name, value in counters.items()
        ):
            base = self._last
        else:
            base = {}
        change = {name: value - base.get(name, 0) for name, value in counters.items()}
        for name, more in change.items():
            self.changes[name] = self.changes.get(name, 0) + more
        if self.generation is not None:
            risen = sum(more for name, more in change.items() if name.startswith(rated))
            self.answers_rate = risen * 1e9 / (at_ns - self.at_ns)
        self.gauges = {name: value for name, value in numbers.items() if name in gauges}
        self.generation, self.at_ns, self._last = generation, at_ns, counters


class Counters:
    """Reads `switchover_haproxy`, `switchover_nginx` and `switchover_scrape` points."""

    def __init__(self) -> None:
        self._haproxy: dict[str, CounterRow] = {}
        self._nginx: dict[str, CounterRow] = {}
        self._silent: dict[tuple[str, str], str] = {}
        """Node and source of the scrapes that fail now, and why."""
        self._weights: dict[str, float] = {}

    def read_haproxy(self, line: str) -> None:
        """A line of `switchover_haproxy`; of its hundred columns only the few that are shown are looked at."""
        series, time_ns = series_of(line), time_ns_of(line)
        if time_ns is None:
            return
        row = self._haproxy.get(series)
        if row is None:
            if len(self._haproxy) >= ROWS_LIMIT:
                return
            try:
                row = CounterRow(parse_point(line).tags)
            except ValueError:
                return
            self._haproxy[series] = row
        quote = line.find('"', len(series))
        numbers_end = len(line) if quote < 0 else quote
        numbers = {name: int(value) for name, value in _NUMBER.findall(line, len(series), numbers_end)}
        texts = dict(_TEXT.findall(line, len(series)))
        row.status = texts.get("status", "")
        if row.tags.get("type") == "server" and "weight" in numbers:
            self._weights.setdefault(row.tags.get("server", ""), float(numbers["weight"]))
        row.read(numbers, texts.get("generation", ""), time_ns, HAPROXY_GAUGES, "hrsp_")

    def read_nginx(self, node: str, fields: Mapping[str, Any], at_ns: int) -> None:
        if node not in self._nginx and len(self._nginx) >= ROWS_LIMIT:
            return
        row = self._nginx.setdefault(node, CounterRow({"node": node}))
        names = NGINX_GAUGES + NGINX_COUNTERS
        numbers = {name: fields[name] for name in names if isinstance(fields.get(name), int)}
        row.read(numbers, "", at_ns, NGINX_GAUGES, "requests")

    def read_scrape(self, node: str, source: str, fields: Mapping[str, Any]) -> None:
        if fields.get("ok") is True:
            self._silent.pop((node, source), None)
        elif len(self._silent) < ROWS_LIMIT:
            self._silent[node, source] = str(fields.get("text", ""))

    def weights(self) -> dict[str, float]:
        """By server what HAProxy said first, as the analysis takes it: a drained server had a share to give up."""
        return dict(self._weights)

    def haproxy(self) -> list[dict[str, Any]]:
        order = {"frontend": 0, "listener": 1, "server": 2, "backend": 3}
        rows = sorted(
            self._haproxy.values(),
            key=lambda row: (
                row.tags.get("node", ""),
                order.get(row.tags.get("type", ""), 4),
                row.tags.get("proxy", ""),
                row.tags.get("server", ""),
            ),
        )
        return [
            {
                **{name: row.tags.get(name, "") for name in ("node", "proxy", "server", "type")},
                "status": row.status,
                "silent": (row.tags.get("node", ""), "haproxy") in self._silent,
                **_figures(row),
            }
            for row in rows
        ]

    def nginx(self) -> list[dict[str, Any]]:
        return [
            {"node": node, "silent": (node, "nginx") in self._silent, **_figures(row)}
            for node, row in sorted(self._nginx.items())
        ]

    def silent(self) -> list[dict[str, str]]:
        """The sources that give no figures now."""
        return [
            {"node": node, "source": source, "text": text} for (node, source), text in sorted(self._silent.items())
        ]


def _figures(row: CounterRow) -> dict[str, Any]:
    rate = None if row.answers_rate is None else round(row.answers_rate, 1)
    return {"gauges": row.gauges, "changes": row.changes, "answers_rate": rate}
