"""Compare the state of the pair after the heal with its state before the fault. The exit codes of the heal's commands
do not prove that the pair is restored. A check without a source is unknown, and has no effect on the verdict."""

from collections.abc import Iterable
from typing import NamedTuple

from switchover.evidence.node_life import NodeLife
from switchover.evidence.ownership import Ownership
from switchover.figures.events import Events
from switchover.rundir.run_directory import Run
from switchover.verdict.record import Check, Restoration

SETTLED_US = 5_000_000
"""The maximum time, in µs, for a balancer to start after a heal, and for the pair to settle after the failback."""


class PairChecks(NamedTuple):
    healed: list[Check]
    """Checks of the fault's victim. A check holds if the victim works again."""
    others: list[Check]
    """Checks of the rest of the pair. A check holds if the checked part is as before the fault."""

    @property
    def record(self) -> Restoration:
        checks = [*self.healed, *self.others]
        answers = [check.holds for check in checks if check.holds is not None]
        return Restoration(whole=all(answers) if answers else None, checks=checks)


def look_at_pair(events: Events) -> PairChecks | None:
    """Check the state of the pair; None if no fault was fired, or the run ended too soon after the heal. If a
    balancer does not answer scrapes at the end of the run, `Drill` adds scrapes."""
    plan, fault = events.run.plan, events.run.fault
    if fault is None or plan.fired_from_us is None or plan.healed_us is None or plan.end_us is None:
        return None
    fired_us, end_us = plan.fired_from_us, plan.end_us
    started_us = plan.healed_us + SETTLED_US
    is_settled = end_us >= started_us + (fault.failback_settled_ms or 0) * 1000
    healed: list[Check] = []
    rest: list[Check] = []
    for life in events.lives.values():
        checked_us = end_us if end_us >= started_us else life.asked_us
        if checked_us < started_us:
            continue
        for check, subject in _look_at_node(life, fired_us, checked_us, is_settled):
            victim = fault.victim or fault.master
            is_of_victim = subject == victim or (subject == "frontend" and life.node == victim)
            (healed if is_of_victim else rest).append(check)
    if end_us >= started_us:
        rest += _look_at_routes(events.run)
    if is_settled:
        rest += _look_at_address(events.run, set(events.balancers), events.ownership, end_us)
    return PairChecks(healed, rest) if healed or rest or end_us >= started_us else None


def _look_at_node(life: NodeLife, fired_us: int, end_us: int, is_settled: bool) -> Iterable[tuple[Check, str]]:
    """Yield each check of a node, and its subject: the node, a server, or `frontend`. Servers and frontends are
    checked only after the failback, because a balancer may first report servers as down."""
    before = life.last_before(fired_us)
    if before is None:
        return
    if not life.is_asked_at(end_us, fired_us):
        yield Check(name="answers", holds=None, text=f"{life.node} was not scraped at the end"), life.node
        return
    after = life.last_before(end_us + 1)
    if after is None or life.is_silent_at(end_us, fired_us):
        yield Check(name="answers", holds=False, text=f"{life.node} does not answer scrapes"), life.node
        return
    yield Check(name="answers", holds=True, text=f"{life.node} answers scrapes"), life.node
    if not is_settled:
        return
    changed = sorted(name for name, status in before.frontends.items() if after.frontends.get(name) != status)
    if before.frontends:
        text = f"{life.node}: frontends {', '.join(changed)} are not as before" if changed else "frontends as before"
        yield Check(name="frontends", holds=not changed, text=text), "frontend"
    for name in sorted(before.servers_up - after.servers_up):
        text = f"{life.node}: {name} was up, and is {after.servers.get(name, 'gone')}"
        yield Check(name="servers", holds=False, text=text), name.rpartition("/")[2]
    if before.servers_up and before.servers_up <= after.servers_up:
        yield Check(name="servers", holds=True, text=f"{life.node}: the same servers are up"), ""


def _look_at_routes(run: Run) -> Iterable[Check]:
    """Check that each node still has its routes. When a link goes down, its static routes are permanently lost."""
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
    yield Check(name="one_holder", holds=is_one, text=f"{'only ' * is_one}{names} held the address at the end")
    fault = run.fault
    if is_one and fault is not None and fault.master in balancers and fault.failback_settled_ms is not None:
        back = holders == [fault.master]
        text = f"{names} holds the address" + ("" if back else f", but {fault.master} should hold it again")
        yield Check(name="returned", holds=back, text=text)
