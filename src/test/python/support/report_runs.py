"""Runs that a page must make sense of, whatever they lack."""

from dataclasses import replace

from support.request_tables import changed
from switchover.evidence.run_data import RunData
from switchover.rundir.run_records import ProbeAccount, TargetFacts
from synthetic import FIRED, HEAL, SECOND, drill, sample, simulate, vrrp


def loaded() -> RunData:
    return simulate(1)


def split_brain() -> RunData:
    """The master's Keepalived is killed: both hold the address, and nobody notices."""
    data = drill(probes=[sample(at, at + 300) for at in range(0, 30 * SECOND, 10_000)])
    points = [
        vrrp("lb1", 0, state="MASTER", priority=101, holds_vip=True),
        vrrp("lb2", 0, state="BACKUP", priority=100, holds_vip=False),
        vrrp("lb2", FIRED + 3 * SECOND, state="MASTER", priority=100, holds_vip=True),
        vrrp("lb2", HEAL, state="BACKUP", priority=100, holds_vip=False),
    ]
    return replace(data, points=points)


def without_a_fault() -> RunData:
    data = drill(probes=[sample(at, at + 300) for at in range(0, 10 * SECOND, 10_000)])
    data.run.fault = None
    plan = data.run.plan
    plan.fired_from_us = plan.fired_to_us = plan.confirmed_us = plan.heal_from_us = plan.healed_us = None
    plan.end_us = 10 * SECOND
    return data


def load_alone() -> RunData:
    data = loaded()
    data.run.settings |= {"probe_rate": 0}
    data.run.generator = ProbeAccount.of({})
    return changed(data, probes=[])


def nothing() -> RunData:
    data = without_a_fault()
    data.run.target, data.run.generator = TargetFacts(), ProbeAccount()
    data.run.plan.start_us = data.run.plan.end_us = None
    return changed(data, probes=[], points=[])


RUNS = {
    "drill": drill,
    "loaded": loaded,
    "split brain": split_brain,
    "without a fault": without_a_fault,
    "load alone": load_alone,
    "nothing": nothing,
}
