"""Two owners of one address."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchover.evidence.ownership import ownership_of
from switchover.figures.split_brain import measure_split_brain, total_ms
from switchover.rundir.points import Point
from synthetic import SECOND, vrrp
from vectors import cases


@pytest.mark.parametrize("case", cases("split_brain"), ids=lambda case: case["name"])
def test_split_brain_is_as_the_vectors_say(case: dict[str, Any]) -> None:
    points = [
        Point(
            "switchover_vrrp",
            {"node": node, "instance": instance[0] if instance else "VI_1"},
            {"state": state or ""} | ({} if holds is None else {"holds_vip": holds}),
            at_us * 1000,
        )
        for at_us, node, state, holds, *instance in case["lines"]
    ]
    found = measure_split_brain(
        ownership_of(points), case["balancers"], case["since_us"], case["until_us"], case["bound_us"]
    )
    if case["expect"] is None:
        assert found is None
    else:
        assert found is not None
        assert [total_ms(found) * 1000, max((one.duration_ms for one in found.handovers), default=0) * 1000] == case[
            "expect"
        ]
        assert (found.bound_ms and found.bound_ms * 1000) == case["bound_us"]
        if "length_us" in case:
            assert [found.low_ms * 1000, found.high_ms and found.high_ms * 1000] == case["length_us"]


@given(st.lists(st.tuples(st.integers(0, 5 * SECOND), st.sampled_from(["lb1", "lb2"]), st.booleans())))
def test_split_brain_is_what_a_walk_through_every_moment_finds(lines: list[tuple[int, str, bool]]) -> None:
    latest = {(at, node): holds for at, node, holds in lines}
    points = [vrrp("lb1", 0, holds_vip=False), vrrp("lb2", 0, holds_vip=False)]
    points += [vrrp(node, at + 1, holds_vip=holds) for (at, node), holds in latest.items()]
    ownership = ownership_of(points)
    found = measure_split_brain(ownership, ["lb1", "lb2"], 0, 5 * SECOND)
    moments = sorted(
        {0, 5 * SECOND, *(point.time_ns // 1000 for point in points if point.time_ns < 5 * SECOND * 1000)}
    )
    both = sum(
        end - begin
        for begin, end in pairwise(moments)
        if ownership.holds_at("lb1", begin) and ownership.holds_at("lb2", begin)
    )
    assert found is not None
    assert sum(overlap.to_us - overlap.from_us for overlap in found.overlaps + found.handovers) == both
