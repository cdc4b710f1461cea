"""What can be known before a run, and would make its verdict worthless: refused before anything is started."""

import re
from collections.abc import Iterator, Sequence

from switchover.analysis.budget import BudgetName, parse_budget
from switchover.drill.prepare import refuse_unknown_names
from switchover.model.errors import FaultError, UsageError
from switchover.target.model import Target

ALGORITHM = re.compile(
    r"(roundrobin|round_robin|static-rr|leastconn|least_conn|first|source|ip_hash|uri|url_param|hdr|hash|random"
    r"|rdp-cookie|log-hash|log-sticky)([( ].*)?"
)
"""HAProxy's words for `balance` (configuration manual, section 4.2), and Nginx's for the same."""


def find_known_problems(target: Target, budgets: Sequence[str]) -> Iterator[str]:
    """Each in one line that says what to do; empty where nothing is wrong."""
    algorithm = target.endpoint.algorithm
    if algorithm is not None and ALGORITHM.fullmatch(algorithm) is None:
        yield f"[target] algorithm = {algorithm!r} is no algorithm of HAProxy's: roundrobin, leastconn, source, …"
    for recipe in target.faults.values():
        try:
            refuse_unknown_names(recipe)
        except FaultError as error:
            yield str(error)
    for budget in map(parse_budget, budgets):
        if budget.name is BudgetName.SPLIT_BRAIN:
            unwitnessed = [node.name for node in target.balancers if not node.vip_owner]
            if unwitnessed or not target.balancers:
                who = " and ".join(unwitnessed) or "the target's balancers"
                yield f"budget {budget}: {who} have no ownership witness: add vip_owner to each [[node]]"
        elif budget.name is BudgetName.UNEXPLAINED and not target.endpoint.exclusive:
            yield (
                f"budget {budget}: others may use this target, so requests stay unexplained: set exclusive = true in "
                "[target] if no one else does, or leave the budget out"
            )


def refuse_known_problems(target: Target, budgets: Sequence[str]) -> None:
    """Raises UsageError for the first one."""
    for problem in find_known_problems(target, budgets):
        raise UsageError(problem)
