"""Does everybody count the same? Client, balancers and backends against each other, request by request.

Within `ledger.Line` each count is compared with the witness that is independent of it; a difference must be
accounted for by a named fact, or it is unexplained. `docs/measurement.md` says what each fact is and how far it goes.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from urllib.parse import urlsplit

from switchover.analysis.client_counts import BY_BACKEND, BY_BALANCER, Attempts, doubled
from switchover.analysis.counters import Epoch, epochs_of
from switchover.analysis.epoch_ledger import SETTLE_US, UNANSWERED, EpochLedger
from switchover.analysis.ledger import Line, Pool, Reconciliation, compare
from switchover.analysis.nodes import nodes_with
from switchover.analysis.requests.store import sql_text
from switchover.analysis.requests.table import Requests, concatenate, sql_list
from switchover.rundir.points import Point
from switchover.rundir.run_directory import Run
from switchover.rundir.run_records import ProbeAccount

AT_THE_KILL = "answered as the backend was killed, before it could log"
MADE_BY_BALANCER = "answered 502 or 504 by the balancer after a backend had it"
STILL_OPEN = "streams and cut bodies that the backend may not have seen the end of, and logs when it does"
AFTER_A_BACKEND = ("502", "504")
"""What a balancer answers for a backend that took the request and failed; its 503 means that none took it."""
ACCESS_LOG = "the backend's access log"
RETRIED = "retried or redispatched by a balancer (wretr, wredis)"


def reconcile(
    run: Run,
    probes: Requests,
    requests: Requests,
    points: Iterable[Point],
    access: Mapping[str, Counter[str]],
    balancer_logs: Mapping[str, Mapping[str, Counter[str]]] = MappingProxyType({}),
) -> Reconciliation:
    """`access`: for each backend whose access log was kept, how many lines it has of each path. `balancer_logs`: for
    each log of a balancer the same of each server that it names."""
    exclusive = run.target.exclusive
    attempts = Attempts(concatenate(probes, requests))
    epochs = epochs_of(points, run.plan.start_us or 0)
    lines = schedule_lines(probes, run.generator)
    if requests:
        again, written = doubled(requests), len(requests)
        lines.append(Line("lines of the sample log", written, written - again, "itself", unexplained=again))
    is_scraped = not keeps_connections(run)
    for of_node in epochs.values() if is_scraped else []:
        for index, epoch in enumerate(of_node):
            following = of_node[index + 1] if index + 1 < len(of_node) else None
            previous = of_node[index - 1] if index else None
            lines += EpochLedger(run, attempts, epoch, previous, following).lines()
    if epochs or access:
        lines += _access_lines(run, attempts, access, [e for of_node in epochs.values() for e in of_node], requests)
    for said_by, servers in balancer_logs.items():
        lines += _log_lines(run, attempts, said_by, servers, requests)
    if not exclusive:
        lines = [_one_sided(line) for line in lines]
    uncounted = tuple(node for node in nodes_with(run, "haproxy") if not epochs.get(node) and is_scraped)
    return Reconciliation(exclusive, tuple(lines), uncounted)


def keeps_connections(run: Run) -> bool:
    """Old processes answer on while a new one counts from 0, and a balancer counts what is open when it ends: the
    logs of the backends count all, scrapes do not."""
    return bool(run.plan.changes) or run.patient is not None


def _one_sided(line: Line) -> Line:
    """With foreign traffic a witness may count more than we sent, never less."""
    if line.node and line.witness > line.client:
        more = line.witness - line.client - line.explained
        return compare(
            line.name,
            line.client,
            line.witness,
            line.said_by,
            node=line.node,
            epoch=line.epoch,
            surplus=[Pool({**line.explained_by, "traffic that is not ours": max(0, more)})],
        )
    return line


def _access_lines(
    run: Run,
    attempts: Attempts,
    access: Mapping[str, Counter[str]],
    epochs: Sequence[Epoch],
    samples: Requests,
) -> list[Line]:
    """Access logs survive the balancer, so they also count what came after its last scrape."""
    paths = _paths_asked(run, samples) if access else None
    surplus = Pool(
        {
            UNANSWERED: attempts.uncertain,
            MADE_BY_BALANCER: attempts.requests.count(f"{BY_BALANCER} AND code IN {sql_list(AFTER_A_BACKEND)}"),
            RETRIED: sum(epoch.last.retries - epoch.first.retries for epoch in epochs),
        }
    )
    lines = []
    for backend, counts in sorted(access.items()):
        answers = f"{BY_BACKEND} AND backend = {sql_text(backend)}"
        logged = sum(number for path, number in counts.items() if paths is None or path in paths)
        killed = Pool(
            {
                AT_THE_KILL: _unlogged(run, backend, attempts, answers),
                STILL_OPEN: _streams(run, attempts, answers),
            }
        )
        line = compare(
            "answers in the access log",
            attempts.requests.count(answers),
            logged,
            ACCESS_LOG,
            node=backend,
            surplus=[surplus],
            deficit=[killed],
        )
        lines.append(line)
    return lines


def _log_lines(
    run: Run, attempts: Attempts, said_by: str, servers: Mapping[str, Counter[str]], samples: Requests
) -> list[Line]:
    """A balancer logs each request once, under the server that answered it, or under none."""
    paths = _paths_asked(run, samples)
    surplus = Pool({UNANSWERED: attempts.uncertain})
    lines = []
    for server, counts in sorted(servers.items()):
        answers = f"{BY_BACKEND} AND backend = {sql_text(server)}" if server else BY_BALANCER
        logged = sum(number for path, number in counts.items() if paths is None or path in paths)
        node = server or "no server"
        client = attempts.requests.count(answers)
        lines.append(compare("answers in a balancer's log", client, logged, said_by, node=node, surplus=[surplus]))
    return lines


def _streams(run: Run, attempts: Attempts, answers: str) -> int:
    """A balancer that lost the address holds on to what its clients have lost long ago."""
    if not keeps_connections(run):
        return 0
    streams, bodies = "stream IN ('websocket', 'sse')", "stream IN ('download', 'upload') AND NOT success"
    return attempts.requests.count(f"{answers} AND ({streams} OR {bodies})")


def _unlogged(run: Run, backend: str, attempts: Attempts, answers: str) -> int:
    fired_from_us, fired_to_us = run.plan.fired_from_us, run.plan.fired_to_us
    if fired_from_us is None or fired_to_us is None or run.fault is None or run.fault.victim != backend:
        return 0
    near = f"end_us >= {fired_from_us - SETTLE_US} AND start_us <= {fired_to_us}"
    return attempts.requests.count(f"{answers} AND {near}")


def _paths_asked(run: Run, samples: Requests) -> frozenset[str] | None:
    """The paths of our requests, so that health checks are not counted; None where a sample does not tell its own."""
    paths = {path_of(run.target.url)}
    for (url,) in samples.rows("SELECT DISTINCT split_part(url, '?', 1) FROM {requests}"):
        if not url:
            return None
        paths.add(path_of(url))
    return frozenset(paths)


def path_of(url: str) -> str:
    """The path without its query, as client and backend both write it."""
    if url.startswith("/"):
        return url.partition("?")[0]  # what a stranger asked for need not be a URL
    try:
        return urlsplit(url).path or "/"
    except ValueError:
        return url


def schedule_lines(requests: Requests, account: ProbeAccount) -> list[Line]:
    """Lines of `probes.jtl` against the slots that the metronome says it sent, by stream.

    A line that was dropped leaves its slot empty, a line that was doubled fills one twice: both are found wherever
    in the run they are, and one cannot hide the other.
    """
    lines = []
    for stream, sent in (("fresh", account.sent), ("kept", account.kept.sent if account.kept else None)):
        if sent is None:
            continue
        own, slots = requests.row(
            "SELECT count(*), count(DISTINCT intended_us) + CAST(count(*) > count(intended_us) AS INT) "
            "FROM {requests} WHERE stream = ?",
            [stream],
        )
        lines.append(
            Line(
                name=f"slots of the schedule, {stream} connections",
                client=own,
                witness=sent,
                said_by="the metronome's own count",
                unexplained=own - slots + abs(sent - slots),
            )
        )
    return lines
