"""How exactly a log tells the time, and for how long a silent one says at least that the service was away."""

import pytest

from support.request_tables import table_of, tables_of
from switchover.analysis import resolution
from switchover.analysis.resolution import resolution_of
from switchover.analysis.silence import least_outage_us
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
    assert resolution_of(table_of([*begun, *exact(others)])) == found
    ended = [sample(at * SECOND - ODD, at * SECOND) for at in range(1, coarse + 1)]
    assert resolution_of(table_of([*ended, *exact(others)])) == found


@pytest.mark.parametrize(
    ("step_us", "found"), [(60 * SECOND, 60 * SECOND), (SECOND, SECOND), (SECOND // 10, SECOND // 10), (10_000, 0)]
)
def test_the_coarsest_step_on_which_its_times_lie_is_told(step_us: int, found: int) -> None:
    times = [at * step_us for at in range(1, 41) if at % 10]
    assert resolution_of(table_of([sample(at_us, at_us + ODD) for at_us in times])) == found


def test_of_several_logs_the_coarsest_counts() -> None:
    coarse = [sample(at * SECOND, at * SECOND + ODD) for at in range(1, 21)]
    for logs in ((exact(500), coarse), (coarse, exact(500))):
        assert resolution_of(tables_of(*logs)) == SECOND


def test_of_many_rows_one_in_sixteen_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [sample(at * SECOND + (at % 16 and ODD), at * SECOND + 3 * ODD) for at in range(320)]
    for many, found in ((319, SECOND), (320, 0)):
        monkeypatch.setattr(resolution, "MANY", many)
        assert resolution_of(table_of(rows)) == found


@pytest.mark.parametrize(
    ("silence_us", "usual_us", "resolution_us", "least_us"),
    [
        (10 * SECOND, 0, 0, 4_500_000),
        (10 * SECOND, SECOND, 0, 4_000_000),
        (10 * SECOND, SECOND, 2 * SECOND, 3_000_000),
        (SECOND + 3, 0, 0, 1),
        (SECOND, 0, 0, 0),
        (0, SECOND, SECOND, 0),
    ],
)
def test_a_client_that_waited_came_back_a_second_and_twice_the_outage_later_at_most(
    silence_us: int, usual_us: int, resolution_us: int, least_us: int
) -> None:
    assert least_outage_us(silence_us, usual_us, resolution_us) == least_us
