"""Percentiles by nearest rank, of values that are kept with how often they came."""

from collections.abc import Mapping

import numpy as np
import pytest

from support.request_tables import table_of
from switchover.figures.latency import Spread, latency_of, nearest_ranks, spread_of
from switchover.verdict.record import Latency, Percentiles
from synthetic import refused, sample


def spread(counts: Mapping[int, int]) -> Spread:
    return Spread(np.array(list(counts), np.int64), np.array(list(counts.values()), np.int64))


def test_a_rank_is_the_smallest_value_that_so_many_percent_do_not_exceed() -> None:
    found = nearest_ranks(spread({5: 1, 1: 2, 3: 1}), (0, 1, 25, 50, 51, 75, 76, 100))
    assert found == [1, 1, 1, 1, 3, 3, 5, 5]


def test_several_spreads_are_one() -> None:
    joined = Spread.joined([spread({5: 1}), spread({5: 2, 7: 1})])
    assert (joined.total, nearest_ranks(joined, (75, 76))) == (4, [5, 7])
    assert joined.values.dtype == np.int64
    assert Spread.joined([]).total == 0


@pytest.mark.parametrize(
    ("scheduled", "from_schedule"),
    [({9: 2}, Percentiles(p50=0.009, p90=0.009, p99=0.009, max=0.009)), ({9: 1}, None), ({}, None)],
)
def test_latency_from_the_schedule_is_known_where_every_answer_had_its_time(
    scheduled: dict[int, int], from_schedule: Percentiles | None
) -> None:
    assert latency_of(spread({3: 2}), spread(scheduled)) == Latency(
        from_schedule=from_schedule, from_send=Percentiles(p50=0.003, p90=0.003, p99=0.003, max=0.003)
    )
    assert latency_of(spread({}), spread(scheduled)) is None


def test_a_spread_is_of_the_requests_that_meet_a_condition() -> None:
    found = spread_of(
        table_of([sample(0, 5), sample(1, 6), sample(0, 7), refused(0)]), "end_us - start_us", "success"
    )
    assert dict(zip(found.values.tolist(), found.counts.tolist(), strict=True)) == {5: 2, 7: 1}
