"""Compare a count of the client with the count of a source (HAProxy's counters or an access log), and explain the
difference."""

from collections import Counter
from collections.abc import Mapping, Sequence

from switchover.evidence.requests.store import sql_text
from switchover.evidence.requests.table import Requests, sql_list
from switchover.model.failure_kind import REQUEST_WAS_SENT
from switchover.rundir.run_directory import FaultRun, Plan
from switchover.verdict.record import Accounting, Line

BY_BACKEND = "error <> 'generator' AND answered_by = 'backend'"
"""SQL: a header of the response shows that a backend answered."""
BY_BALANCER = "error <> 'generator' AND answered_by = 'balancer'"
"""SQL: the balancer generated the response."""
UNCERTAIN = (
    # A request that the client aborted may have been sent.
    "CASE WHEN error = 'generator' THEN greatest(attempts, 0) ELSE greatest(attempts - 1, 0) + "
    "CASE WHEN answered_by IN ('backend', 'balancer') THEN 0 "
    f"WHEN answered_by = 'unknown' OR error IN {sql_list(REQUEST_WAS_SENT)} THEN 1 ELSE 0 END END"
)
"""SQL: the number of times that a source may have counted a request in addition to the client's count. Requests count
here if the client resent them, or if their response is missing or names no node."""


def count_uncertain(requests: Requests, condition: str = "true") -> int:
    (times,) = requests.row(f"SELECT sum({UNCERTAIN}) FROM {{requests}} WHERE {condition}")
    return int(times or 0)


def may_have_reached(node: str, plan: Plan, fault: FaultRun | None) -> str:
    """Return SQL that selects the requests that the balancer `node` may have counted. Before the fault, only the VRRP
    master has the virtual address. After the fault, the victim may still answer requests that its kernel accepted.
    After a hang of 12 s, HAProxy served 4,098 requests that had timed out at the client (measured)."""
    named = f"balancer = {sql_text(node)}"
    if fault is None or fault.kind != "master" or fault.master is None or plan.fired_from_us is None:
        return f"({named} OR balancer = '')"
    before = f"start_us <= {plan.fired_to_us or plan.fired_from_us}"
    unnamed = "true" if node == fault.master else f"NOT {before}"
    return f"({named} OR (balancer = '' AND {unnamed}))"


def make_line(
    name: str,
    client: int,
    source: int,
    said_by: str,
    node: str | None = None,
    generation: str | None = None,
    explained_by: Mapping[str, int] | None = None,
    *,
    unaccounted: int,
) -> Line:
    """Make the record of a comparison of two counts. `said_by`: the name of the source."""
    return Line(
        name=name,
        node=node,
        generation=generation,
        client=client,
        source=source,
        said_by=said_by,
        difference=client - source,
        explained_by=dict(explained_by or {}),
        unaccounted=unaccounted,
    )


def add_up(dedicated: bool, lines: Sequence[Line] = (), uncounted: Sequence[str] = ()) -> Accounting:
    """Add up all comparisons of the client's counts with the counts of sources. `unaccounted` is None if nothing was
    compared, or if a count is missing. `uncounted`: balancers without a scrape before the load, and backends that no
    response names."""
    is_known = dedicated and any(line.node for line in lines) and not uncounted
    return Accounting(
        dedicated=dedicated,
        equal=sum(line.difference == 0 and line.unaccounted == 0 for line in lines),
        explained=sum(sum(line.explained_by.values()) for line in lines),
        unaccounted=sum(line.unaccounted for line in lines) if is_known else None,
        uncounted=list(uncounted),
        lines=list(lines),
    )


class Pool:
    """The numbers of requests that may explain a difference between two counts; the key is the reason. Each request
    can explain only one difference."""

    def __init__(self, sizes: Mapping[str, int]) -> None:
        self._left = dict(sizes)

    def take(self, limit: int) -> dict[str, int]:
        explained: dict[str, int] = {}
        for reason, size in self._left.items():
            part = min(size, limit - sum(explained.values()))
            if part > 0:
                explained[reason] = part
                self._left[reason] -= part
        return explained


def compare(
    name: str,
    client: int,
    source: int,
    said_by: str,
    *,
    node: str,
    generation: str | None = None,
    surplus: Sequence[Pool] = (),
    deficit: Sequence[Pool] = (),
) -> Line:
    """Compare the client's count with the count of a source. `surplus` explains a higher count of the source, and
    `deficit` explains a lower count."""
    missing = client - source
    explained: Counter[str] = Counter()
    for pool in deficit if missing > 0 else surplus:
        explained.update(pool.take(abs(missing) - explained.total()))
    unaccounted = abs(missing) - explained.total()
    return make_line(name, client, source, said_by, node, generation, explained, unaccounted=unaccounted)
