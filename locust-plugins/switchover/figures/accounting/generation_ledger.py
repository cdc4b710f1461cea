"""Compare the counters of a HAProxy process with the client's counts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import structs

from switchover.evidence.generations import Generation
from switchover.evidence.requests.store import sql_text
from switchover.evidence.requests.table import Requests
from switchover.figures.accounting.ledger import (
    BY_BACKEND,
    BY_BALANCER,
    Pool,
    compare,
    count_uncertain,
    may_have_reached,
)
from switchover.rundir.run_directory import Run
from switchover.verdict.record import Line

SETTLE_US = 100_000
"""The longest time, in microseconds, from the last byte of a response until a busy machine has counted or logged the
response."""
OVERLAP_US = 100_000
"""The longest time, in microseconds, in which both the old and the new process accept connections during a reload."""

TAIL = "answered after the last scrape of the process"
IN_FLIGHT = "in flight at the scrape"
BETWEEN = "answered while a new process of the balancer replaced the old process"
BY_A_FRONTEND = "answered by a frontend without a backend (a health page, a redirect, a denial)"
UNANSWERED = "sent, but without a response, or without the name of the node"


class _Answers(NamedTuple):
    """The numbers of one balancer's responses, grouped by their time relative to the last scrape of the HAProxy
    process."""

    number: int = 0
    counted: int = 0
    """Responses that were complete when the scrape was sent. The scrape must include these responses."""
    tail: int = 0
    """Responses to requests that were sent after the scrape returned. The scrape cannot include these responses."""
    recent: int = 0
    """Responses that ended after the scrape was sent, or less than `SETTLE_US` before it was sent. The scrape may
    lack these responses."""


_NONE = _Answers()


def generation_lines(run: Run, requests: Requests, generations: Sequence[Generation]) -> Iterator[Line]:
    for previous, generation, following in zip(
        [None, *generations], generations, [*generations[1:], None], strict=False
    ):
        yield from GenerationLedger(run, requests, generation, previous, following).lines()


class GenerationLedger:
    """Compare the counts of one HAProxy process with the counts of the client."""

    def __init__(
        self,
        run: Run,
        requests: Requests,
        generation: Generation,
        previous: Generation | None,
        following: Generation | None,
    ) -> None:
        self._generation = generation
        self._certain_us = generation.last.at_us - (0 if following is None else OVERLAP_US)
        """The last scrape of this process includes every response that was complete at this time."""
        until = "" if following is None else f" AND start_us < {_turn(run, generation, following).until_us}"
        self._disputed: Mapping[str, _Answers] = {}
        began_us, since = 0, generation.first
        if previous is not None:
            # The new process counted requests before its first scrape.
            began, since = _turn(run, previous, generation), previous.last
            began_us = began.to_us
            self._disputed = self._answers(requests, f"end_us >= {began.from_us} AND start_us < {began_us}")
        self._here = self._answers(requests, f"start_us >= {began_us}{until}")
        self._uncertain = count_uncertain(
            requests,
            f"{since.at_us} <= end_us "
            f"AND start_us <= {generation.last.at_us + generation.last.duration_us} "
            f"AND {may_have_reached(generation.node, run.plan, run.fault)}",
        )

    def lines(self) -> list[Line]:
        first, last = self._generation.first, self._generation.last
        shared = Pool({UNANSWERED: self._uncertain})
        lines = []
        for server in sorted(set(last.by_server) | {name for name in self._here if name}):
            change = last.by_server.get(server, 0) - first.by_server.get(server, 0)
            answers = self._here.get(server, _NONE)
            if change or answers.number:
                disputed = self._disputed.get(server, _NONE)
                # The scrape may or may not include the other responses, which were in flight at the scrape.
                in_flight = Pool({IN_FLIGHT: answers.number - answers.counted - answers.tail})
                name = f"answers by {server}"
                lines.append(self._compared(name, answers, disputed, change, [shared], [in_flight]))
        own, disputed = self._here.get("", _NONE), self._disputed.get("", _NONE)
        change = last.made_by_balancer - first.made_by_balancer
        alone = Pool({BY_A_FRONTEND: last.by_frontends_alone - first.by_frontends_alone})
        lines.append(self._row_line("answers by the balancer itself", own, disputed, change, shared, alone))
        here, disputed, change = _all(self._here), _all(self._disputed), last.requests - first.requests
        uncertain = Pool({UNANSWERED: self._uncertain})
        lines.append(self._row_line("requests", here, disputed, change, uncertain, Pool({})))
        return lines

    def _answers(self, requests: Requests, condition: str) -> dict[str, _Answers]:
        """Count responses by backend. The empty name stands for responses that the balancer generated."""
        last = self._generation.last
        rows = requests.rows(
            "SELECT backend, count(*), "
            f"count(*) FILTER (WHERE end_us <= {self._certain_us}), "
            f"count(*) FILTER (WHERE start_us > {last.at_us + last.duration_us}), "
            f"count(*) FILTER (WHERE end_us > {last.at_us - SETTLE_US}) "
            f"FROM {{requests}} WHERE ({BY_BACKEND} OR {BY_BALANCER}) "
            f"AND balancer = {sql_text(self._generation.node)} AND {condition} GROUP BY backend"
        )
        return {backend: _Answers(*numbers) for backend, *numbers in rows}

    def _row_line(
        self, name: str, answers: _Answers, disputed: _Answers, source: int, surplus: Pool, deficit: Pool
    ) -> Line:
        """Compare the client's responses with a count that is computed from several rows of HAProxy's statistics. A
        server row counts a response when its header arrives, and a proxy row counts a response when the response
        ends. HAProxy serves requests while it writes the rows, so one row may include a request in flight, and
        another row may lack the same request."""
        together = _all(self._here)
        in_flight = Pool({IN_FLIGHT: together.recent - together.tail})
        return self._compared(name, answers, disputed, source, [surplus, in_flight], [in_flight, deficit])

    def _compared(
        self,
        name: str,
        answers: _Answers,
        disputed: _Answers,
        source: int,
        surplus: Sequence[Pool],
        deficit: Sequence[Pool],
    ) -> Line:
        line = compare(
            name,
            answers.number - answers.tail,
            source,
            "HAProxy's counters",
            node=self._generation.node,
            generation=self._generation.name or None,
            surplus=[Pool({BETWEEN: disputed.number}), *surplus],
            deficit=deficit,
        )
        if not answers.tail:
            return line
        explained = {**line.explained_by, TAIL: answers.tail}
        return structs.replace(
            line, client=answers.number, difference=line.difference + answers.tail, explained_by=explained
        )


def _all(answers: Mapping[str, _Answers]) -> _Answers:
    return _Answers(*map(sum, zip(*answers.values(), strict=True)))


class _Turn(NamedTuple):
    """The earliest and latest time at which a new HAProxy process may have replaced the old process."""

    from_us: int
    """A response that was complete before this time came from the old process."""
    until_us: int
    """A request that was sent at this time or later is not attributed to the old process."""
    to_us: int
    """A request that was sent at this time or later belongs to the new process."""


def _turn(run: Run, before: Generation, after: Generation) -> _Turn:
    """Return the earliest and latest time at which the new process may have replaced the old process, from the
    scrapes before and after the replacement. For a time, both processes may answer, because the new process starts
    while the old process writes its last response. The replacement may be earlier than the fault, because a reload
    before the fault may have replaced the process."""
    scraped_us = before.last.at_us + before.last.duration_us
    fired_us = run.plan.fired_from_us if run.fault is not None and run.fault.victim == after.node else None
    is_between = fired_us is not None and scraped_us <= fired_us <= after.first.at_us
    until_us = fired_us if is_between and fired_us is not None else scraped_us
    return _Turn(before.last.at_us - OVERLAP_US, until_us, after.first.at_us)
