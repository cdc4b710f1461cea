"""How exactly a log tells the time."""

import pytest

from support.request_tables import table_of, tables_of
from switchover.evidence.requests.stamps import time_step_of
from switchover.rundir.sample_log import Sample
from synthetic import SECOND, sample

ODD = 7
"""Microseconds that lie on no step of a coarse clock."""


def exact(number: int) -> list[Sample]:
    return [sample(at * SECOND + ODD, at * SECOND + 3 * ODD) for at in range(number)]


@pytest.mark.parametrize(
    ("coarse", "others", "found"),
    [(10, 0, SECOND), (9, 0, 0), (10, 29, SECOND), (10, 30, 0), (20, 59, SECOND), (20, 60, 0), (0, 50, 0)],
)
def test_a_log_is_as_coarse_as_more_than_a_quarter_of_its_times_and_ten_at_least(
    coarse: int, others: int, found: int
) -> None:
    begun = [sample(at * SECOND, at * SECOND + ODD) for at in range(1, coarse + 1)]
    assert time_step_of(table_of([*begun, *exact(others)])) == found
    ended = [sample(at * SECOND - ODD, at * SECOND) for at in range(1, coarse + 1)]
    assert time_step_of(table_of([*ended, *exact(others)])) == found


@pytest.mark.parametrize(
    ("step_us", "found"), [(60 * SECOND, 60 * SECOND), (SECOND, SECOND), (SECOND // 10, SECOND // 10), (10_000, 0)]
)
def test_the_coarsest_step_on_which_its_times_lie_is_told(step_us: int, found: int) -> None:
    times = [at * step_us for at in range(1, 41) if at % 10]
    assert time_step_of(table_of([sample(at_us, at_us + ODD) for at_us in times])) == found


def test_of_several_logs_the_coarsest_counts() -> None:
    coarse = [sample(at * SECOND, at * SECOND + ODD) for at in range(1, 21)]
    for logs in ((exact(500), coarse), (coarse, exact(500))):
        assert time_step_of(tables_of(*logs)) == SECOND
