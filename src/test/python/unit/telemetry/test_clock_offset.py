"""A node's clock against ours, with the bound that the round trip gives."""

import sys

import pytest

from switchover.model.clock import Clock
from switchover.model.errors import TelemetryError
from switchover.target.model import Endpoint, Node, Target
from switchover.target.telemetry_sources import Command
from switchover.telemetry import clock_offset
from switchover.telemetry.clock_offset import ClockOffset, measure_offset, measure_offsets

CLOCK = Clock.of_process()


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock_offset, "QUERY_S", 60.0)


def node(*arguments: str, shared: bool = False) -> Node:
    return Node("lb1", "balancer", clock=Command(arguments) if arguments else None, shared_clock=shared)


def shifted(seconds: int) -> tuple[str, ...]:
    script = f"import time; t = time.time_ns() + {seconds} * 10**9; print(f'{{t // 10**9}}.{{t % 10**9:09}}')"
    return sys.executable, "-I", "-S", "-c", script


@pytest.mark.parametrize("seconds", [0, 100, -100])
def test_offset_lies_within_its_bound(seconds: int) -> None:
    found = measure_offset(node(*shifted(seconds)), CLOCK)
    assert found is not None
    # The anchor may have been taken a little off the wall clock: by far less than a millisecond.
    assert abs(found.offset_us - seconds * 1_000_000) <= found.bound_us + 1000
    assert found.bound_us > 0


def test_date_is_understood() -> None:
    found = measure_offset(node("date", "+%s.%N"), CLOCK)
    assert found is not None and abs(found.offset_us) <= found.bound_us + 1000


def test_shared_clock_is_ours_to_the_nanosecond() -> None:
    assert measure_offset(node(shared=True), CLOCK) == ClockOffset(0, 0)


def test_unknown_clock_is_unknown() -> None:
    assert measure_offset(node(), CLOCK) is None


@pytest.mark.parametrize("printed", ["", "12:00", "1700000000.%N", "1700000000", "9" * 500])
def test_command_that_prints_no_time_is_one_line(printed: str) -> None:
    with pytest.raises(TelemetryError, match=r"not seconds\.nanoseconds"):
        measure_offset(node("printf", "%s", printed), CLOCK)


def test_all_nodes_are_measured_and_a_failure_is_said_beside_null() -> None:
    nodes = (
        Node("lb1", "balancer", shared_clock=True),
        Node("lb2", "balancer", clock=Command(("false",))),
        Node("web1", "backend"),
    )
    first, second = measure_offsets(Target(Endpoint("http://x/"), nodes=nodes), CLOCK, when="before")
    assert first.written == {"node": "lb1", "when": "before", "offset_us": 0, "bound_us": 0}
    assert (second.node, second.offset_us, second.bound_us) == ("lb2", None, None)
    assert "exit status 1" in second.written["error"]
