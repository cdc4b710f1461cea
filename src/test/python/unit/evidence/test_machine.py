"""The machine as a source: the likely cause of a probe gap in the probes."""

from switchover.evidence.machine import MachineSecond, machine_seconds, name_cause
from switchover.model.interval import Span
from switchover.rundir.points import Point

SECOND_US = 1_000_000


def reading(at_s: int, stolen: float = 0.0, waited: float | None = 0.0, running: int = 2) -> Point:
    fields = {"stolen_ms": stolen, "softirq_ms": 0.0, "running": running}
    if waited is not None:
        fields["waited_ms"] = waited
    return Point("switchover_machine", {"node": "client", "processor": "all"}, fields, at_s * 10**9)


def cause(*readings: Point, probe_gap_ms: int = 20, at_s: float = 5.5) -> str:
    at_us = round(at_s * SECOND_US)
    return name_cause(machine_seconds(readings), Span(at_us, at_us + probe_gap_ms * 1000)).get("cause", "")


def test_stolen_time_in_the_second_of_the_probe_gap_is_its_likely_cause() -> None:
    found = cause(reading(5), reading(6, stolen=20.0), reading(7))
    assert found == "the hypervisor took CPU time: 20 ms stolen in that second"


def test_a_prober_without_a_processor_is_named_with_the_run_queue() -> None:
    found = cause(reading(5), reading(6, waited=31.4, running=11))
    assert found == "the processors were busy: the prober waited 31 ms in that second, 11 processes ran"


def test_single_processors_are_not_added_to_their_sum() -> None:
    one = Point("switchover_machine", {"node": "client", "processor": "0"}, {"stolen_ms": 900.0}, 6 * 10**9)
    assert [second.stolen_ms for second in machine_seconds([reading(5), reading(6, stolen=20.0), one])] == [20.0]


def test_what_is_no_number_is_not_known() -> None:
    odd = Point(
        "switchover_machine",
        {"node": "client", "processor": "all"},
        {"stolen_ms": "much", "softirq_ms": True, "running": 2.6, "waited_ms": False},
        6 * 10**9,
    )
    assert machine_seconds([odd, reading(5)]) == [MachineSecond(5 * SECOND_US, 6 * SECOND_US, 0.0, 3, None)]


def test_a_cause_covers_half_of_the_probe_gap_in_the_seconds_that_the_gap_touches() -> None:
    for stolen, waited, is_told in ((10.0, 0.0, True), (9.9, 0.0, False), (0.0, 10.0, True), (0.0, 9.9, False)):
        assert bool(cause(reading(5), reading(6, stolen, waited))) is is_told
    assert cause(reading(5), reading(6, waited=None), probe_gap_ms=1) == ""
    busy = [reading(5), reading(6, 60.0), reading(7, 60.0)]
    assert cause(*busy, at_s=5.9, probe_gap_ms=200).endswith(": 120 ms stolen in those 2 seconds")
    assert cause(*busy, at_s=5.8, probe_gap_ms=200) == cause(*busy, at_s=6.0, probe_gap_ms=200) == ""
