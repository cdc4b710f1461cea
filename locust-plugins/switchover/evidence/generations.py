"""HAProxy's counters in the scrapes of a run: by balancer, in generations within which they only rise.

`hrsp_*` counts responses by the server that sent them. `stot` counts attempts including retries (measured: 402 for
199 answered requests), and is not used. `hrsp_*` of a BACKEND also counts the responses that HAProxy generated.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from switchover.rundir.measurements import HAPROXY, HAPROXY_INFO, SCRAPE
from switchover.rundir.points import Point

ANSWERS = ("hrsp_1xx", "hrsp_2xx", "hrsp_3xx", "hrsp_4xx", "hrsp_5xx", "hrsp_other")
RETRIES = ("wretr", "wredis")


@dataclass(frozen=True, slots=True)
class Scrape:
    """One reading of one HAProxy: sent at `at_us`, answered `duration_us` later."""

    at_us: int
    duration_us: int
    generation: str
    by_server: Mapping[str, int] = field(default_factory=dict)
    """Responses by server, over all proxies that have a server with this name."""
    by_backends: int = 0
    """Responses of the backend sections that have servers, including responses that HAProxy generated."""
    by_frontends: int = 0
    """Responses of all frontends, including those of a frontend alone (a health page, a redirect, a denial)."""
    received: int = 0
    """`req_tot` of all frontends."""
    retries: int = 0
    """Attempts beyond the first, on the same server or another."""
    begun: int | None = None
    """`CumReq` of `show info`: the requests that this process has begun. None: the source has no info."""

    @property
    def made_by_balancer(self) -> int:
        return self.by_backends - sum(self.by_server.values())

    @property
    def by_frontends_alone(self) -> int:
        return self.by_frontends - self.by_backends

    def has_fallen_behind(self, earlier: "Scrape") -> bool:
        """Return True if a counter is lower than before: counters only rise, so they were reset."""
        return any(self.by_server.get(name, 0) < number for name, number in earlier.by_server.items())

    def has_taken_over(self, before: Sequence["Scrape"], start_us: int) -> bool:
        """Return True if this process took over the counters of the process before. `start_us`: start of the load.

        A process that took over counters shows more responses than it has begun requests. The difference is the count
        of the process before. Another process shows at most the few requests between `show info` and `show stat` (14
        were measured on a busy processor).

        If the begun requests are unknown, the scraped times decide. A process that began at zero rarely has as many
        responses. It must have answered more before its first scrape than the other under its whole load.
        """
        old = before[-1]
        if sum(old.by_server.values()) == 0 or self.has_fallen_behind(old):
            return False
        if self.begun is not None:
            return self.by_frontends - self.begun > old.by_frontends / 2
        seen_us, unseen_us = old.at_us - max(before[0].at_us, start_us), self.at_us - old.at_us
        return seen_us > unseen_us

    @property
    def requests(self) -> int:
        """Requests for a server. Requests that a frontend answered alone, such as health checks, do not count."""
        return self.received - self.by_frontends_alone


@dataclass(frozen=True, slots=True)
class Generation:
    """The life of one HAProxy process, as far as it was scraped."""

    node: str
    name: str
    first: Scrape
    """The base of its counters: the last scrape before the load, or zero for a process that began later.

    If it took over the counters of the process before, the base is the last scrape of that process.
    """
    last: Scrape


def generations_of(points: Iterable[Point], start_us: int) -> dict[str, list[Generation]]:
    """Return the generations of each balancer in order of time. `start_us`: the start of the load.

    The first generation of a balancer counts from its last scrape before the load. Without such a scrape the balancer
    has no generations, because the responses of the first would count for the later ones. A later generation counts
    from zero, because its process did, or `clear counters` reset it. If a new process took over the counters
    (stats-file since 3.0, shared memory since 3.3), it counts from the last scrape of the old process.
    """
    found: dict[str, list[Generation]] = {}
    for node, scrapes in scrapes_of(points).items():
        series: list[list[Scrape]] = []
        for scrape in scrapes:
            last = series[-1][-1] if series else None
            if last is not None and last.generation == scrape.generation and not scrape.has_fallen_behind(last):
                series[-1].append(scrape)
            else:
                series.append([scrape])
        generations = []
        for number, members in enumerate(series):
            before = [scrape for scrape in members if scrape.at_us + scrape.duration_us <= start_us]
            if before:
                first = before[-1]
            elif number > 0 and members[0].has_taken_over(series[number - 1], start_us):
                first = replace(series[number - 1][-1], generation=members[0].generation)
            elif number > 0:
                first = Scrape(members[0].at_us, members[0].duration_us, members[0].generation)
            else:
                break
            generations.append(Generation(node, members[0].generation, first, members[-1]))
        found[node] = generations
    return found


def scrapes_of(points: Iterable[Point]) -> dict[str, list[Scrape]]:
    """Return the scrapes of each balancer in order of time."""
    points = list(points)
    durations = _scrape_durations_us(points)
    begun: dict[tuple[str, int], int] = {}
    rows: defaultdict[tuple[str, int], list[Point]] = defaultdict(list)
    for point in points:
        key = point.tags.get("node", ""), point.time_ns
        if point.measurement == HAPROXY_INFO:
            requests = point.fields.get("CumReq")
            if isinstance(requests, int):
                begun[key] = requests
        elif point.measurement == HAPROXY:
            rows[key].append(point)
    found: defaultdict[str, list[Scrape]] = defaultdict(list)
    for (node, time_ns), members in sorted(rows.items(), key=lambda entry: entry[0][1]):
        scrape = _scrape(time_ns // 1000, durations.get((node, time_ns), 0), members)
        found[node].append(replace(scrape, begun=begun.get((node, time_ns))))
    return dict(found)


def _scrape_durations_us(points: Iterable[Point]) -> dict[tuple[str, int], int]:
    """Return durations in microseconds, by node and time of the scrape."""
    found: dict[tuple[str, int], int] = {}
    for point in points:
        if point.measurement == SCRAPE:
            key = point.tags.get("node", ""), point.time_ns
            found[key] = max(found.get(key, 0), round((point.number("duration_ms") or 0.0) * 1000))
    return found


def _scrape(at_us: int, duration_us: int, rows: Iterable[Point]) -> Scrape:
    rows = list(rows)
    servers = [row for row in rows if row.tags.get("type") == "server"]
    with_servers = {row.tags.get("proxy") for row in servers}
    by_server: defaultdict[str, int] = defaultdict(int)
    for row in servers:
        by_server[row.tags.get("server", "")] += _sum_of(row, ANSWERS)
    backends = [row for row in rows if row.tags.get("type") == "backend" and row.tags.get("proxy") in with_servers]
    frontends = [row for row in rows if row.tags.get("type") == "frontend"]
    return Scrape(
        at_us=at_us,
        duration_us=duration_us,
        generation=next((str(row.fields["generation"]) for row in rows if "generation" in row.fields), ""),
        by_server=dict(by_server),
        by_backends=sum(_sum_of(row, ANSWERS) for row in backends),
        by_frontends=sum(_sum_of(row, ANSWERS) for row in frontends),
        received=sum(_sum_of(row, ("req_tot",)) for row in frontends),
        retries=sum(_sum_of(row, RETRIES) for row in backends),
    )


def _sum_of(row: Point, names: Iterable[str]) -> int:
    values = (row.fields.get(name) for name in names)
    return sum(value for value in values if isinstance(value, int) and not isinstance(value, bool))
