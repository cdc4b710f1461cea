"""The steps of a switchover. Each step has a time, an error bound and a source."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from switchover.evidence.ownership import MASTER, Ownership
from switchover.evidence.requests.columns import outcome_sql
from switchover.evidence.requests.table import Requests
from switchover.figures.outage import Outage
from switchover.model.outcome import Outcome
from switchover.rundir.measurements import ADVERT, HAPROXY
from switchover.rundir.points import Point
from switchover.rundir.run_directory import FaultRun, Plan
from switchover.telemetry.haproxy import is_server_up
from switchover.verdict.record import Row, Step, milliseconds, milliseconds_if_known

FIFO_BOUND_US = 1_000
"""The error bound of ownership times, in microseconds. The times of Keepalived's FIFO, the first ARP packet and
`last_transition` differed by less than 1 ms (measured)."""
WIRE_BOUND_US = 500
"""The error bound of the time of an advert, in microseconds. The kernel records the time of the advert's packet."""
BACKUP = "BACKUP"


@dataclass(frozen=True, slots=True)
class _Step:
    """One step of a switchover. The step happened at `at_us` ± `bound_us`."""

    step: Step
    at_us: int | None = None
    """None: no source observed the step."""
    bound_us: int | None = None
    """None: no source observed the step, or the clock of the source is unknown."""
    source: str = "unknown"
    stamped_late_us: int = 0
    """The proven delay, in microseconds, of the ownership source's time stamp."""


def timeline(
    plan: Plan,
    fault: FaultRun | None,
    outage: Outage | None,
    requests: Requests,
    ownership: Ownership,
    points: Iterable[Point],
    clocks: Mapping[str, int],
    late_us: int,
    load_clock_us: int,
) -> list[Row]:
    """Return the steps of the switchover; empty if no fault was fired. `requests`: the probes as part 0, then the
    load. `clocks`, `load_clock_us`: the error bounds of the clocks of the nodes and of the load."""
    if fault is None or plan.fired_from_us is None:
        return []
    kill_us = plan.fired_from_us
    horizon_us = plan.heal_from_us or plan.end_us or requests.row("SELECT max(end_us) FROM {requests}")[0] or kill_us
    impaired, clean = _seen_by_probes(outage, kill_us)
    observations = _Observations(fault, requests, ownership, points, clocks, kill_us, horizon_us, late_us)
    rows = [
        _Step(Step.KILL, kill_us, (plan.fired_to_us or kill_us) - kill_us, source="the command that fired it"),
        impaired,
        observations.marked_down() if fault.kind == "backend" else observations.detection(),
    ]
    if fault.kind == "master":
        elected, first_good = observations.elected(), observations.first_good(load_clock_us)
        if first_good.at_us is None:
            first_good = observations.first_good_by_owner(elected)
        rows += [_widen_late_stamp(elected, first_good), first_good]
    return list(_ordered([*rows, clean], kill_us))


def latest_stamp_us(rows: Iterable[Row]) -> int:
    return round(max((row.stamped_late_ms for row in rows), default=0.0) * 1000)


def _widen_late_stamp(elected: _Step, answered: _Step) -> _Step:
    """Widen the error bound of an election whose time stamp is later than the first good response from the new
    master. A balancer answers only after its election, so this time stamp is too late: a busy node may read its clock
    late."""
    if elected.at_us is None or answered.at_us is None or elected.at_us <= answered.at_us:
        return elected
    late_us = elected.at_us - answered.at_us
    bound_us = None if elected.bound_us is None else elected.bound_us + late_us
    return replace(elected, bound_us=bound_us, stamped_late_us=elected.stamped_late_us + late_us)


def _seen_by_probes(outage: Outage | None, kill_us: int) -> tuple[_Step, _Step]:
    impaired, clean = _Step(Step.FIRST_BAD_PROBE), _Step(Step.RECOVERY)
    if outage is None:
        return impaired, clean
    if not outage.gaps:
        source = "probes: none was impaired"
        return replace(impaired, source=source), replace(clean, source=source)
    first, last = outage.gaps[0], outage.gaps[-1]
    # A probe that was in flight at the kill was sent before the kill, but became impaired after the kill.
    bound_us = max(abs(first.first_us - first.from_us), kill_us - first.first_us)
    impaired = _Step(Step.FIRST_BAD_PROBE, first.first_us, bound_us, source="probes")
    if outage.censored:
        return impaired, replace(clean, source="probes: not recovered")
    return impaired, _Step(Step.RECOVERY, last.to_us, last.early_right_us, source="probes")


@dataclass(frozen=True, slots=True)
class _Observations:
    fault: FaultRun
    requests: Requests
    ownership: Ownership
    points: Iterable[Point]
    clocks: Mapping[str, int]
    kill_us: int
    horizon_us: int
    late_us: int

    def _is_near(self, at_us: int) -> bool:
        return self.kill_us <= at_us < self.horizon_us

    def _bound_us(self, node: str) -> int | None:
        """Return the error bound of the times from a node's ownership source; None if the node's clock is unknown."""
        return FIFO_BOUND_US + self.clocks[node] if node in self.clocks else None

    def detection(self) -> _Step:
        """Return the first evidence that the victim's Keepalived detected the fault."""
        victim = self.fault.victim or self.fault.master or ""
        changes = self.ownership.of(victim)
        before = [change for change in reversed(changes) if change.at_us < self.kill_us]
        priority = next((change.priority for change in before if change.priority is not None), None)
        state = next((change.state for change in before if change.state), "")
        for change in changes:
            if not self._is_near(change.at_us) or change.state == BACKUP:
                continue  # a master changes to backup only after the election
            if change.state and change.state not in (state, MASTER):
                sign = change.state
            elif change.priority is None:
                continue
            elif priority is None and state in ("", MASTER):
                # The first reader of Keepalived's FIFO gets the priority. Later readers get only new priorities.
                sign = f"priority now {change.priority}"
            elif priority is not None and change.priority < priority:
                sign = f"priority {priority} to {change.priority}"
            else:
                continue
            return _Step(Step.DETECTION, change.at_us, self._bound_us(victim), source=f"{victim}: {sign}")
        return _Step(Step.DETECTION)

    def marked_down(self) -> _Step:
        """Return the time halfway between the last scrape that showed the victim (a backend) up and the first scrape
        that showed it down."""
        seen_up: dict[tuple[str, str], int] = {}
        for point in sorted(self.points, key=lambda point: point.time_ns):
            if point.measurement != HAPROXY or point.tags.get("server") != self.fault.victim:
                continue
            at_us, node = point.time_ns // 1000, point.tags.get("node", "")
            row, status = (node, point.tags.get("proxy", "")), str(point.fields.get("status", ""))
            if is_server_up(status):
                seen_up[row] = at_us
            elif self._is_near(at_us) and row in seen_up:
                between = (at_us + max(seen_up[row], self.kill_us)) // 2
                source = f"{node}: {self.fault.victim} {status}"
                return _Step(Step.DETECTION, between, at_us - between, source=source)
            else:
                seen_up.pop(row, None)
        return _Step(Step.DETECTION)

    def elected(self) -> _Step:
        """Return the first balancer, except the old master, that sends an advert, becomes master or gets the address
        after the kill. A source's time may be late but never early, so the earliest time is used. The ownership
        source's time minus the earliest time is the delay of this source."""
        owned: dict[str, int] = {}
        for node in self.ownership.nodes - {self.fault.master or ""}:
            for change in self.ownership.of(node):
                if self._is_near(change.at_us) and (change.state == MASTER or change.holds):
                    owned[node] = min(change.at_us, owned.get(node, change.at_us))
        candidates = [
            (at_us, node, self._bound_us(node), f"{node}: owner of the address")
            for node, at_us in sorted(owned.items())
        ]
        for point in self.points:
            node, at_us = point.tags.get("node", ""), point.time_ns // 1000
            is_of_other = point.measurement == ADVERT and node != (self.fault.master or "")
            if is_of_other and point.fields.get("priority") and self._is_near(at_us):
                candidates.append((at_us, node, WIRE_BOUND_US, f"{node}: first VRRP advert on the wire"))
        if not candidates:
            return _Step(Step.ELECTED)
        at_us, node, bound_us, source = min(candidates, key=lambda candidate: candidate[0])
        return _Step(Step.ELECTED, at_us, bound_us, source=source, stamped_late_us=owned.get(node, at_us) - at_us)

    def first_good(self, load_clock_us: int) -> _Step:
        """Return the first good response from a balancer other than the old master. This balancer may have been ready
        since the previous probe."""
        answers = self.requests.rows(
            "SELECT part, start_us, end_us, balancer FROM {requests} WHERE balancer NOT IN ('', ?) "
            f"AND start_us < {self.horizon_us} AND end_us >= {self.kill_us} "
            f"AND {outcome_sql(self.late_us)} = '{Outcome.GOOD}' ORDER BY end_us, part, rowid LIMIT 1",
            [self.fault.master or ""],
        )
        if self.fault.master is None or not answers:
            return _Step(Step.FIRST_GOOD)
        ((part, start_us, end_us, balancer),) = answers
        (before_us,) = self.requests.row(
            f"SELECT max(start_us) FROM {{requests}} WHERE part = 0 AND start_us < {start_us}"
        )
        client, clock_us = ("the load", load_clock_us) if part else ("probes", 0)
        bound_us = end_us - (start_us if before_us is None else before_us) + clock_us
        return _Step(Step.FIRST_GOOD, end_us, bound_us, source=f"{client}: answered by {balancer}")

    def first_good_by_owner(self, elected: _Step) -> _Step:
        """Return the first good response on a new connection that was opened after the new master got the address."""
        if elected.at_us is None or elected.bound_us is None:
            return _Step(Step.FIRST_GOOD)
        (end_us,) = self.requests.row(
            "SELECT min(end_us) FROM {requests} WHERE part = 0 AND stream <> 'kept' AND balancer = '' "
            f"AND start_us > {elected.at_us + elected.bound_us} AND start_us < {self.horizon_us} "
            f"AND {outcome_sql(self.late_us)} = '{Outcome.GOOD}'"
        )
        if end_us is None:
            return _Step(Step.FIRST_GOOD)
        owner = elected.source.partition(":")[0]
        source = f"probes: the responses have no header with the balancer's name; {owner} had the address"
        return _Step(Step.FIRST_GOOD, end_us, end_us - elected.at_us + elected.bound_us, source=source)


def _ordered(steps: Iterable[_Step], kill_us: int) -> Iterator[Row]:
    previous: _Step | None = None
    for step in steps:
        is_known = step.at_us is not None
        yield Row(
            step=step.step,
            at_us=step.at_us,
            bound_ms=milliseconds_if_known(step.bound_us),
            after_kill_ms=None if step.at_us is None else milliseconds(step.at_us - kill_us),
            stamped_late_ms=milliseconds(step.stamped_late_us),
            source=step.source,
            order_unknown=is_known and previous is not None and not _are_apart(step, previous),
        )
        previous = step if is_known else previous


def _are_apart(step: _Step, other: _Step) -> bool:
    """Return True if the error intervals of two steps do not overlap; False if an error bound is unknown."""
    if step.bound_us is None or other.bound_us is None:
        return False
    return abs((step.at_us or 0) - (other.at_us or 0)) > step.bound_us + other.bound_us
