"""Does everybody count the same? Client, balancers and backends against each other, request by request.

Within `ledger.Line` each count is compared with the witness that is independent of it; whatever differs must be
accounted for by a named fact, or it is unexplained. `docs/measurement.md` says what each fact is and how far it goes.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import urlsplit

from switchover.analysis.attempts import Attempts, attempts_of, doubled
from switchover.analysis.counters import Epoch, epochs_of
from switchover.analysis.epoch_ledger import SETTLE_US, UNANSWERED, EpochLedger
from switchover.analysis.ledger import Line, Pool, Reconciliation, compare
from switchover.analysis.nodes import nodes_with
from switchover.analysis.schedule import schedule_lines
from switchover.points import Point
from switchover.rundir import Run
from switchover.samples import Sample

AT_THE_KILL = "answered as the backend was killed, before it could log"
MADE_BY_BALANCER = "answered 502 or 504 by the balancer after a backend had it"
AFTER_A_BACKEND = ("502", "504")
"""What a balancer answers for a backend that took the request and failed; its 503 means that none took it."""
RETRIED = "retried or redispatched by a balancer (wretr, wredis)"


def reconcile(
    run: Run,
    probes: Sequence[Sample],
    samples: Sequence[Sample],
    points: Iterable[Point],
    access: Mapping[str, Counter[str]],
) -> Reconciliation:
    """`access`: for each backend whose access log was kept, how many lines it has of each path."""
    exclusive = run.target.get("exclusive") is True
    attempts = attempts_of([*probes, *samples])
    epochs = epochs_of(points, run.plan.start_us or 0)
    lines = schedule_lines(probes, run.generator)
    if samples:
        again = doubled(samples)
        lines.append(Line("lines of the sample log", len(samples), len(samples) - again, "itself", unexplained=again))
    for node, of_node in epochs.items():
        for index, epoch in enumerate(of_node):
            following = of_node[index + 1] if index + 1 < len(of_node) else None
            previous = of_node[index - 1] if index else None
            lines += EpochLedger(run, attempts, epoch, previous, following).lines(node)
    if epochs or access:
        lines += _access_lines(run, attempts, access, [e for of_node in epochs.values() for e in of_node], samples)
    if not exclusive:
        lines = [_one_sided(line) for line in lines]
    uncounted = tuple(node for node in nodes_with(run, "haproxy") if not epochs.get(node))
    return Reconciliation(exclusive, tuple(lines), uncounted)


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
    samples: Sequence[Sample],
) -> list[Line]:
    """Access logs survive the balancer, so they also count what came after its last scrape."""
    paths = _paths_asked(run, samples)
    surplus = Pool(
        {
            UNANSWERED: len(attempts.uncertain),
            MADE_BY_BALANCER: sum(sample.code in AFTER_A_BACKEND for sample in attempts.by_balancer),
            RETRIED: sum(epoch.last.retries - epoch.first.retries for epoch in epochs),
        }
    )
    lines = []
    for backend, counts in sorted(access.items()):
        answers = [sample for sample in attempts.by_backend if sample.identity.backend == backend]
        logged = sum(number for path, number in counts.items() if paths is None or path in paths)
        killed = Pool({AT_THE_KILL: _unlogged(run, backend, answers)})
        line = compare(
            "answers in the access log",
            len(answers),
            logged,
            "the backend's access log",
            node=backend,
            surplus=[surplus],
            deficit=[killed],
        )
        lines.append(line)
    return lines


def _unlogged(run: Run, backend: str, answers: Sequence[Sample]) -> int:
    fired_from_us, fired_to_us = run.plan.fired_from_us, run.plan.fired_to_us
    if fired_from_us is None or fired_to_us is None or run.fault is None or run.fault.victim != backend:
        return 0
    return sum(s.end_us >= fired_from_us - SETTLE_US and s.start_us <= fired_to_us for s in answers)


def _paths_asked(run: Run, samples: Iterable[Sample]) -> frozenset[str] | None:
    """The paths of our requests, so that health checks are not counted; None where a sample does not tell its own."""
    paths = {path_of(str(run.target.get("url", "")))}
    for url in {sample.url for sample in samples}:
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
