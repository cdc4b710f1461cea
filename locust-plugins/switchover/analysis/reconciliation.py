"""Does everybody count the same? Client, balancers and backends against each other, request by request.

Within `ledger.Line` each count is compared with the witness that is independent of it; whatever differs must be
accounted for by a named fact, or it is unexplained. `docs/measurement.md` says what each fact is and how far it goes.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import urlsplit

from switchover.analysis.attempts import Attempts, attempts_of, doubled, may_have_reached
from switchover.analysis.counters import Epoch, epochs_of
from switchover.analysis.ledger import Line, Pool, Reconciliation, compare
from switchover.analysis.schedule import schedule_lines
from switchover.points import Point
from switchover.rundir import Run
from switchover.samples import Sample

SETTLE_US = 100_000
"""HAProxy counts an answer of its own, and a backend logs one, just after its last byte was sent: this much later
at most, on a busy machine."""

TAIL = "tail of the epoch: answered after its last scrape"
IN_FLIGHT = "in flight at the scrape"
UNANSWERED = "sent, but not answered or not named"
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
            lines += _EpochLedger(run, attempts, epoch, previous, following, sorted(epochs)).lines(node)
    if epochs or access:
        lines += _access_lines(run, attempts, access, [e for of_node in epochs.values() for e in of_node], samples)
    if not exclusive:
        lines = [_one_sided(line) for line in lines]
    return Reconciliation(exclusive, tuple(lines))


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


class _EpochLedger:
    """The comparisons that the life of one HAProxy process allows."""

    def __init__(
        self,
        run: Run,
        attempts: Attempts,
        epoch: Epoch,
        previous: Epoch | None,
        following: Epoch | None,
        balancers: Sequence[str],
    ) -> None:
        self._epoch = epoch
        began = (0, 0) if previous is None else _turn(run, epoch.node, previous, epoch)
        ended_us = None if following is None else _turn(run, epoch.node, epoch, following)
        here = [sample for sample in attempts.answered if sample.identity.balancer == epoch.node]
        self._here = [
            sample
            for sample in here
            if sample.start_us >= began[1] and (not ended_us or sample.start_us < ended_us[0])
        ]
        self._disputed = [sample for sample in here if began[0] <= sample.start_us < began[1]]
        self._uncertain = [
            sample
            for sample in attempts.uncertain
            if epoch.first.at_us <= sample.end_us
            and sample.start_us <= epoch.last.at_us + epoch.last.duration_us
            and may_have_reached(sample, epoch.node, run.plan, run.fault, balancers)
        ]

    def lines(self, node: str) -> list[Line]:
        first, last = self._epoch.first, self._epoch.last
        shared = self._uncertain_pool()
        found = []
        by_server = [sample for sample in self._here if sample.identity.backend]
        known = set(last.by_server) | {sample.identity.backend for sample in by_server}
        for server in sorted(known):
            change = last.by_server.get(server, 0) - first.by_server.get(server, 0)
            answers = [sample for sample in by_server if sample.identity.backend == server]
            if change or answers:
                disputed = [sample for sample in self._disputed if sample.identity.backend == server]
                found.append(self._line(f"answers by {server}", answers, disputed, change, node, shared))
        own = [sample for sample in self._here if not sample.identity.backend]
        disputed = [sample for sample in self._disputed if not sample.identity.backend]
        change = last.made_by_balancer - first.made_by_balancer
        found.append(self._line("answers by the balancer itself", own, disputed, change, node, shared, SETTLE_US))
        requests = last.requests - first.requests
        pool = self._uncertain_pool()
        found.append(self._line("requests", self._here, self._disputed, requests, node, pool))
        return found

    def _uncertain_pool(self) -> Pool:
        return Pool({UNANSWERED: len(self._uncertain)})

    def _line(
        self,
        name: str,
        answers: Sequence[Sample],
        disputed: Sequence[Sample],
        witness: int,
        node: str,
        shared: Pool,
        settle_us: int = 0,
    ) -> Line:
        """The last scrape has counted every answer that was complete when it was sent, and none to a request that
        was sent after it had returned. What came after it is the tail of the epoch, which nobody can count."""
        last = self._epoch.last
        counted = sum(sample.end_us <= last.at_us - settle_us for sample in answers)
        tail = sum(sample.start_us > last.at_us + last.duration_us for sample in answers)
        in_flight = len(answers) - counted - tail
        if settle_us:  # HAProxy counts by server when the header comes, by proxy when the answer has gone
            in_flight = sum(s.end_us > last.at_us - settle_us for s in self._here) - tail
        line = compare(
            name,
            len(answers) - tail,
            witness,
            "HAProxy's counters",
            node=node,
            epoch=self._epoch.name,
            surplus=[Pool({IN_FLIGHT: len(disputed)}), shared],
            deficit=[Pool({IN_FLIGHT: max(0, in_flight)})],
        )
        if not tail:
            return line
        return Line(
            name=line.name,
            client=line.client + tail,
            witness=line.witness,
            said_by=line.said_by,
            node=line.node,
            epoch=line.epoch,
            explained_by={**line.explained_by, TAIL: tail},
            unexplained=line.unexplained,
        )


def _turn(run: Run, node: str, before: Epoch, after: Epoch) -> tuple[int, int]:
    """Between which two times one process of a balancer followed the other.

    The scrapes around it bound it; where the fault or the heal of this balancer lies between them, that is it.
    """
    low, high = before.last.at_us, after.first.at_us
    plan, victim = run.plan, run.fault.victim if run.fault else None
    if victim == node and plan.fired_from_us is not None and low <= plan.fired_from_us <= high:
        low = plan.fired_from_us
    if victim == node and plan.heal_from_us is not None and low <= plan.heal_from_us <= high:
        high = plan.heal_from_us
    return low, high


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
    return urlsplit(url).path or "/"
