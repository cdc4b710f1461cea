"""What the client knows of each request that a balancer or a backend may have counted."""

from switchover.evidence.requests.store import sql_text
from switchover.evidence.requests.table import Requests, sql_list
from switchover.model.failure_kind import REQUEST_WAS_SENT
from switchover.rundir.run_directory import FaultRun, Plan

BY_BACKEND = "error <> 'generator' AND answered_by = 'backend'"
"""SQL: a backend answered, as its header says."""
BY_BALANCER = "error <> 'generator' AND answered_by = 'balancer'"
"""SQL: the balancer itself answered."""
UNCERTAIN = (
    # A request that the client abandoned was perhaps sent before.
    "CASE WHEN error = 'generator' THEN greatest(attempts, 0) ELSE greatest(attempts - 1, 0) + "
    "CASE WHEN answered_by IN ('backend', 'balancer') THEN 0 "
    f"WHEN answered_by = 'unknown' OR error IN {sql_list(REQUEST_WAS_SENT)} THEN 1 ELSE 0 END END"
)
"""How many times it may have been counted besides: sent without an answer, answered without a name, or sent more than
once."""


def count_uncertain(requests: Requests, condition: str = "true") -> int:
    """How often the requests that meet a condition may have been counted besides their answers."""
    (found,) = requests.row(f"SELECT sum({UNCERTAIN}) FROM {{requests}} WHERE {condition}")
    return int(found or 0)


def may_have_reached(node: str, plan: Plan, fault: FaultRun | None) -> str:
    """Whether an uncertain request may have gone to this balancer: until the fault, the master alone has the address.

    After it even the victim may answer for requests that its kernel took while it could not: a frozen process finds
    them when it thaws (measured: 4,098 requests that had timed out were served when a hang of 12 s ended).
    """
    named = f"balancer = {sql_text(node)}"
    if fault is None or fault.kind != "master" or fault.master is None or plan.fired_from_us is None:
        return f"({named} OR balancer = '')"
    before = f"start_us <= {plan.fired_to_us or plan.fired_from_us}"
    unnamed = "true" if node == fault.master else f"NOT {before}"
    return f"({named} OR (balancer = '' AND {unnamed}))"
