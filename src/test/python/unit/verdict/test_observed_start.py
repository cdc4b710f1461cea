"""The start of a fault that somebody else fired, of which only the mark and the probes tell."""

from dataclasses import replace

import pytest

from switchover.evidence.run_data import RunData
from switchover.figures.events import with_observed_start
from switchover.figures.outage import STABILITY_WINDOW_US
from switchover.rundir.run_directory import EXTERNAL, FaultRun
from switchover.verdict.judge import judge
from switchover.verdict.record import PhaseName, Status
from synthetic import FIRED, SECOND, STEP, drill, refused, sample
from synthetic import probes as probes_of_drill

LAST_GOOD = FIRED - STEP + 300


def marked(late_us: int, **changes: object) -> RunData:
    """A drill whose fault is marked so long after it was fired."""
    data = drill(**changes)
    data.run.fault = FaultRun(name=EXTERNAL, kind=EXTERNAL, master="lb1", backup="lb2")
    mark_us = FIRED + late_us
    data.run.plan = replace(data.run.plan, fired_from_us=mark_us, fired_to_us=mark_us, confirmed_us=mark_us)
    return data


@pytest.mark.parametrize("late_us", [1 * SECOND, 3 * SECOND, 3 * SECOND + STABILITY_WINDOW_US - STEP])
def test_a_late_mark_takes_nothing_from_the_outage(late_us: int) -> None:
    verdict = judge(marked(late_us))
    plan, requests = verdict.events.run.plan, verdict.figures.requests
    assert plan.fired_from_us == LAST_GOOD and plan.fired_to_us is not None and plan.fired_to_us < FIRED + STEP
    assert requests is not None and requests.by_phase[PhaseName.BASELINE].failed == 0
    assert verdict.events.outage is not None
    assert verdict.events.outage.duration_us == judge(drill()).events.outage.duration_us  # type: ignore[union-attr]
    assert verdict.record.status is Status.MEASURED, verdict.record.reasons


@pytest.mark.parametrize(
    ("late_us", "bad_at_us"),
    [
        (-SECOND, None),  # marked before
        (3 * SECOND + STABILITY_WINDOW_US + STEP, None),  # marked when all was well again
        (0, FIRED - STABILITY_WINDOW_US - SECOND),  # another failure, long before
    ],
)
def test_a_failure_that_was_over_before_the_mark_is_not_of_the_fault(late_us: int, bad_at_us: int | None) -> None:
    sent = [sample(at, at + 300) if at != bad_at_us else refused(at) for at in range(0, FIRED, STEP)]
    probes = (*sent, *(probe for probe in probes_of_drill() if probe.start_us >= FIRED))
    data = marked(late_us, probes=probes)
    assert with_observed_start(data) is data


def test_the_start_of_a_fault_of_our_own_is_its_kill() -> None:
    data = drill()
    assert with_observed_start(data) is data
