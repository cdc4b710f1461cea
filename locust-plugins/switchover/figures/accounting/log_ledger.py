"""Compare the access logs of backends with the client's counts."""

from collections import Counter
from collections.abc import Mapping, Sequence

from switchover.evidence.access_paths import path_of
from switchover.evidence.generations import Generation
from switchover.evidence.requests.store import sql_text
from switchover.evidence.requests.table import Requests, sql_list
from switchover.figures.accounting.generation_ledger import SETTLE_US, UNANSWERED
from switchover.figures.accounting.ledger import BY_BACKEND, BY_BALANCER, Pool, compare, count_uncertain
from switchover.rundir.run_directory import Run
from switchover.verdict.record import Line

AT_THE_KILL = "answered when the backend was killed, before the backend could log the request"
MADE_BY_BALANCER = "answered by the balancer with 502 or 504, after a backend got the request"
STILL_OPEN = "streams and truncated bodies, which the backend logs after the backend detects the end"
OF_ANOTHER_FORM = "lines of the access log that are not in the combined format"
AFTER_A_BACKEND = ("502", "504")
"""The statuses of responses that a balancer generates after a backend accepted the request. (Status 503: no backend
accepted the request.)"""
ACCESS_LOG = "the backend's access log"
RETRIED = "retried or redispatched by a balancer (wretr, wredis)"
Paths = frozenset[str] | None
"""The paths whose log lines are counted. None: a sample has no URL, so all lines are counted."""


def access_log_lines(
    run: Run,
    requests: Requests,
    access: Mapping[str, Counter[str]],
    generations: Mapping[str, Sequence[Generation]],
    paths: Paths,
) -> list[Line]:
    surplus = Pool(
        {
            UNANSWERED: count_uncertain(requests),
            MADE_BY_BALANCER: requests.count(f"{BY_BALANCER} AND code IN {sql_list(AFTER_A_BACKEND)}"),
            RETRIED: sum(
                generation.last.retries - generation.first.retries
                for of_node in generations.values()
                for generation in of_node
            ),
        }
    )
    lines = []
    for backend, counts in sorted(access.items()):
        answers = f"{BY_BACKEND} AND backend = {sql_text(backend)}"
        unlogged = Pool(
            {
                AT_THE_KILL: _unlogged(run, backend, requests, answers),
                STILL_OPEN: _streams(run, requests, answers),
                OF_ANOTHER_FORM: _unread(run, backend),
            }
        )
        logged = sum(number for path, number in counts.items() if paths is None or path in paths)
        name, sent = "answers in the access log", requests.count(answers)
        lines.append(compare(name, sent, logged, ACCESS_LOG, node=backend, surplus=[surplus], deficit=[unlogged]))
    return lines


def _streams(run: Run, requests: Requests, answers: str) -> int:
    """Count streams and cut responses, which the backend logs only after it detects the end of the connection."""
    if not run.keeps_connections:
        return 0
    streams, bodies = "stream IN ('websocket', 'sse')", "stream IN ('download', 'upload') AND NOT success"
    return requests.count(f"{answers} AND ({streams} OR {bodies})")


def _unread(run: Run, backend: str) -> int:
    by_status = run.access_logs.get(backend, {}).get("by_status")
    unread = by_status.get("unread") if isinstance(by_status, Mapping) else None
    return unread if isinstance(unread, int) else 0


def _unlogged(run: Run, backend: str, requests: Requests, answers: str) -> int:
    fired_from_us, fired_to_us = run.plan.fired_from_us, run.plan.fired_to_us
    if fired_from_us is None or fired_to_us is None or run.fault is None or run.fault.victim != backend:
        return 0
    near = f"end_us >= {fired_from_us - SETTLE_US} AND start_us <= {fired_to_us}"
    return requests.count(f"{answers} AND {near}")


def paths_asked(run: Run, samples: Requests) -> Paths:
    paths = {path_of(run.target.url)}
    for (url,) in samples.rows("SELECT DISTINCT split_part(url, '?', 1) FROM {requests}"):
        if not url:
            return None
        paths.add(path_of(url))
    return frozenset(paths)
