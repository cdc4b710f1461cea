"""What is told of the losses of a series of changes, and how they are counted."""

import pytest

from switchover.figures.changes.cost import LOSSES_LISTED, first_losses, make_kind
from switchover.verdict.record import Kind, Loss


def loss(kind: str, rank: int, at_us: int, place: str = "1.1") -> tuple[int, Loss]:
    found = Loss(
        kind=kind,
        change=1,
        at_us=at_us,
        after_change_ms=0.0,
        error="reset",
        ended_by="rst",
        position=None,
        worker="",
        place=place,
    )
    return rank, found


def figures(**counts: int) -> Kind:
    known = {"exposed": 0, "lost": 0, "lossy": 0, "changes": 1} | counts
    none = dict.fromkeys(("lost_elsewhere", "closed_politely", "reset", "generator_errors"), 0)
    return make_kind("pooled", delay=None, **known, **none)


def test_the_first_of_each_kind_come_before_the_second_of_any_and_are_told_in_the_order_of_time() -> None:
    many = [loss("pooled", rank, rank) for rank in range(1, LOSSES_LISTED + 3)]
    late = [loss("upload", rank, 90 + rank) for rank in (1, 2)]
    told = first_losses([*late, *many])
    assert [(one.kind, one.at_us) for one in told] == [
        *(("pooled", at_us) for at_us in range(1, LOSSES_LISTED - 1)),
        ("upload", 91),
        ("upload", 92),
    ]


def test_lossy_changes_are_a_share_with_bounds_and_losses_are_told_per_thousand_connections() -> None:
    lossy = figures(lossy=3, changes=12)
    assert (lossy.lossy_low, lossy.lossy_high) == pytest.approx((0.071870, 0.527327), abs=1e-6)
    assert figures(exposed=250, lost=1).lost_per_thousand == 4
    assert figures(exposed=0, lost=1).lost_per_thousand is None
