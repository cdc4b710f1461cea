"""A worker learns the master's time from questions and answers, with a bound that holds whatever the way takes."""

from hypothesis import given
from hypothesis import strategies as st

from switchover.locust.workers.worker_list import Anchor, clock_domain

WAYS_NS = st.integers(0, 3_000_000_000)


@given(st.integers(-(10**18), 10**18), st.integers(0, 10**15), WAYS_NS, WAYS_NS)
def test_the_true_anchor_lies_within_the_bound(true_ns: int, sent_ns: int, there_ns: int, back_ns: int) -> None:
    read_ns = sent_ns + there_ns
    anchor = Anchor.of(sent_ns, read_ns + true_ns, read_ns + back_ns)
    assert abs(anchor.anchor_ns - true_ns) <= anchor.bound_ns
    assert anchor.bound_ns <= (there_ns + back_ns) // 2 + 1


def test_one_boot_and_one_time_namespace_are_one_clock() -> None:
    assert clock_domain() == clock_domain() != ""
