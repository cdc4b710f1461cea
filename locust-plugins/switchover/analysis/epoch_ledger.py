"""What the life of one HAProxy process allows to compare: its counters against what the client saw of it."""

from collections.abc import Sequence
from dataclasses import replace

from switchover.analysis.attempts import Attempts, may_have_reached
from switchover.analysis.counters import Epoch
from switchover.analysis.ledger import Line, Pool, compare
from switchover.rundir import Run
from switchover.samples import Sample

SETTLE_US = 100_000
"""HAProxy counts an answer of its own, and a backend logs one, just after its last byte was sent: this much later
at most, on a busy machine."""

TAIL = "tail of the epoch: answered after its last scrape"
IN_FLIGHT = "in flight at the scrape"
BETWEEN = "answered while one process of the balancer followed another"
BY_A_FRONTEND = "answered by a frontend alone (a health page, a redirect, a denial)"
UNANSWERED = "sent, but not answered or not named"


class EpochLedger:
    """The comparisons that the life of one HAProxy process allows."""

    def __init__(
        self,
        run: Run,
        attempts: Attempts,
        epoch: Epoch,
        previous: Epoch | None,
        following: Epoch | None,
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
            and may_have_reached(sample, epoch.node, run.plan, run.fault)
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
        alone = Pool({BY_A_FRONTEND: last.by_frontends_alone - first.by_frontends_alone})
        found.append(self._own_line(own, disputed, change, node, [shared], [alone]))
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
    ) -> Line:
        """The last scrape has counted every answer that was complete when it was sent, and none to a request that
        was sent after it had returned. What came after it is the tail of the epoch, which nobody can count."""
        last = self._epoch.last
        counted = sum(sample.end_us <= last.at_us for sample in answers)
        tail = self._tail(answers)
        in_flight = Pool({IN_FLIGHT: len(answers) - counted - tail})
        between = Pool({BETWEEN: len(disputed)})
        return self._compared(name, len(answers), tail, witness, node, [between, shared], [in_flight])

    def _own_line(
        self,
        answers: Sequence[Sample],
        disputed: Sequence[Sample],
        witness: int,
        node: str,
        surplus: Sequence[Pool],
        deficit: Sequence[Pool],
    ) -> Line:
        """What the proxies count less what their servers count. HAProxy counts by server when the header comes, by
        proxy when the answer has gone: what was in flight then, of anybody, is between the two."""
        recent = sum(sample.end_us > self._epoch.last.at_us - SETTLE_US for sample in self._here)
        in_flight = Pool({IN_FLIGHT: recent - self._tail(self._here)})
        between = Pool({BETWEEN: len(disputed)})
        name = "answers by the balancer itself"
        tail = self._tail(answers)
        return self._compared(name, len(answers), tail, witness, node, [between, *surplus], [in_flight, *deficit])

    def _tail(self, answers: Sequence[Sample]) -> int:
        last = self._epoch.last
        return sum(sample.start_us > last.at_us + last.duration_us for sample in answers)

    def _compared(
        self,
        name: str,
        client: int,
        tail: int,
        witness: int,
        node: str,
        surplus: Sequence[Pool],
        deficit: Sequence[Pool],
    ) -> Line:
        said_by, epoch = "HAProxy's counters", self._epoch.name
        line = compare(
            name, client - tail, witness, said_by, node=node, epoch=epoch, surplus=surplus, deficit=deficit
        )
        if not tail:
            return line
        return replace(line, client=client, explained_by={**line.explained_by, TAIL: tail})


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
