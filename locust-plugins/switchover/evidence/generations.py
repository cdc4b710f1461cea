"""HAProxy's counters in the scrapes of a run, for each balancer and generation (the lifetime of one process).

`hrsp_*` of a server counts its responses. `hrsp_*` of a BACKEND also counts the responses that HAProxy generated.
`stot` is not used, because `stot` also counts retries (measured: 402 attempts for 199 answered requests).
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
    """One scrape of one HAProxy process. The answer arrived `duration_us` after the query was sent."""

    at_us: int
    duration_us: int
    generation: str
    by_server: Mapping[str, int] = field(default_factory=dict)
    """The number of responses of each server, summed over all proxies; the key is the server's name."""
    by_backends: int = 0
    """The number of responses of all backends that have servers, including responses that HAProxy generated."""
    by_frontends: int = 0
    """The number of responses of all frontends, including health pages, redirects and denials."""
    received: int = 0
    """The sum of `req_tot` of all frontends."""
    retries: int = 0
    """The number of retries: attempts on the same server, and redispatches to another server."""
    begun: int | None = None
    """The value `CumReq` of `show info`: the number of requests since the process started. None: unknown."""

    @property
    def made_by_balancer(self) -> int:
        return self.by_backends - sum(self.by_server.values())

    @property
    def by_frontends_alone(self) -> int:
        return self.by_frontends - self.by_backends

    def continues(self, earlier: "Scrape") -> bool:
        """Return True if the process is the same as in the scrape `earlier`, and its counters were not reset."""
        return self.generation == earlier.generation and not self._has_fallen_behind(earlier)

    def _has_fallen_behind(self, earlier: "Scrape") -> bool:
        return any(self.by_server.get(name, 0) < number for name, number in earlier.by_server.items())

    def has_taken_over(self, before: Sequence["Scrape"], start_us: int) -> bool:
        """Return True if the process took over the counters of the previous process, whose scrapes are `before`.

        Such a process reports more responses than requests, because the previous process sent some of the responses.
        Any other process reports at most a few more responses than requests, because requests end between `show info`
        and `show stat` (measured on a busy processor: 14). If the number of requests is unknown, the times of the
        scrapes decide: a new process that started shortly before its first scrape cannot have sent as many responses
        as the previous process.
        """
        old = before[-1]
        if sum(old.by_server.values()) == 0 or self._has_fallen_behind(old):
            return False
        if self.begun is not None:
            return self.by_frontends - self.begun > old.by_frontends / 2
        return old.at_us - max(before[0].at_us, start_us) > self.at_us - old.at_us

    @property
    def requests(self) -> int:
        """The number of requests that frontends received and did not answer themselves."""
        return self.received - self.by_frontends_alone


@dataclass(frozen=True, slots=True)
class Generation:
    """The first and the last scrape of one HAProxy process."""

    node: str
    name: str
    first: Scrape
    """The scrape whose counters are subtracted from the counters of `last` (see `generations_of`)."""
    last: Scrape


def generations_of(points: Iterable[Point], start_us: int) -> dict[str, list[Generation]]:
    """Return the generations of each balancer in the order of time. `start_us`: the start of the load.

    For the first generation, `first` is the last scrape before the load; without such a scrape, a balancer has no
    generations. The counters of a later generation start at zero, because a new process or `clear counters` resets
    the counters. A process that took over counters (stats-file since 3.0, shared memory since 3.3) starts with the
    counters of the last scrape of the old process.
    """
    by_node: dict[str, list[Generation]] = {}
    for node, scrapes in scrapes_of(points).items():
        series: list[list[Scrape]] = []
        for scrape in scrapes:
            if series and scrape.continues(series[-1][-1]):
                series[-1].append(scrape)
            else:
                series.append([scrape])
        generations = []
        for previous, members in zip([[], *series], series, strict=False):
            begin = members[0]
            before = [scrape for scrape in members if scrape.at_us + scrape.duration_us <= start_us]
            if before:
                first = before[-1]
            elif not previous:
                break
            elif begin.has_taken_over(previous, start_us):
                first = replace(previous[-1], generation=begin.generation)
            else:
                first = Scrape(begin.at_us, begin.duration_us, begin.generation)
            generations.append(Generation(node, begin.generation, first, members[-1]))
        by_node[node] = generations
    return by_node


def scrapes_of(points: Iterable[Point]) -> dict[str, list[Scrape]]:
    """Return the scrapes of each balancer in the order of time."""
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
    by_node: defaultdict[str, list[Scrape]] = defaultdict(list)
    for (node, time_ns), members in sorted(rows.items(), key=lambda entry: entry[0][1]):
        scrape = _scrape(time_ns // 1000, durations.get((node, time_ns), 0), members)
        by_node[node].append(replace(scrape, begun=begun.get((node, time_ns))))
    return dict(by_node)


def _scrape_durations_us(points: Iterable[Point]) -> dict[tuple[str, int], int]:
    """Return the durations of scrapes in microseconds; the key is the node and the time."""
    durations: dict[tuple[str, int], int] = {}
    for point in points:
        if point.measurement == SCRAPE:
            key = point.tags.get("node", ""), point.time_ns
            durations[key] = max(durations.get(key, 0), round((point.number("duration_ms") or 0.0) * 1000))
    return durations


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
    return sum(round(row.number(name) or 0) for name in names)
