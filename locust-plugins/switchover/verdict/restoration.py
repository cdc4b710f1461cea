"""The state of the pair after the heal, compared with its state before the fault.

The commands of the heal prove nothing, because a command that does nothing also exits with 0. A fact without a source
is unknown, and has no effect on the verdict.
"""

from collections.abc import Iterable
from typing import NamedTuple

from switchover.evidence.node_life import NodeLife
from switchover.evidence.ownership import Ownership
from switchover.figures.events import Events
from switchover.rundir.run_directory import Run
from switchover.verdict.record import Check, Restoration

SETTLED_US = 5_000_000
"""Microseconds after the heal in which a balancer may still start, and after the predicted failback in which the pair
may still settle."""


class PairChecks(NamedTuple):
    """The checks of the pair at the end of the run."""

    healed: list[Check]
    """Checks of the fault's victim. They hold if the victim works again."""
    others: list[Check]
    """Checks of the rest of the pair. They hold if it is as before the fault."""

    @property
    def record(self) -> Restoration:
        checks = [*self.healed, *self.others]
        answers = [check.holds for check in checks if check.holds is not None]
        return Restoration(whole=all(answers) if answers else None, checks=checks)


def look_at_pair(events: Events) -> PairChecks | None:
    """Check the pair; None if no fault was fired, or if the heal was not long enough before the end of the run.

    A balancer that was silent at the end may have later scrapes: see `Drill`.
    """
    plan, fault = events.run.plan, events.run.fault
    if fault is None or plan.fired_from_us is None or plan.healed_us is None or plan.end_us is None:
        return None
    fired_us, end_us = plan.fired_from_us, plan.end_us
    started_us = plan.healed_us + SETTLED_US
    is_settled = end_us >= started_us + (fault.failback_settled_ms or 0) * 1000
    healed: list[Check] = []
    rest: list[Check] = []
    for life in events.lives.values():
        looked_us = end_us if end_us >= started_us else life.asked_us
        if looked_us < started_us:
            continue
        for check, subject in _look_at_node(life, fired_us, looked_us, is_settled):
            victim = fault.victim or fault.master
            of_fault = subject == victim or (subject == "frontend" and life.node == victim)
            (healed if of_fault else rest).append(check)
    if end_us >= started_us:
        rest += _look_at_routes(events.run)
    if is_settled:
        rest += _look_at_address(events.run, set(events.balancers), events.ownership, end_us)
    return PairChecks(healed, rest) if healed or rest or end_us >= started_us else None


def _look_at_node(life: NodeLife, fired_us: int, end_us: int, is_settled: bool) -> Iterable[tuple[Check, str]]:
    """Yield each check with its subject: a node, a server, or `frontend`.

    Servers and frontends are checked only after the failback has settled. Before, a balancer may still report servers
    as down.
    """
    before = life.last_before(fired_us)
    if before is None:
        return
    if not life.is_asked_at(end_us, fired_us):
        yield Check(name="answers", holds=None, text=f"{life.node} was not scraped at the end"), life.node
        return
    after = life.last_before(end_us + 1)
    if after is None or life.is_silent_at(end_us, fired_us):
        yield Check(name="answers", holds=False, text=f"no scrape of {life.node} succeeds any more"), life.node
        return
    yield Check(name="answers", holds=True, text=f"{life.node} answers scrapes"), life.node
    if not is_settled:
        return
    changed = sorted(name for name, status in before.frontends.items() if after.frontends.get(name) != status)
    if before.frontends:
        text = f"{life.node}: frontends {', '.join(changed)} are not as before" if changed else "frontends as before"
        yield Check(name="frontends", holds=not changed, text=text), "frontend"
    for name in sorted(before.servers_up - after.servers_up):
        text = f"{life.node}: {name} is {after.servers.get(name, 'gone')}, and was up"
        yield Check(name="servers", holds=False, text=text), name.rpartition("/")[2]
    if before.servers_up and before.servers_up <= after.servers_up:
        yield Check(name="servers", holds=True, text=f"{life.node}: the same servers are up"), ""


def _look_at_routes(run: Run) -> Iterable[Check]:
    """Check that each node still has its routes. A link that goes down loses its static routes permanently."""
    for node, routes in (run.routes or {}).items():
        if routes.get("after") is None:
            continue
        gone = [route for route in routes.get("before") or () if route not in routes["after"]]
        lost = f"{node} has lost {len(gone)} of its routes, the first: {gone[0]}" if gone else ""
        yield Check(name="routes", holds=not gone, text=lost or f"{node}: routes as before")


def _look_at_address(run: Run, balancers: set[str], ownership: Ownership, end_us: int) -> Iterable[Check]:
    if len(balancers) < 2 or not balancers <= ownership.nodes:
        return
    holders = sorted(node for node in balancers if ownership.holds_at(node, end_us))
    names, is_one = " and ".join(holders) or "no node", len(holders) == 1
    yield Check(name="one_holder", holds=is_one, text=f"{names}{' alone' * is_one} held the address at the end")
    fault = run.fault
    if is_one and fault is not None and fault.master in balancers and fault.failback_settled_ms is not None:
        back = holders == [fault.master]
        text = f"the address is with {names}" + ("" if back else f", and was to return to {fault.master}")
        yield Check(name="returned", holds=back, text=text)
