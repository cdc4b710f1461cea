"""What the life of one HAProxy process allows to compare: its counters against what the client saw of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from switchover.analysis.client_counts import BY_BACKEND, BY_BALANCER, Attempts, may_have_reached
from switchover.analysis.counters import Epoch
from switchover.analysis.ledger import Line, Pool, compare
from switchover.analysis.requests.store import sql_text
from switchover.rundir.run_directory import Run

SETTLE_US = 100_000
"""HAProxy counts an answer of its own, and a backend logs one, just after its last byte was sent: this much later
at most, on a busy machine."""

TAIL = "tail of the epoch: answered after its last scrape"
IN_FLIGHT = "in flight at the scrape"
BETWEEN = "answered while one process of the balancer followed another"
BY_A_FRONTEND = "answered by a frontend alone (a health page, a redirect, a denial)"
UNANSWERED = "sent, but not answered or not named"


@dataclass(frozen=True, slots=True)
class _Answers:
    """Answers of one balancer: how many, and where they stand to the last scrape of the epoch."""

    number: int = 0
    counted: int = 0
    """Answers that were complete when the scrape was sent: it has counted them."""
    tail: int = 0
    """Answers to requests sent after the scrape had returned: it cannot have counted them."""
    recent: int = 0
    """Answers that came less than 100 ms before the scrape: HAProxy may not have counted them yet."""

    def __add__(self, other: "_Answers") -> "_Answers":
        return _Answers(
            self.number + other.number,
            self.counted + other.counted,
            self.tail + other.tail,
            self.recent + other.recent,
        )


_NONE = _Answers()


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
        ended_us = None if following is None else _turn(run, epoch.node, epoch, following)[0]
        until = "" if ended_us is None else f" AND start_us < {ended_us}"
        self._here = self._answers(attempts, f"start_us >= {began[1]}{until}")
        self._disputed = self._answers(attempts, f"start_us >= {began[0]} AND start_us < {began[1]}")
        self._uncertain = attempts.uncertain_if(
            f"{epoch.first.at_us} <= end_us AND start_us <= {epoch.last.at_us + epoch.last.duration_us} "
            f"AND {may_have_reached(epoch.node, run.plan, run.fault)}"
        )

    def lines(self) -> list[Line]:
        first, last = self._epoch.first, self._epoch.last
        shared = self._uncertain_pool()
        found = []
        for server in sorted(set(last.by_server) | {name for name in self._here if name}):
            change = last.by_server.get(server, 0) - first.by_server.get(server, 0)
            answers = self._here.get(server, _NONE)
            if change or answers.number:
                disputed = self._disputed.get(server, _NONE)
                found.append(self._line(f"answers by {server}", answers, disputed, change, shared))
        own, disputed = self._here.get("", _NONE), self._disputed.get("", _NONE)
        change = last.made_by_balancer - first.made_by_balancer
        alone = Pool({BY_A_FRONTEND: last.by_frontends_alone - first.by_frontends_alone})
        found.append(self._row_line("answers by the balancer itself", own, disputed, change, shared, alone))
        here, disputed, change = _all(self._here), _all(self._disputed), last.requests - first.requests
        found.append(self._row_line("requests", here, disputed, change, self._uncertain_pool(), Pool({})))
        return found

    def _answers(self, attempts: Attempts, condition: str) -> dict[str, _Answers]:
        """By backend, and under an empty name those that the balancer made itself."""
        last = self._epoch.last
        rows = attempts.requests.rows(
            "SELECT backend, count(*), "
            f"count(*) FILTER (WHERE end_us <= {last.at_us}), "
            f"count(*) FILTER (WHERE start_us > {last.at_us + last.duration_us}), "
            f"count(*) FILTER (WHERE end_us > {last.at_us - SETTLE_US}) "
            f"FROM {{requests}} WHERE ({BY_BACKEND} OR {BY_BALANCER}) "
            f"AND balancer = {sql_text(self._epoch.node)} AND {condition} GROUP BY backend"
        )
        return {backend: _Answers(*numbers) for backend, *numbers in rows}

    def _uncertain_pool(self) -> Pool:
        return Pool({UNANSWERED: self._uncertain})

    def _line(self, name: str, answers: _Answers, disputed: _Answers, witness: int, shared: Pool) -> Line:
        """The last scrape has counted every answer that was complete when it was sent, and none to a request that
        was sent after it had returned. What came after it is the tail of the epoch, which no counter shows."""
        in_flight = Pool({IN_FLIGHT: answers.number - answers.counted - answers.tail})
        return self._compared(name, answers, disputed, witness, [shared], [in_flight])

    def _row_line(
        self, name: str, answers: _Answers, disputed: _Answers, witness: int, surplus: Pool, deficit: Pool
    ) -> Line:
        """A difference between rows of the answer. HAProxy writes them one after another and works meanwhile, and
        counts by server when the header comes, by proxy when the answer has gone: what was in flight then, of
        anybody, may be in one row and not yet in the other, whichever is the greater."""
        together = _all(self._here)
        in_flight = Pool({IN_FLIGHT: together.recent - together.tail})
        return self._compared(name, answers, disputed, witness, [surplus, in_flight], [in_flight, deficit])

    def _compared(
        self,
        name: str,
        answers: _Answers,
        disputed: _Answers,
        witness: int,
        surplus: Sequence[Pool],
        deficit: Sequence[Pool],
    ) -> Line:
        line = compare(
            name,
            answers.number - answers.tail,
            witness,
            "HAProxy's counters",
            node=self._epoch.node,
            epoch=self._epoch.name,
            surplus=[Pool({BETWEEN: disputed.number}), *surplus],
            deficit=deficit,
        )
        if not answers.tail:
            return line
        return replace(line, client=answers.number, explained_by={**line.explained_by, TAIL: answers.tail})


def _all(answers: Mapping[str, _Answers]) -> _Answers:
    return sum(answers.values(), _NONE)


def _turn(run: Run, node: str, before: Epoch, after: Epoch) -> tuple[int, int]:
    """Between which two times one process of a balancer followed the other.

    The scrapes around it bound it; where the fault or the heal of this balancer lies between them, that is it.
    """
    # Until its last scrape had returned, the old process was there to count.
    low, high = before.last.at_us + before.last.duration_us, after.first.at_us
    plan, victim = run.plan, run.fault.victim if run.fault else None
    if victim == node and plan.fired_from_us is not None and low <= plan.fired_from_us <= high:
        low = plan.fired_from_us
    if victim == node and plan.heal_from_us is not None and low <= plan.heal_from_us <= high:
        high = plan.heal_from_us
    return low, high
