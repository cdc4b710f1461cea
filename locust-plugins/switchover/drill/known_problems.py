"""What can be known before a run, and would make its verdict worthless: refused before anything is started."""

import difflib
import re
from collections.abc import Iterator, Sequence

from switchover.analysis.budget import BudgetName, parse_budget
from switchover.model.errors import UsageError
from switchover.target.model import FaultRecipe, Target

_NAME = re.compile(r"\{([A-Za-z_]\w*)\}")
_ALGORITHM = re.compile(
    r"(roundrobin|round_robin|static-rr|leastconn|least_conn|first|source|ip_hash|uri|url_param|hdr|hash|random"
    r"|rdp-cookie|log-hash|log-sticky)([( ].*)?"
)
"""HAProxy's words for `balance` (configuration manual, section 4.2), and Nginx's for the same."""


def find_known_problems(target: Target, budgets: Sequence[str]) -> Iterator[str]:
    """Yield each problem as one line that says what to do."""
    algorithm = target.endpoint.algorithm
    if algorithm is not None and _ALGORITHM.fullmatch(algorithm) is None:
        yield f"[target] algorithm = {algorithm!r} is no algorithm of HAProxy's: roundrobin, leastconn, source, …"
    for recipe in (*target.faults.values(), *target.changes.values()):
        misspelt = _misspelt_name(recipe)
        if misspelt is not None:
            yield misspelt
    for budget in map(parse_budget, budgets):
        if budget.name is BudgetName.SPLIT_BRAIN:
            unwitnessed = [node.name for node in target.balancers if not node.vip_owner]
            if unwitnessed or not target.balancers:
                blind = " and ".join(unwitnessed) or "the target's balancers"
                yield f"budget {budget}: {blind} have no ownership witness: add vip_owner to each [[node]]"
        elif budget.name is BudgetName.UNEXPLAINED and not target.endpoint.exclusive:
            yield (
                f"budget {budget}: others may use this target, so requests stay unexplained: set exclusive = true in "
                "[target] if no one else does, or leave the budget out"
            )


def refuse_known_problems(target: Target, budgets: Sequence[str]) -> None:
    """Raise UsageError for the first known problem."""
    for problem in find_known_problems(target, budgets):
        raise UsageError(problem)


def _misspelt_name(recipe: FaultRecipe) -> str | None:
    """What to say of a name in braces that is nearly `{master}` or `{backup}`, and would reach the command as it
    stands."""
    for command in recipe.commands.values():
        for argument in command:
            for name in _NAME.findall(argument):
                near = difflib.get_close_matches(name.lower(), ("master", "backup"), n=1, cutoff=0.7)
                if near and name not in ("master", "backup"):
                    return f"{recipe.table} has {{{name}}} in a command: did you mean {{{near[0]}}}?"
    return None
