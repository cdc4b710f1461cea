"""The nodes of a run's target, and how well their clocks are known."""

from switchover.evidence.nodes import balancers_of, clock_bounds, nodes_with
from switchover.rundir.run_records import ClockReading
from synthetic import pair_run, telling


def reading(offset_us: int | None, bound_us: int | None, node: str = "lb1") -> ClockReading:
    return ClockReading.of({"node": node, "when": "before", "offset_us": offset_us, "bound_us": bound_us})


def test_nodes_are_told_apart_by_their_role_and_by_what_they_were_to_tell() -> None:
    run = pair_run()
    run.target = telling(run.target, "lb2", "web3", vip_owner=True)
    assert balancers_of(run) == ["lb1", "lb2"]
    assert (nodes_with(run, "vip_owner"), nodes_with(run, "haproxy")) == (["lb2", "web3"], [])


def test_a_clock_is_known_to_the_wider_of_its_bounds_and_what_it_drifted() -> None:
    clocks = [reading(-40, 100), reading(60, 250), reading(5, 7, node="lb2")]
    assert clock_bounds(clocks) == {"lb1": 350, "lb2": 7}


def test_a_clock_that_was_not_read_once_is_not_known() -> None:
    assert (
        clock_bounds([reading(1, 2), reading(None, 2), reading(1, 2, node="lb2"), reading(1, None, node="lb2")]) == {}
    )
