"""Percentiles by nearest rank, in each phase and in the whole run."""

import pytest

from support.request_tables import table_of
from switchover.figures.latency import measure_latencies
from switchover.rundir.sample_log import Sample
from switchover.verdict.record import Latency, Percentiles
from synthetic import refused, sample

PHASE = "CASE WHEN start_us < 100 THEN 'baseline' ELSE 'switchover' END"


def latencies(*samples: Sample) -> dict[str | None, Latency]:
    return measure_latencies(table_of(samples), PHASE)


def equal(us: int) -> Percentiles:
    return Percentiles(p50=us / 1000, p90=us / 1000, p99=us / 1000, max=us / 1000)


def test_a_rank_is_the_smallest_value_that_so_many_percent_do_not_exceed() -> None:
    times = [1] * 50 + [3] * 40 + [5] * 9 + [7]
    assert latencies(*(sample(0, us) for us in reversed(times)))["baseline"].from_send == Percentiles(
        p50=0.001, p90=0.003, p99=0.005, max=0.007
    )


def test_the_whole_run_has_the_responses_of_each_phase() -> None:
    measured = latencies(sample(0, 5), sample(0, 7), sample(100, 103))
    assert {name: latency.from_send.max for name, latency in measured.items()} == {
        "baseline": 0.007,
        "switchover": 0.003,
        None: 0.007,
    }
    assert measured[None].from_send.p50 == 0.005


@pytest.mark.parametrize(("due_us", "from_schedule"), [(1, equal(8)), (None, None)])
def test_latency_from_the_schedule_is_known_where_every_answer_had_its_time(
    due_us: int | None, from_schedule: Percentiles | None
) -> None:
    both = latencies(sample(6, 9, intended_us=1), sample(6, 9, intended_us=due_us))
    assert both["baseline"] == Latency(from_schedule=from_schedule, from_send=equal(3))


def test_only_responses_have_a_latency() -> None:
    assert latencies() == latencies(refused(0)) == {}
    assert latencies(refused(0), sample(0, 4))[None].from_send == equal(4)
